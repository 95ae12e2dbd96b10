#include "tb/chip/memory_lanes.h"

#include <algorithm>
#include <random>

namespace tb {
namespace {

constexpr unsigned kLeastWidth = 14;
constexpr unsigned kWidths = 15;
constexpr unsigned kLeastCentre = 20;
constexpr unsigned kCentres = 25;
constexpr std::uint64_t kStream = 0x48'42'4D;  // of the seed

/// Mixes all bits (the finaliser of SplitMix64; Steele, Lea, Flood, OOPSLA 2014).
std::uint64_t scramble(std::uint64_t x) {
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31U);
}

}  // namespace

MemoryLanes::MemoryLanes(std::uint64_t seed) {
  std::mt19937_64 random(seed ^ kStream);
  for (Direction* direction : {&read_, &write_}) {
    direction->salt = random();
    for (Eye& eye : direction->eyes) {
      eye.width = kLeastWidth + static_cast<unsigned>(random() % kWidths);
      eye.first = kLeastCentre + static_cast<unsigned>(random() % kCentres) - eye.width / 2;
    }
  }
}

void MemoryLanes::set_width(unsigned lane, unsigned width) {
  for (Direction* direction : {&read_, &write_}) {
    Eye& eye = direction->eyes[lane];
    const unsigned centre = eye.first + eye.width / 2;
    eye.first = std::min(centre - std::min(centre, width / 2), taps - std::min(taps, width));
    eye.width = width;
    direction->delays = ~std::uint64_t{0};
  }
}

void MemoryLanes::look(Direction& direction, std::uint64_t delays) {
  direction.delays = delays;
  direction.far = direction.near = direction.edge = 0;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    const unsigned missed = direction.eyes[lane].distance(static_cast<unsigned>((delays >> (6 * lane)) & 0x3FU));
    std::uint64_t& mask = missed > 2 ? direction.far : missed == 2 ? direction.near : direction.edge;
    if (missed > 0) mask |= std::uint64_t{0xFF} << (8 * lane);
  }
}

std::uint64_t MemoryLanes::flips(Direction& direction, std::uint64_t delays, std::uint64_t beat) {
  if (delays != direction.delays) look(direction, delays);
  if ((direction.far | direction.near | direction.edge) == 0) return 0;
  const std::uint64_t half = scramble(direction.salt + delays * 0x9E3779B97F4A7C15U + beat);
  const std::uint64_t quarter = half & scramble(half + 1);
  const std::uint64_t eighth = quarter & scramble(half + 2);
  return (direction.far & half) | (direction.near & quarter) | (direction.edge & eighth);
}

}  // namespace tb
