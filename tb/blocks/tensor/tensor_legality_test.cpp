// What is just not allowed, beside what is just allowed, on both ways into the engine.
#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "tb/blocks/tensor/random_program.h"
#include "tb/blocks/tensor/tensor_bench.h"

namespace tb::blocks::tensor {
namespace {

using golden::tensor::element_bytes;
using golden::tensor::kPartitionBytes;
using golden::tensor::Shape;
using Change = std::function<void(Instruction&)>;

constexpr std::uint64_t kBase = 0x02'4000'0040;

struct Boundary {
  std::string name;
  Instruction wrong;
  ErrorCode code;
  Instruction legal;
};

/// Collects what is wrong with one instruction and its legal neighbours.
class Table {
 public:
  explicit Table(const Shape& shape) : shape_(shape) {}
  /// The legal one first: both are changes of `base`.
  void add(const std::string& name, const Instruction& base, ErrorCode code, const Change& legal, const Change& wrong) {
    Boundary row{name, base, code, base};
    legal(row.legal);
    wrong(row.wrong);
    rows_.push_back(row);
  }
  /// A number that may be `legal` and not `wrong`.
  void add(const std::string& name, const Instruction& base, ErrorCode code, unsigned Instruction::*field,
           unsigned legal, unsigned wrong) {
    add(
        name + " " + std::to_string(wrong), base, code, [=](Instruction& i) { i.*field = legal; },
        [=](Instruction& i) { i.*field = wrong; });
  }
  const Shape& shape() const { return shape_; }
  const std::vector<Boundary>& rows() const { return rows_; }

