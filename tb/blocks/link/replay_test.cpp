#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <iostream>

#include "tb/blocks/link/flit_bench.h"
#include "tb/blocks/link/flit_traffic.h"
#include "tests/support/random_part.h"

namespace tb::blocks::link {
namespace {

using Condition = SerdesChannel::Condition;

/// A pair in L0, with the golden replay on the wires from the first training on.
struct Trained {
  explicit Trained(unsigned max_width = 2, unsigned latency = 3) : bench(fresh_flit_bench()), tap(bench) {
    for (unsigned side = 0; side < 2; ++side) {
      bench.channel(side).set_latency(latency);
      bench.write(side, "ctrl.max_width", max_width);
      bench.write(side, "limits.recovery", 0);
    }
    EXPECT_GE(bench.train(), 0) << bench.stories();
  }
  FlitBench& bench;
  ReplayTap tap;
};

std::uint64_t bit_errors(FlitBench& bench) {
  std::uint64_t errors = 0;
  for (unsigned side = 0; side < 2; ++side)
    for (unsigned l = 0; l < 4; ++l) errors += bench.channel(side).errors(l);
  return errors;
}

TEST(LinkReplay, DeliversEveryFlitOnceAndInOrderAtABitErrorRateOf1em5) {
  Trained trained;
  FlitBench& bench = trained.bench;
  Traffic traffic(bench, trained.tap, seed(), 0, 0);
  traffic.set_error_rate(1e-5);
  const std::uint64_t wanted = firstlight::test::cases(1'000'000);
  while (traffic.delivered() < wanted) bench.cycle(1000);
  traffic.finish();
  std::cout << fmt::format(
      "{} flits in {} cycles, {} bit errors, {} CRC errors, {} replays, {} naks, {} duplicates, seed {}\n",
      traffic.delivered(), bench.cycles(), bit_errors(bench), traffic.count("crc_errors"), traffic.count("replays"),
      traffic.count("naks"), traffic.count("duplicates"), seed());
  EXPECT_GT(traffic.count("replays"), wanted / 10000) << "the channel was bad enough to matter";
  EXPECT_EQ(traffic.count("sessions_lost"), 0U);
}

/// Flits a cycle of one direction that is always busy, and frames lost of those sent.
struct Goodput {
  double flits_per_cycle;
  double frame_error_rate;
};
Goodput goodput(double error_rate, std::uint64_t cycles) {
  Trained trained;
  FlitBench& bench = trained.bench;
  for (unsigned side = 0; side < 2; ++side) bench.write(side, "limits.crc", 0);
  Traffic traffic(bench, trained.tap, seed(), 0, 0);
  bench.cycle(500);
  traffic.set_error_rate(error_rate);
  const std::uint64_t before = traffic.delivered();
  const std::uint32_t bad = traffic.count("crc_errors");
  const std::uint64_t begin = bench.cycles();
  bench.cycle(cycles);
  const double passed = static_cast<double>(bench.cycles() - begin);
  const double flits = static_cast<double>(traffic.delivered() - before) / 2;
  const double lost = (traffic.count("crc_errors") - bad) / 2.0;
  traffic.set_error_rate(0);
  traffic.finish();
  EXPECT_EQ(traffic.count("sessions_lost"), 0U);
  return {flits / passed, lost / (passed * 64 / 65 / 8)};
}

TEST(LinkReplay, GoodputStaysNearTheIdealOfGoBackN) {
  // A frame that is lost costs itself and what was sent until the replay begins: the round trip in frames.
  const double round_trip = 5.5;
  const double clean = 7.0 / 8 * 64 / 65;
  std::cout << "bit error rate | frames lost | flits a cycle | of the clean link | ideal (1-P)/(1-P+W P), W = "
            << round_trip << "\n";
  for (const double rate : {0.0, 1e-6, 1e-5, 1e-4, 3e-4, 1e-3}) {
    const Goodput g = goodput(rate, 30000);
    const double p = 1 - std::pow(1 - rate, 512);
    const double ideal = (1 - p) / (1 - p + round_trip * p);
    std::cout << fmt::format("{:14.0e} | {:10.3f}% | {:13.4f} | {:16.1f}% | {:5.1f}%\n", rate, 100 * g.frame_error_rate,
                             g.flits_per_cycle, 100 * g.flits_per_cycle / clean, 100 * ideal);
    // Where four frames in ten are lost, the time limit must do what naks cannot.
    EXPECT_GT(g.flits_per_cycle / clean, (p < 0.2 ? 0.92 : 0.7) * ideal) << rate;
    EXPECT_LE(g.flits_per_cycle, clean * 1.001);
  }
}

class LinkReplayWidths : public testing::TestWithParam<unsigned> {};
TEST_P(LinkReplayWidths, SurvivesErrorsRetrainsAndBackPressureAtEveryLatency) {
  for (const unsigned latency : {0U, 9U, 64U}) {
    SCOPED_TRACE(fmt::format("latency {} seed {}", latency, seed()));
    Trained trained(GetParam(), latency);
    FlitBench& bench = trained.bench;
    Traffic traffic(bench, trained.tap, seed(), 20, 3);
    traffic.set_error_rate(5e-5);
    Dice dice(seed() + latency);
    for (unsigned i = 0; i < 8; ++i) {
      bench.cycle(800 + dice.below(200));
      bench.command(dice.below(2), "command.retrain");
    }
    traffic.set_error_rate(0);
    traffic.finish();
    EXPECT_EQ(traffic.count("sessions_lost"), 0U);
    EXPECT_GT(traffic.count("recoveries"), 7U);
    EXPECT_GE(trained.tap.checker().resumed(), 8U);
    EXPECT_GT(trained.tap.checker().repeated_frames(), 0U);
    EXPECT_EQ(traffic.count("retrains"), traffic.count("recoveries"));
  }
}
INSTANTIATE_TEST_SUITE_P(Widths, LinkReplayWidths, testing::Values(0U, 1U, 2U),
                         [](const auto& info) { return fmt::format("x{}", 1U << info.param); });

TEST(LinkReplay, ErrorsInEveryFieldOfAFrame) {
  Trained trained;
  FlitBench& bench = trained.bench;
  Traffic traffic(bench, trained.tap, seed(), 3, 2);
  // One word after another at all places of frames and blocks, both ways, now and then two in a row.
  for (unsigned i = 0; i < 600; ++i) {
    bench.channel(i % 2).corrupt(i / 2 % 4, 1 + (i % 7 == 0 ? 1 : 0));
    bench.cycle(37 + i % 9);
  }
  traffic.finish();
  EXPECT_GT(traffic.count("crc_errors"), 500U);
  EXPECT_EQ(traffic.count("recoveries"), 0U);
  EXPECT_EQ(traffic.count("sessions_lost"), 0U);
}

TEST(LinkReplay, WidthChangesUnderLoadLoseNothing) {
  Trained trained;
  FlitBench& bench = trained.bench;
  Traffic traffic(bench, trained.tap, seed(), 6, 2);
  Dice dice(seed() + 3);
  for (unsigned round = 0; round < 6; ++round) {
    bench.cycle(700);
    const unsigned dead = dice.below(4);
    for (unsigned l = 0; l < 4; ++l)
      bench.channel(round % 2).set_condition(
          l, round % 3 != 2 && l == dead ? Condition::electrical_idle : Condition::alive);
    if (round % 3 == 2) bench.command(0, "command.retrain");
    bench.cycle(2500);
    EXPECT_TRUE(bench.wait_state(0, State::l0, 5000) && bench.wait_state(1, State::l0, 5000)) << bench.stories();
    EXPECT_EQ(bench.read(0, "status.width"), bench.read(1, "status.width"));
  }
  traffic.finish();
  EXPECT_EQ(traffic.count("sessions_lost"), 0U) << bench.stories();
}

TEST(LinkReplay, ErrorsDuringRecoveryLoseNothing) {
  Trained trained;
  FlitBench& bench = trained.bench;
  Traffic traffic(bench, trained.tap, seed(), 4, 0);
  Dice dice(seed() + 8);
  for (unsigned round = 0; round < 20; ++round) {
    bench.command(round % 2, "command.retrain");
    for (unsigned i = 0; i < 30; ++i) {
      bench.channel(dice.below(2)).corrupt(dice.below(4), 1);
      bench.cycle(10 + dice.below(20));
    }
  }
  traffic.finish();
  EXPECT_EQ(traffic.count("sessions_lost"), 0U) << bench.stories();
}

TEST(LinkReplay, AcknowledgementsThatAreLostCostNothingButTime) {
  Trained trained;
  FlitBench& bench = trained.bench;
  bench.write(1, "limits.crc", 0);
  bench.write(0, "limits.crc", 0);
  Traffic traffic(bench, trained.tap, seed(), 4, 0);
  // Only the way back is bad, and for long stretches nothing of it arrives whole: less than the limit of replays.
  for (unsigned round = 0; round < 10; ++round) {
    for (unsigned l = 0; l < 4; ++l) bench.channel(0).set_bit_error_rate(l, 0.02);
    bench.cycle(700);
    for (unsigned l = 0; l < 4; ++l) bench.channel(0).set_bit_error_rate(l, 0);
    bench.cycle(300);
  }
  traffic.finish();
  EXPECT_GT(bench.read(0, "replay_timeouts.count"), 5U);
  EXPECT_GT(bench.read(1, "duplicates.count"), 50U);
  EXPECT_EQ(traffic.count("sessions_lost"), 0U) << bench.stories();
}

TEST(LinkReplay, BackPressureStopsTheSenderAndNothingOverflows) {
  Trained trained;
  FlitBench& bench = trained.bench;
  Traffic traffic(bench, trained.tap, seed(), 0, 0);
  for (FlitSink& sink : traffic.sinks) sink.set_idle_in(1);
  bench.cycle(3000);
  const std::uint64_t sent = traffic.sources[0].flits();
  bench.cycle(2000);
  EXPECT_EQ(traffic.sources[0].flits(), sent) << "no credit, no flit";
  EXPECT_GT(sent, 100U);
  EXPECT_EQ(traffic.count("replays"), 0U) << "a receiver that is full does acknowledge";
  EXPECT_EQ(bench.read(0, "rx_overflows.count"), 0U);
  // What waits in the queues survives a retraining, and credits too.
  bench.command(1, "command.retrain");
  bench.cycle(1500);
  traffic.finish();
  EXPECT_EQ(traffic.count("sessions_lost"), 0U);
}

TEST(LinkReplay, NoProgressLeadsToRecoveryAndThenDownWithTheReason) {
  Trained trained;
  FlitBench& bench = trained.bench;
  for (unsigned side = 0; side < 2; ++side) {
    bench.write(side, "limits.recovery", 3);
    bench.write(side, "limits.crc", 0);
  }
  Traffic traffic(bench, trained.tap, seed(), 4, 0);
  bench.cycle(300);
  // One way is noise in every frame, but lanes train: markers are 16 bits and sets 128, frames 512.
  for (unsigned l = 0; l < 4; ++l) bench.channel(0).set_bit_error_rate(l, 0.008);
  ASSERT_TRUE(bench.wait_state(0, State::disabled, 100'000) || bench.wait_state(1, State::disabled, 100'000))
      << bench.stories();
  bench.cycle(30'000);
  unsigned by_replay = 0;
  for (unsigned side = 0; side < 2; ++side)
    for (const Transition& t : bench.trace(side)) by_replay += t.cause == "replay_limit" ? 1 : 0;
  EXPECT_GT(by_replay, 0U) << bench.stories();
  for (unsigned side = 0; side < 2; ++side) EXPECT_EQ(bench.read(side, "status.session"), 0U);
}

TEST(LinkReplay, ANewSessionBeginsClean) {
  Trained trained;
  FlitBench& bench = trained.bench;
  Traffic old(bench, trained.tap, seed(), 0, 0);
  for (FlitSink& sink : old.sinks) sink.set_idle_in(1);  // queues fill up
  bench.cycle(1500);
  for (unsigned side = 0; side < 2; ++side) {
    old.sources[side].switch_off();
    bench.dut(side).f_valid_i = 0;
  }
  bench.write(0, "ctrl.enable", 0);
  bench.cycle(300);
  EXPECT_EQ(bench.read(0, "status.session"), 0U);
  EXPECT_EQ(bench.read(0, "sessions_lost.count"), 1U);
  ASSERT_GE(bench.train(), 0) << bench.stories();
  bench.cycle(300);
  const auto available = [&](unsigned traffic) { return (bench.dut(0).available_o >> (8 * traffic)) & 0xFFU; };
  EXPECT_LT(available(0), 40U) << "what the queues still hold is not granted again";
  for (FlitSink& sink : old.sinks) sink.set_idle_in(0);
  bench.cycle(300);
  EXPECT_GE(available(0), 96U);
  EXPECT_EQ(available(2), 7U);
  for (FlitSink& sink : old.sinks) sink.switch_off();
  Traffic traffic(bench, trained.tap, seed(), 2, 2);
  bench.cycle(2000);
  traffic.finish();
}

TEST(LinkHotReset, ResetsTheLinkOfTheFarEnd) {
  Trained trained;
  FlitBench& bench = trained.bench;
  for (const unsigned side : {0U, 1U}) {
    bench.command(side, "command.hot_reset");
    bench.cycle(60);
    EXPECT_EQ(bench.read(1 - side, "status.session"), 0U) << "the far end has forgotten";
    ASSERT_TRUE(bench.wait_state(0, State::l0, 4000) && bench.wait_state(1, State::l0, 4000)) << bench.stories();
    for (unsigned s = 0; s < 2; ++s) {
      EXPECT_EQ(bench.read(s, "sessions_lost.count"), side + 1) << s;
      EXPECT_EQ(bench.read(s, "hot_resets.count"), side + 1) << bench.stories();
      EXPECT_EQ(bench.read(s, "irq_status.hot_reset"), 1U);
      EXPECT_EQ(bench.read(s, "status.session"), 1U);
      EXPECT_EQ(bench.value_name(s, "status.last_failure"), "none");
      EXPECT_EQ(bench.read(s, "recoveries.count"), 0U);
      EXPECT_EQ(bench.read(s, "naks.count"), 0U) << "a new session speaks of nothing old";
    }
  }
  Traffic traffic(bench, trained.tap, seed(), 3, 3);
  bench.cycle(1000);
  traffic.finish();
}

TEST(LinkIdentity, EachEndKnowsTheOtherAndReportsAStranger) {
  FlitBench& bench = fresh_flit_bench();
  bench.write(0, "serial_lo.serial", 0x12345678);
  bench.write(0, "serial_hi.serial", 0x9ABC);
  bench.write(0, "serial_hi.link", 2);
  bench.write(1, "serial_lo.serial", 0x0BADCAFE);
  bench.write(1, "serial_hi.serial", 0x0001);
  bench.write(1, "serial_hi.link", 3);
  // Side 0 expects side 1, and is right; side 1 expects another link of side 0.
  bench.write(0, "expect_lo", 0x0BADCAFE);
  bench.write(0, "expect_hi", 0x80030001);
  bench.write(1, "expect_lo", 0x12345678);
  bench.write(1, "expect_hi", 0x80019ABC);
  ASSERT_GE(bench.train(), 0);
  bench.cycle(200);
  EXPECT_EQ(bench.read(0, "peer_serial_lo"), 0x0BADCAFEU);
  EXPECT_EQ(bench.read(0, "peer_serial_hi"), 0x80030001U);
  EXPECT_EQ(bench.read(1, "peer_serial_lo"), 0x12345678U);
  EXPECT_EQ(bench.read(1, "peer_serial_hi"), 0xC0029ABCU) << "known, and not who is expected";
  EXPECT_EQ(bench.read(0, "irq_status.identity"), 0U);
  EXPECT_EQ(bench.read(1, "irq_status.identity"), 1U);
  bench.reset_side(0);
  bench.cycle(5000);
  EXPECT_EQ(bench.read(1, "peer_serial_hi.known"), 0U) << "whoever was there is gone";
}

}  // namespace
}  // namespace tb::blocks::link
