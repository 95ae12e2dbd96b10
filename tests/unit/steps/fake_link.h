#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "lab/capabilities/link.h"

namespace firstlight::test {

/// A link of four lanes that counts PRBS bits as bench time passes. Nothing of it trains or has an eye.
class FakeLink final : public Link {
 public:
  struct Lane {
    double ratio = 0;  // of wrong bits
    bool present = true;
    bool counts_errors = true;
    double loses_lock_after = 1e30;  // bits
  };

  explicit FakeLink(BenchTime& time) : time_(time) {}

  std::array<Lane, 4> lanes;
  double speed = 1;                     // of the clock, against what the link believes
  std::optional<std::uint64_t> random;  // seed; without one errors come evenly spaced
  bool sends = false;
  PrbsPattern pattern = PrbsPattern::prbs7;

  std::string part() const override { return "tern link"; }
  int lane_count() const override { return 4; }
  double lane_rate() const override { return 16e9; }
  void start_prbs(PrbsPattern wanted) override {
    sends = true;
    pattern = wanted;
    if (random) engine_.seed(*random);
    clear_prbs();
  }
  void stop_prbs() override { sends = false; }
  void clear_prbs() override {
    begin_ = time_.now();
    counts_ = {};
  }
  void inject_prbs_errors(int lane, int count) override {
    counts_.at(static_cast<std::size_t>(lane)).injected += static_cast<std::uint64_t>(count);
  }
  std::vector<PrbsResult> prbs() override {
    std::vector<PrbsResult> out;
    for (std::size_t i = 0; i < lanes.size(); ++i) out.push_back(look(static_cast<int>(i), lanes[i], counts_[i]));
    return out;
  }

  void enable() override {}
  void disable() override {}
  void retrain() override {}
  LinkStatus status() override { return {}; }
  std::vector<LinkTransition> trace() override { return {}; }
  Duration training_limit() override { return {}; }
  std::vector<std::pair<std::string, std::uint64_t>> counters() override { return {}; }
  void clear_counters() override {}
  EyeGrid eye_grid() const override { return {}; }
  void start_eye(int /*lane*/, int /*phase*/, int /*offset*/, std::uint64_t /*bits*/) override {}
  std::optional<EyeCount> eye() override { return std::nullopt; }

 private:
  struct Count {
    std::uint64_t bits = 0;
    std::uint64_t wrong = 0;
    std::uint64_t injected = 0;
  };

  PrbsResult look(int number, const Lane& lane, Count& count) {
    const auto bits = static_cast<std::uint64_t>(seconds(time_.now() - begin_) * lane_rate() * speed / 16) * 16;
    if (random)
      count.wrong += std::binomial_distribution<std::uint64_t>(bits - count.bits, lane.ratio)(engine_);
    else
      count.wrong = static_cast<std::uint64_t>(lane.ratio * static_cast<double>(bits));
    count.bits = bits;
    PrbsResult result;
    result.lane = number;
    result.present = lane.present;
    result.locked = lane.present && sends;
    result.bits = result.locked ? bits : 0;
    result.errors = result.locked && lane.counts_errors ? count.wrong + count.injected : 0;
    result.lock_losses = static_cast<double>(bits) > lane.loses_lock_after ? 1 : 0;
    return result;
  }

  BenchTime& time_;
  std::array<Count, 4> counts_{};
  std::mt19937_64 engine_;
  Instant begin_{};
};

}  // namespace firstlight::test
