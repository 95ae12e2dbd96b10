// The verbs of the DMA on engines of fakes: what they see, and what they blame.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "lab/steps/dma_traffic.h"
#include "tests/unit/steps/fake_step.h"
#include "tests/unit/tern/chip_bench.h"

namespace firstlight {
namespace {

using test::FakeStep;
using testing::HasSubstr;

class DmaSteps : public testing::Test, protected test::ChipBench {
 protected:
  DmaSteps() : bench({}, time) { bench.offer<Dma>("tern", dma); }
  std::unique_ptr<FakeStep> copy(const std::string& from, const std::string& to) {
    auto step = std::make_unique<FakeStep>(bench, "dma.copy");
    step->set("from", from).set("to", to);
    return step;
  }
  std::unique_ptr<FakeStep> stress(std::int64_t transfers) {
    auto step = std::make_unique<FakeStep>(bench, "dma.stress");
    step->list("between", {"host", "hbm", "sram", "peer"}).set("transfers", transfers);
    return step;
  }
  Bench bench;
};

TEST_F(DmaSteps, CopiesWithAnyQueue) {
  for (std::int64_t engine = 0; engine < 2; ++engine)
    for (std::int64_t queue = 0; queue < 4; ++queue) {
      const auto step = copy("host", "hbm");
      step->set("engine", engine).set("queue", queue);
      const auto failure = step->run();
      EXPECT_FALSE(failure) << failure->message;
      EXPECT_EQ(step->measured_as("wrong_bytes")->value.value, 0);
    }
}

TEST_F(DmaSteps, CopiesRows) {
  const auto step = copy("hbm", "sram");
  step->quantity("length", 24, Dimension::data).set("rows", std::int64_t{9});
  step->quantity("from_stride", 100, Dimension::data).quantity("to_stride", 64, Dimension::data);
  const auto failure = step->run();
  EXPECT_FALSE(failure) << failure->message;
  EXPECT_EQ(chip.two_dimensional, 1U);
}

TEST_F(DmaSteps, AWrongByteInAGapIsSeen) {
  chip.flipped = sram(64 + 30);
  const auto step = copy("hbm", "sram");
  step->quantity("length", 24, Dimension::data).set("rows", std::int64_t{2}).quantity("to_stride", 64, Dimension::data);
  const auto failure = step->run();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->symptom, "dma_data_wrong");
  EXPECT_THAT(failure->message, HasSubstr("offset 0x1e"));
}

TEST_F(DmaSteps, AWriteThatWasLostIsNamed) {
  chip.lost = hbm(64 + 0x400);
  const auto step = copy("host", "hbm");
  const auto failure = step->run();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->symptom, "dma_write_lost");
  EXPECT_THAT(failure->message,
              HasSubstr("64 of 4096 bytes from host to hbm did not arrive, the first at offset 0x400"));
  EXPECT_THAT(failure->likely_cause, HasSubstr("lost a write"));
  EXPECT_THAT(failure->part, HasSubstr("hbm"));
}

TEST_F(DmaSteps, ARowThatWasLostIsNamed) {
  chip.lost = sram(64 + 0x300);
  chip.kept = 1;  // the guard bytes in the gaps
  const auto step = copy("hbm", "sram");
  step->quantity("length", 64, Dimension::data).set("rows", std::int64_t{9});
  step->quantity("to_stride", 0x100, Dimension::data);
  const auto failure = step->run();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->symptom, "dma_write_lost");
  EXPECT_THAT(failure->message,
              HasSubstr("64 of 2112 bytes from hbm to sram did not arrive, the first at offset 0x300"));
}

/// Even where the old bytes are one bit away from those that a run draws.
TEST_F(DmaSteps, AFlippedBitIsNoLostWrite) {
  EXPECT_FALSE(copy("host", "hbm")->run());
  for (std::uint8_t& byte : chip.memory("hbm")) byte ^= 1U;
  const std::vector<std::uint8_t> close = chip.memory("hbm");
  for (std::uint64_t offset = 0; offset < 4096; offset += 61) {
    chip.memory("hbm") = close;
    chip.flipped = hbm(64 + offset);
    const auto failure = copy("host", "hbm")->run();
    ASSERT_TRUE(failure);
    ASSERT_EQ(failure->symptom, "dma_data_wrong") << "at " << offset;
    ASSERT_THAT(failure->message, HasSubstr("1 of 4096 bytes"));
  }
}

TEST_F(DmaSteps, AWriteToAnotherAddressIsNamed) {
  chip.astray = hbm(64 + 0x400);
  const auto failure = copy("host", "hbm")->run();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->symptom, "dma_data_misplaced");
  EXPECT_THAT(failure->message, HasSubstr("128 of 4096 bytes"));
  EXPECT_THAT(failure->message, HasSubstr("what belongs at 0x400 stands at 0x3c0"));
  EXPECT_THAT(failure->likely_cause, HasSubstr("address"));
}

TEST_F(DmaSteps, RowsThatFoldAreRefused) {
  const auto step = copy("hbm", "sram");
  step->quantity("length", 24, Dimension::data).set("rows", std::int64_t{2}).quantity("to_stride", 8, Dimension::data);
  EXPECT_EQ(step->run()->symptom, "rows_overlap");
  const auto far = copy("hbm", "sram");
  far->set("rows", std::int64_t{65535}).quantity("to_stride", 4096, Dimension::data);
  EXPECT_EQ(far->run()->symptom, "out_of_range");
  const auto close = copy("hbm", "hbm");
  EXPECT_EQ(close->run()->symptom, "ranges_overlap");
}