 private:
  Shape shape_;
  std::vector<Boundary> rows_;
};

const Change kUnchanged = [](Instruction&) {};

Instruction twice(Instruction i) {
  i.dtype = 3;
  i.double_row = true;
  i.sbank = 1;
  i.k *= 2;
  return i;
}

/// The four that the tests begin with; single mode uses bank 0, double-row mode bank 1.
struct Bases {
  explicit Bases(const Shape& shape)
      : load(make(Opcode::kLoad, 0, 0, shape.rows, shape.cols, 64)),
        multiply(make(Opcode::kMultiply, 0, 4, shape.rows, shape.cols, 128)),
        store(make(Opcode::kStore, 0, 4, 0, shape.cols, 4096)),
        transpose(make(Opcode::kTranspose, 0, 0, shape.rows, shape.cols, 0)),
        load_twice(twice(load)),
        multiply_twice(twice(multiply)) {}
  Instruction load;
  Instruction multiply;
  Instruction store;
  Instruction transpose;
  Instruction load_twice;
  Instruction multiply_twice;
};

void add_opcodes(Table& table, const Bases& base) {
  table.add("opcode", base.load, ErrorCode::kBadOpcode, &Instruction::opcode, 1, 0);
  for (unsigned opcode = 6; opcode < 16; ++opcode)
    table.add("opcode", base.transpose, ErrorCode::kBadOpcode, &Instruction::opcode, 4, opcode);
  for (unsigned bit = 0; bit < 5; ++bit)
    for (const Instruction& i : {base.load, base.multiply, base.store, base.transpose})
      table.add("must be zero", i, ErrorCode::kBadOpcode, &Instruction::zero, 0, 1U << bit);
  table.add("halt, must be zero", base.load, ErrorCode::kBadOpcode, kUnchanged,
            [](Instruction& i) { i.opcode = 5, i.zero = 1; });
}

void add_dtypes(Table& table, const Bases& base) {
  for (unsigned dtype = 5; dtype < 8; ++dtype) {
    for (const Instruction& i : {base.load, base.multiply, base.store, base.load_twice, base.multiply_twice})
      table.add("dtype", i, ErrorCode::kBadDtype, &Instruction::dtype, 4, dtype);
    // A transpose has no dtype.
    table.add(
        "transpose, double-row", base.transpose, ErrorCode::kBadDtype, [=](Instruction& i) { i.dtype = dtype; },
        [=](Instruction& i) { i.dtype = dtype, i.double_row = true; });
  }
  for (unsigned dtype = 0; dtype < 3; ++dtype)
    for (const Instruction& i : {base.load_twice, base.multiply_twice})
      for (const unsigned fp8 : {3U, 4U})
        table.add("double-row, dtype", i, ErrorCode::kBadDtype, &Instruction::dtype, fp8, dtype);
  for (unsigned dtype = 0; dtype < 5; ++dtype)
    table.add(
        "double-row store", base.store, ErrorCode::kBadDtype, [=](Instruction& i) { i.dtype = dtype; },
        [=](Instruction& i) { i.dtype = dtype, i.double_row = true; });
}

void add_shapes(Table& table, const Bases& base) {
  const auto [rows, cols] = table.shape();
  const auto most = [&table](const char* name, const Instruction& i, unsigned Instruction::*field, unsigned value,
                             unsigned field_end) {
    table.add(name, i, ErrorCode::kBadShape, field, 1, 0);
    table.add(name, i, ErrorCode::kBadShape, field, value, value + 1);
    table.add(name, i, ErrorCode::kBadShape, field, value, field_end);
  };
  for (const Instruction& i : {base.load, base.multiply, base.transpose}) most("k", i, &Instruction::k, rows, 63);
  for (const Instruction& i : {base.load_twice, base.multiply_twice})
    most("double-row, k", i, &Instruction::k, 2 * rows, 63);
  for (const Instruction& i :
       {base.load, base.multiply, base.transpose, base.store, base.load_twice, base.multiply_twice})
    most("m", i, &Instruction::m, cols, 63);
  for (const Instruction& i : {base.multiply, base.store, base.multiply_twice}) {
    most("n", i, &Instruction::n, 128, 255);
    for (const unsigned n : {1U, 2U, 77U, 128U}) {
      Instruction last = i;
      last.n = n;
      if (n > 1) table.add("entry", last, ErrorCode::kBadShape, &Instruction::entry, 128 - n, 129 - n);
      last.entry = 128 - n;
      table.add("n at the bank's end", last, ErrorCode::kBadShape, &Instruction::n, n, n + 1);
    }
  }
  table.add("transpose, entry", base.transpose, ErrorCode::kBadShape, &Instruction::entry, 128 - rows, 129 - rows);
}

void add_addresses(Table& table, const Bases& base) {
  const auto ends = [&table](const Instruction& i, unsigned elements) {
    const unsigned bytes = elements * element_bytes(i.dtype);
    const unsigned last = (kPartitionBytes - bytes) / 8 * 8;
    for (const unsigned wrong : {last + 8, 65528U})
      table.add("address", i, ErrorCode::kBadAddress, &Instruction::address, last, wrong);
    for (const unsigned wrong : {1U, 2U, 4U, 12U})
      table.add("address", i, ErrorCode::kBadAddress, &Instruction::address, 8, wrong);
  };
  for (unsigned dtype = 0; dtype < 5; ++dtype) {
    for (const unsigned m : {1U, table.shape().cols}) {
      Instruction load = base.load;
      load.dtype = dtype;
      load.m = m;
      ends(load, m);
    }
    for (Instruction i : {base.multiply, base.store})
      for (const unsigned n : {1U, 9U, 128U}) {
        i.dtype = dtype;
        i.n = n;
        ends(i, n);
      }
  }
  ends(base.load_twice, 2 * table.shape().cols);
  for (const unsigned n : {1U, 5U, 128U}) {
    Instruction i = base.multiply_twice;
    i.n = n;
    ends(i, 2 * n);
  }
}

void add_params(Table& table, const Bases& base) {
  for (const bool scale : {true, false}) {
    Instruction i = base.store;
    i.scale = scale;
    i.bias = !scale;
    for (const unsigned wrong : {1U, 4U, kPartitionBytes, 65528U}) {
      table.add("params", i, ErrorCode::kBadAddress, &Instruction::params, kPartitionBytes - 8, wrong);
      table.add(
          "params that count", i, ErrorCode::kBadAddress, [=](Instruction& x) { x.params = wrong, x.raw = true; },
          [=](Instruction& x) { x.params = wrong; });
    }
  }
}

void add_several(Table& table, const Bases& base) {
  const auto add = [&](ErrorCode code, const Change& wrong) {
    table.add("several", base.store, code, kUnchanged, wrong);
  };
  add(ErrorCode::kBadOpcode, [](Instruction& i) { i.zero = 1, i.dtype = 7, i.n = 0, i.address = 1; });
  add(ErrorCode::kBadDtype, [](Instruction& i) { i.dtype = 7, i.n = 0, i.address = 1; });
  add(ErrorCode::kBadShape, [](Instruction& i) { i.n = 0, i.address = 1; });
}

std::vector<Boundary> boundaries(const Shape& shape) {
  Table table(shape);
  const Bases base(shape);
  add_opcodes(table, base);
  add_dtypes(table, base);
  add_shapes(table, base);
  add_addresses(table, base);
  add_params(table, base);
  add_several(table, base);
  return table.rows();
}

enum class Way : std::uint8_t { kPort, kMemory };
void PrintTo(Way way, std::ostream* out) { *out << (way == Way::kPort ? "port" : "memory"); }

class TensorLegality : public testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    bench.restart(4700);
    fill_banks();
    for (unsigned abank = 0; abank < golden::tensor::kBanks; ++abank) {
      auto set = make(Opcode::kMultiply, 0, 128, rows, cols, 1024);
      set.abank = abank;
      bench.carry_out(set);
    }
  }
  /// Bank 0 in single mode, bank 1 in double-row mode.
  void fill_banks() {
    bench.carry_out(base.load);
    bench.carry_out(base.load_twice);
  }
  void start(const std::vector<Instruction>& program) {
    if (GetParam() == Way::kMemory) return bench.fetch(kBase, program, false);
    for (const Instruction& i : program) bench.instructions.push(i);
  }
  void expect_refused(const Instruction& i, ErrorCode code) {
    start({i});
    bench.expect_reported({code, i.tag, 0});
    bench.clear_error();
  }
  void expect_carried_out(const Instruction& i) {
    ASSERT_EQ(bench.model().execute(i), std::nullopt);
    start({i});
    bench.finish();
  }
  /// A product of both modes' usual kind, ordered by semaphores, gives the model's bits.
  void expect_usable() {
    auto load = make(Opcode::kLoad, 2, 0, rows, cols, 0);
    auto multiply = make(Opcode::kMultiply, 2, 5, rows, cols, 256);
    auto store = make(Opcode::kStore, 2, 5, 0, cols, 512);
    load.signal = multiply.signal = true;
    multiply.wait_count = store.wait_count = 1;
    multiply.signal_sem = store.wait_sem = 1;
    for (const Instruction& i : {load, multiply, store}) ASSERT_EQ(bench.model().execute(i), std::nullopt);
    start({load, multiply, store});
    ASSERT_NO_FATAL_FAILURE(bench.finish());
    const auto got = bench.bus.read_words(cols - 1, 64, 2);
    for (unsigned w = 0; w < got.size(); ++w) ASSERT_EQ(got[w], bench.model().word(cols - 1, 64 + w));
  }

