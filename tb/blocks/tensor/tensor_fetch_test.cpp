// Programs that the engine fetches by itself.
#include <gtest/gtest.h>

#include <ostream>

#include "tb/blocks/tensor/program_order.h"
#include "tb/blocks/tensor/random_program.h"
#include "tb/blocks/tensor/tensor_bench.h"

namespace tb::blocks::tensor {
namespace {

constexpr std::uint64_t kBase = 0x01'8000'0FC0;

struct Memory {
  const char* name;
  MemoryManners manners;
};
void PrintTo(const Memory& memory, std::ostream* out) { *out << memory.name; }

MemoryManners manners(unsigned latency, double ready, double answer) {
  MemoryManners out;
  out.least_latency = latency;
  out.most_latency = 2 * latency;
  out.ready = ready;
  out.answer = answer;
  return out;
}

class TensorFetch : public testing::Test {
 protected:
  void SetUp() override { bench.restart(7000); }
  /// Products of few vectors each, so that instructions are what may run out.
  std::vector<Instruction> products(unsigned count, unsigned n) const {
    const auto [rows, cols] = bench.shape();
    std::vector<Instruction> out{make(Opcode::kLoad, 1, 0, rows, cols, 0)};
    out.front().signal = true;
    for (unsigned i = 0; i < count; ++i) {
      out.push_back(make(Opcode::kMultiply, 1, n, rows, cols, 256));
      out.back().entry = i * n % 128;
      out.back().abank = i * n / 128 % 4;
      out.back().tag = i;
    }
    out.at(1).wait_count = 1;
    return out;
  }
  TensorBench& bench = TensorBench::instance();
};

class FetchedFrom : public TensorFetch, public testing::WithParamInterface<Memory> {};

TEST_P(FetchedFrom, ProgramsGiveTheModelsBits) {
  RandomProgram draws(bench.shape(), bench.dice());
  for (unsigned p = 0; p < bench.shape().partitions(); ++p)
    for (unsigned w = 0; w < golden::tensor::kPartitionWords; ++w) bench.set_word(p, w, draws.word(w));
  bench.memory_port.manners = GetParam().manners;
  Instruction carried = draws.next();
  for (unsigned program = 0; program < 8; ++program) {
    ProgramOrder order;
    while (order.program().size() < 25 + program && order.add(carried)) carried = draws.next();
    ASSERT_NO_FATAL_FAILURE(bench.fetch(kBase, order.program()));
    ASSERT_NO_FATAL_FAILURE(bench.finish());
    ASSERT_NO_FATAL_FAILURE(bench.expect_stored());
  }
  EXPECT_EQ(bench.counter("active"), bench.model().vectors());
  for (const auto& text : bench.memory_port.checker().violations()) ADD_FAILURE() << text;
}

INSTANTIATE_TEST_SUITE_P(Memories, FetchedFrom,
                         testing::Values(Memory{"fast", manners(1, 1.0, 1.0)}, Memory{"late", manners(60, 1.0, 1.0)},
                                         Memory{"rough", manners(20, 0.3, 0.4)}),
                         [](const auto& param) { return std::string(param.param.name); });

TEST_F(TensorFetch, InstructionsDoNotKeepTheArrayWaiting) {
  bench.memory_port.manners = manners(100, 1.0, 1.0);
  constexpr unsigned kProducts = 200;
  constexpr unsigned kVectors = 16;
  ASSERT_NO_FATAL_FAILURE(bench.fetch(kBase, products(kProducts, kVectors)));
  bench.activity.begin();
  ASSERT_NO_FATAL_FAILURE(bench.finish());
  EXPECT_EQ(bench.activity.cycles().size(), kProducts * kVectors);
  EXPECT_GT(bench.activity.utilisation(), 0.97) << "with 100 to 200 cycles to memory";
}

TEST_F(TensorFetch, NothingBehindTheProgramIsRead) {
  for (unsigned count = 0; count < 12; ++count) {
    bench.memory_port.reads.clear();
    const std::vector<Instruction> program(count, make(Opcode::kLoad, 0, 0, 1, 1, 0));
    ASSERT_NO_FATAL_FAILURE(bench.fetch(kBase, program));
    ASSERT_NO_FATAL_FAILURE(bench.finish());
    std::uint64_t next = kBase;
    for (const auto& burst : bench.memory_port.reads) {
      EXPECT_EQ(burst.addr, next);
      next += 8 * (std::uint64_t{burst.len} + 1);
    }
    EXPECT_EQ(next, kBase + std::uint64_t{16} * count);
  }
}

TEST_F(TensorFetch, AnInstructionThatCannotBeReadIsNamedAndWhatIsBeforeItIsDone) {
  bench.memory_port.manners = manners(30, 0.7, 0.7);
  for (const unsigned wrong : {0U, 1U, 6U, 19U}) {
    const std::uint64_t address = kBase + std::uint64_t{16} * wrong;
    bench.memory_port.read_faults = {address + std::uint64_t{8} * (wrong % 2)};
    bench.registers.write("tensor.command.clear_counters", 1);
    ASSERT_NO_FATAL_FAILURE(bench.fetch(kBase, std::vector<Instruction>(40, make(Opcode::kLoad, 0, 0, 1, 1, 0))));
    bench.expect_reported({ErrorCode::kFetchError, wrong, static_cast<std::uint32_t>(address)});
    bench.block.cycle(100);
    EXPECT_EQ(bench.registers.read("tensor.status.fetching"), 1U);
    bench.clear_error();
    EXPECT_EQ(bench.registers.read("tensor.status.fetching"), 0U);
    EXPECT_TRUE(bench.memory_port.idle());
    bench.memory_port.read_faults.clear();
    ASSERT_NO_FATAL_FAILURE(bench.fetch(kBase + 0x1000, products(3, 8)));
    ASSERT_NO_FATAL_FAILURE(bench.finish());
  }
}

TEST_F(TensorFetch, ClearEndsAFetchOnceMemoryHasAnswered) {
  for (unsigned wait = 0; wait < 120; wait += 7) {
    bench.memory_port.manners = manners(50, 0.5, 0.5);
    ASSERT_NO_FATAL_FAILURE(bench.fetch(kBase, products(40, 4), false));
    bench.block.cycle(wait);
    bench.registers.write("tensor.command.clear", 1);
    ASSERT_TRUE(bench.block.cycle_until([&] { return bench.registers.read("tensor.status.clearing") == 0; }, 2000));
    EXPECT_TRUE(bench.memory_port.idle()) << "answers are still to come";
    EXPECT_EQ(bench.registers.read("tensor.status.fetching"), 0U);
    EXPECT_EQ(bench.registers.read("tensor.error"), 0U);
    EXPECT_EQ(bench.registers.read("tensor.semaphores[0]"), 0U);
    bench.memory_port.manners = {};
    ASSERT_NO_FATAL_FAILURE(bench.fetch(kBase + 0x4000, products(2, 8)));
    ASSERT_NO_FATAL_FAILURE(bench.finish());
  }
}

TEST_F(TensorFetch, ASecondFetchIsRefusedUntilTheFirstHasEnded) {
  bench.memory_port.manners = manners(50, 1.0, 1.0);
  ASSERT_NO_FATAL_FAILURE(bench.fetch(kBase, products(3, 8)));
  EXPECT_EQ(bench.registers.read("tensor.irq_status.refused"), 0U);
  bench.registers.write("tensor.command.fetch", 1);
  EXPECT_EQ(bench.registers.read("tensor.irq_status.refused"), 1U);
  ASSERT_NO_FATAL_FAILURE(bench.finish());
  EXPECT_EQ(bench.counter("instructions"), 4U);
}

TEST_F(TensorFetch, AFetchIsRefusedUntilClearingHasEnded) {
  const auto [rows, cols] = bench.shape();
  bench.carry_out(make(Opcode::kLoad, 1, 0, rows, cols, 0));
  bench.submit(make(Opcode::kMultiply, 1, 128, rows, cols, 256));
  ASSERT_TRUE(bench.block.cycle_until([&] { return bench.registers.read("tensor.status.multiply_busy") != 0; }, 100));
  bench.registers.write("tensor.command.clear", 1);
  ASSERT_NO_FATAL_FAILURE(bench.fetch(kBase, products(3, 8), false));
  EXPECT_EQ(bench.registers.read("tensor.irq_status.refused"), 1U);
  EXPECT_EQ(bench.registers.read("tensor.status.clearing"), 1U) << "too late to try";
  EXPECT_EQ(bench.registers.read("tensor.status.fetching"), 0U);
  bench.block.cycle(500);
  EXPECT_EQ(bench.registers.read("tensor.status.clearing"), 0U);
  EXPECT_TRUE(bench.memory_port.reads.empty());
  EXPECT_EQ(bench.counter("instructions"), 2U);
  bench.registers.write("tensor.irq_status.refused", 1);
  ASSERT_NO_FATAL_FAILURE(bench.fetch(kBase, products(3, 8)));
  ASSERT_NO_FATAL_FAILURE(bench.finish());
  EXPECT_EQ(bench.registers.read("tensor.irq_status.refused"), 0U);
  bench.expect_everything();
}

TEST_F(TensorFetch, AClockThatStoodStillMissesNothing) {
  for (unsigned round = 0; round < 3; ++round) {
    bench.block.cycle(3000);
    const std::uint64_t idle = bench.counter("idle");
    bench.block.cycle(1000);
    EXPECT_GE(bench.counter("idle"), idle + 1000) << "time passes for the counters";
    ASSERT_NO_FATAL_FAILURE(bench.fetch(kBase, products(2, 8)));
    ASSERT_NO_FATAL_FAILURE(bench.finish());
    bench.block.cycle(3000);
    EXPECT_FALSE(bench.bus.write(0, round, round).error);
    bench.block.cycle(3000);
    EXPECT_EQ(bench.bus.read(0, round).data, round);
    bench.model().set_word(0, round, round);
    bench.block.cycle(3000);
    bench.registers.write("tensor.signal", 3);
    bench.block.cycle(2);
    EXPECT_EQ(bench.registers.read("tensor.semaphores[3]"), round + 1);
  }
  bench.expect_everything();
}

}  // namespace
}  // namespace tb::blocks::tensor
