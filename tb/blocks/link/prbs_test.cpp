#include "tb/golden/link/prbs.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <deque>

#include "tb/blocks/dice.h"
#include "tb/blocks/link/link_bench.h"

namespace tb::blocks::link {
namespace {

using Condition = SerdesChannel::Condition;
using golden::link::Prbs;

struct Counts {
  bool locked;
  bool inverted;
  std::uint64_t bits;
  std::uint32_t errors;
  std::uint32_t losses;
};

/// PRBS by registers, as software does it.
class Tester {
 public:
  explicit Tester(LinkBench& bench) : bench_(bench) {}
  void start(unsigned select) {
    for (unsigned side = 0; side < 2; ++side) bench_.write(side, "prbs_ctrl", 0);
    for (unsigned side = 0; side < 2; ++side) bench_.write(side, "prbs_ctrl", 0xFFU | select << 8);
  }
  void clear(unsigned side) { bench_.command(side, "prbs_command.clear"); }
  void snapshot(unsigned side) { bench_.command(side, "prbs_command.snapshot"); }
  Counts counts(unsigned side, unsigned lane) {
    const auto reg = [&](const char* name, const char* field) {
      return bench_.read(side, fmt::format("{}[{}].{}", name, lane, field));
    };
    return {reg("prbs_status", "locked") != 0, reg("prbs_status", "inverted") != 0,
            (std::uint64_t{reg("prbs_bits_hi", "bits")} << 32) | reg("prbs_bits_lo", "bits"),
            reg("prbs_errors", "errors"), reg("prbs_status", "lock_losses")};
  }

 private:
  LinkBench& bench_;
};

/// Records the bits that one side sends.
class Recorder : public Agent {
 public:
  explicit Recorder(BlockBench<Vlink_end>& bench) : bench_(bench) { bench.add(*this); }
  void sample() override {
    for (unsigned l = 0; l < 4; ++l)
      for (unsigned b = 0; b < 16; ++b) bits[l].push_back((bench_.dut().tx_data_o >> (16 * l + b)) & 1U);
  }
  void drive() override {}
  std::array<std::deque<bool>, 4> bits;