  TensorBench& bench = TensorBench::instance();
  unsigned rows = bench.shape().rows;
  unsigned cols = bench.shape().cols;
  Bases base{bench.shape()};
};

TEST_P(TensorLegality, EachBoundaryIsWhereItIsSaidToBe) {
  std::uint32_t tag = 0x5000;
  for (Boundary row : boundaries(bench.shape())) {
    SCOPED_TRACE(row.name + "\n  " + golden::tensor::describe(row.wrong) + "\n  " +
                 golden::tensor::describe(row.legal));
    row.wrong.tag = ++tag;
    EXPECT_EQ(golden::tensor::check(bench.shape(), row.wrong), row.code);
    ASSERT_NO_FATAL_FAILURE(expect_carried_out(row.legal));
    ASSERT_NO_FATAL_FAILURE(expect_refused(row.wrong, row.code));
    ASSERT_NO_FATAL_FAILURE(expect_usable());
    ASSERT_NO_FATAL_FAILURE(fill_banks());
    ASSERT_FALSE(HasNonfatalFailure());
  }
  bench.expect_everything();
}

TEST_P(TensorLegality, AProductNeedsABankOfItsModeAndShape) {
  const auto expect_unset = [this](Instruction i) {
    SCOPED_TRACE(golden::tensor::describe(i));
    EXPECT_EQ(bench.model().execute(i), (golden::tensor::Error{ErrorCode::kStationaryUnset, i.tag, i.sbank}));
    start({i});
    bench.expect_reported({ErrorCode::kStationaryUnset, i.tag, i.sbank});
    bench.clear_error();
    ASSERT_NO_FATAL_FAILURE(expect_usable());
    ASSERT_NO_FATAL_FAILURE(fill_banks());
  };
  // Bank 1 was loaded in double-row mode.
  auto single = base.multiply;
  single.sbank = 1;
  single.k = single.m = 1;
  auto transpose = base.transpose;
  transpose.sbank = 1;
  transpose.k = transpose.m = 1;
  for (const Instruction& i : {single, transpose}) ASSERT_NO_FATAL_FAILURE(expect_unset(i));
  single.sbank = transpose.sbank = 0;
  for (const Instruction& i : {single, transpose}) ASSERT_NO_FATAL_FAILURE(expect_carried_out(i));
  auto double_row = base.multiply_twice;
  double_row.sbank = 0;
  ASSERT_NO_FATAL_FAILURE(expect_unset(double_row));
  // One step, or one column, more than the load has filled; the last row may be half full.
  for (const bool twice : {false, true}) {
    auto load = twice ? base.load_twice : base.load;
    auto multiply = twice ? base.multiply_twice : base.multiply;
    --load.k;
    --load.m;
    for (unsigned Instruction::*field : {&Instruction::k, &Instruction::m}) {
      auto fits = multiply;
      fits.k = load.k;
      fits.m = load.m;
      auto wrong = fits;
      ++(wrong.*field);
      ASSERT_NO_FATAL_FAILURE(expect_carried_out(load));
      ASSERT_NO_FATAL_FAILURE(expect_carried_out(fits));
      ASSERT_NO_FATAL_FAILURE(expect_unset(wrong));
    }
  }
  bench.expect_everything();
}

