// A product as software would have it done: operands in the host's memory, moved by one DMA engine, computed by a
// program that the tensor engine fetches itself, and brought back by the other engine. Only semaphores keep the order;
// the host sleeps until the interrupt.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "rtl/regs/tern_registers.h"
#include "tb/chip/chip_world.h"
#include "tb/golden/dma/dma_format.h"
#include "tb/golden/tensor/tensor_model.h"

namespace {

using tb::World;
using tb::golden::tensor::Instruction;
using tb::golden::tensor::Opcode;

constexpr std::uint64_t kHost = TERN_AXI_HOST_BASE;
constexpr std::uint64_t kScratchpad = TERN_AXI_SCRATCHPAD_BASE;
constexpr unsigned kPartition = 16384;
constexpr unsigned kRows = 8;
constexpr unsigned kVectors = 32;
constexpr unsigned kBf16 = 1;

// Where things are in the host's memory.
constexpr std::uint64_t kInRing = 0x0000;
constexpr std::uint64_t kOutRing = 0x1000;
constexpr std::uint64_t kProgram = 0x4000;
constexpr std::uint64_t kStationary = 0x5000;
constexpr std::uint64_t kMoving = 0x6000;
constexpr std::uint64_t kResult = 0x7000;
// And in the scratchpad.
constexpr unsigned kStationaryAt = 0;
constexpr unsigned kMovingAt = 64;
constexpr unsigned kResultAt = 256;
constexpr unsigned kResultBytes = kVectors * 4;

class TensorPath : public testing::Test {
 protected:
  void SetUp() override {
    w.power_on();
    w.start_core();
  }
  void TearDown() override { w.power_off(); }

  std::uint32_t address(const std::string& name) {
    const auto lookup = firstlight::tern_registers().find(name);
    EXPECT_TRUE(lookup) << lookup.error;
    return lookup.found->address;
  }
  void write(const std::string& name, std::uint32_t value) { ASSERT_TRUE(w.write(address(name), value)) << name; }
  std::uint32_t read(const std::string& name) {
    const auto value = w.read(address(name));
    EXPECT_TRUE(value) << name;
    return value.value_or(0);
  }
  void poke(std::uint64_t at, const std::vector<std::uint8_t>& bytes) {
    w.host_memory().poke(at, bytes.data(), bytes.size());
  }
  static void append(std::vector<std::uint8_t>& out, std::uint64_t value, unsigned bytes) {
    for (unsigned b = 0; b < bytes; ++b) out.push_back(static_cast<std::uint8_t>(value >> (8 * b)));
  }

  void start_queue(const std::string& engine, std::uint64_t ring,
                   std::vector<tb::golden::dma::Descriptor> descriptors) {
    constexpr unsigned kLog2 = 4;
    std::vector<std::uint8_t> bytes;
    for (std::uint16_t i = 0; i < descriptors.size(); ++i) {
      descriptors[i].phase = tb::golden::dma::phase_of(i, kLog2);
      for (const std::uint64_t word : tb::golden::dma::encode(descriptors[i])) append(bytes, word, 8);
    }
    poke(ring, bytes);
    const auto base = [&](const std::string& name, std::uint64_t at) {
      write(engine + "." + name + "_lo[0]", static_cast<std::uint32_t>(at));
      write(engine + "." + name + "_hi[0]", static_cast<std::uint32_t>(at >> 32U));
    };
    base("ring_base", kHost + ring);
    base("comp_base", kHost + ring + 0x800);
    write(engine + ".ring_size[0]", kLog2);
    write(engine + ".comp_size[0]", kLog2);
    write(engine + ".q_irq_mask[0]", 0x3);
    write(engine + ".q_ctrl[0]", 1);
    write(engine + ".doorbell[0]", static_cast<std::uint32_t>(descriptors.size()));
  }

