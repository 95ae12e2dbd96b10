#include "tb/blocks/mem/mem_bench.h"

#include <gtest/gtest.h>

namespace tb::blocks::mem {
namespace {

class WriteCoverage : public testing::Environment {
 public:
  void TearDown() override { bench().clock.write_coverage("block_mem"); }
};

const auto* const coverage = testing::AddGlobalTestEnvironment(std::make_unique<WriteCoverage>().release());

}  // namespace

MemBench::MemBench() : clock("mem"), registers(clock), window(clock), axi(clock) {}

MemBench& bench() {
  static MemBench the_bench;
  return the_bench;
}

void MemBench::start() {
  axi.clear();
  clock.reset();
  fill(0);
}

void MemBench::fill(std::uint64_t data) {
  registers.write("sram.fill_data[0]", static_cast<std::uint32_t>(data));
  registers.write("sram.fill_data[1]", static_cast<std::uint32_t>(data >> 32U));
  registers.write("sram.irq_status.fill_done", 1);
  registers.write("sram.fill.start", 1);
  clock.cycle(8192);
  for (int i = 0; i < 20 && registers.read("sram.status.fill_busy") != 0; ++i) clock.cycle();
  if (registers.read("sram.irq_status.fill_done") == 0) throw std::runtime_error("the fill did not end");
}

}  // namespace tb::blocks::mem
