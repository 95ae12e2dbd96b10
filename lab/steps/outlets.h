#pragma once

#include <string>

#include "lab/capabilities/switch.h"

namespace firstlight::steps {

/// The outlet of that name, or of an empty name the only one there is. Throws FailureError (sequence) when there are
/// several.
std::string outlet_of(Switch& device, const std::string& driver, const std::string& named);

}  // namespace firstlight::steps
