#include "lab/arithmetic/format.h"

namespace firstlight::arithmetic {

namespace {

constexpr std::array<std::string_view, kFormats.size()> kNames = {"fp32", "fp16", "bf16", "fp8_e4m3", "fp8_e5m2"};
constexpr std::array<unsigned, kFormats.size()> kBytes = {4, 2, 2, 1, 1};

}  // namespace

std::string_view name_of(Format format) { return kNames.at(static_cast<std::size_t>(format)); }

std::optional<Format> format_named(std::string_view name) {
  for (const Format format : kFormats)
    if (name_of(format) == name) return format;
  return std::nullopt;
}

unsigned bytes_of(Format format) { return kBytes.at(static_cast<std::size_t>(format)); }
bool is_fp8(Format format) { return bytes_of(format) == 1; }

}  // namespace firstlight::arithmetic