TEST_P(TensorLegality, InAProgramWhatIsBeforeAWrongOneIsDoneAndWhatIsBehindIsNot) {
  auto wrong = make(Opcode::kMultiply, 5, 1, 1, 1, 0);
  wrong.tag = 77;
  for (const unsigned before : {1U, 2U, 3U, 6U, 13U}) {
    std::vector<Instruction> program;
    for (unsigned i = 0; i < before; ++i) {
      program.push_back(base.store);
      program.back().n = 1;
      program.back().entry = i;
      program.back().address = 4096 + 8 * i;
      program.back().tag = i;
      ASSERT_EQ(bench.model().execute(program.back()), std::nullopt);
    }
    program.push_back(wrong);
    for (unsigned i = 0; i < 10; ++i) {
      program.push_back(base.store);
      program.back().address = 8192 + 64 * i;
      program.back().tag = 100;
    }
    // Until the last before it has begun the wrong one may not be handed out: an error keeps what waits from beginning.
    auto& last = program.at(before - 1);
    last.signal = true;
    program.insert(program.begin() + before, make(Opcode::kHalt, 0, 0, 0, 0, 0));
    start(program);
    ASSERT_TRUE(bench.block.cycle_until([&] { return bench.registers.read("tensor.status.ended") != 0; }, 20000));
    EXPECT_EQ(bench.registers.read("tensor.semaphores[0]"), 1U);
    bench.registers.write("tensor.command.resume", 1);
    ASSERT_NO_FATAL_FAILURE(bench.expect_reported({ErrorCode::kBadDtype, 77, 0}));
    bench.block.cycle(200);
    EXPECT_EQ(bench.registers.read("tensor.retired[2]"), before - 1);
    bench.clear_error();
    ASSERT_NO_FATAL_FAILURE(expect_usable());
  }
  bench.expect_everything();
}