TEST_F(DmaSteps, StressUsesEveryQueueAndEveryKindOfTransfer) {
  const auto step = stress(600);
  const auto failure = step->run();
  EXPECT_FALSE(failure) << failure->message;
  EXPECT_EQ(step->measured_as("wrong_bytes")->value.value, 0);
  EXPECT_GT(step->measured_as("wraps")->value.value, 4);
  EXPECT_GT(chip.chained, 0U);
  EXPECT_GT(chip.two_dimensional, 0U);
  EXPECT_GT(chip.barriers, 0U);
  EXPECT_GT(chip.waits, 0U);
  EXPECT_EQ(chip.waits, chip.signals);
}

/// An engine that stops in the middle of some transfer: either its queue is the one that is aborted, and what the abort
/// leaves is right, or nobody ends it.
TEST_F(DmaSteps, StressTakesWhatAnAbortLeaves) {
  double aborted = 0;
  for (unsigned skipped = 0; skipped < 60; ++skipped) {
    chip.begun = 0;
    chip.skips = 4 + skipped;  // behind those that fill the memories
    chip.stops_after = 1;
    const auto step = stress(16);
    step->within(std::chrono::milliseconds(50));
    const auto failure = step->run();
    if (failure) {
      EXPECT_EQ(failure->symptom, "dma_timeout") << failure->message;
    } else {
      aborted += step->measured_as("aborted")->value.value;
    }
  }
  EXPECT_GT(aborted, 0);
}

TEST_F(DmaSteps, StressSeesOneWrongByte) {
  chip.flipped = hbm(0x1234);
  const auto step = stress(400);
  const auto failure = step->run();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->symptom, "dma_data_wrong");
  EXPECT_THAT(failure->likely_cause, HasSubstr("seed"));
}

/// In different places: what was lost may be overwritten, so that nothing is wrong, or the old bytes may be copied on,
/// so that others are wrong too.
TEST_F(DmaSteps, StressNamesALostWrite) {
  std::map<std::string, unsigned> seen;
  for (std::uint64_t offset = 0; offset < 0x8000; offset += 0x400) {
    chip.lost = hbm(offset + 0x100);
    chip.kept = 1;  // the content at the start
    const auto failure = stress(400)->run();
    ++seen[failure ? failure->symptom : "nothing"];
    if (failure && failure->symptom == "dma_write_lost") {
      EXPECT_THAT(failure->part, HasSubstr("hbm"));
    }
  }
  EXPECT_GE(seen["dma_write_lost"], 4U) << seen["dma_data_wrong"] << " other";
}

TEST_F(DmaSteps, StressBlamesTheMemoryThatRefuses) {
  const auto step = stress(400);
  chip.bus_error = sram(0x5000);
  const auto failure = step->run();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->symptom, "dma_bus_error");
  EXPECT_THAT(failure->part, HasSubstr("sram"));
}

TEST_F(DmaSteps, OneQueueIsEnough) {
  const auto step = stress(60);
  step->set("engines", std::int64_t{1}).set("queues", std::int64_t{1});
  const auto failure = step->run();
  EXPECT_FALSE(failure) << failure->message;
  EXPECT_EQ(chip.waits, 0U);
}

/// Rows of one batch that nothing orders must not meet.
TEST(DmaTraffic, TransfersThatNothingOrdersTouchDifferentBytes) {
  steps::DmaTrafficPlan plan;
  plan.longest = 512;
  plan.entries = 8;
  plan.queues = 4;
  plan.semaphores = true;
  plan.aborts = true;
  steps::DmaTraffic traffic(plan, 7);
  traffic.add({"a", 0, 1U << 20U});
  traffic.add({"b", 1U << 24U, 1U << 20U});
  std::size_t victims = 0;
  std::size_t full = 0;
  for (int round = 0; round < 300; ++round) {
    const steps::DmaBatch batch = traffic.next(1000);
    victims += batch.victim != steps::DmaBatch::kNone;
    std::map<std::uint64_t, const steps::DmaTransfer*> writer;  // of a byte
    std::vector<std::size_t> used(plan.queues);
    for (const steps::DmaTransfer& transfer : batch.transfers) {
      used[transfer.queue] += transfer.copies.size();
      for (const DmaCopy& copy : transfer.copies) {
        EXPECT_LE(copy.bytes(), plan.longest);
        for (std::uint64_t row = 0; row < copy.rows; ++row)
          for (std::uint64_t i = 0; i < copy.length; ++i) {
            const auto reads = writer.find(copy.source + row * copy.source_stride + i);
            const bool ordered = reads == writer.end() || reads->second == &transfer || copy.barrier || copy.wait;
            EXPECT_TRUE(ordered) << "reads what another one writes";
            EXPECT_TRUE(writer.emplace(copy.destination + row * copy.destination_stride + i, &transfer).second)
                << "written twice";
          }
        EXPECT_FALSE(transfer.queue == batch.victim && (copy.wait || copy.signal || copy.barrier));
      }
      EXPECT_FALSE(transfer.copies.back().chain);
    }
    for (const std::size_t descriptors : used) {
      EXPECT_LE(descriptors, plan.entries);
      full += descriptors == plan.entries;
    }
  }
  EXPECT_GT(victims, 20U);
  EXPECT_GT(full, 20U);
}

}  // namespace
}  // namespace firstlight
