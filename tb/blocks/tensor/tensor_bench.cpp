#include "tb/blocks/tensor/tensor_bench.h"

#include <gtest/gtest.h>

#include <string>

namespace tb::blocks::tensor {

TensorBench& TensorBench::instance() {
  static TensorBench bench;
  return bench;
}

TensorBench::TensorBench()
    : block("tensor"),
      registers(block),
      instructions(block),
      bus(block),
      memory_port("memory", FL_AXI_PINS(block.dut(), f), memory, seed() + 78),
      activity(block),
      model_({}) {
  block.add(memory_port);
  block.reset();
  shape_ = {registers.read("tensor.shape.rows"), registers.read("tensor.shape.cols")};
}

void TensorBench::restart(std::uint64_t salt) {
  dice_ = Dice(seed() * 1000003 + salt);
  instructions.drop();
  instructions.set_gaps(0, 1);
  bus.disturb(false, 1);
  block.dut().throttle_i = 0;
  bus.reset();
  memory_port.reset();
  memory_port.manners = {};
  memory_port.read_faults.clear();
  memory_port.reads.clear();
  block.reset();
  bus.reset();
  model_ = TensorModel(shape_);
  stored_.clear();
  refill();
  registers.write("tensor.ramp", 0);
  registers.write("tensor.ctrl.enable", 1);
}

void TensorBench::refill() {
  for (unsigned p = 0; p < shape_.partitions(); ++p) {
    std::vector<std::uint64_t> words;
    for (unsigned w = 0; w < golden::tensor::kPartitionWords; ++w) words.push_back(dice_.bits());
    set_words(p, 0, words);
  }
}

void TensorBench::set_word(unsigned partition, unsigned word, std::uint64_t data) {
  EXPECT_FALSE(bus.write(partition, word, data).error);
  model_.set_word(partition, word, data);
}

void TensorBench::set_words(unsigned partition, unsigned first, const std::vector<std::uint64_t>& words) {
  bus.write_words(partition, first, words);
  for (unsigned w = 0; w < words.size(); ++w) model_.set_word(partition, first + w, words[w]);
}

void TensorBench::spoil(unsigned partition, unsigned word, std::uint32_t mask) {
  registers.write("tensor.inject_mask[0]", mask);
  registers.write("tensor.inject_arm", 1);
  set_word(partition, word, model_.word(partition, word));
  if ((mask & (mask - 1)) != 0) model_.spoil(partition, word);
}

void TensorBench::set_generator(unsigned column, std::uint32_t state) {
  registers.write("tensor.random_load[" + std::to_string(column) + "]", state);
  model_.generator(column).write(state);
}

void TensorBench::submit(const Instruction& i) {
  ASSERT_NO_FATAL_FAILURE(execute(i));
  instructions.push(i);
}

void TensorBench::fetch(std::uint64_t base, const std::vector<Instruction>& program, bool executes) {
  std::uint64_t at = base;
  for (const Instruction& i : program) {
    if (executes) {
      ASSERT_NO_FATAL_FAILURE(execute(i));
    }
    const auto words = golden::tensor::encode(i);
    for (unsigned half = 0; half < 2; ++half, at += 8)
      memory.write64(at, words.at(2 * half) | std::uint64_t{words.at(2 * half + 1)} << 32U);
  }
  registers.write("tensor.fetch_base_lo", static_cast<std::uint32_t>(base));
  registers.write("tensor.fetch_base_hi", static_cast<std::uint32_t>(base >> 32U));
  registers.write("tensor.fetch_count", static_cast<std::uint32_t>(program.size()));
  registers.write("tensor.command.fetch", 1);
}

void TensorBench::execute(const Instruction& i) {
  const auto error = model_.execute(i);
  ASSERT_FALSE(error) << "the test's own program is wrong: error " << static_cast<int>(error->code);
  if (i.is(Opcode::kStore)) {
    const unsigned bytes = i.n * golden::tensor::element_bytes(i.dtype);
    stored_.push_back({i.m, i.address / 8, (bytes + 7) / 8});
  }
}

void TensorBench::finish(std::uint64_t limit) {
  ASSERT_TRUE(block.cycle_until([this] { return instructions.empty(); }, limit))
      << "an instruction is not taken: error " << registers.read("tensor.error") << ", tag "
      << registers.read("tensor.error_tag") << ", detail " << registers.read("tensor.error_detail");
  const auto fetched = [this] {
    return registers.read("tensor.status.fetching") == 0 || registers.read("tensor.status.error") != 0;
  };
  for (std::uint64_t begin = block.cycles(); !fetched(); block.cycle(20))
    ASSERT_LT(block.cycles() - begin, limit) << "the program is not fetched";
  for (std::uint64_t begin = block.cycles(); registers.read("tensor.status.idle") == 0;) {
    ASSERT_EQ(registers.read("tensor.error"), 0U)
        << "tag " << registers.read("tensor.error_tag") << ", detail " << registers.read("tensor.error_detail");
    ASSERT_LT(block.cycles() - begin, limit) << "the engine does not come to rest";
    block.cycle(20);
  }
  ASSERT_EQ(registers.read("tensor.error"), 0U);
}

void TensorBench::carry_out(const Instruction& i) {
  ASSERT_NO_FATAL_FAILURE(submit(i));
  finish();
}

void TensorBench::carry_out_or_expect_error(const Instruction& i) {
  const auto error = model_.execute(i);
  instructions.push(i);
  if (!error) return finish();
  ASSERT_NO_FATAL_FAILURE(expect_reported(*error));
  clear_error();
}

void TensorBench::expect_error(const Instruction& i) {
  const auto error = model_.execute(i);
  ASSERT_TRUE(error) << "not wrong: " << golden::tensor::describe(i);
  instructions.push(i);
  expect_reported(*error);
  clear_error();
}

void TensorBench::expect_reported(const golden::tensor::Error& error) {
  for (unsigned polls = 0; registers.read("tensor.status.error") == 0; ++polls) {
    ASSERT_LT(polls, 1000U) << "no error";
    block.cycle();
  }
  EXPECT_EQ(registers.read("tensor.error"), static_cast<unsigned>(error.code));
  EXPECT_EQ(registers.read("tensor.error_tag"), error.tag);
  EXPECT_EQ(registers.read("tensor.error_detail"), error.detail);
  EXPECT_EQ(registers.read("tensor.irq_status.error"), 1U);
}

void TensorBench::clear_error() {
  instructions.drop();
  registers.write("tensor.command.clear", 1);
  for (unsigned polls = 0; registers.read("tensor.status.clearing") != 0; ++polls)
    ASSERT_LT(polls, 1000U) << "command.clear does not end";
  EXPECT_EQ(registers.read("tensor.error"), 0U);
  EXPECT_EQ(registers.read("tensor.status.idle"), 1U);
  registers.write("tensor.irq_status.error", 1);
}

void TensorBench::expect_words(unsigned partition, unsigned first, unsigned count) {
  const auto got = bus.read_words(partition, first, count);
  for (unsigned w = 0; w < count; ++w)
    ASSERT_EQ(got.at(w), model_.word(partition, first + w))
        << "partition " << partition << ", word " << first + w << std::hex << ", " << got.at(w) << " instead of "
        << model_.word(partition, first + w);
}

void TensorBench::expect_stored() {
  for (const Range& range : stored_) {
    const unsigned last = std::min(range.first + range.words, golden::tensor::kPartitionWords - 1);
    const unsigned first = range.first == 0 ? 0 : range.first - 1;
    for (unsigned c = 0; c < range.columns; ++c) ASSERT_NO_FATAL_FAILURE(expect_words(c, first, last - first + 1));
  }
  stored_.clear();
}

void TensorBench::expect_everything() {
  for (unsigned p = 0; p < shape_.partitions(); ++p)
    ASSERT_NO_FATAL_FAILURE(expect_words(p, 0, golden::tensor::kPartitionWords));
  EXPECT_EQ(registers.read("tensor.flags"), model_.flags());
  for (unsigned c = 0; c < shape_.cols; ++c)
    EXPECT_EQ(registers.read("tensor.random_state[" + std::to_string(c) + "]"), model_.generator(c).state()) << c;
  EXPECT_EQ(counter("stored"), model_.stored());
  EXPECT_EQ(counter("active"), model_.vectors());
}

std::uint64_t TensorBench::counter(std::string_view name) {
  const std::string whole = "tensor." + std::string(name);
  const std::uint64_t high = registers.read(whole + "_hi");
  return high << 32U | registers.read(whole + "_lo");
}

Instruction make(Opcode opcode, unsigned dtype, unsigned n, unsigned k, unsigned m, unsigned address) {
  Instruction i;
  i.opcode = static_cast<unsigned>(opcode);
  i.dtype = dtype;
  i.n = n;
  i.k = k;
  i.m = m;
  i.address = address;
  return i;
}

}  // namespace tb::blocks::tensor
