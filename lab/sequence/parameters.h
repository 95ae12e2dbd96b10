#pragma once

#include <string>

#include "lab/document/reader.h"
#include "lab/sequence/parse.h"
#include "lab/sequence/scope.h"

namespace firstlight {

/// The parameters of one sequence file.
struct Parameters {
  Value::Map values;
  Scope scope;  // the same as text, for `${name}`
};

/// Reads `parameters:` and sets each to its default or, when given, to the value from outside.
/// @param set by name: from `--set`, or from `with:` of the include
Parameters read_parameters(const Reader& reader, const Place& place, const Scope& set);

/// `--set` as nodes, with places that say so.
Scope nodes_of(const Reader& reader, const ParameterOverrides& overrides);

}  // namespace firstlight
