#pragma once

#include <string>

#include "lab/core/vocabulary.h"

namespace firstlight {

/// JSON Schema (draft 2020-12) of a sequence file, from the tables that the parser reads by.
std::string sequence_schema(const Vocabulary& vocabulary);

}  // namespace firstlight
