// memory.train and memory.bist on a memory that does as it is told: what is measured, what is blamed, what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/capabilities/external_memory.h"
#include "tests/unit/steps/fake_step.h"

namespace firstlight {
namespace {

using test::FakeStep;
using test::FakeTime;
using testing::HasSubstr;

constexpr std::uint64_t kRow = 1024;

class FakeMemory final : public ExternalMemory {
 public:
  MemoryTraining state;
  std::vector<MemoryTestResult> results;  // of one test after the other; the last one stays
  RowRepair rows{4, kRow, {}, false};
  std::vector<MemoryTestPlan> plans;
  int min_window = 0;
  int looks = 0;
  bool is_trained = true;
  bool hangs = false;
  std::optional<bool> says_ready;

  FakeMemory() {
    state.passed = true;
    state.reason = "none";
    for (int lane = 0; lane < 8; ++lane) state.lanes.push_back({lane, TapWindow{20, 39}, TapWindow{10, 25}, 29, 17});
    results.push_back(passed());
  }
  static MemoryTestResult passed() {
    MemoryTestResult result;
    result.done = result.passed = true;
    result.lane_errors.assign(8, 0);
    return result;
  }
  static MemoryTestResult failed(std::uint64_t offset, std::uint64_t bits) {
    MemoryTestResult result = passed();
    result.passed = false;
    result.errors = 12;
    result.first = MemoryTestError{offset, bits, bits == 0, "pattern solid, march element 1"};
    for (unsigned lane = 0; lane < 8; ++lane)
      if (((bits >> (8 * lane)) & 0xFFU) != 0) result.lane_errors[lane] = 12;
    return result;
  }

  std::string part() const override { return "tern hbm"; }
  std::uint64_t size() const override { return 16U << 20U; }
  int lanes() const override { return 8; }
  int taps() const override { return 64; }
  void start_training(int least) override { min_window = least; }
  MemoryTraining training() override {
    MemoryTraining now = state;
    now.busy = hangs || ++looks % 3 != 0;
    return now;
  }
  bool trained() override { return is_trained; }
  bool ready() override { return says_ready.value_or(results.front().passed); }
  std::vector<std::vector<int>> shmoo(bool write, Instant) override {
    std::vector<std::vector<int>> out(64);
    for (int tap = 0; tap < 64; ++tap)
      for (const MemoryLane& lane : state.lanes) {
        const TapWindow& window = write ? *lane.write : *lane.read;
        out[static_cast<std::size_t>(tap)].push_back(tap < window.first || tap > window.last ? 128 : 0);
      }
    return out;
  }
  int probed_bits() const override { return 256; }
  std::vector<std::string> patterns() const override { return {"solid", "lines"}; }
  void start_test(const MemoryTestPlan& plan) override {
    if (!plans.empty() && results.size() > 1) results.erase(results.begin());
    plans.push_back(plan);
  }
  MemoryTestResult test() override {
    MemoryTestResult now = results.front();
    now.busy = hangs || ++looks % 3 != 0;
    return now;
  }
  RowRepair repair() override { return rows; }
};

class ExternalMemorySteps : public testing::Test {
 protected:
  ExternalMemorySteps() { bench.offer<ExternalMemory>("tern", memory); }

  FakeTime time;
  Bench bench{BenchPlan{}, time};
  FakeMemory memory;
};

TEST_F(ExternalMemorySteps, TrainingMeasuresEveryWindowOfEveryLane) {
  FakeStep step(bench, "memory.train");
  EXPECT_FALSE(step.run());
  EXPECT_EQ(memory.min_window, 8);
  EXPECT_EQ(step.measures.size(), 17U);
  EXPECT_EQ(step.measured_as("")->value.value, 16);
  EXPECT_EQ(step.measured_as("read_window")->value.value, 20);
  EXPECT_EQ(step.measured_as("write_window")->subject, "hbm.lane0.write_window");
  ASSERT_EQ(step.datas.size(), 1U);
  EXPECT_EQ(step.datas[0].first, "memory_windows");
  EXPECT_THAT(step.datas[0].second, HasSubstr(R"("read":{"first":20,"last":39,"tap":29})"));
}

TEST_F(ExternalMemorySteps, TheShmooHasEachTapOfBothDirections) {
  FakeStep step(bench, "memory.train");
  step.set("shmoo", true);
  EXPECT_FALSE(step.run());
  ASSERT_EQ(step.datas.size(), 3U);
  EXPECT_EQ(step.datas[1].first, "memory_shmoo");
  EXPECT_THAT(step.datas[1].second, HasSubstr(R"("direction":"read")"));
  EXPECT_THAT(step.datas[2].second, HasSubstr(R"("direction":"write")"));
}

TEST_F(ExternalMemorySteps, ANarrowWindowNamesLaneDirectionAndWidth) {
  memory.state.passed = false;
  memory.state.reason = "narrow";
  memory.state.lane = 3;
  memory.state.write = true;
  memory.state.lanes[3].write = TapWindow{30, 34};
  FakeStep step(bench, "memory.train");
  const auto failure = step.run();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->symptom, "memory_window_narrow");
  EXPECT_EQ(failure->part, "tern hbm lane 3");
  EXPECT_THAT(failure->message, HasSubstr("write window of byte lane 3 of tern hbm is 5 taps wide"));
  EXPECT_EQ(step.measured_as("")->value.value, 5);
  EXPECT_EQ(step.measured_as("")->verdict, Verdict::fail);
}

TEST_F(ExternalMemorySteps, EveryReasonOfTheControllerHasWords) {
  for (const auto& [reason, symptom] :
       std::vector<std::pair<std::string, std::string>>{{"no_eye", "memory_no_eye"},
                                                        {"no_window", "memory_unstable"},
                                                        {"check", "memory_unstable"},
                                                        {"bus_error", "memory_bus_error"},
                                                        {"no_answer", "memory_no_answer"},
                                                        {"stopped", "memory_not_trained"}}) {
    memory.state.passed = false;
    memory.state.reason = reason;
    memory.state.lane = 6;
    memory.state.lanes[6].read.reset();
    FakeStep step(bench, "memory.train");
    const auto failure = step.run();
    ASSERT_TRUE(failure) << reason;
    EXPECT_EQ(failure->symptom, symptom);
    EXPECT_EQ(failure->error_class, ErrorClass::dut);
    EXPECT_FALSE(failure->likely_cause.empty());
  }
}

TEST_F(ExternalMemorySteps, AnEngineThatHangsIsAFailureInTime) {
  memory.hangs = true;
  FakeStep train(bench, "memory.train");
  EXPECT_EQ(train.run()->symptom, "memory_train_timeout");
  FakeStep bist(bench, "memory.bist");
  EXPECT_EQ(bist.run()->symptom, "memory_bist_timeout");
}

TEST_F(ExternalMemorySteps, TheTestRunsAsPlanned) {
  FakeStep step(bench, "memory.bist");
  step.quantity("offset", 4096, Dimension::data).quantity("length", 2048, Dimension::data).set("strict", true);
  EXPECT_FALSE(step.run());
  ASSERT_EQ(memory.plans.size(), 1U);
  EXPECT_EQ(memory.plans[0].patterns, memory.patterns());
  EXPECT_EQ(memory.plans[0].offset, 4096U);
  EXPECT_EQ(memory.plans[0].length, 2048U);
  EXPECT_TRUE(memory.plans[0].strict);
  EXPECT_FALSE(memory.plans[0].repair);
  EXPECT_EQ(step.measured_as("")->value.value, 0);
  EXPECT_EQ(step.measured_as("repaired"), nullptr);
}

TEST_F(ExternalMemorySteps, NothingIsTestedBeforeTraining) {
  memory.is_trained = false;
  FakeStep step(bench, "memory.bist");
  const auto failure = step.run();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->symptom, "memory_not_trained");
  EXPECT_EQ(failure->error_class, ErrorClass::sequence);
  EXPECT_TRUE(memory.plans.empty());
}

