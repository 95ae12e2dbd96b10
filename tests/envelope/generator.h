#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "lab/bench/plan.h"

namespace envelope {

/// A bench and a sequence that means it no good, both made from one seed.
struct Attack {
  std::string bench;     // YAML
  std::string sequence;  // YAML
  std::string fault;     // "rail_droop=vdd_core", or empty
};

/// Writes sequences that look right and ask for the worst: set points far and just outside, sweeps across the bound,
/// margins, rails in a wrong order, several at once, registers, a part that misbehaves.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}
  /// @param model the bench file of the model, whose bounds are tightened at random
  Attack attack(const std::string& model);

 private:
  std::string bench(const std::string& model);
  std::string fault();
  std::string sequence();
  std::string power_up();
  std::string step();
  std::string rail_step();
  std::string raw_step();
  std::string other_step();
  std::string sweep();
  std::string group();
  std::string volts(std::size_t rail);
  std::string line(const std::string& verb, const std::string& with, const char* timeout = "2 s");

  bool chance(double share) { return std::uniform_real_distribution<>(0, 1)(random_) < share; }
  double between(double low, double high) { return std::uniform_real_distribution<>(low, high)(random_); }
  std::size_t pick(std::size_t count) { return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_); }
  template <std::size_t N>
  const char* one_of(const std::array<const char*, N>& words) {
    return words[pick(N)];
  }

  std::mt19937_64 random_;
  std::array<double, 5> max_{};
  int ids_ = 0;
  int depth_ = 0;
};

}  // namespace envelope
