// Tern's DMA driver against engines that do what docs/dma.md says, and against engines that do not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <optional>

#include "lab/drivers/tern/dma_layout.h"
#include "lab/drivers/tern/dma_ring.h"
#include "tests/unit/tern/chip_bench.h"

namespace firstlight::tern {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::uint64_t word(const std::array<std::uint8_t, kDescriptorBytes>& bytes, std::size_t at) {
  std::uint64_t out = 0;
  for (unsigned i = 0; i < 8; ++i) out |= std::uint64_t{bytes.at(8 * at + i)} << (8 * i);
  return out;
}

TEST(DmaRing, DescriptorsAreThoseOfTheSpecification) {
  DmaCopy copy;
  copy.source = 0x12'3456'789A;
  copy.destination = 0x03'0000'1000;
  copy.length = 65536;
  copy.rows = 0xABC;
  copy.source_stride = 0xFEDCBA;
  copy.destination_stride = 0x4000;
  copy.barrier = true;
  copy.chain = true;
  copy.wait = DmaWait{5, 15};
  copy.signal = 9;
  const auto bytes = encode(copy, 0xBEEF, 3);
  EXPECT_EQ(word(bytes, 0), 0xFEDC'BA12'3456'789AU);
  EXPECT_EQ(word(bytes, 1), 0x0040'0003'0000'1000U);
  EXPECT_EQ(word(bytes, 2), (std::uint64_t{0xABC} << 35U) | (std::uint64_t{3} << 33U) | 0xBEEF'0000U);
  EXPECT_EQ(word(bytes, 3), (std::uint64_t{3} << 62U) | (std::uint64_t{1} << 36U) | (std::uint64_t{9} << 32U) |
                                (std::uint64_t{15} << 28U) | (std::uint64_t{5} << 24U) | 0x7E'5201U);
}

TEST(DmaRing, AOneRowCopyLeavesEverythingElseZero) {
  DmaCopy copy;
  copy.source = 1;
  copy.destination = 2;
  copy.length = 3;
  const auto bytes = encode(copy, 4, 1);
  EXPECT_EQ(word(bytes, 0), 1U);
  EXPECT_EQ(word(bytes, 1), 2U);
  EXPECT_EQ(word(bytes, 2), 0x4'0003U);
  EXPECT_EQ(word(bytes, 3), 0x4000'0000'007E'5201U);
}

TEST(DmaRing, PhasesTellPassesApart) {
  EXPECT_EQ(phase_of(0, 4), 1U);
  EXPECT_EQ(phase_of(15, 4), 1U);
  EXPECT_EQ(phase_of(16, 4), 2U);
  EXPECT_EQ(phase_of(48, 4), 0U);
  EXPECT_EQ(phase_of(65535, 12), 0U);
  EXPECT_EQ(name_of(3), "read_error");
  EXPECT_EQ(name_of(9), "status 9");
}

class DmaDriver : public testing::Test, protected test::ChipBench {
 protected:
  DmaQueue& open(unsigned engine = 0, unsigned index = 0, std::uint32_t entries = 8) {
    DmaQueue& queue = dma.queue(engine, index);
    queue.open(entries);
    return queue;
  }
  static DmaCopy copy_of(std::uint64_t source, std::uint64_t destination, std::uint32_t length) {
    DmaCopy copy;
    copy.source = source;
    copy.destination = destination;
    copy.length = length;
    return copy;
  }
  template <class Action>
  static Failure failure_of(Action action) {
    try {
      action();
    } catch (const FailureError& error) {
      return error.failure();
    }
    ADD_FAILURE() << "nothing failed";
    return {};
  }
  std::vector<std::uint8_t> counted(std::size_t count) const {
    std::vector<std::uint8_t> bytes(count);
    for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::uint8_t>(i * 7 + 1);
    return bytes;
  }
};

TEST_F(DmaDriver, BytesReachEveryMemoryAndComeBack) {
  const std::vector<std::uint8_t> bytes = counted(70000);
  for (const DmaWindow& window : dma.windows()) {
    if (window.size < bytes.size()) continue;
    dma.poke(window.base, bytes);
    EXPECT_EQ(chip.at(window.base + 69999), bytes.back()) << window.name;
    EXPECT_EQ(dma.peek(window.base, bytes.size()), bytes) << window.name;
  }
}

TEST_F(DmaDriver, WindowsAreWhatTheEnginesReach) {
  std::vector<std::string> names;
  for (const DmaWindow& window : dma.windows()) {
    names.push_back(window.name);
    if (window.name == "host") {
      EXPECT_EQ(window.base, host->base() + DmaLayout::kWindow);
      EXPECT_EQ(window.size, host->size() - DmaLayout::kWindow);
    }
    if (window.name == "hbm") {
      EXPECT_EQ(window.size, kHbmBytes);
    }
  }
  EXPECT_THAT(names, testing::UnorderedElementsAre("sram", "scratchpad", "hbm", "host", "peer"));
}

TEST_F(DmaDriver, EveryQueueHasRingsOfItsOwn) {
  const std::vector<std::uint8_t> bytes = counted(64);
  dma.poke(hbm(0), bytes);
  for (unsigned engine = 0; engine < dma.engines(); ++engine)
    for (unsigned index = 0; index < dma.queues(); ++index) open(engine, index);
  for (unsigned engine = 0; engine < dma.engines(); ++engine)
    for (unsigned index = 0; index < dma.queues(); ++index) {
      DmaQueue& queue = dma.queue(engine, index);
      const std::uint64_t to = hbm(4096 + 256 * (4 * engine + index));
      const auto ids = queue.submit({copy_of(hbm(0), to, 64)});
      const auto done = queue.wait_all(soon());
      ASSERT_EQ(done.size(), 1U);
      EXPECT_TRUE(done.front().ok) << done.front().status;
      EXPECT_EQ(done.front().id, ids.front());
      EXPECT_EQ(dma.peek(to, 64), bytes) << queue.part();
    }
}

TEST_F(DmaDriver, ARingIsFullWithAllItsEntriesAndWraps) {
  DmaQueue& queue = open(1, 3, 4);
  dma.poke(hbm(0), counted(16));
  for (int pass = 0; pass < 20; ++pass) {
    const std::vector<DmaCopy> copies(4, copy_of(hbm(0), hbm(512), 16));
    EXPECT_EQ(queue.submit(copies).size(), 4U);
    EXPECT_EQ(queue.room(), 0U);
    EXPECT_EQ(failure_of([&] { queue.submit({copies.front()}); }).symptom, "ring_full");
    EXPECT_EQ(queue.wait_all(soon()).size(), 4U);
    EXPECT_EQ(queue.room(), 4U);
  }
}

TEST_F(DmaDriver, RowsGoWhereStridesSay) {
  DmaQueue& queue = open();
  dma.poke(hbm(0), counted(256));
  dma.poke(sram(0), std::vector<std::uint8_t>(512, 0xEE));
  DmaCopy copy = copy_of(hbm(4), sram(16), 5);
  copy.rows = 3;
  copy.source_stride = 32;
  copy.destination_stride = 100;
  queue.submit({copy});
  const auto done = queue.wait_all(soon());
  EXPECT_EQ(done.front().done, 15U);
  const auto found = dma.peek(sram(0), 512);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::size_t row = (i - 16) / 100;
    const std::size_t column = (i - 16) % 100;
    const bool inside = i >= 16 && row < 3 && column < 5;
    EXPECT_EQ(found[i], inside ? counted(256)[4 + 32 * row + column] : 0xEE) << i;
  }
}

TEST_F(DmaDriver, AChainHasOneCompletion) {
  DmaQueue& queue = open(0, 1, 4);
  std::vector<DmaCopy> copies = {copy_of(hbm(0), hbm(1024), 10), copy_of(hbm(64), hbm(2048), 20),
                                 copy_of(hbm(128), hbm(3072), 30)};
  copies[0].chain = true;
  const auto ids = queue.submit(copies);
  EXPECT_EQ(queue.room(), 1U);
  EXPECT_EQ(ids.size(), 2U);
  const auto done = queue.wait_all(soon());
  ASSERT_EQ(done.size(), 2U);
  EXPECT_EQ(done[0].done, 30U);
  EXPECT_EQ(done[1].done, 30U);
  EXPECT_EQ(queue.room(), 4U);
  copies[2].chain = true;
  EXPECT_EQ(failure_of([&] { queue.submit(copies); }).symptom, "open_chain");
}

TEST_F(DmaDriver, QueuesWaitForEachOtherBySemaphores) {
  DmaQueue& first = open(0, 0);
  DmaQueue& second = open(1, 2);
  dma.poke(hbm(0), counted(32));
  DmaCopy waiting = copy_of(hbm(1024), hbm(2048), 32);
  waiting.wait = DmaWait{7, 1};
  second.submit({waiting});
  EXPECT_TRUE(second.completions().empty());
  const Failure failure = failure_of([&] { second.wait_all(time.now()); });
  EXPECT_EQ(failure.symptom, "dma_timeout");
  EXPECT_THAT(failure.likely_cause, HasSubstr("semaphore"));
  DmaCopy signalling = copy_of(hbm(0), hbm(1024), 32);
  signalling.signal = 7;
  first.submit({signalling});
  EXPECT_TRUE(first.wait_all(soon()).front().ok);
  EXPECT_TRUE(second.wait_all(soon()).front().ok);
  EXPECT_EQ(dma.peek(hbm(2048), 32), counted(32));
  EXPECT_EQ(chip.semaphores[7], 0U);
}

TEST_F(DmaDriver, AnAbortEndsWhatHasStartedAndTheRestGoesOnAfterwards) {
  DmaQueue& queue = open(0, 3);
  dma.poke(hbm(0), counted(64));
  chip.stops_after = 40;
  queue.submit({copy_of(hbm(0), hbm(1024), 64), copy_of(hbm(0), hbm(2048), 64)});
  EXPECT_TRUE(queue.completions().empty());
  queue.abort(soon());
  const auto aborted = queue.completions();
  ASSERT_EQ(aborted.size(), 1U);
  EXPECT_EQ(aborted.front().status, "aborted");
  EXPECT_FALSE(aborted.front().ok);
  EXPECT_EQ(aborted.front().done, 40U);
  EXPECT_THAT(queue.error(), HasSubstr("aborted"));
  queue.resume();
  EXPECT_TRUE(queue.wait_all(soon()).front().ok);
  queue.clear_error();
  EXPECT_EQ(queue.error(), "");
}

TEST_F(DmaDriver, AQueueThatWasLeftInTheMiddleIsAbortedWhenItIsOpenedAgain) {
  DmaQueue& queue = open();
  chip.stops_after = 0;
  queue.submit({copy_of(hbm(0), hbm(1024), 64)});
  queue.open(16);
  EXPECT_EQ(queue.room(), 16U);
  queue.submit({copy_of(hbm(0), hbm(1024), 64)});
  EXPECT_TRUE(queue.wait_all(soon()).front().ok);
}

TEST_F(DmaDriver, WhatAnAbortCompletesIsNoCompletionOfTheNewRing) {
  DmaQueue& queue = open();
  chip.stops_after = 0;
  queue.submit({copy_of(hbm(0), hbm(1024), 64)});
  queue.open(16);
  chip.deaf = true;
  queue.submit({copy_of(hbm(0), hbm(1024), 64)});
  EXPECT_TRUE(queue.completions().empty());
}

TEST_F(DmaDriver, NothingIsLeftOfCopiesThatItRefuses) {
  DmaQueue& queue = open();
  EXPECT_EQ(failure_of([&] {
              queue.submit({copy_of(hbm(0), hbm(1024), 64), copy_of(hbm(0), hbm(2048), 0)});
            }).symptom,
            "bad_copy");
  EXPECT_EQ(queue.room(), queue.entries());
  const auto ids = queue.submit({copy_of(hbm(0), hbm(1024), 64)});
  const auto done = queue.wait_all(soon());
  ASSERT_EQ(done.size(), 1U);
  EXPECT_EQ(done.front().id, ids.front());
}

TEST_F(DmaDriver, SaysWhichMemoryRefused) {
  DmaQueue& queue = open();
  chip.bus_error = hbm(0x123);
  queue.submit({copy_of(hbm(0x100), sram(0), 64)});
  const auto done = queue.wait_all(soon());
  EXPECT_EQ(done.front().status, "read_error");
  EXPECT_EQ(done.front().error_address, hbm(0x120));
  EXPECT_EQ(queue.error(), "descriptor 0: read_error at 0x0100000120");
  EXPECT_EQ(failure_of([&] { dma.peek(hbm(0x100), 64); }).symptom, "dma_copy_failed");
}

TEST_F(DmaDriver, RefusesWhatNoDescriptorCanSay) {
  DmaQueue& queue = open();
  DmaCopy copy = copy_of(hbm(0), hbm(1024), 0);
  EXPECT_EQ(failure_of([&] { queue.submit({copy}); }).symptom, "bad_copy");
  copy.length = 65537;
  EXPECT_EQ(failure_of([&] { queue.submit({copy}); }).symptom, "bad_copy");
  copy.length = 8;
  copy.rows = 65536;
  EXPECT_EQ(failure_of([&] { queue.submit({copy}); }).symptom, "bad_copy");
  copy.rows = 2;
  copy.source_stride = 1U << 24U;
  EXPECT_EQ(failure_of([&] { queue.submit({copy}); }).symptom, "bad_copy");
  copy.source_stride = 8;
  copy.wait = DmaWait{16, 1};
  EXPECT_EQ(failure_of([&] { queue.submit({copy}); }).symptom, "bad_copy");
  EXPECT_EQ(failure_of([&] { dma.queue(2, 0); }).symptom, "no_dma_queue");
  EXPECT_EQ(failure_of([&] { queue.open(12); }).symptom, "bad_ring_size");
}

struct Misbehaviour {
  const char* symptom;
  const char* part;
  void (*set)(test::FakeDma&);
};

class DmaMisbehaviour : public DmaDriver, public testing::WithParamInterface<Misbehaviour> {};

TEST_P(DmaMisbehaviour, IsNamed) {
  DmaQueue& queue = open(1, 1, 4);
  GetParam().set(chip);
  const Failure failure = failure_of([&] {
    queue.submit(std::vector<DmaCopy>(4, copy_of(hbm(0), hbm(1024), 64)));
    queue.wait_all(soon());
  });
  EXPECT_EQ(failure.error_class, ErrorClass::dut);
  EXPECT_EQ(failure.symptom, GetParam().symptom);
  EXPECT_THAT(failure.part, HasSubstr(GetParam().part));
  EXPECT_THAT(failure.received, AllOf(HasSubstr("dma1.q_status[1]"), HasSubstr("tail")));
}

INSTANTIATE_TEST_SUITE_P(
    All, DmaMisbehaviour,
    testing::Values(
        Misbehaviour{"dma_ring_overrun", "doorbell path", [](test::FakeDma& chip) { chip.doorbell_bit = 0x1000; }},
        Misbehaviour{"dma_timeout", "tern dma1 queue 1", [](test::FakeDma& chip) { chip.deaf = true; }},
        Misbehaviour{"dma_completion_lost", "host memory", [](test::FakeDma& chip) { chip.lost_completion = 2; }},
        Misbehaviour{"dma_phase_mismatch", "host memory", [](test::FakeDma& chip) { chip.stale = 1; }},
        Misbehaviour{"dma_canary", "tern dma1 queue 1", [](test::FakeDma& chip) { chip.overwrites_canary = true; }}),
    [](const auto& param) { return std::string(param.param.symptom); });

TEST_F(DmaDriver, AQueueThatDoesNotHaltIsNamed) {
  DmaQueue& queue = open(0, 2);
  chip.never_halts = true;
  const Failure failure = failure_of([&] { queue.abort(soon()); });
  EXPECT_EQ(failure.symptom, "dma_abort_timeout");
  EXPECT_EQ(failure.part, "tern dma0 queue 2");
}

TEST_F(DmaDriver, RingsThatDoNotFitHostMemoryAreAFaultOfTheBench) {
  const auto small = std::make_shared<test::FakeHostMemory>(host->base(), 65536);
  TernDma tight("tern", registers, small, time, {}, kHbmBytes);
  const Failure failure = failure_of([&] { tight.queue(0, 0).open(8); });
  EXPECT_EQ(failure.symptom, "host_memory_too_small");
  EXPECT_EQ(failure.error_class, ErrorClass::bench);
}

}  // namespace
}  // namespace firstlight::tern
