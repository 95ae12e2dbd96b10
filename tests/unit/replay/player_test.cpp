// In which order, at which times and how often a record is played.
#include "lab/replay/player.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rtl/regs/tern_registers.h"
#include "tests/unit/replay/toy_bench.h"
#include "tests/unit/runner/fake_time.h"

namespace firstlight::replay {
namespace {

using test::at_ms;
using test::ms;
using trace::Transaction;

class PlayerTest : public testing::Test {
 protected:
  PlayerTest() { bench_.time = &scheduler_; }

  Transaction& add(const std::string& by, const std::string& resource, Instant start, Duration took,
                   trace::Access access) {
    Transaction one;
    one.number = record_.size();
    one.start = start;
    one.took = took;
    one.by = by;
    one.resource = resource;
    one.allowed = ms(500);
    one.access = std::move(access);
    record_.push_back(std::move(one));
    return record_.back();
  }
  void open(const std::string& resource, trace::Kind kind) { add("connect", resource, {}, {}, trace::Open{kind}); }
  Transaction& read(const std::string& by, std::int64_t at, std::uint32_t value) {
    return add(by, "regs0", at_ms(at), ms(0), trace::RegisterRead{kStatus, {BusStatus::ok, value, ""}});
  }
  Transaction& write(const std::string& by, std::int64_t at, Duration took = {}) {
    return add(by, "regs0", at_ms(at), took, trace::RegisterWrite{kStatus, 1, {}});
  }
  Outcome play(PlayOptions options = {}) {
    return Player(scheduler_, bench_, bench_.plan, judge_, record_, options).play();
  }

