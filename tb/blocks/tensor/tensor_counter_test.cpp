// What each cycle is counted as.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tb/blocks/tensor/program_order.h"
#include "tb/blocks/tensor/random_program.h"
#include "tb/blocks/tensor/tensor_bench.h"

namespace tb::blocks::tensor {
namespace {

constexpr std::array kCauses{"active", "wait_semaphore", "wait_stationary", "wait_accumulator", "throttled_idle"};
using Counts = std::map<std::string, std::uint64_t>;

class TensorCounters : public testing::Test {
 protected:
  void SetUp() override {
    bench.restart(5900);
    bench.carry_out(make(Opcode::kLoad, 0, 0, rows, cols, 0));
  }
  /// All but idle; they stand still while the engine is idle.
  Counts read() {
    Counts out;
    for (const char* cause : kCauses) out[cause] = bench.counter(cause);
    return out;
  }
  /// Idle cycles less all cycles of the testbench: the same at any time at which nothing else has been counted.
  std::int64_t idle_ahead() {
    const std::int64_t idle = bench.registers.read("tensor.idle_lo");
    return idle - static_cast<std::int64_t>(bench.block.cycles());
  }
  /// What a program counts, which has to end by itself. Cycles that were not counted, or twice, are failures.
  template <typename Program>
  Counts counted(Program program) {
    bench.registers.write("tensor.command.clear_counters", 1);
    const std::int64_t before = idle_ahead();
    program();
    bench.finish();
    Counts out = read();
    std::int64_t busy = 0;
    for (const auto& [cause, count] : out) busy += static_cast<std::int64_t>(count);
    EXPECT_EQ(idle_ahead() + busy, before) << "each cycle is counted once";
    return out;
  }
  /// Of the causes to wait only this one.
  static void expect_only(const Counts& counts, const std::string& cause, std::uint64_t cycles) {
    for (const auto& [name, count] : counts) {
      if (name == "active") continue;
      EXPECT_EQ(count, name == cause ? cycles : 0U) << name;
    }
  }

