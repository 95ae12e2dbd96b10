#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/fuzz/documents.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  firstlight::parse_anything(std::string(data, data + size));
  return 0;
}
