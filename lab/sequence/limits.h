#pragma once

#include <optional>

#include "lab/core/limit.h"
#include "lab/document/reader.h"

namespace firstlight {

/// Reads a limit. Without a dimension (the bench is not known) the first value in it decides.
std::optional<Limit> read_limit(const Reader& reader, const Place& place, std::optional<Dimension> dimension);

}  // namespace firstlight
