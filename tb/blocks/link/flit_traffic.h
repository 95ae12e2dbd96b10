#pragma once

#include <array>
#include <cstdint>

#include "tb/blocks/link/flit_bench.h"
#include "tb/golden/link/replay_checker.h"

namespace tb::blocks::link {

/// Shows the golden replay what both ends send.
class ReplayTap : public Agent {
 public:
  explicit ReplayTap(FlitBench& bench) : bench_(bench) { bench.side(1).add(*this); }
  void sample() override {
    for (unsigned side = 0; side < 2; ++side)
      checker_.observe(side, bench_.dut(side).tx_data_o, bench_.dut(side).tx_idle_o);
  }
  void drive() override {}
  const golden::link::ReplayChecker& checker() const { return checker_; }

 private:
  FlitBench& bench_;
  golden::link::ReplayChecker checker_;
};

/// Traffic both ways, compared at the far ends.
class Traffic {
 public:
  /// `seed` says what is sent; `idle_in` and `sink_idle_in` as of FlitSource and FlitSink.
  Traffic(FlitBench& bench, ReplayTap& tap, std::uint64_t seed, unsigned idle_in, unsigned sink_idle_in);

  /// Flits that arrived, both ways.
  std::uint64_t delivered() const { return sinks[0].flits() + sinks[1].flits(); }
  /// A counter of both ends.
  std::uint32_t count(const char* counter);
  void set_error_rate(double rate);
  /// How often the session ended at `side`, by its port.
  std::uint32_t resets(unsigned side) const { return watch_[side].breaks(); }

  /// Lets everything arrive; then nothing may be missing, wrong, repeated or out of order.
  void finish(std::uint64_t limit = 60000);
  void check();
  /// Sends nothing more, not even the rest of a packet; queues are left to others.
  void switch_off();
  /// Takes whatever the queues hold, unseen.
  void drain();

  FlitBench& bench;
  ReplayTap& tap;
  std::array<FlitSource, 2> sources;
  std::array<FlitSink, 2> sinks;

 private:
  /// Counts the beginnings of `fresh`.
  class Watch : public Agent {
   public:
    explicit Watch(BlockBench<Vflit_end>& bench) : bench_(bench) { bench.add(*this); }
    void sample() override {
      const bool fresh = bench_.dut().fresh_o;
      if (fresh && was_live_) ++breaks_;
      was_live_ = !fresh;
    }
    void drive() override {}
    std::uint32_t breaks() const { return breaks_; }

   private:
    BlockBench<Vflit_end>& bench_;
    bool was_live_ = false;
    std::uint32_t breaks_ = 0;
  };
  std::array<Watch, 2> watch_;
};

}  // namespace tb::blocks::link
