#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <optional>

#include "tb/blocks/link/flit_bench.h"
#include "tb/blocks/link/flit_traffic.h"
#include "tests/support/random_part.h"

namespace tb::blocks::link {
namespace {

using Condition = SerdesChannel::Condition;

// Longest way through all timers and retries of the reset values, and as much again for the other end's.
constexpr std::uint64_t bound = 200'000;
constexpr std::uint64_t stays_up = 2000;      // cycles in L0 that count as the end of it
constexpr std::uint64_t stays_down = 12'000;  // longer than any state of training lasts

/// What went wrong, to be told.
class Mishap {
 public:
  Mishap(FlitBench& bench, Dice& dice) : bench_(bench), dice_(dice) {}

  void strike() {
    switch (dice_.below(4)) {
      case 0:
        reset_an_end();
        break;
      case 1:
        cut_a_lane();
        break;
      case 2:
        burst();
        break;
      default:
        burst();
        if (dice_.coin())
          cut_a_lane();
        else
          reset_an_end();
    }
  }
  const std::string& story() const { return story_; }
  /// An end that nobody has enabled again.
  bool left_off(unsigned side) const { return off_[side]; }
  bool off() const { return off_[0] || off_[1]; }

 private:
  void tell(const std::string& text) { story_ += fmt::format("{} at cycle {}; ", text, bench_.cycles()); }

