#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tb/blocks/dice.h"
#include "tb/blocks/link/link_bench.h"

namespace tb::blocks::link {
namespace {

using Condition = SerdesChannel::Condition;
using Wiring = std::array<unsigned, 4>;

TEST(LinkTraining, ComesUpOnACleanChannel) {
  LinkBench& bench = fresh_bench();
  EXPECT_EQ(bench.state(0), State::disabled);
  EXPECT_EQ(bench.dut(0).tx_idle_o, 0xF) << "DISABLED is electrical idle";
  const auto cycles = bench.train();
  ASSERT_GE(cycles, 0) << bench.stories();
  RecordProperty("cycles_to_train", static_cast<int>(cycles));
  std::cout << "cycles to train: " << cycles << "\n" << bench.story(0) << "\n";
  for (unsigned side = 0; side < 2; ++side) {
    EXPECT_EQ(bench.read(side, "status.width"), 4U);
    EXPECT_EQ(bench.read(side, "status.reversed"), 0U);
    EXPECT_EQ(bench.read(side, "status.active_lanes"), 0xFU);
    EXPECT_EQ(bench.value_name(side, "status.last_failure"), "none");
    for (unsigned l = 0; l < 4; ++l) {
      EXPECT_EQ(bench.read(side, fmt::format("lane_status[{}].lane", l)), l);
      EXPECT_EQ(bench.read(side, fmt::format("lane_status[{}].locked", l)), 1U);
      EXPECT_EQ(bench.read(side, fmt::format("lane_status[{}].active", l)), 1U);
      EXPECT_EQ(bench.read(side, fmt::format("lane_status[{}].inverted", l)), 0U);
    }
  }
  bench.cycle(2000);
  EXPECT_EQ(bench.state(0), State::l0) << "stays up";
  for (const char* counter : {"crc_errors", "framing_errors", "sequence_errors", "alignment_losses", "unexpected_sets"})
    EXPECT_EQ(bench.read(0, fmt::format("{}.count", counter)), 0U) << counter;
}

/// Skews, polarity and latency at random, on both channels.
void disturb(LinkBench& bench, Dice& dice) {
  for (unsigned side = 0; side < 2; ++side) {
    bench.channel(side).set_latency(dice.below(20));
    for (unsigned l = 0; l < 4; ++l) {
      bench.channel(side).set_skew(l, dice.below(64));
      bench.channel(side).set_inverted(l, dice.coin());
    }
  }
}

TEST(LinkTraining, UndoesSkewPolarityAndReversalOfAnyKind) {
  LinkBench& bench = fresh_bench();
  Dice dice(seed());
  std::int64_t slowest = 0;
  for (unsigned round = 0; round < 200; ++round) {
    SCOPED_TRACE(fmt::format("seed {} round {}", seed(), round));
    bench.reset();
    disturb(bench, dice);
    std::array<bool, 2> reversed{dice.coin(), dice.coin()};
    std::array<std::array<bool, 4>, 2> inverted{};
    for (unsigned side = 0; side < 2; ++side) {
      if (reversed[side]) bench.channel(side).set_wiring({3, 2, 1, 0});
      for (unsigned l = 0; l < 4; ++l) {
        inverted[side][l] = dice.coin();
        bench.channel(side).set_inverted(l, inverted[side][l]);
      }
      bench.write(side, "local_id.id", 0x1000U + round * 2 + side);
    }
    const auto cycles = bench.train();
    ASSERT_GE(cycles, 0) << bench.stories();
    slowest = std::max(slowest, cycles);
    bench.cycle(300);
    for (unsigned side = 0; side < 2; ++side) {
      EXPECT_EQ(bench.state(side), State::l0) << bench.stories();
      EXPECT_EQ(bench.read(side, "status.width"), 4U);
      EXPECT_EQ(bench.read(side, "status.reversed"), reversed[side] ? 1U : 0U);
      EXPECT_EQ(bench.read(side, "peer.id"), 0x1000U + round * 2 + (1 - side));
      EXPECT_EQ(bench.read(side, "crc_errors.count"), 0U);
      for (unsigned l = 0; l < 4; ++l) {
        EXPECT_EQ(bench.read(side, fmt::format("lane_status[{}].inverted", l)), inverted[side][l] ? 1U : 0U);
        EXPECT_EQ(bench.read(side, fmt::format("lane_status[{}].lane", l)), reversed[side] ? 3 - l : l);
      }
    }
  }
  std::cout << "slowest training: " << slowest << " cycles\n";
}

TEST(LinkTraining, DeskewDepthTellsTheSkewInWords) {
  LinkBench& bench = fresh_bench();
  bench.channel(1).set_skew(2, 63);
  ASSERT_GE(bench.train(), 0);
  const unsigned late = bench.read(1, "lane_status[2].deskew");
  EXPECT_EQ(bench.read(1, "lane_status[0].deskew"), late + 3) << "63 bits: 3 words and 15 bits";
  EXPECT_EQ(bench.read(1, "lane_status[0].bit_offset"), 0U);
  EXPECT_EQ(bench.read(1, "lane_status[2].bit_offset"), 15U);
}

TEST(LinkTraining, EveryOtherPermutationIsDetectedAndNamed) {
  LinkBench& bench = fresh_bench();
  Wiring wiring{0, 1, 2, 3};
  do {
    if (wiring == Wiring{0, 1, 2, 3} || wiring == Wiring{3, 2, 1, 0}) continue;
    SCOPED_TRACE(fmt::format("{} {} {} {}", wiring[0], wiring[1], wiring[2], wiring[3]));
    bench.reset();
    bench.channel(1).set_wiring(wiring);
    bench.enable_both();
    ASSERT_TRUE(bench.wait_state(1, State::polling, 1000));
    ASSERT_TRUE(bench.wait_state(1, State::disabled, 8000)) << bench.stories();
    EXPECT_EQ(bench.value_name(1, "status.cause"), "lane_map");
    EXPECT_EQ(bench.value_name(1, "status.last_failure"), "lane_map");
    EXPECT_EQ(bench.read(1, "irq_status.failed"), 1U);
    bench.write(1, "ctrl.enable", 0);
    for (unsigned l = 0; l < 4; ++l) EXPECT_TRUE(bench.read(0, "status.up") == 0U);
  } while (std::next_permutation(wiring.begin(), wiring.end()));
}

TEST(LinkTraining, NamesTheWiringOfAWrongPermutation) {
  LinkBench& bench = fresh_bench();
  const Wiring wiring{1, 0, 2, 3};
  bench.channel(1).set_wiring(wiring);
  bench.enable_both();
  ASSERT_TRUE(bench.wait_state(1, State::polling, 1000));
  ASSERT_TRUE(bench.wait_state(1, State::disabled, 8000));
  for (unsigned l = 0; l < 4; ++l) {
    EXPECT_EQ(bench.read(1, fmt::format("lane_status[{}].heard", l)), 1U);
    EXPECT_EQ(bench.read(1, fmt::format("lane_status[{}].lane", l)), wiring[l]);
  }
}

TEST(LinkTraining, RefusesReversalWhenTold) {
  LinkBench& bench = fresh_bench();
  bench.channel(1).set_wiring({3, 2, 1, 0});
  bench.write(1, "ctrl.allow_reversal", 0);
  EXPECT_EQ(bench.train(3000), -1);
  EXPECT_EQ(bench.state(1), State::disabled);
  EXPECT_EQ(bench.value_name(1, "status.last_failure"), "reversal_refused");
}

TEST(LinkTraining, DeadLanesDegradeToTheWidestWidthThatLives) {
  LinkBench& bench = fresh_bench();
  Dice dice(seed() + 5);
  for (const Condition how : {Condition::electrical_idle, Condition::stuck_low, Condition::stuck_high})
    for (unsigned dead = 0; dead < 15; ++dead) {
      SCOPED_TRACE(fmt::format("seed {} dead {:04b} how {}", seed(), dead, static_cast<int>(how)));
      bench.reset();
      disturb(bench, dice);
      // Each dead lane dies in one direction or the other: either is enough.
      for (unsigned l = 0; l < 4; ++l)
        if ((dead >> l) & 1U) bench.channel(dice.below(2)).set_condition(l, how);
      ASSERT_GE(bench.train(), 0) << bench.stories();
      unsigned live = 0;
      for (unsigned l = 0; l < 4; ++l) live += (dead >> l) & 1U ? 0 : 1;
      const unsigned width = live == 4 ? 4 : live >= 2 ? 2 : 1;
      for (unsigned side = 0; side < 2; ++side) {
        EXPECT_EQ(bench.read(side, "status.width"), width);
        EXPECT_EQ(bench.read(side, "status.active_lanes") & dead, 0U) << "a dead lane in use";
      }
      EXPECT_EQ(bench.read(0, "status.active_lanes"), bench.read(1, "status.active_lanes"));
    }
}

TEST(LinkTraining, NobodyThereStaysInDetectAndIsCounted) {
  LinkBench& bench = fresh_bench();
  bench.write(0, "ctrl.enable", 1);
  bench.cycle(9000);
  EXPECT_EQ(bench.state(0), State::detect);
  EXPECT_EQ(bench.read(0, "detect_timeouts.count"), 2U);
  EXPECT_EQ(bench.value_name(0, "status.last_failure"), "no_receiver");
  bench.write(0, "limits.detect", 3);
  EXPECT_TRUE(bench.wait_state(0, State::disabled, 8000));
  EXPECT_EQ(bench.value_name(0, "status.cause"), "no_receiver");
  // The peer comes late: a retrain order tries again.
  bench.write(1, "ctrl.enable", 1);
  bench.command(0, "command.retrain");
  EXPECT_TRUE(bench.wait_state(0, State::l0, 4000)) << bench.stories();
}

TEST(LinkTraining, ASignalWithoutSetsEndsInDisabledAfterTheRetries) {
  LinkBench& bench = fresh_bench();
  for (unsigned l = 0; l < 4; ++l) bench.channel(0).set_condition(l, Condition::stuck_high);
  bench.write(0, "ctrl.enable", 1);
  ASSERT_TRUE(bench.wait_state(0, State::polling, 1000));
  ASSERT_TRUE(bench.wait_state(0, State::disabled, 40000)) << bench.stories();
  EXPECT_EQ(bench.value_name(0, "status.cause"), "retry_limit");
  EXPECT_EQ(bench.value_name(0, "status.last_failure"), "polling_timeout");
  EXPECT_EQ(bench.read(0, "polling_timeouts.count"), 4U) << "limits.retry";
}

TEST(LinkTraining, OneDirectionDeadEndsWithCauses) {
  LinkBench& bench = fresh_bench();
  for (unsigned l = 0; l < 4; ++l) bench.channel(0).set_condition(l, Condition::stuck_low);
  bench.enable_both();
  ASSERT_TRUE(bench.wait_state(0, State::polling, 1000));
  EXPECT_TRUE(bench.wait_state(0, State::disabled, 60000)) << bench.stories();
  EXPECT_TRUE(bench.wait_state(1, State::disabled, 60000)) << bench.stories();
  EXPECT_GT(bench.read(1, "config_timeouts.count"), 0U) << "side 1 hears, but is not heard";
  EXPECT_EQ(bench.read(0, "status.up"), 0U);
  EXPECT_EQ(bench.read(1, "status.up"), 0U);
}

TEST(LinkTraining, ForcedPolarityWinsAndAWrongForceNeverLocks) {
  LinkBench& bench = fresh_bench();
  bench.channel(1).set_inverted(1, true);
  bench.write(1, "ctrl.polarity_force", 0xF);
  bench.write(1, "ctrl.polarity_value", 0x2);
  ASSERT_GE(bench.train(), 0) << bench.stories();
  EXPECT_EQ(bench.read(1, "status.width"), 4U);
  bench.write(0, "ctrl.enable", 0);
  bench.write(1, "ctrl.enable", 0);
  bench.write(1, "ctrl.polarity_value", 0x0);
  bench.cycle(50);
  ASSERT_GE(bench.train(), 0) << bench.stories();
  EXPECT_EQ(bench.read(1, "status.width"), 2U);
  EXPECT_EQ(bench.read(1, "lane_status[1].locked"), 0U);
}

TEST(LinkTraining, DisabledLanesAreLeftOut) {
  LinkBench& bench = fresh_bench();
  bench.write(0, "ctrl.lane_disable", 0x1);
  ASSERT_GE(bench.train(), 0) << bench.stories();
  for (unsigned side = 0; side < 2; ++side) EXPECT_EQ(bench.read(side, "status.active_lanes"), 0x6U);
  EXPECT_EQ(bench.dut(0).tx_idle_o & 1U, 1U);
}

TEST(LinkTraining, SurvivesAResetOfOneEnd) {
  LinkBench& bench = fresh_bench();
  ASSERT_GE(bench.train(), 0);
  bench.reset_side(1);
  bench.cycle(500);
  EXPECT_NE(bench.state(0), State::l0);
  bench.write(1, "ctrl.enable", 1);
  EXPECT_TRUE(bench.wait_state(0, State::l0, 10000)) << bench.stories();
  EXPECT_TRUE(bench.wait_state(1, State::l0, 10000)) << bench.stories();
}

TEST(LinkTraining, RetrainsByOrderAndDegradesWhenALaneDies) {
  LinkBench& bench = fresh_bench();
  ASSERT_GE(bench.train(), 0);
  bench.command(0, "command.retrain");
  bench.cycle(1000);
  EXPECT_TRUE(bench.wait_state(0, State::l0, 4000) && bench.wait_state(1, State::l0, 4000)) << bench.stories();
  EXPECT_EQ(bench.read(0, "recoveries.count"), 1U);
  EXPECT_EQ(bench.read(1, "recoveries.count"), 1U);
  bench.channel(1).set_condition(3, Condition::stuck_low);
  bench.cycle(3000);
  EXPECT_TRUE(bench.wait_state(0, State::l0, 8000) && bench.wait_state(1, State::l0, 8000)) << bench.stories();
  EXPECT_EQ(bench.read(0, "status.width"), 2U);
  const std::string cause = bench.value_name(1, "status.last_failure");
  EXPECT_TRUE(cause == "crc_errors" || cause == "alignment_lost") << cause;
}

TEST(LinkTraining, HopelessErrorsEndInDisabledWithTheirCause) {
  LinkBench& bench = fresh_bench();
  ASSERT_GE(bench.train(), 0);
  for (unsigned l = 0; l < 4; ++l) bench.channel(1).set_bit_error_rate(l, 3e-3);
  EXPECT_TRUE(bench.wait_state(1, State::disabled, 200'000)) << bench.stories();
  EXPECT_TRUE(bench.value_name(1, "status.cause") == "recovery_limit" ||
              bench.value_name(1, "status.cause") == "retry_limit");
  EXPECT_EQ(bench.value_name(1, "status.last_failure"), "crc_errors") << bench.stories();
  EXPECT_GT(bench.read(1, "crc_errors.count"), 30U);
}

TEST(LinkTraining, JudgesTheShareOfBadFramesAtEveryWidth) {
  for (const std::uint32_t width : {0U, 1U, 2U}) {
    LinkBench& bench = fresh_bench();
    for (unsigned side = 0; side < 2; ++side) {
      bench.write(side, "ctrl.max_width", width);
      bench.write(side, "limits.crc", 100);
      bench.write(side, "replay_timing.limit", 0);
    }
    ASSERT_GE(bench.train(), 0);
    for (unsigned l = 0; l < 4; ++l) bench.channel(1).set_bit_error_rate(l, 6e-3);  // 19 of 20 frames
    EXPECT_TRUE(bench.wait_state(1, State::recovery, 20'000)) << bench.stories();
    EXPECT_EQ(bench.value_name(1, "status.cause"), "crc_errors") << bench.stories();
    EXPECT_NEAR(bench.read(1, "crc_errors.count"), 101, 1);
  }
}

TEST(LinkTraining, TraceWrapsAndKeepsTheLatest) {
  LinkBench& bench = fresh_bench();
  for (unsigned i = 0; i < 40; ++i) {
    bench.write(0, "ctrl.enable", 1);
    bench.write(0, "ctrl.enable", 0);
  }
  EXPECT_EQ(bench.read(0, "trace_status.entries"), 64U);
  EXPECT_EQ(bench.read(0, "trace_status.wraps"), 1U);
  const auto trace = bench.trace(0);
  ASSERT_EQ(trace.size(), 64U);
  for (std::size_t i = 0; i < trace.size(); ++i) {
    EXPECT_EQ(trace[i].to, i % 2 ? State::disabled : State::detect);
    EXPECT_EQ(trace[i].cause, i % 2 ? "soft_disable" : "enable");
    if (i > 0) {
      EXPECT_GT(trace[i].time, trace[i - 1].time);
    }
  }
  bench.command(0, "command.clear_trace");
  EXPECT_EQ(bench.read(0, "trace_status.entries"), 0U);
  EXPECT_TRUE(bench.access_fails(0, true, 0x800)) << "the trace cannot be written";
}

}  // namespace
}  // namespace tb::blocks::link
