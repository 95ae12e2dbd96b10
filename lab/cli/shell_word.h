#pragma once

#include <string>

namespace firstlight::cli {

/// The word as a shell takes it.
std::string shell_word(const std::string& word);

}  // namespace firstlight::cli
