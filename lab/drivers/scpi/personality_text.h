#pragma once

#include <vector>

#include "lab/core/diagnostic.h"
#include "lab/core/vocabulary.h"
#include "lab/drivers/scpi/personality.h"

namespace firstlight::scpi {

/// A personality for people: `firstlight list personalities`, `describe`.
InstrumentSpec instrument_spec(const Personality& personality);

}  // namespace firstlight::scpi

namespace firstlight {

/// Every personality that comes with the program.
std::vector<InstrumentSpec> instrument_specs();

/// The personality in a file. Errors go to `diagnostics`; nothing comes back when there was one.
std::optional<InstrumentSpec> check_personality(const std::string& file, Diagnostics& diagnostics);

}  // namespace firstlight
