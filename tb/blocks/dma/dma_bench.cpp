#include "tb/blocks/dma/dma_bench.h"

#include <gtest/gtest.h>

namespace tb::blocks {

using golden::dma::Descriptor;
using golden::dma::Outcome;

DmaBench& DmaBench::instance() {
  static DmaBench bench;
  return bench;
}

DmaBench::DmaBench()
    : block("bench"),
      registers(block),
      port("dma.m_axi", FL_AXI_PINS(block.dut(), m), memory, seed()),
      semaphores(block.dut()) {
  block.add(port);
  block.add(semaphores);
}

void DmaBench::restart(const RingPlan& plan, std::uint64_t salt) {
  std::array<RingPlan, golden::dma::queues> plans;
  plans.fill(plan);
  restart_each(plans, salt);
}

void DmaBench::restart_each(const std::array<RingPlan, golden::dma::queues>& plans, std::uint64_t salt) {
  random_.seed(seed() * 1000003 + salt);
  memory = golden::axi::SparseMemory();
  expected = golden::axi::SparseMemory();
  port.manners = {};
  port.reads.clear();
  port.writes.clear();
  set_faults({});
  block.dut().throttle_i = 0;
  port.reset();
  semaphores.reset();
  block.reset();
  port.reset();
  registers.write("dma.ctrl.long_bursts", plans[0].long_bursts);
  for (unsigned q = 0; q < golden::dma::queues; ++q) queues_.at(q).restart(plans.at(q));
}

void DmaBench::fill(std::uint64_t addr, std::uint64_t bytes) {
  std::vector<std::uint8_t> data(bytes);
  for (auto& byte : data) byte = static_cast<std::uint8_t>(random_());
  memory.write(addr, data);
  expected.write(addr, data);
}

void DmaBench::set_faults(const golden::dma::Faults& faults) {
  faults_ = faults;
  port.read_faults = faults.read;
  port.write_faults = faults.write;
}

void DmaBench::settle(const Outcome& outcome, std::uint64_t good) {
  const Descriptor& d = outcome.descriptor;
  if (!outcome.runs) return;
  for (std::uint32_t row = 0; row < d.row_count(); ++row) {
    const std::vector<std::uint8_t> source = expected.read(d.src_of(row), d.bytes);
    const std::vector<std::uint8_t> now = memory.read(d.dst_of(row), d.bytes);
    const std::vector<std::uint8_t> old = expected.read(d.dst_of(row), d.bytes);
    for (std::uint64_t i = 0; i < d.bytes; ++i) {
      const std::uint64_t place = std::uint64_t{row} * d.bytes + i;
      if (place < good) {
        ASSERT_EQ(now[i], source[i]) << std::hex << "byte " << place << " of the copy to " << d.dst;
      } else {
        ASSERT_TRUE(now[i] == source[i] || now[i] == old[i])
            << std::hex << "byte " << place << " of the failed copy to " << d.dst << " is neither old nor new";
      }
    }
    expected.write(d.dst_of(row), now);
  }
}

void DmaBench::expect_clean() {
  block.cycle(200);
  EXPECT_EQ(registers.read("dma.status.busy"), 0U);
  EXPECT_TRUE(port.idle());
  EXPECT_TRUE(port.checker().idle());
  for (const auto& text : port.checker().violations()) ADD_FAILURE() << text;
  const auto difference = memory.first_difference(expected);
  if (difference) {
    ADD_FAILURE() << std::hex << "memory at 0x" << *difference << " holds " << +memory.read(*difference)
                  << ", expected " << +expected.read(*difference);
  }
}

}  // namespace tb::blocks
