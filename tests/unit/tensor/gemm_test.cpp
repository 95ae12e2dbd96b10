// Plans of products, carried out by the golden model of the tensor engine, against the one chain that each element is.
#include "lab/drivers/tern/tensor/gemm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <functional>
#include <iostream>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <stdexcept>

#include "tb/golden/fp/fma.h"
#include "tb/golden/fp/post.h"
#include "tb/golden/fp/widen.h"
#include "tb/golden/tensor/tensor_model.h"

namespace firstlight::tern::tensor {
namespace {

namespace golden = tb::golden;

std::uint64_t seed() {
  const char* const given = std::getenv("FIRSTLIGHT_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 0) : 1;
}

golden::fp::Format golden_format(Format format) { return static_cast<golden::fp::Format>(format); }

/// The instruction that two words are: what the engine would read, not what the planner meant.
golden::tensor::Instruction decode(const std::array<std::uint64_t, 2>& words) {
  const auto bits = [&](unsigned word, unsigned high, unsigned low) {
    return static_cast<unsigned>(words.at(word) >> low & ((std::uint64_t{1} << (high - low + 1)) - 1));
  };
  golden::tensor::Instruction i;
  i.opcode = bits(0, 3, 0);
  i.dtype = bits(0, 6, 4);
  i.double_row = bits(0, 7, 7) != 0;
  i.wait_sem = bits(0, 11, 8);
  i.wait_count = bits(0, 15, 12);
  i.signal_sem = bits(0, 19, 16);
  i.signal = bits(0, 20, 20) != 0;
  i.sbank = bits(0, 21, 21);
  i.abank = bits(0, 23, 22);
  i.accumulate = bits(0, 24, 24) != 0;
  i.raw = bits(0, 25, 25) != 0;
  i.stochastic = bits(0, 26, 26) != 0;
  i.saturate = bits(0, 27, 27) != 0;
  i.scale = bits(0, 28, 28) != 0;
  i.bias = bits(0, 29, 29) != 0;
  i.relu = bits(0, 30, 30) != 0;
  i.release = bits(0, 31, 31) != 0;
  i.n = bits(0, 39, 32);
  i.k = bits(0, 45, 40);
  i.m = bits(0, 51, 46);
  i.entry = bits(0, 58, 52);
  i.zero = bits(0, 63, 59);
  i.address = bits(1, 15, 0);
  i.params = bits(1, 31, 16);
  i.tag = bits(1, 63, 32);
  return i;
}

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

/// The golden engine, with the host that carries elements to and fro.
class Machine {
 public:
  Machine(const Engine& engine, const Case& one, const Operands& in)
      : engine_(engine),
        options_(one.options),
        in_(in),
        model_({engine.rows, engine.columns}),
        c(std::size_t{one.shape.m} * one.shape.n) {
    for (unsigned column = 0; column < engine.columns; ++column) model_.generator(column).write(0);
  }

  void bring(const Transfer& t) {
    const Codes& from = t.matrix == Matrix::a ? in_.a : t.matrix == Matrix::b ? in_.b : in_.params;
    each(t, [&](std::size_t index, unsigned at) { put(t.partition, at, element_bytes(t), from.at(index)); });
  }
  void take(const Transfer& t) {
    each(t, [&](std::size_t index, unsigned at) { c.at(index) = get(t.partition, at, element_bytes(t)); });
  }
  void execute(const Instruction& instruction) {
    const auto error = model_.execute(decode(encode(instruction)));
    if (error) throw std::runtime_error("error " + std::to_string(static_cast<int>(error->code)));
  }
  unsigned element_bytes(const Transfer& t) const {
    switch (t.matrix) {
      case Matrix::a:
        return bytes_of(options_.a);
      case Matrix::b:
        return bytes_of(options_.b);
      case Matrix::c:
        return bytes_of(options_.c);
      case Matrix::params:
        return 4;
    }
    return 0;
  }
  /// Index in the matrix and byte in the partition of each element.
  void each(const Transfer& t, const std::function<void(std::size_t, unsigned)>& visit) const {
    for (unsigned o = 0; o < t.outer; ++o)
      for (unsigned i = 0; i < t.inner; ++i)
        visit(t.first + o * t.outer_stride + i * t.inner_stride, t.address + (o * t.pitch + i) * element_bytes(t));
  }

 private:
  void put(unsigned partition, unsigned at, unsigned bytes, std::uint32_t code) {
    const unsigned shift = at % 8 * 8;
    const std::uint64_t mask = ((std::uint64_t{1} << (8 * bytes)) - 1) << shift;
    const std::uint64_t word = model_.word(partition, at / 8);
    model_.set_word(partition, at / 8, (word & ~mask) | (std::uint64_t{code} << shift & mask));
  }
  std::uint32_t get(unsigned partition, unsigned at, unsigned bytes) const {
    return static_cast<std::uint32_t>(model_.word(partition, at / 8) >> (at % 8 * 8) &
                                      ((std::uint64_t{1} << (8 * bytes)) - 1));
  }

  const Engine engine_;
  const GemmOptions options_;
  const Operands& in_;
  golden::tensor::TensorModel model_;

 public:
  Codes c;
};

/// Three units with a queue each, in a random order that the semaphores allow.
class Units {
 public:
  Units(std::mt19937_64& random, Machine& machine) : random_(random), machine_(machine) {}

  /// What is queued and may begin does, in any order, until nothing is left.
  void run(const std::vector<Instruction>& program) {
    for (const Instruction& one : program) queues_[unit_of(one)].push_back(one);
    for (;;) {
      std::vector<std::deque<Instruction>*> able;
      bool left = false;
      for (auto& [unit, queue] : queues_) {
        left = left || !queue.empty();
        if (!queue.empty() && counts_[queue.front().wait_sem] >= queue.front().wait_count) able.push_back(&queue);
      }
      if (!left) return;
      if (able.empty()) throw std::runtime_error("every unit waits");
      std::deque<Instruction>& queue = *able[random_() % able.size()];
      const Instruction one = queue.front();
      queue.pop_front();
      counts_[one.wait_sem] -= one.wait_count;
      machine_.execute(one);
      if (one.signal) ++counts_[one.signal_sem];
    }
  }
  bool semaphores_are_zero() const {
    return std::all_of(counts_.begin(), counts_.end(), [](const auto& one) { return one.second == 0; });
  }

 private:
  static Opcode unit_of(const Instruction& one) {
    return one.opcode == Opcode::transpose ? Opcode::multiply_moving : one.opcode;
  }
  std::mt19937_64& random_;
  Machine& machine_;
  std::map<Opcode, std::deque<Instruction>> queues_;
  std::map<unsigned, unsigned> counts_;
};

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

void expect_right(const Engine& engine, const Case& one, std::mt19937_64& random) {
  SCOPED_TRACE(text(one));
  const Operands in(random, one);
  const auto stages = plan_gemm(engine, one.shape, one.options);
  Machine machine(engine, one, in);
  Units units(random, machine);
  for (const GemmStage& stage : stages) {
    for (const Transfer& transfer : stage.in) machine.bring(transfer);
    units.run(stage.program);
    for (const Transfer& transfer : stage.out) machine.take(transfer);
  }
  EXPECT_TRUE(units.semaphores_are_zero());
  const Codes want = expected(engine, one, in);
  ASSERT_EQ(machine.c.size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i)
    ASSERT_EQ(machine.c[i], want[i]) << "row " << i / one.shape.n << " column " << i % one.shape.n;
}

TEST(TensorGemm, EveryElementIsItsChainInWhateverOrderTheUnitsWork) {
  std::cout << "seed " << seed() << " (FIRSTLIGHT_SEED)\n";
  std::mt19937_64 random(seed());
  for (const unsigned size : {4U, 8U, 16U}) {
    Engine engine;
    engine.rows = size;
    engine.columns = size;
    for (int i = 0; i < 40; ++i) {
      expect_right(engine, random_case(random), random);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(TensorGemm, RowsAndColumnsMayDiffer) {
  std::mt19937_64 random(seed() + 1);
  Engine engine;
  engine.rows = 4;
  engine.columns = 16;
  for (int i = 0; i < 10; ++i) expect_right(engine, random_case(random), random);
  engine.rows = 16;
  engine.columns = 4;
  for (int i = 0; i < 10; ++i) expect_right(engine, random_case(random), random);
}

/// Bytes of all partitions that a stage's program works on, or that transfers touch.
using Bytes = std::set<std::pair<unsigned, unsigned>>;

TEST(TensorGemm, AStageTouchesNeitherTheNextOnesInputNorTheLastOnesOutput) {
  const Engine engine;
  for (const GemmShape shape : {GemmShape{128, 128, 128}, GemmShape{300, 40, 700}}) {
    Case one;
    one.shape = shape;
    one.options.scale = true;
    one.options.bias = true;
    std::mt19937_64 random(1);
    const Operands in(random, one);
    const Machine machine(engine, one, in);
    const auto stages = plan_gemm(engine, one.shape, one.options);
    const auto bytes_of_all = [&](const std::vector<Transfer>& transfers) {
      Bytes bytes;
      for (const Transfer& transfer : transfers)
        machine.each(transfer, [&](std::size_t, unsigned at) {
          for (unsigned b = 0; b < machine.element_bytes(transfer); ++b) bytes.insert({transfer.partition, at + b});
        });
      return bytes;
    };
    const auto apart = [](const Bytes& a, const Bytes& b) {
      return std::none_of(a.begin(), a.end(), [&](const auto& one_byte) { return b.count(one_byte) != 0; });
    };
    for (std::size_t s = 0; s + 1 < stages.size(); ++s) {
      const Bytes in_now = bytes_of_all(stages[s].in);
      const Bytes in_next = bytes_of_all(stages[s + 1].in);
      EXPECT_TRUE(apart(in_now, in_next)) << "stage " << s;
      EXPECT_TRUE(apart(bytes_of_all(stages[s].out), in_next)) << "stage " << s;
      EXPECT_TRUE(apart(bytes_of_all(stages[s].out), bytes_of_all(stages[s + 1].out))) << "stage " << s;
      for (const auto& [partition, at] : in_next) EXPECT_LT(at, engine.partition_bytes);
    }
  }
}

TEST(TensorGemm, WhatStaysInTheScratchpadIsBroughtOnce) {
  const GemmShape shape{128, 128, 128};
  const auto stages = plan_gemm({}, shape, {});
  std::size_t elements = 0;
  for (const GemmStage& stage : stages)
    for (const Transfer& transfer : stage.in) elements += std::size_t{transfer.inner} * transfer.outer;
  EXPECT_EQ(elements, 2U * 128 * 128) << "each operand once";
  EXPECT_EQ(ideal_cycles({}, shape, {}), 32768U);
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