 private:
  BlockBench<Vlink_end>& bench_;
};

class LinkPrbs : public testing::TestWithParam<unsigned> {};

TEST_P(LinkPrbs, SendsTheGoldenSequenceOnEveryLane) {
  LinkBench& bench = fresh_bench();
  Tester(bench).start(GetParam());
  bench.cycle(4);
  Recorder recorder(bench.side(0));
  bench.cycle(4200);  // PRBS15 goes round twice
  bench.side(0).clear_agents();
  const Prbs::Kind kind = GetParam() == 0   ? Prbs::Kind::prbs7
                          : GetParam() == 1 ? Prbs::Kind::prbs15
                                            : Prbs::Kind::prbs31;
  const unsigned n = Prbs::length(kind);
  for (unsigned l = 0; l < 4; ++l) {
    const auto& bits = recorder.bits[l];
    Prbs golden(kind, std::deque<bool>(bits.begin(), bits.begin() + n));
    for (std::size_t i = n; i < bits.size(); ++i) ASSERT_EQ(bits[i], golden.next()) << "lane " << l << " bit " << i;
  }
}

TEST_P(LinkPrbs, LocksAndCountsBitsOnACleanChannelUnderAnySkew) {
  LinkBench& bench = fresh_bench();
  Dice dice(seed() + GetParam());
  for (unsigned side = 0; side < 2; ++side)
    for (unsigned l = 0; l < 4; ++l) bench.channel(side).set_skew(l, dice.below(64));
  Tester tester(bench);
  tester.start(GetParam());
  bench.cycle(100);
  for (unsigned side = 0; side < 2; ++side) tester.clear(side);
  bench.cycle(1000);
  for (unsigned side = 0; side < 2; ++side) {
    tester.snapshot(side);
    for (unsigned l = 0; l < 4; ++l) {
      const Counts c = tester.counts(side, l);
      EXPECT_TRUE(c.locked);
      EXPECT_FALSE(c.inverted);
      EXPECT_GT(c.bits, 16000U);
      EXPECT_LT(c.bits, 16U * 1100);
      EXPECT_EQ(c.errors, 0U);
      EXPECT_EQ(c.losses, 0U);
    }
  }
}

TEST_P(LinkPrbs, CountsEachErrorOfTheChannelOnce) {
  LinkBench& bench = fresh_bench();
  Tester tester(bench);
  tester.start(GetParam());
  bench.cycle(100);
  for (unsigned side = 0; side < 2; ++side) tester.clear(side);
  std::array<std::array<std::uint64_t, 4>, 2> before{};
  for (unsigned side = 0; side < 2; ++side)
    for (unsigned l = 0; l < 4; ++l) {
      before[side][l] = bench.channel(side).errors(l);
      bench.channel(side).set_bit_error_rate(l, std::pow(10.0, -static_cast<double>(3 + l)));
    }
  bench.cycle(100'000);
  for (unsigned side = 0; side < 2; ++side)
    for (unsigned l = 0; l < 4; ++l) bench.channel(side).set_bit_error_rate(l, 0);
  bench.cycle(10);
  for (unsigned side = 0; side < 2; ++side) {
    tester.snapshot(side);
    for (unsigned l = 0; l < 4; ++l) {
      const Counts c = tester.counts(side, l);
      EXPECT_TRUE(c.locked) << "seed " << seed();
      EXPECT_EQ(c.errors, bench.channel(side).errors(l) - before[side][l]) << "lane " << l << " seed " << seed();
      EXPECT_GE(c.bits, 1'600'000U);
    }
    EXPECT_GT(tester.counts(side, 0).errors, 1000U) << "1e-3 of 1.6 million bits";
  }
}

TEST_P(LinkPrbs, InjectedErrorsArriveOneByOne) {
  LinkBench& bench = fresh_bench();
  Tester tester(bench);
  tester.start(GetParam());
  bench.cycle(100);
  for (unsigned l = 0; l < 4; ++l) bench.write(0, fmt::format("prbs_inject[{}].errors", l), 1 + 60 * l);
  bench.cycle(300);
  tester.snapshot(1);
  for (unsigned l = 0; l < 4; ++l) EXPECT_EQ(tester.counts(1, l).errors, 1 + 60 * l);
}

TEST_P(LinkPrbs, NoTrafficIsNeverAPass) {
  LinkBench& bench = fresh_bench();
  Tester tester(bench);
  tester.start(GetParam());
  bench.channel(1).set_condition(0, Condition::stuck_low);
  bench.channel(1).set_condition(1, Condition::stuck_high);
  bench.channel(1).set_condition(2, Condition::electrical_idle);
  bench.channel(1).set_inverted(3, true);
  bench.reset();
  bench.channel(1).set_condition(0, Condition::stuck_low);
  bench.channel(1).set_condition(1, Condition::stuck_high);
  bench.channel(1).set_condition(2, Condition::electrical_idle);
  bench.channel(1).set_inverted(3, true);
  tester.start(GetParam());
  bench.cycle(500);
  tester.snapshot(1);
  for (unsigned l = 0; l < 4; ++l) {
    const Counts c = tester.counts(1, l);
    EXPECT_FALSE(c.locked) << l;
    EXPECT_EQ(c.bits, 0U) << l;
    EXPECT_EQ(c.inverted, l == 3) << l;
    EXPECT_EQ(bench.read(1, fmt::format("prbs_status[{}].signal", l)), l == 2 ? 0U : 1U);
  }
  bench.write(1, "ctrl.polarity_force", 8);
  bench.write(1, "ctrl.polarity_value", 8);
  bench.cycle(100);
  EXPECT_TRUE(tester.counts(1, 3).locked) << "forced polarity is applied to PRBS";
}

TEST_P(LinkPrbs, LosesLockWhenTheSequenceStopsAndFindsItAgain) {
  LinkBench& bench = fresh_bench();
  Tester tester(bench);
  tester.start(GetParam());
  bench.cycle(200);
  bench.channel(1).set_condition(0, Condition::electrical_idle);
  bench.channel(1).set_condition(1, Condition::stuck_high);
  bench.cycle(300);
  EXPECT_FALSE(tester.counts(1, 0).locked);
  EXPECT_FALSE(tester.counts(1, 1).locked);
  EXPECT_TRUE(tester.counts(1, 2).locked);
  EXPECT_EQ(tester.counts(1, 0).losses, 1U);
  EXPECT_EQ(tester.counts(1, 1).losses, 1U);
  EXPECT_EQ(bench.read(1, "irq_status.prbs_lock_lost"), 1U);
  tester.snapshot(1);
  const std::uint64_t bits = tester.counts(1, 0).bits;
  bench.cycle(100);
  tester.snapshot(1);
  EXPECT_EQ(tester.counts(1, 0).bits, bits) << "bits stand still without lock";
  bench.channel(1).repair();
  bench.cycle(200);
  EXPECT_TRUE(tester.counts(1, 0).locked);
  EXPECT_TRUE(tester.counts(1, 1).locked);
}

INSTANTIATE_TEST_SUITE_P(Sequences, LinkPrbs, testing::Values(0U, 1U, 2U), [](const auto& info) {
  return std::string(info.param == 0 ? "Prbs7" : info.param == 1 ? "Prbs15" : "Prbs31");
});

TEST(LinkPrbsMode, AnotherSequenceDoesNotLock) {
  LinkBench& bench = fresh_bench();
  for (unsigned sent = 0; sent < 3; ++sent)
    for (unsigned checked = 0; checked < 3; ++checked) {
      bench.write(0, "prbs_ctrl", 0);
      bench.write(0, "prbs_ctrl", 0x00FU | sent << 8);
      bench.write(1, "prbs_ctrl", 0x0F0U | checked << 8);
      bench.cycle(200);
      for (unsigned l = 0; l < 4; ++l)
        EXPECT_EQ(bench.read(1, fmt::format("prbs_status[{}].locked", l)), sent == checked ? 1U : 0U);
    }
}

TEST(LinkPrbsMode, HoldsTheLinkInDisabledAndLetsItTrainAfterwards) {
  LinkBench& bench = fresh_bench();
  ASSERT_GE(bench.train(), 0);
  bench.write(0, "prbs_ctrl.tx_enable", 0xF);
  bench.cycle(50);
  EXPECT_EQ(bench.state(0), State::disabled);
  EXPECT_EQ(bench.value_name(0, "status.cause"), "prbs_mode");
  bench.write(0, "prbs_ctrl.tx_enable", 0);
  EXPECT_TRUE(bench.wait_state(0, State::l0, 20000)) << bench.stories();
  EXPECT_TRUE(bench.wait_state(1, State::l0, 20000)) << bench.stories();
}

TEST(LinkPrbsMode, DataOfARunningLinkDoesNotLock) {
  LinkBench& bench = fresh_bench();
  ASSERT_GE(bench.train(), 0);
  bench.write(1, "prbs_ctrl.rx_enable", 0xF);
  bench.write(1, "prbs_ctrl.select", 2);
  bench.cycle(3000);
  EXPECT_EQ(bench.state(1), State::l0) << "checking disturbs nothing";
  for (unsigned l = 0; l < 4; ++l) EXPECT_EQ(bench.read(1, fmt::format("prbs_status[{}].locked", l)), 0U) << l;
}

}  // namespace
}  // namespace tb::blocks::link
