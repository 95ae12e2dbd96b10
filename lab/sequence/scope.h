#pragma once

#include <map>
#include <string>

#include "lab/document/node.h"
#include "lab/document/reader.h"

namespace firstlight {

/// What `${name}` stands for: parameters and the variables of `for_each`.
using Scope = std::map<std::string, Node>;

/// The node with every `${name}` replaced. A scalar that is `${name}` and nothing else becomes what the name stands
/// for, a list too; inside of a longer text only a scalar can stand. Unknown names are told, and what held them is
/// broken.
Node substitute(const Place& place, const Scope& scope, const Reader& reader);

}  // namespace firstlight
