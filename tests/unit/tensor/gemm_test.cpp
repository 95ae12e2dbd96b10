// Plans of products, carried out by the golden model of the tensor engine, against the one chain that each element is.
#include "lab/drivers/tern/tensor/gemm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iostream>
#include <random>
#include <stdexcept>
#include <utility>

#include "tb/golden/fp/fma.h"
#include "tb/golden/fp/post.h"
#include "tb/golden/fp/widen.h"
#include "tests/support/random_part.h"
#include "tests/unit/tensor/plan_machine.h"

namespace firstlight::tern::tensor {
namespace {

namespace golden = tb::golden;

using test::cases;
using test::seed;

golden::fp::Format golden_format(Format format) { return static_cast<golden::fp::Format>(format); }

using Codes = std::vector<std::uint32_t>;

/// Operands whose products neither all overflow nor all vanish, with some that are special.
Codes random_matrix(std::mt19937_64& random, Format format, std::size_t count) {
  const golden::fp::FormatInfo& info = golden::fp::info(golden_format(format));
  const std::uint32_t mask = info.bits == 32 ? 0xffffffffU : (1U << info.bits) - 1;
  Codes codes(count);
  for (std::uint32_t& code : codes) {
    code = static_cast<std::uint32_t>(random()) & mask;
    if (random() % 64 == 0) continue;  // NaN, infinity, whatever it is
    const auto exponent = static_cast<std::uint32_t>(info.bias - 3 + static_cast<int>(random() % 6));
    const std::uint32_t fraction = (1U << info.fraction_bits) - 1;
    code = (code & (info.sign_bit() | fraction)) | exponent << info.fraction_bits;
  }
  return codes;
}

struct Case {
  GemmShape shape;
  GemmOptions options;
};

struct Operands {
  Operands(std::mt19937_64& random, const Case& one)
      : a(random_matrix(random, one.options.a, std::size_t{one.shape.m} * one.shape.k)),
        b(random_matrix(random, one.options.b, std::size_t{one.shape.k} * one.shape.n)),
        params(random_matrix(random, Format::fp32, std::size_t{2} * one.shape.n)) {}
  Codes a;
  Codes b;
  Codes params;
};

/// What docs/arithmetic.md says C is. The generators are those of the array's columns.
Codes expected(const Engine& engine, const Case& one, const Operands& in) {
  const auto& [shape, options] = one;
  Codes c(std::size_t{shape.m} * shape.n);
  std::vector<golden::fp::Generator> generators(engine.columns);
  golden::fp::PostSteps steps;
  steps.relu = options.relu;
  steps.narrowing.format = golden_format(options.c);
  steps.narrowing.rounding =
      options.stochastic ? golden::fp::Rounding::kStochastic : golden::fp::Rounding::kNearestEven;
  steps.narrowing.overflow = options.saturate ? golden::fp::Overflow::kSaturate : golden::fp::Overflow::kInfinity;
  const auto wide = [](Format format, std::uint32_t code) {
    return golden::fp::widen(golden_format(format), code).bits;
  };
  // In the order of the stores: blocks of rows, then columns of tiles, then rows.
  for (unsigned block = 0; block < shape.m; block += engine.entries) {
    for (unsigned col = 0; col < shape.n; ++col) {
      if (options.scale) steps.scale = in.params[2 * col];
      if (options.bias) steps.bias = in.params[2 * col + 1];
      for (unsigned row = block; row < std::min(block + engine.entries, shape.m); ++row) {
        std::uint32_t sum = 0;
        for (unsigned k = 0; k < shape.k; ++k)
          sum = golden::fp::fma(wide(options.a, in.a[std::size_t{row} * shape.k + k]),
                                wide(options.b, in.b[std::size_t{k} * shape.n + col]), sum)
                    .bits;
        c[std::size_t{row} * shape.n + col] = golden::fp::post(steps, sum, generators[col % engine.columns]).bits;
      }
    }
  }
  return c;
}

/// Elements of a matrix whose element `index` is at `row_of(index)`, `column_of(index)` of its layout.
template <typename Place>
void scatter(const Codes& codes, const arithmetic::MatrixLayout& layout, unsigned bytes,
             std::vector<std::uint8_t>& memory, const Place& place) {
  for (std::size_t index = 0; index < codes.size(); ++index) {
    const auto [row, column] = place(index);
    for (unsigned b = 0; b < bytes; ++b)
      memory.at(row * layout.pitch + column * bytes + b) = static_cast<std::uint8_t>(codes[index] >> (8 * b));
  }
}

/// A and B as the engine wants them, between bytes that must have no say.
Memory memory_of(const Case& one, const Operands& in, std::mt19937_64& random) {
  const auto& [shape, options] = one;
  Memory memory;
  for (const Matrix matrix : {Matrix::a, Matrix::b, Matrix::c, Matrix::params}) {
    memory[matrix].resize(layout_of(matrix, shape, options).bytes());
    for (std::uint8_t& byte : memory[matrix]) byte = static_cast<std::uint8_t>(random());
  }
  const std::size_t pair = options.double_row ? 2 : 1;
  const auto k_major = [pair](std::size_t k, std::size_t i) { return std::pair(k / pair, i * pair + k % pair); };
  const std::size_t depth = shape.k;
  const std::size_t columns = shape.n;
  scatter(in.a, layout_of(Matrix::a, shape, options), bytes_of(options.a), memory[Matrix::a],
          [&](std::size_t i) { return k_major(i % depth, i / depth); });
  scatter(in.b, layout_of(Matrix::b, shape, options), bytes_of(options.b), memory[Matrix::b],
          [&](std::size_t i) { return k_major(i / columns, i % columns); });
  scatter(in.params, layout_of(Matrix::params, shape, options), 4, memory[Matrix::params],
          [](std::size_t i) { return std::pair(i / 2, i % 2); });
  return memory;
}

Format random_format(std::mt19937_64& random) { return static_cast<Format>(random() % 5); }

Case random_case(std::mt19937_64& random) {
  Case one;
  const auto size = [&] { return static_cast<unsigned>(1 + random() % (random() % 4 == 0 ? 150 : 30)); };
  one.shape = {size(), size(), size()};
  one.options.a = random_format(random);
  one.options.b = random_format(random);
  one.options.c = random_format(random);
  one.options.double_row = is_fp8(one.options.a) && is_fp8(one.options.b) && random() % 2 == 0;
  one.options.stochastic = random() % 2 == 0;
  one.options.saturate = random() % 2 == 0;
  one.options.scale = random() % 2 == 0;
  one.options.bias = random() % 2 == 0;
  one.options.relu = random() % 2 == 0;
  return one;
}

std::string text(const Case& one) {
  const auto& [s, o] = one;
  std::string out = std::to_string(s.m) + " x " + std::to_string(s.n) + " x " + std::to_string(s.k);
  for (const Format format : {o.a, o.b, o.c}) out += " " + std::string(name_of(format));
  if (o.double_row) out += " double_row";
  return out;
}

/// Whether what is given is taken.
bool waits_for_all(const GemmPlan& plan) {
  std::int64_t balance = 0;
  const auto count = [&](const auto& list) {
    for (const auto& one : list) balance += (one.signal ? 1 : 0) - static_cast<std::int64_t>(one.wait_count);
  };
  count(plan.in);
  count(plan.program);
  count(plan.out);
  return balance == 0;
}

/// What the product's own reference says, which must be the same.
void expect_reference(const Engine& engine, const Case& one, const Codes& want, Memory& memory, unsigned flags) {
  const arithmetic::GemmOperands operands{memory[Matrix::a], memory[Matrix::b], memory[Matrix::params]};
  const arithmetic::GemmResult reference =
      arithmetic::gemm_reference({engine.entries, engine.columns}, one.shape, one.options, operands);
  for (std::size_t i = 0; i < want.size(); ++i)
    ASSERT_EQ(element_at(Matrix::c, one.shape, one.options, reference.c, i % one.shape.n, i / one.shape.n), want[i])
        << "row " << i / one.shape.n << " column " << i % one.shape.n;
  EXPECT_EQ(reference.flags.bits(), flags);
}

/// Whether C comes out as it should, and nothing else of its memory changes.
bool is_right(const Engine& engine, const Case& one, const GemmPlan& plan, std::mt19937_64& random) {
  const Operands in(random, one);
  Memory memory = memory_of(one, in, random);
  std::vector<std::uint8_t> want = memory[Matrix::c];
  Pace pace;
  pace.random = random() % 8 != 0;
  PlanMachine machine(engine, memory, pace, random());
  machine.run(plan);
  EXPECT_EQ(machine.semaphores_are_zero(), waits_for_all(plan));
  EXPECT_LE(machine.highest_semaphore(), 255U);
  const std::size_t columns = one.shape.n;
  const Codes codes = expected(engine, one, in);
  scatter(codes, layout_of(Matrix::c, one.shape, one.options), bytes_of(one.options.c), want,
          [&](std::size_t i) { return std::pair(i % columns, i / columns); });
  if (waits_for_all(plan)) expect_reference(engine, one, codes, memory, machine.flags());
  return memory[Matrix::c] == want;
}

/// An engine, with as little memory as makes its buffers turn often.
Engine random_engine(std::mt19937_64& random, unsigned rows, unsigned columns) {
  Engine engine;
  engine.rows = rows;
  engine.columns = columns;
  if (random() % 2 == 0) engine.entries = static_cast<unsigned>(8 + random() % 40);
  if (random() % 2 == 0) engine.partition_bytes = static_cast<unsigned>(4096 + 8 * (random() % 512));
  return engine;
}

TEST(TensorGemm, EveryElementIsItsChainInWhateverOrderTheUnitsWork) {
  std::cout << "seed " << seed() << " (FIRSTLIGHT_SEED)\n";
  std::mt19937_64 random(seed());
  const std::array<std::pair<unsigned, unsigned>, 5> arrays{{{4, 4}, {8, 8}, {16, 16}, {4, 16}, {16, 4}}};
  for (std::uint64_t i = 0; i < cases(120); ++i) {
    const auto [rows, columns] = arrays[i % arrays.size()];
    const Engine engine = random_engine(random, rows, columns);
    const Case one = random_case(random);
    const GemmPlan plan = plan_gemm(engine, one.shape, one.options);
    SCOPED_TRACE(text(one) + ", case " + std::to_string(i));
    ASSERT_TRUE(waits_for_all(plan));
    ASSERT_TRUE(is_right(engine, one, plan, random));
  }
}

TEST(TensorGemm, EverySemaphoreIsNeeded) {
  Engine engine;
  engine.entries = 24;
  engine.partition_bytes = 2048;
  Case one;
  one.shape = {60, 90, 40};
  one.options.bias = true;
  for (unsigned semaphore = 0; semaphore < kGemmSemaphores; ++semaphore) {
    GemmPlan plan = plan_gemm(engine, one.shape, one.options);
    const auto free = [&](auto& list) {
      for (auto& each : list)
        if (each.wait_sem == semaphore) each.wait_count = 0;
    };
    free(plan.in);
    free(plan.program);
    free(plan.out);
    std::mt19937_64 random(seed());
    bool wrong = false;
    for (int i = 0; i < 40 && !wrong; ++i) {
      try {
        wrong = !is_right(engine, one, plan, random);
      } catch (const std::runtime_error&) {
        wrong = true;
      }
    }
    EXPECT_TRUE(wrong) << "nothing goes wrong without semaphore " << semaphore;
  }
}

TEST(TensorGemm, WhatStaysInTheScratchpadIsBroughtOnce) {
  std::size_t bytes = 0;
  for (const Move& move : plan_gemm({}, {128, 128, 128}, {}).in) bytes += move.bytes * move.rows;
  EXPECT_EQ(bytes, 2U * 128 * 128 * 2) << "each operand once";
}

TEST(TensorGemm, ALongChainFitsTheScratchpad) {
  const GemmShape shape{128, 32, 352};
  GemmPlan plan = plan_gemm({}, shape, {});
  EXPECT_TRUE(plan.fits_scratchpad());
  EXPECT_FALSE(plan_gemm({}, {128, 32, 4000}, {}).fits_scratchpad());
  // Beginning when all operands are there.
  Case one;
  one.shape = shape;
  std::mt19937_64 random(1);
  const Operands in(random, one);
  Memory memory = memory_of(one, in, random);
  PlanMachine machine({}, memory, {}, 1);
  GemmPlan moves;
  std::swap(moves.in, plan.in);
  machine.run(moves);
  const std::uint64_t begin = machine.cycles();
  machine.run(plan);
  const auto ideal = static_cast<double>(ideal_cycles({}, shape, {}));
  EXPECT_GT(ideal / static_cast<double>(machine.last_vector() - begin), 0.995);
}

TEST(TensorGemm, MovesAreWhatADescriptorHolds) {
  for (const GemmShape shape : {GemmShape{128, 128, 128}, GemmShape{3, 1000, 5}, GemmShape{1000, 3, 2000}}) {
    const GemmPlan plan = plan_gemm({}, shape, {});
    for (const auto* const moves : {&plan.in, &plan.out}) {
      for (const Move& move : *moves) {
        EXPECT_LE(move.rows, 8U);
        EXPECT_LE(move.bytes, 65536U);
        EXPECT_LT(move.memory_stride, std::size_t{1} << 24);
        EXPECT_EQ(move.scratchpad % 8, 0U);
        EXPECT_EQ(move.memory_stride % 8, 0U);
        EXPECT_LT(move.wait_sem, kGemmSemaphores);
        EXPECT_LE(move.wait_count, 15U);
        EXPECT_LE(move.scratchpad + (move.rows - 1) * move.scratchpad_stride + move.bytes, std::size_t{8} * 16384);
      }
    }
  }
}

/// How much of the time the array works, with a memory of 40 cycles and 8 bytes a cycle each way.
double utilisation(const GemmShape& shape, const GemmOptions& options, double beat) {
  Case one{shape, options};
  std::mt19937_64 random(1);
  const Operands in(random, one);
  Memory memory = memory_of(one, in, random);
  Pace pace;
  pace.beat = beat;
  PlanMachine machine({}, memory, pace, 1);
  machine.run(plan_gemm({}, shape, options));
  const double share = static_cast<double>(ideal_cycles({}, shape, options)) / static_cast<double>(machine.cycles());
  std::cout << "  " << text(one) << ": " << machine.cycles() << " cycles, ideal " << ideal_cycles({}, shape, options)
            << ", utilisation " << share << "\n";
  return share;
}

TEST(TensorGemm, TheArrayIsBusyWhileOperandsStreamFromMemory) {
  EXPECT_EQ(ideal_cycles({}, {128, 128, 128}, {}), 32768U);
  GemmOptions bf16;
  EXPECT_GE(utilisation({128, 128, 128}, bf16, 1), 0.96);
  EXPECT_GE(utilisation({128, 128, 128}, bf16, 1.4), 0.95);
  bf16.c = Format::bf16;
  EXPECT_GE(utilisation({128, 128, 128}, bf16, 1), 0.96);
  EXPECT_GE(utilisation({256, 64, 256}, bf16, 1), 0.96);
  GemmOptions fp8;
  fp8.a = fp8.b = fp8.c = Format::fp8_e4m3;
  fp8.double_row = true;
  EXPECT_GE(utilisation({128, 128, 256}, fp8, 1), 0.96);
}

TEST(TensorGemm, RefusesWhatIsNone) {
  EXPECT_THROW(plan_gemm({}, {0, 1, 1}, {}), std::invalid_argument);
  GemmOptions wrong;
  wrong.double_row = true;
  EXPECT_THROW(plan_gemm({}, {1, 1, 1}, wrong), std::invalid_argument);
  Engine small;
  small.partition_bytes = 64;
  EXPECT_THROW(plan_gemm(small, {128, 8, 8}, {}), std::invalid_argument);
}

TEST(TensorGemm, WordsAreThoseOfTheSpecification) {
  Instruction i;
  i.opcode = Opcode::multiply_moving;
  i.dtype = Format::bf16;
  i.accumulate = true;
  i.n = 128;
  i.k = 8;
  i.m = 5;
  i.entry = 3;
  i.sbank = 1;
  i.abank = 2;
  i.wait_sem = 4;
  i.wait_count = 1;
  i.signal = true;
  i.signal_sem = 7;
  i.address = 0x1230;
  i.params = 0x3ff8;
  i.tag = 0xdeadbeef;
  EXPECT_EQ(encode(i)[0], 0x0031'4880'01b7'1422U);
  EXPECT_EQ(encode(i)[1], 0xdead'beef'3ff8'1230U);
}

}  // namespace
}  // namespace firstlight::tern::tensor