  TensorBench& bench = TensorBench::instance();
  unsigned rows = bench.shape().rows;
  unsigned cols = bench.shape().cols;
};

TEST_F(TensorCounters, EachCycleOfAnyProgramIsCountedOnce) {
  bench.registers.write("tensor.limit[1]", 2U | 3U << 8U);
  bench.registers.write("tensor.ramp", 8U | 16U << 8U);
  RandomProgram draws(bench.shape(), bench.dice());
  Instruction carried = draws.next();
  Counts sum;
  for (unsigned round = 0; round < 12; ++round) {
    bench.block.dut().throttle_i = round % 2;
    bench.bus.disturb(round % 3 == 0, bench.dice().bits());
    ProgramOrder order;
    while (order.program().size() < 30 && order.add(carried)) carried = draws.next();
    const Counts counts = counted([&] {
      if (round % 2 == 0) return bench.fetch(0x1000, order.program());
      for (const Instruction& i : order.program()) bench.submit(i);
    });
    bench.bus.disturb(false, 1);
    for (const auto& [cause, count] : counts) sum[cause] += count;
  }
  // Behind a semaphore of its load no product meets one that is under way.
  sum.erase("wait_stationary");
  for (const auto& [cause, count] : sum) EXPECT_GT(count, 0U) << cause << " never came up";
}

TEST_F(TensorCounters, ElapsedHoldsAllThatAProgramCounts) {
  auto second = make(Opcode::kMultiply, 0, 4, rows, cols, 256);
  second.wait_sem = 1;
  second.wait_count = 1;
  const Counts counts = counted([&] {
    bench.fetch(0x1000, {make(Opcode::kMultiply, 0, 4, rows, cols, 256), second, make(Opcode::kHalt, 0, 0, 0, 0, 0)});
    bench.block.cycle(300);
    bench.registers.write("tensor.signal", 1);
    ASSERT_TRUE(bench.block.cycle_until([&] { return bench.registers.read("tensor.status.ended") != 0; }, 1000));
    bench.registers.write("tensor.command.resume", 1);
  });
  EXPECT_EQ(counts.at("active"), 8U);
  EXPECT_GT(counts.at("wait_semaphore"), 250U);
  // What is before the first instruction, and behind the last vector, is idle.
  const std::uint64_t elapsed = bench.counter("elapsed");
  EXPECT_GE(elapsed, counts.at("active") + counts.at("wait_semaphore"));
  EXPECT_LE(elapsed, counts.at("active") + counts.at("wait_semaphore") + 3 * rows + cols + 40);
}

TEST_F(TensorCounters, WaitingForASemaphore) {
  auto multiply = make(Opcode::kMultiply, 0, 4, rows, cols, 256);
  multiply.wait_sem = 5;
  multiply.wait_count = 2;
  const auto waited = [&](unsigned pause) {
    const Counts counts = counted([&] {
      bench.submit(multiply);
      bench.registers.write("tensor.signal", 5);
      bench.block.cycle(pause);
      bench.registers.write("tensor.signal", 5);
    });
    EXPECT_EQ(counts.at("active"), 4U);
    expect_only(counts, "wait_semaphore", counts.at("wait_semaphore"));
    return counts.at("wait_semaphore");
  };
  const std::uint64_t least = waited(20);
  EXPECT_GE(least, 20U);
  EXPECT_EQ(waited(21), least + 1);
  EXPECT_EQ(waited(500), least + 480);
}

TEST_F(TensorCounters, WaitingForALoadOfTheBank) {
  const auto waited = [&](unsigned columns) {
    const Counts counts = counted([&] {
      bench.submit(make(Opcode::kLoad, 0, 0, rows, columns, 0));
      bench.submit(make(Opcode::kMultiply, 0, 4, rows, 1, 256));
    });
    expect_only(counts, "wait_stationary", counts.at("wait_stationary"));
    return counts.at("wait_stationary");
  };
  const std::uint64_t least = waited(1);
  EXPECT_GT(least, 0U);
  EXPECT_EQ(waited(cols), least + cols - 1);
}

TEST_F(TensorCounters, WaitingForAnEntryOnItsWay) {
  for (const unsigned products : {1U, 2U, 5U}) {
    const Counts counts = counted([&] {
      auto multiply = make(Opcode::kMultiply, 0, 1, rows, cols, 256);
      for (unsigned i = 0; i < products; ++i) {
        multiply.accumulate = i > 0;
        bench.submit(multiply);
      }
    });
    EXPECT_EQ(counts.at("active"), products);
    expect_only(counts, "wait_accumulator", std::uint64_t{products - 1} * (3 * rows + 3));
  }
}

TEST_F(TensorCounters, WaitingForAnEntryOnItsWayInDoubleRowMode) {
  auto load = make(Opcode::kLoad, 3, 0, 2 * rows, cols, 0);
  load.double_row = true;
  load.sbank = 1;
  bench.carry_out(load);
  auto multiply = make(Opcode::kMultiply, 3, 1, 2 * rows, cols, 256);
  multiply.double_row = true;
  multiply.sbank = 1;
  bench.carry_out(multiply);  // changes the mode
  const Counts counts = counted([&] {
    bench.submit(multiply);
    multiply.accumulate = true;
    bench.submit(multiply);
    bench.submit(multiply);
  });
  expect_only(counts, "wait_accumulator", 2 * (6 * rows + 3));
}

TEST_F(TensorCounters, WaitingForAChangeOfMode) {
  auto load = make(Opcode::kLoad, 3, 0, 2 * rows, cols, 0);
  load.double_row = true;
  load.sbank = 1;
  bench.carry_out(load);
  auto twice = make(Opcode::kMultiply, 3, 4, 2 * rows, cols, 256);
  twice.double_row = true;
  twice.sbank = 1;
  twice.abank = 1;
  const Counts counts = counted([&] {
    bench.submit(make(Opcode::kMultiply, 0, 4, rows, cols, 256));
    bench.submit(twice);
  });
  EXPECT_EQ(counts.at("active"), 8U);
  // The last vector has to leave the last column.
  const std::uint64_t waited = counts.at("wait_accumulator");
  EXPECT_GE(waited, 3 * rows + cols);
  EXPECT_LE(waited, 3 * rows + cols + 8);
  expect_only(counts, "wait_accumulator", waited);
}

TEST_F(TensorCounters, HeldByALimit) {
  bench.registers.write("tensor.limit[2]", 1U | 5U << 8U);
  bench.block.dut().throttle_i = 2;
  bench.block.cycle(20);
  const Counts counts = counted([&] { bench.submit(make(Opcode::kMultiply, 0, 40, rows, cols, 256)); });
  EXPECT_EQ(counts.at("active"), 40U);
  EXPECT_EQ(bench.counter("throttled_active"), 40U);
  const std::uint64_t held = counts.at("throttled_idle");
  EXPECT_GE(held, 39U * 4U);
  EXPECT_LE(held, 40U * 4U);
  expect_only(counts, "throttled_idle", held);
}

}  // namespace
}  // namespace tb::blocks::tensor