  void reset_an_end() {
    const unsigned side = dice_.below(2);
    bench_.reset_side(side);
    bench_.cycle(dice_.below(6000));
    off_[side] = dice_.one_in(5);
    if (!off_[side]) bench_.write(side, "ctrl.enable", 1);
    tell(fmt::format("end {} reset, {}", side, off_[side] ? "left off" : "enabled again"));
  }
  void cut_a_lane() {
    const unsigned to = dice_.below(2);
    const unsigned lane = dice_.below(4);
    const auto how =
        std::array{Condition::electrical_idle, Condition::stuck_low, Condition::stuck_high}.at(dice_.below(3));
    bench_.channel(to).set_condition(lane, how);
    const bool comes_back = dice_.one_in(3);
    if (comes_back) {
      bench_.cycle(dice_.below(8000));
      bench_.channel(to).set_condition(lane, Condition::alive);
    }
    tell(fmt::format("lane {} into end {} dead ({}){}", lane, to, static_cast<int>(how),
                     comes_back ? ", alive again" : ""));
  }
  void burst() {
    const unsigned to = dice_.below(3);  // 2: both
    const unsigned lanes = 1 + dice_.below(15);
    const double rate = std::array{1e-3, 5e-3, 0.02, 0.1, 0.5}.at(dice_.below(5));
    const unsigned cycles = 1 + dice_.below(dice_.coin() ? 300 : 12'000);
    set_rate(to, lanes, rate);
    bench_.cycle(cycles);
    set_rate(to, lanes, 0);
    tell(fmt::format("{} cycles of errors at {} on lanes {:#x} into {}", cycles, rate, lanes,
                     to == 2 ? "both"
                     : to    ? "end 1"
                             : "end 0"));
  }
  void set_rate(unsigned to, unsigned lanes, double rate) {
    for (unsigned side = 0; side < 2; ++side)
      for (unsigned l = 0; l < 4; ++l)
        if ((to == 2 || to == side) && ((lanes >> l) & 1U)) bench_.channel(side).set_bit_error_rate(l, rate);
  }

  FlitBench& bench_;
  Dice& dice_;
  std::array<bool, 2> off_{};
  std::string story_;
};

enum class Outcome { up, degraded, down };

bool down(State state) { return state == State::disabled || state == State::detect; }

/// Cycles until both ends are up, or both down, for good. Empty when that does not happen within the bound.
std::optional<Outcome> settle(FlitBench& bench) {
  std::uint64_t up_for = 0;
  std::uint64_t down_for = 0;
  const std::uint64_t begin = bench.cycles();
  std::uint64_t last = begin;
  while (bench.cycles() - begin < bound) {
    const std::array<State, 2> state{bench.state(0), bench.state(1)};
    const std::uint64_t passed = bench.cycles() - last;
    last = bench.cycles();
    up_for = state[0] == State::l0 && state[1] == State::l0 ? up_for + passed : 0;
    down_for = down(state[0]) && down(state[1]) ? down_for + passed : 0;
    if (up_for >= stays_up) return bench.read(0, "status.width") == 4 ? Outcome::up : Outcome::degraded;
    if (down_for >= stays_down) return Outcome::down;
    bench.cycle(100);
  }
  return std::nullopt;
}

/// Why the width is not what it could be, by either end.
bool explains_width(FlitBench& bench) {
  for (unsigned side = 0; side < 2; ++side) {
    if (bench.value_name(side, "status.last_failure") != "none") return true;
    for (unsigned l = 0; l < 4; ++l)
      if (bench.read(side, fmt::format("lane_status[{}].locked", l)) == 0) return true;
    for (const Transition& t : bench.trace(side))
      if (t.cause == "lanes_partial") return true;
  }
  return false;
}

void expect_agreement(FlitBench& bench, Outcome outcome, const Mishap& mishap) {
  if (outcome == Outcome::down) {
    for (unsigned side = 0; side < 2; ++side) {
      EXPECT_EQ(bench.read(side, "status.session"), 0U);
      if (!mishap.left_off(side)) {
        EXPECT_NE(bench.value_name(side, "status.last_failure"), "none")
            << "end " << side << " is down without a reason";
      }
    }
    return;
  }
  for (const char* field : {"status.width", "status.active_lanes", "status.session"})
    EXPECT_EQ(bench.read(0, field), bench.read(1, field)) << field;
  EXPECT_EQ(bench.read(0, "status.session"), 1U);
  if (outcome == Outcome::degraded) {
    EXPECT_TRUE(explains_width(bench));
  }
}

std::uint32_t sessions_lost(FlitBench& bench) {
  return bench.read(0, "sessions_lost.count") + bench.read(1, "sessions_lost.count");
}

/// After a session that was lost: whatever is still in the queues goes, and the link carries traffic again.
void expect_it_works(FlitBench& bench, Traffic& old) {
  old.switch_off();
  // Packets that the source had cut off are cut off by a new session, so that flits begin with a head.
  bench.command(0, "command.hot_reset");
  bench.cycle(200);
  ASSERT_TRUE(bench.wait_state(0, State::l0, 20'000) && bench.wait_state(1, State::l0, 20'000)) << bench.stories();
  old.drain();
  Traffic fresh(bench, old.tap, seed() + 99, 3, 3);
  bench.cycle(1500);
  fresh.finish();
}

std::map<Outcome, unsigned> outcomes;

void run(std::uint64_t round_seed) {
  SCOPED_TRACE(fmt::format("run again with --seed {} and FIRSTLIGHT_CASES=1", round_seed));
  FlitBench& bench = fresh_flit_bench();
  Dice dice(round_seed * 77 + 5);
  for (unsigned side = 0; side < 2; ++side) {
    bench.channel(side).set_latency(dice.below(30));
    for (unsigned l = 0; l < 4; ++l) bench.channel(side).set_skew(l, dice.below(40));
  }
  ReplayTap tap(bench);
  Traffic traffic(bench, tap, round_seed, 4, 4);
  bench.enable_both();
  bench.cycle(dice.coin() ? dice.below(600) : dice.below(4000));  // in training, or under load
  // The counters of an end go with its reset; so what was lost is what the other end says, too.
  Mishap mishap(bench, dice);
  const std::array<std::uint32_t, 2> resets{traffic.resets(0), traffic.resets(1)};
  mishap.strike();
  const auto outcome = settle(bench);
  ASSERT_TRUE(outcome.has_value()) << mishap.story() << "not settled\n" << bench.stories();
  ++outcomes[*outcome];
  SCOPED_TRACE(mishap.story() + "\n" + bench.stories());
  expect_agreement(bench, *outcome, mishap);
  for (const std::string& violation : tap.checker().violations()) ADD_FAILURE() << violation;
  if (*outcome == Outcome::down) return;
  if (resets == std::array{traffic.resets(0), traffic.resets(1)} && sessions_lost(bench) == 0)
    traffic.finish();
  else
    expect_it_works(bench, traffic);
}

TEST(LinkChaos, BothEndsSettleAndAgreeWhateverHappens) {
  const std::uint64_t rounds = firstlight::test::cases(40);
  for (std::uint64_t i = 0; i < rounds && !HasFailure(); ++i) run(seed() + i);
  std::cout << fmt::format("{} up, {} degraded, {} down\n", outcomes[Outcome::up], outcomes[Outcome::degraded],
                           outcomes[Outcome::down]);
}

}  // namespace
}  // namespace tb::blocks::link
