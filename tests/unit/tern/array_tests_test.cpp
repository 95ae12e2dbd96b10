// The built-in tests of Tern's memories through its registers, and memory.mbist on top of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>

#include "lab/core/failure.h"
#include "lab/drivers/register_access.h"
#include "lab/drivers/tern/tern_memory.h"
#include "rtl/regs/tern_registers.h"
#include "tests/unit/drivers/fake_time.h"
#include "tests/unit/steps/fake_step.h"
#include "tests/unit/tern/register_file.h"

namespace firstlight::test {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

constexpr std::uint32_t kStart = 1;
constexpr std::uint32_t kAccumulators = 1U << 4U;
constexpr std::uint32_t kRepair = 1U << 20U;
constexpr std::uint32_t kEnabled = 1U << 31U;
constexpr std::uint32_t kDead = 1U << 30U;

class ArrayTests : public testing::Test {
 protected:
  ArrayTests() {
    bench.offer<Memory>("tern", memory);
    for (const char* const block : {"sram", "tensor"})
      file->on_write(std::string(block) + ".mbist", [this, block](std::uint32_t written) {
        if ((written & kStart) == 0) return;
        started.push_back(written);
        file->set(std::string(block) + ".mbist.done", 1);
      });
  }
  ArrayTest& array(std::size_t index) { return *memory.arrays().at(index); }

  FakeTime time;
  std::shared_ptr<RegisterFile> file = std::make_shared<RegisterFile>(tern_registers());
  RegisterAccess registers{"host", file, tern_registers(), "", milliseconds(1), time};
  tern::TernMemory memory{"tern", registers, time, {}};
  Bench bench{{}, time};
  std::vector<std::uint32_t> started;
};

TEST_F(ArrayTests, AllMemoriesOfTheChipAreThere) {
  std::vector<std::string> names;
  for (const ArrayTest* const one : memory.arrays()) names.push_back(one->name());
  EXPECT_EQ(names, (std::vector<std::string>{"sram", "scratchpad", "accumulators"}));
}

TEST_F(ArrayTests, AWrongWordOfTheScratchpadIsNamedByItsPartition) {
  array(1).start(false);
  file->set("tensor.mbist.fail", 1);
  file->set("tensor.mbist_fails", 3);
  file->set("tensor.mbist_first", 5U << 24U | 2U << 16U | 0x1230U);
  file->set("tensor.mbist_first_bits[1]", 0x80);
  const MbistResult result = array(1).result();
  EXPECT_TRUE(result.done);
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.failures, 3U);
  ASSERT_TRUE(result.first);
  EXPECT_EQ(result.first->where, "partition 5 word 0x1230");
  EXPECT_THAT(result.first->text, HasSubstr("wrong data bits 0x0000008000000000"));
  EXPECT_THAT(result.first->text, HasSubstr("march element 2"));
  ASSERT_EQ(started.size(), 1U);
  EXPECT_EQ(started.front() & (kAccumulators | kRepair), 0U);
}

TEST_F(ArrayTests, AWrongEntryOfTheAccumulatorsIsNamedByItsColumn) {
  array(2).start(true);
  ASSERT_EQ(started.size(), 1U);
  EXPECT_EQ(started.front() & (kAccumulators | kRepair), kAccumulators | kRepair);
  file->set("tensor.mbist.fail", 1);
  file->set("tensor.mbist_first", 2U << 24U | (128U + 17U));
  EXPECT_EQ(array(2).result().first->where, "column 2 bank 1 entry 17");
}

TEST_F(ArrayTests, TheMapSaysWhatSparesStandInFor) {
  file->set("tensor.repair[1]", kEnabled | 0x120U);
  file->set("tensor.repair[2]", kEnabled | kDead | 0x120U);
  file->set("tensor.acc_repair[5]", kEnabled | 99U);
  const MemoryRepair spad = array(1).repair();
  EXPECT_EQ(spad.rows, 4);
  ASSERT_EQ(spad.used.size(), 2U);
  EXPECT_EQ(spad.used.at(0).where, "word 0x0120 of all partitions");
  EXPECT_TRUE(spad.used.at(1).dead);
  const MemoryRepair acc = array(2).repair();
  EXPECT_EQ(acc.rows, 8);
  ASSERT_EQ(acc.used.size(), 1U);
  EXPECT_EQ(acc.used.front().where, "bank 2 entry 99 of all columns");
}

TEST_F(ArrayTests, ATestOfAnEngineAtWorkIsRefusedByName) {
  file->on_write("tensor.mbist", [this](std::uint32_t) { file->set("tensor.irq_status.refused", 1); });
  for (const char* const name : {"scratchpad", "accumulators"}) {
    FakeStep step(bench, "memory.mbist");
    const auto failure = step.set("array", std::string(name)).run();
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->symptom, "mbist_refused");
    EXPECT_THAT(failure->part, HasSubstr(name));
  }
}

TEST_F(ArrayTests, TheStepTestsThemOneAfterTheOther) {
  FakeStep step(bench, "memory.mbist");
  EXPECT_FALSE(step.run());
  EXPECT_EQ(started.size(), 3U);
  std::vector<std::string> subjects;
  for (const auto& one : step.measures) subjects.push_back(one.subject);
  EXPECT_EQ(subjects, (std::vector<std::string>{"sram.mbist.failures", "scratchpad.mbist.failures",
                                                "accumulators.mbist.failures"}));
}

TEST_F(ArrayTests, TheStepBlamesTheWordOfTheArray) {
  file->set("tensor.mbist.fail", 1);
  file->set("tensor.mbist_fails", 3);
  file->set("tensor.mbist_first", 5U << 24U | 0x1230U);
  FakeStep step(bench, "memory.mbist");
  const auto failure = step.set("array", std::string("scratchpad")).run();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->symptom, "mbist_failed");
  EXPECT_EQ(failure->part, "tern tensor engine scratchpad partition 5 word 0x1230");
  EXPECT_EQ(started.size(), 1U);
}

TEST_F(ArrayTests, AnUnknownArrayIsTheSequencesMistake) {
  FakeStep step(bench, "memory.mbist");
  const auto failure = step.set("array", std::string("cache")).run();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->error_class, ErrorClass::sequence);
  EXPECT_THAT(failure->message, HasSubstr("it has sram, scratchpad, accumulators"));
}

}  // namespace
}  // namespace firstlight::test