  World& w = World::instance();
};

/// Load, multiply, store, halt: each waits for the one before, the load for both operands.
std::vector<Instruction> program() {
  const auto make = [](Opcode opcode, unsigned address, unsigned wait_sem, unsigned wait_count, unsigned signal_sem) {
    Instruction i;
    i.opcode = static_cast<unsigned>(opcode);
    i.dtype = opcode == Opcode::kStore ? 0 : kBf16;
    i.address = address;
    i.wait_sem = wait_sem;
    i.wait_count = wait_count;
    i.signal = true;
    i.signal_sem = signal_sem;
    i.n = opcode == Opcode::kLoad ? 0 : kVectors;
    i.k = opcode == Opcode::kStore ? 0 : kRows;
    i.m = kRows;
    return i;
  };
  Instruction halt;
  halt.opcode = static_cast<unsigned>(Opcode::kHalt);
  return {make(Opcode::kLoad, kStationaryAt, 0, 2, 1), make(Opcode::kMultiply, kMovingAt, 1, 1, 2),
          make(Opcode::kStore, kResultAt, 2, 1, 3), halt};
}

TEST_F(TensorPath, AProductComesBackFromTheHostsMemoryBitForBit) {
  std::mt19937 random(20261);
  tb::golden::tensor::TensorModel model({kRows, kRows});
  const auto operand = [&](std::uint64_t at, unsigned elements, unsigned place) {
    std::vector<std::uint8_t> bytes;
    for (unsigned row = 0; row < kRows; ++row)
      for (unsigned word = 0; word < elements / 4; ++word) {
        std::uint64_t value = 0;
        for (unsigned e = 0; e < 4; ++e)  // bf16 from 2^-3 to 2^3, either sign
          value |= std::uint64_t{((random() & 0x80FFU) | (124 + random() % 6) << 7U) & 0xFFFFU} << (16 * e);
        model.set_word(row, place / 8 + word, value);
        append(bytes, value, 8);
      }
    poke(at, bytes);
  };
  operand(kStationary, kRows, kStationaryAt);
  operand(kMoving, kVectors, kMovingAt);
  std::vector<std::uint8_t> code;
  for (const Instruction& i : program()) {
    if (i.opcode != static_cast<unsigned>(Opcode::kHalt)) {
      ASSERT_EQ(model.execute(i), std::nullopt);
    }
    for (const std::uint32_t word : tb::golden::tensor::encode(i)) append(code, word, 4);
  }
  poke(kProgram, code);

  const auto rows = [](std::uint64_t src, unsigned src_stride, std::uint64_t dst, unsigned dst_stride, unsigned bytes) {
    tb::golden::dma::Descriptor d;
    d.src = src;
    d.dst = dst;
    d.bytes = bytes;
    d.rows = kRows;
    d.src_stride = src_stride;
    d.dst_stride = dst_stride;
    return d;
  };
  auto stationary = rows(kHost + kStationary, kRows * 2, kScratchpad + kStationaryAt, kPartition, kRows * 2);
  auto moving = rows(kHost + kMoving, kVectors * 2, kScratchpad + kMovingAt, kPartition, kVectors * 2);
  stationary.signal = moving.signal = true;
  auto result = rows(kScratchpad + kResultAt, kPartition, kHost + kResult, kResultBytes, kResultBytes);
  result.wait_sem = 3;
  result.wait_count = 1;
  result.irq = true;

  write("chip.irq_mask", TERN_CHIP_IRQ_MASK_DMA0_MASK);
  start_queue("dma0", kOutRing, {result});
  write("tensor.ctrl", 1);
  write("tensor.fetch_base_lo", static_cast<std::uint32_t>(kHost + kProgram));
  write("tensor.fetch_base_hi", static_cast<std::uint32_t>((kHost + kProgram) >> 32U));
  write("tensor.fetch_count", static_cast<std::uint32_t>(program().size()));
  write("tensor.command", TERN_TENSOR_COMMAND_FETCH_MASK);
  w.pass(200);
  EXPECT_FALSE(w.outputs().irq) << "the operands are not there yet";
  start_queue("dma1", kInRing, {stationary, moving});
  for (unsigned i = 0; i < 1000 && !w.outputs().irq; ++i) w.pass(1);
  ASSERT_TRUE(w.outputs().irq) << "the result does not come: error " << read("tensor.error") << ", dma0 status "
                               << read("dma0.q_status[0]") << ", dma1 status " << read("dma1.q_status[0]");
  EXPECT_EQ(read("tensor.error"), 0U);
  EXPECT_EQ(read("tensor.status.ended") & TERN_TENSOR_STATUS_ENDED_MASK, TERN_TENSOR_STATUS_ENDED_MASK);
  EXPECT_EQ(read("tensor.active_lo"), kVectors);
  for (unsigned row = 0; row < kRows; ++row)
    for (unsigned word = 0; word < kResultBytes / 8; ++word) {
      std::vector<std::uint8_t> expected;
      append(expected, model.word(row, kResultAt / 8 + word), 8);
      std::vector<std::uint8_t> got(8);
      w.host_memory().peek(kResult + row * kResultBytes + word * 8, got.data(), got.size());
      ASSERT_EQ(got, expected) << "row " << row << ", word " << word;
    }
}

}  // namespace
