// Plans of products (lab/drivers/tern/tensor/gemm.h) on the RTL: moves and program run side by side, ordered by the
// engine's semaphores alone, against the reference.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <random>

#include "lab/arithmetic/convert.h"
#include "tb/blocks/tensor/move_engine.h"
#include "tb/blocks/tensor/tensor_bench.h"
#include "tests/support/random_part.h"
#include "tests/unit/tensor/decode.h"

namespace tb::blocks::tensor {
namespace {

using namespace firstlight::arithmetic;  // NOLINT(google-build-using-namespace)
namespace plan = firstlight::tern::tensor;

struct Stream {
  Stream() : bench(TensorBench::instance()), in(bench.block, bench.bus.axi, 0), out(bench.block, bench.bus.axi, 1) {
    engine.rows = bench.shape().rows;
    engine.columns = bench.shape().cols;
  }
  static Stream& instance() {
    static Stream stream;
    return stream;
  }
  TensorBench& bench;
  MoveEngine in;
  MoveEngine out;
  plan::Engine engine;
};

std::vector<std::uint8_t> random_matrix(Matrix matrix, const GemmShape& shape, const GemmOptions& options,
                                        Format format, std::mt19937_64& random) {
  std::vector<std::uint8_t> memory(layout_of(matrix, shape, options).bytes());
  const std::size_t rows = matrix == Matrix::params ? shape.n : shape.k;
  const std::size_t columns = matrix == Matrix::params ? 2 : matrix == Matrix::a ? shape.m : shape.n;
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t column = 0; column < columns; ++column)
      put_element(matrix, shape, options, memory, row, column,
                  narrow(format, static_cast<float>(random() % 4096) / 2048.0F - 1.0F));
  return memory;
}

struct Measured {
  std::uint64_t cycles = 0;  // from the first move to the last
  std::uint64_t active = 0;
  std::uint64_t held = 0;
  double utilisation() const { return static_cast<double>(active) / static_cast<double>(active + held); }
};

Measured run(const GemmShape& shape, const GemmOptions& options, std::uint64_t salt, bool preloaded = false) {
  Stream& s = Stream::instance();
  TensorBench& bench = s.bench;
  s.in.reset();
  s.out.reset();
  bench.restart(salt);
  std::mt19937_64 random(seed() + salt);
  GemmOperands operands;
  operands.a = random_matrix(Matrix::a, shape, options, options.a, random);
  operands.b = random_matrix(Matrix::b, shape, options, options.b, random);
  operands.params = random_matrix(Matrix::params, shape, options, Format::fp32, random);
  for (unsigned c = 0; c < s.engine.columns; ++c) bench.set_generator(c, 1);
  bench.registers.write("tensor.flags", 31);
  bench.registers.write("tensor.command.clear_counters", 1);

  Matrices memory{{Matrix::a, operands.a}, {Matrix::b, operands.b}, {Matrix::params, operands.params}};
  memory[Matrix::c].resize(layout_of(Matrix::c, shape, options).bytes());
  const plan::GemmPlan streams = plan::plan_gemm(s.engine, shape, options);
  s.in.start(streams.in, memory, 40);
  if (preloaded) {
    EXPECT_TRUE(bench.block.cycle_until([&] { return s.in.idle(); }, 1000000));
    bench.registers.write("tensor.command.clear_counters", 1);
  }
  const std::uint64_t begin = bench.block.cycles();
  for (const auto& one : streams.program) bench.instructions.push(plan::decode(plan::encode(one)));
  s.out.start(streams.out, memory, 40);
  const bool ended = bench.block.cycle_until([&] { return s.out.idle(); }, 1000000);
  Measured measured;
  measured.cycles = bench.block.cycles() - begin;
  EXPECT_TRUE(ended) << "error " << bench.registers.read("tensor.error") << ", tag "
                     << bench.registers.read("tensor.error_tag");
  bench.finish();
  measured.active = bench.counter("active");
  measured.held = bench.counter("wait_semaphore") + bench.counter("wait_stationary") +
                  bench.counter("wait_accumulator") + bench.counter("throttled_idle");
  const GemmResult expected = gemm_reference({s.engine.entries, s.engine.columns}, shape, options, operands);
  EXPECT_TRUE(memory[Matrix::c] == expected.c) << "C differs";
  EXPECT_EQ(bench.registers.read("tensor.flags"), expected.flags.bits());
  EXPECT_EQ(measured.active, plan::ideal_cycles(s.engine, shape, options));
  return measured;
}

std::string text(const GemmShape& shape, const GemmOptions& o) {
  std::string out = std::to_string(shape.m) + "x" + std::to_string(shape.n) + "x" + std::to_string(shape.k);
  for (const Format format : {o.a, o.b, o.c}) out += " " + std::string(name_of(format));
  return out + (o.double_row ? " double row" : "");
}

TEST(TensorStream, RandomProductsAreRight) {
  const std::uint64_t count = firstlight::test::cases(6);
  std::mt19937_64 random(seed() + 900);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto size = [&] { return static_cast<unsigned>(1 + random() % (random() % 4 == 0 ? 180 : 40)); };
    const GemmShape shape{size(), size(), size()};
    const auto format = [&] { return kFormats.at(random() % kFormats.size()); };
    GemmOptions options;
    options.a = format();
    options.b = format();
    options.c = format();
    options.double_row = is_fp8(options.a) && is_fp8(options.b) && random() % 2 == 0;
    options.stochastic = random() % 2 == 0;
    options.saturate = random() % 2 == 0;
    options.scale = random() % 2 == 0;
    options.bias = random() % 2 == 0;
    options.relu = random() % 2 == 0;
    SCOPED_TRACE(text(shape, options));
    run(shape, options, 9000 + static_cast<std::uint64_t>(i));
    if (HasFailure()) return;
  }
}

void report(const GemmShape& shape, const GemmOptions& options, const Measured& measured) {
  std::cout << "  " << text(shape, options) << ": " << measured.cycles << " cycles, " << measured.active
            << " vectors, held " << measured.held << ", utilisation by counters " << measured.utilisation() << "\n";
}

TEST(TensorStream, TheArrayIsBusyWhileOperandsStreamFromMemory) {
  if (TensorBench::instance().shape().rows != 8) GTEST_SKIP() << "an aim of the array of 8 x 8";
  const GemmShape shape{128, 128, 128};
  GemmOptions options;
  Measured measured = run(shape, options, 9900);
  report(shape, options, measured);
  EXPECT_GE(measured.utilisation(), 0.95);
  EXPECT_GE(32768.0 / static_cast<double>(measured.cycles), 0.95);
}

TEST(TensorStream, TheArrayIsBusyWithOperandsInTheScratchpad) {
  if (TensorBench::instance().shape().rows != 8) GTEST_SKIP() << "an aim of the array of 8 x 8";
  const GemmShape shape{128, 32, 352};
  const Measured measured = run(shape, {}, 9901, true);
  report(shape, {}, measured);
  EXPECT_GE(measured.utilisation(), 0.995);
}

}  // namespace
}  // namespace tb::blocks::tensor
