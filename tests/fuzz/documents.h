#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace firstlight {

/// Reads the text as a bench and as a sequence, with and without a bench. Whatever the text is, both come back with a
/// plan or with diagnostics, every one of which can be printed; anything else ends the program.
void parse_anything(const std::string& text);

}  // namespace firstlight