  static constexpr std::uint64_t kStatus = 0x800000;  // no register of the chip: every bit counts
  test::ToyBench bench_;
  test::FakeTime time_;
  Scheduler scheduler_{time_};
  Judge judge_{bench_.plan, &tern_registers()};
  std::vector<Transaction> record_;
};

TEST_F(PlayerTest, PlaysAtTheRecordedTimes) {
  open("regs0", trace::Kind::registers);
  write("a", 3);
  read("a", 10, 0);
  const Outcome outcome = play();
  EXPECT_TRUE(outcome.whole);
  EXPECT_FALSE(outcome.difference);
  EXPECT_EQ(outcome.counts.exact, 3);
  ASSERT_EQ(bench_.writes.size(), 1U);
  EXPECT_EQ(bench_.writes[0].first, at_ms(3));
  EXPECT_EQ(bench_.reads[0].first, at_ms(10));
}

TEST_F(PlayerTest, WaitsForWhatWasOverBeforeAndKeepsTheGaps) {
  open("regs0", trace::Kind::registers);
  bench_.register_takes = ms(4);
  write("a", 1, ms(1));
  write("a", 3, ms(1));
  const Outcome outcome = play();
  ASSERT_EQ(bench_.writes.size(), 2U);
  EXPECT_EQ(bench_.writes[1].first, at_ms(6)) << "1 ms after the first one ended";
  EXPECT_EQ(outcome.lag, ms(6));
}

TEST_F(PlayerTest, LetsOverlapWhatOverlapped) {
  open("regs0", trace::Kind::registers);
  bench_.register_takes = ms(4);
  write("a", 1, ms(4));
  write("b", 2, ms(4));
  EXPECT_TRUE(play().whole);
  ASSERT_EQ(bench_.writes.size(), 2U);
  EXPECT_EQ(bench_.writes[1].first, at_ms(2));
}

TEST_F(PlayerTest, StopsAtTheFirstDifference) {
  open("regs0", trace::Kind::registers);
  bench_.read = [](std::uint64_t) { return BusResult{BusStatus::ok, 7, ""}; };
  read("dma/copy", 5, 6);
  write("dma/copy", 50);
  const Outcome outcome = play();
  ASSERT_TRUE(outcome.difference);
  EXPECT_EQ(outcome.difference->recorded.number, 1U);
  EXPECT_EQ(outcome.difference->recorded.by, "dma/copy");
  EXPECT_EQ(outcome.difference->asked, at_ms(5));
  EXPECT_GT(outcome.difference->repeats, 0);
  EXPECT_TRUE(bench_.writes.empty());
  EXPECT_FALSE(outcome.whole);
}

TEST_F(PlayerTest, AskAgainForASlowModel) {
  open("regs0", trace::Kind::registers);
  bench_.read = [this](std::uint64_t) { return BusResult{BusStatus::ok, scheduler_.now() < at_ms(12) ? 0U : 1U, ""}; };
  read("a", 5, 1);
  const Outcome outcome = play();
  EXPECT_FALSE(outcome.difference);
  EXPECT_EQ(outcome.counts.late, 1);
}

TEST_F(PlayerTest, AWatcherMaySeeWhatItsLookBeforeSaw) {
  open("regs0", trace::Kind::registers);
  read("monitor status", 10, 0);
  read("monitor status", 30, 1);
  read("monitor status", 50, 1);
  bench_.read = [this](std::uint64_t) { return BusResult{BusStatus::ok, scheduler_.now() < at_ms(31) ? 0U : 1U, ""}; };
  const Outcome outcome = play();
  EXPECT_FALSE(outcome.difference);
  EXPECT_EQ(outcome.counts.late, 1);
  EXPECT_EQ(bench_.reads.size(), 3U) << "nobody waits for it: the change falls on either side of a look";
}

TEST_F(PlayerTest, AWatcherThatKeepsSeeingTheOldStateFindsADifference) {
  open("regs0", trace::Kind::registers);
  read("monitor status", 10, 0);
  read("monitor status", 30, 1);
  const auto second_look_at_the_new_state = read("monitor status", 50, 1).number;
  bench_.read = [](std::uint64_t) { return BusResult{BusStatus::ok, 0, ""}; };
  const Outcome outcome = play();
  ASSERT_TRUE(outcome.difference);
  EXPECT_EQ(outcome.difference->recorded.number, second_look_at_the_new_state);
}

TEST_F(PlayerTest, APollEndsWithItsRecordedEnd) {
  open("regs0", trace::Kind::registers);
  write("a", 1);
  for (const std::int64_t at : {2, 3, 4}) read("a", at, 0);
  read("a", 5, 1);
  write("a", 6);
  bench_.read = [this](std::uint64_t) { return BusResult{BusStatus::ok, scheduler_.now() < at_ms(300) ? 0U : 1U, ""}; };
  const Outcome outcome = play();
  EXPECT_FALSE(outcome.difference) << "the model takes 300 ms for what took 4 ms";
  ASSERT_EQ(bench_.writes.size(), 2U);
  EXPECT_GE(bench_.writes[1].first, at_ms(300));
}

TEST_F(PlayerTest, APollThatEndsSoonerIsNoDifference) {
  open("regs0", trace::Kind::registers);
  write("a", 1);
  for (const std::int64_t at : {2, 3, 4}) read("a", at, 0);
  read("a", 5, 1);
  bench_.read = [](std::uint64_t) { return BusResult{BusStatus::ok, 1, ""}; };
  const Outcome outcome = play();
  EXPECT_FALSE(outcome.difference);
  EXPECT_EQ(outcome.counts.late, 3);
}

TEST_F(PlayerTest, APollThatNeverEndsIsTheDifference) {
  open("regs0", trace::Kind::registers);
  write("a", 1);
  read("a", 2, 0);
  const auto last = read("a", 3, 1).number;
  const Outcome outcome = play();
  ASSERT_TRUE(outcome.difference);
  EXPECT_EQ(outcome.difference->recorded.number, last);
  EXPECT_LT(outcome.end, at_ms(2000));
}

TEST_F(PlayerTest, AnInterlockIsNoPoll) {
  open("gpio0", trace::Kind::gpio);
  for (std::int64_t at = 10; at <= 200; at += 10)
    add("interlock leak", "gpio0", at_ms(at), {}, trace::LineGet{"leak_n", true, ""});
  bench_.level = [this](const std::string&) { return scheduler_.now() < at_ms(45); };
  const Outcome outcome = play();
  ASSERT_TRUE(outcome.difference);
  EXPECT_EQ(outcome.difference->recorded.start, at_ms(50)) << "where the leak began, not the last look";
}

TEST_F(PlayerTest, AWatcherIsNotAskedWhileAPollGoesAnotherWay) {
  open("regs0", trace::Kind::registers);
  open("gpio0", trace::Kind::gpio);
  write("a", 1);
  read("a", 10, 0);
  add("interlock leak", "gpio0", at_ms(15), {}, trace::LineGet{"leak_n", true, ""});
  const auto last = read("a", 20, 0).number;
  add("interlock leak", "gpio0", at_ms(30), {}, trace::LineGet{"leak_n", true, ""});
  bench_.read = [](std::uint64_t) { return BusResult{BusStatus::ok, 1, ""}; };
  bench_.level = [](const std::string&) { return false; };
  const Outcome outcome = play();
  ASSERT_TRUE(outcome.difference);
  EXPECT_EQ(outcome.difference->recorded.number, last);
  EXPECT_EQ(outcome.difference->began, at_ms(10));
}

TEST_F(PlayerTest, APollThatATimeoutCutOffIsDecidedByItsLastAnswer) {
  open("regs0", trace::Kind::registers);
  write("a", 1);
  read("a", 10, 0);
  const auto last = read("a", 20, 0).number;
  read("a", 30, 0).cut_off = true;
  bench_.read = [](std::uint64_t) { return BusResult{BusStatus::ok, 1, ""}; };
  const Outcome outcome = play();
  ASSERT_TRUE(outcome.difference);
  EXPECT_EQ(outcome.difference->recorded.number, last);
}

TEST_F(PlayerTest, WhatWasCutOffHasNoAnswerToCompare) {
  open("regs0", trace::Kind::registers);
  bench_.read = [](std::uint64_t) { return BusResult{BusStatus::ok, 7, ""}; };
  read("a", 5, 6).cut_off = true;
  const Outcome outcome = play();
  EXPECT_FALSE(outcome.difference);
  EXPECT_EQ(outcome.counts.cut_off, 1);
}

TEST_F(PlayerTest, TellsWhatTheBenchDoesNotHave) {
  open("hwmon7", trace::Kind::hwmon);
  add("a", "hwmon7", at_ms(1), {}, trace::HwmonRead{"temp1_input", {}});
  const Outcome outcome = play();
  EXPECT_FALSE(outcome.difference);
  EXPECT_EQ(outcome.absent.at("hwmon7"), 1);
}

TEST_F(PlayerTest, StopsAtTheEndOfAWindow) {
  open("regs0", trace::Kind::registers);
  write("a", 10);
  write("a", 30);
  PlayOptions options;
  options.until = at_ms(20);
  const Outcome outcome = play(options);
  EXPECT_FALSE(outcome.whole);
  EXPECT_EQ(bench_.writes.size(), 1U);
  EXPECT_EQ(outcome.end, at_ms(20));
}

}  // namespace
}  // namespace firstlight::replay
