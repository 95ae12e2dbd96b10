#pragma once

#include <string>
#include <vector>

#include "lab/core/vocabulary.h"

namespace firstlight {

/// The keys of a sequence file that are the same in every one; the parser, the JSON Schema and the docs read them here.
std::vector<ParamSpec> header_params();
/// Keys of a phase besides its lists of steps.
std::vector<ParamSpec> phase_params();
/// Keys of every step and group besides what it does.
std::vector<ParamSpec> step_params();
std::vector<ParamSpec> retry_params();

/// A type that `parameters:` may declare.
struct ParameterType {
  std::string name;  // "voltage", "integer", "rail", ...
  ParamType type = ParamType::text;
  Dimension dimension = Dimension::none;
  NameKind names = NameKind::none;
};
std::vector<ParameterType> parameter_types();

/// The keys of a limit, with what each means.
std::vector<ParamSpec> limit_params();

}  // namespace firstlight
