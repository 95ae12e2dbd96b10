#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/core/diagnostic.h"
#include "lab/core/vocabulary.h"
#include "lab/document/document.h"
#include "lab/drivers/scpi/kinds.h"
#include "lab/drivers/scpi/personality.h"

namespace firstlight::scpi {

/// Reads a personality. Every error goes to `diagnostics`, all in one go; nothing comes back when there was one.
std::optional<Personality> read_personality(const Document& document, Diagnostics& diagnostics);

// The keys of a personality's file; the parser and the schema read them here.
std::vector<ParamSpec> personality_params();
std::vector<ParamSpec> verified_params();
std::vector<ParamSpec> exchange_params();
std::vector<ParamSpec> range_params(Dimension dimension);

}  // namespace firstlight::scpi
