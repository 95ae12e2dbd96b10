#pragma once

#include <optional>
#include <string>

#include "lab/core/diagnostic.h"
#include "lab/document/node.h"

namespace firstlight {

/// Builds the tree of the one document in `text`, which is known to be UTF-8 without control characters.
std::optional<Node> build_tree(const std::string& file, const std::string& text, Diagnostics& diagnostics);

}  // namespace firstlight