/// Anything in the fields that an instruction has no use for.
Instruction with_garbage(const Instruction& clean, Dice& dice) {
  Instruction i = clean;
  const bool load = i.is(Opcode::kLoad);
  const bool store = i.is(Opcode::kStore);
  const bool transpose = i.is(Opcode::kTranspose);
  const auto replace = [&dice](unsigned& field, bool unused, unsigned values) {
    if (unused) field = dice.below(values);
  };
  const auto flip = [&dice](bool& field, bool unused) {
    if (unused) field = dice.coin();
  };
  replace(i.n, load || transpose, 256);
  replace(i.k, store, 64);
  replace(i.sbank, store, 2);
  replace(i.abank, load, 4);
  replace(i.entry, load, 128);
  replace(i.dtype, transpose, 8);
  replace(i.address, transpose, 65536);
  replace(i.params, !store || i.raw || !(i.scale || i.bias), 65536);
  flip(i.accumulate, !i.is(Opcode::kMultiply));
  flip(i.raw, i.is(Opcode::kMultiply) || transpose);
  for (bool Instruction::*field : {&Instruction::stochastic, &Instruction::saturate, &Instruction::relu})
    flip(i.*field, !store || i.raw);
  flip(i.scale, !store || i.raw);
  flip(i.bias, !store || i.raw);
  flip(i.release, !store);
  replace(i.wait_sem, i.wait_count == 0, 16);
  replace(i.signal_sem, !i.signal, 16);
  return i;
}

TEST_P(TensorLegality, FieldsWithoutAUseAreNotLookedAt) {
  RandomProgram draws(bench.shape(), bench.dice());
  for (unsigned round = 0; round < 150; ++round) {
    const Instruction clean = draws.next();
    const Instruction garbage = with_garbage(clean, bench.dice());
    SCOPED_TRACE(golden::tensor::describe(clean) + "\n  " + golden::tensor::describe(garbage));
    EXPECT_EQ(golden::tensor::check(bench.shape(), garbage), std::nullopt);
    ASSERT_EQ(bench.model().execute(clean), std::nullopt);
    start({garbage});
    ASSERT_NO_FATAL_FAILURE(bench.finish());
  }
  bench.expect_everything();
}

TEST_P(TensorLegality, HaltLooksAtNoOtherField) {
  for (unsigned round = 0; round < 20; ++round) {
    Instruction halt = with_garbage(make(Opcode::kLoad, 0, 0, 0, 0, 0), bench.dice());
    halt.opcode = static_cast<unsigned>(Opcode::kHalt);
    for (unsigned Instruction::*field : {&Instruction::dtype, &Instruction::k, &Instruction::m, &Instruction::address,
                                         &Instruction::wait_count, &Instruction::sbank})
      halt.*field = bench.dice().word();
    halt.double_row = bench.dice().coin();
    halt.signal = bench.dice().coin();
    start({halt});
    ASSERT_TRUE(bench.block.cycle_until([&] { return bench.registers.read("tensor.status.halted") != 0; }, 1000));
    for (unsigned s = 0; s < 16; ++s)
      EXPECT_EQ(bench.registers.read("tensor.semaphores[" + std::to_string(s) + "]"), 0U);
    bench.registers.write("tensor.command.resume", 1);
    ASSERT_NO_FATAL_FAILURE(bench.finish());
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, TensorLegality, testing::Values(Way::kPort, Way::kMemory),
                         [](const auto& param) { return param.param == Way::kPort ? "port" : "memory"; });

}  // namespace
}  // namespace tb::blocks::tensor
