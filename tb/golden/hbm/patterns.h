#pragma once

#include <array>
#include <cstdint>

/// The external memory's controller, from docs/hbm.md.
namespace tb::golden::hbm {

constexpr unsigned kLanes = 8;
constexpr unsigned kTaps = 64;
constexpr unsigned kPageWords = 32;
constexpr unsigned kSpares = 4;
constexpr std::uint32_t kRowBytes = 1024;
constexpr std::uint32_t kWordBytes = 8;
constexpr unsigned kMiddleTap = 32;

std::uint64_t mix(std::uint32_t a, std::uint32_t b);
/// The training page with this number.
std::array<std::uint64_t, kPageWords> training_page(std::uint16_t number);

enum class Test : std::uint8_t { solid, checkerboard, address, random, lines };
constexpr unsigned kTests = 5;
/// What March C- holds against the word at a byte offset: d; the other value is its complement.
std::uint64_t background(Test test, std::uint32_t seed, std::uint32_t offset);

}  // namespace tb::golden::hbm
