#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "lab/core/diagnostic.h"
#include "lab/document/node.h"

namespace firstlight {

/// Values of a bench's `variables:` that the command line replaces (`--bench-var NAME=VALUE`).
using BenchVariables = std::vector<std::pair<std::string, std::string>>;

/// The `variables:` of a bench file, as it has them.
std::map<std::string, std::string> variables_of(const Node& root, Diagnostics& diagnostics);

/// Puts the bench's variables in: every `${name}` in a scalar of the file becomes the variable's text. A bench that
/// stands on many tables, or on a desk with ports of its own, then needs no second file. Unknown names are told with
/// the nearest one, as is a value for a variable that the file does not have.
Node with_variables(const Node& root, const BenchVariables& given, Diagnostics& diagnostics);

}  // namespace firstlight