TEST_F(ExternalMemorySteps, RangesAreWholeRowsWithinTheMemory) {
  for (const auto& [offset, length] : std::vector<std::pair<double, double>>{
           {512, 1024}, {0, 1000}, {0, 0}, {16.0 * 1024 * 1024, 1024}, {15.0 * 1024 * 1024, 2.0 * 1024 * 1024}}) {
    FakeStep step(bench, "memory.bist");
    step.quantity("offset", offset, Dimension::data).quantity("length", length, Dimension::data);
    const auto failure = step.run();
    ASSERT_TRUE(failure) << offset << " " << length;
    EXPECT_EQ(failure->symptom, "out_of_range");
  }
}

TEST_F(ExternalMemorySteps, OneBadBitIsNamedByByteAndBit) {
  memory.results = {FakeMemory::failed(0x1230, std::uint64_t{1} << 37U)};
  FakeStep step(bench, "memory.bist");
  const auto failure = step.run();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->symptom, "memory_bist_failed");
  EXPECT_EQ(failure->part, "tern hbm at 0x1234");
  EXPECT_THAT(failure->message, HasSubstr("12 wrong words, all on byte lane 4; the first at 0x1230"));
  EXPECT_THAT(failure->likely_cause, HasSubstr("bit 5 of the byte at 0x1234"));
}

TEST_F(ExternalMemorySteps, ManyBadBitsAndBusErrorsAreOtherThings) {
  memory.results = {FakeMemory::failed(0x2000, ~std::uint64_t{0})};
  FakeStep wide(bench, "memory.bist");
  const auto lost = wide.run();
  ASSERT_TRUE(lost);
  EXPECT_EQ(lost->part, "tern hbm at 0x2000");
  EXPECT_THAT(lost->likely_cause, HasSubstr("write that was lost"));
  EXPECT_THAT(lost->message, Not(HasSubstr("all on byte lane")));
  memory.results = {FakeMemory::failed(0x2000, 0)};
  FakeStep bus(bench, "memory.bist");
  EXPECT_EQ(bus.run()->symptom, "memory_bus_error");
}

TEST_F(ExternalMemorySteps, RepairTestsAgainUntilItPasses) {
  memory.results = {FakeMemory::failed(0x400, 1), FakeMemory::failed(0x400, 1), FakeMemory::passed()};
  memory.rows.used = {{0, 0x400, true}, {1, 0x400, false}};
  FakeStep step(bench, "memory.bist");
  step.set("repair", true);
  EXPECT_FALSE(step.run());
  EXPECT_EQ(memory.plans.size(), 3U);
  EXPECT_EQ(step.measured_as("repaired")->value.value, 2);
  EXPECT_EQ(step.logs.size(), 2U);
  EXPECT_THAT(step.logs[1], HasSubstr("spare row 1 stands in for the 1024 bytes at 0x400"));
}

TEST_F(ExternalMemorySteps, MoreBadRowsThanSparesIsTold) {
  memory.results = {FakeMemory::failed(0x400, 1)};
  memory.rows.exhausted = true;
  FakeStep step(bench, "memory.bist");
  step.set("repair", true);
  const auto failure = step.run();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->symptom, "memory_not_repairable");
  EXPECT_EQ(memory.plans.size(), 1U);
}

TEST_F(ExternalMemorySteps, APassNeedsTheControllersWordToo) {
  memory.says_ready = false;
  FakeStep step(bench, "memory.bist");
  EXPECT_EQ(step.run()->symptom, "check_failed");
}

}  // namespace
}  // namespace firstlight
