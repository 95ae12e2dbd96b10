#pragma once

#include <string>
#include <vector>

#include "lab/core/failure.h"

namespace firstlight::host {

/// Throws FailureError for a resource that cannot be opened.
[[noreturn]] void refuse(ErrorClass error_class, std::string symptom, std::string message, const std::string& resource,
                         std::string cause);

/// "; the nearest is "x"" to put behind a message, or nothing when none is near.
std::string nearest_hint(const std::string& wanted, const std::vector<std::string>& there);

}  // namespace firstlight::host
