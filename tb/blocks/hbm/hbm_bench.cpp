#include "tb/blocks/hbm/hbm_bench.h"

#include <gtest/gtest.h>

namespace tb::blocks::hbm {

HbmBench::HbmBench()
    : clock("hbm"),
      registers(clock),
      fabric("fabric", FL_AXI_PINS(clock.dut(), up), seed()),
      memory(FL_AXI_PINS(clock.dut(), mem), clock.dut().rd_delay_o, clock.dut().wr_delay_o, seed() + 1) {
  clock.add(fabric);
  clock.add(memory);
}

HbmBench& bench() {
  static HbmBench one;
  return one;
}

void HbmBench::restart() {
  fabric.reset();
  fabric.eager = 1.0;
  memory.reset();
  clock.reset();
  fabric.reset();
  memory.reset();
}

void HbmBench::wait_idle(std::uint64_t limit) {
  for (std::uint64_t passed = 0; read("status.busy") != 0; passed += 20) {
    ASSERT_LT(passed, limit) << "the engine does not end";
    clock.cycle(20);
  }
}

void HbmBench::run(const char* which) {
  command(which);
  wait_idle();
}

void HbmBench::train() {
  run("train");
  ASSERT_EQ(read("status.trained"), 1U);
}

void HbmBench::wait_fabric(std::uint64_t limit) {
  ASSERT_TRUE(clock.cycle_until([this] { return fabric.open() == 0 && fabric.waiting() == 0; }, limit))
      << "the fabric's accesses do not end";
}

std::vector<golden::axi::ReadBeat> HbmBench::read_burst(std::uint64_t address, unsigned beats) {
  fabric.finished_reads.clear();
  fabric.read({3, address, static_cast<std::uint8_t>(beats - 1)}, 0);
  wait_fabric();
  return fabric.finished_reads.empty() ? std::vector<golden::axi::ReadBeat>{} : fabric.finished_reads.front().answers;
}

golden::axi::Response HbmBench::write_burst(std::uint64_t address, const std::vector<std::uint64_t>& words) {
  fabric.finished_writes.clear();
  std::vector<golden::axi::WriteBeat> beats;
  for (std::size_t i = 0; i < words.size(); ++i) beats.push_back({words[i], 0xFF, i + 1 == words.size()});
  fabric.write({5, address, static_cast<std::uint8_t>(words.size() - 1)}, std::move(beats), 0);
  wait_fabric();
  EXPECT_EQ(fabric.finished_writes.size(), 1U);
  return fabric.finished_writes.empty() ? golden::axi::Response::exokay : fabric.finished_writes.front().response.resp;
}

void HbmBench::expect_clean() {
  EXPECT_TRUE(memory.idle());
  EXPECT_TRUE(fabric.checker().idle());
  EXPECT_TRUE(memory.checker().idle());
  EXPECT_EQ(fabric.checker().violations(), std::vector<std::string>{});
  EXPECT_EQ(memory.checker().violations(), std::vector<std::string>{});
  EXPECT_EQ(fabric.strays, 0U);
  EXPECT_EQ(memory.strays, 0U);
}

}  // namespace tb::blocks::hbm
