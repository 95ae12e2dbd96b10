// The wiring of tern.sv: the chip wakes up as far as its pins allow, and what leaves one block arrives at the other.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "Vtern.h"
#include "lab/core/register_map.h"
#include "rtl/regs/tern_registers.h"
#include "tb/blocks/block_bench.h"
#include "tb/blocks/regs/axil_host.h"
#include "tb/golden/dma/dma_format.h"

namespace tb::regs {
namespace {

constexpr unsigned multiplier = 10;  // core clock by reference clock

std::string sram_word(std::size_t offset) { return "sram_data[" + std::to_string(offset) + "]"; }

/// The link's lanes back to themselves, and the most that each zone's activity was.
class Surroundings : public blocks::Agent {
 public:
  explicit Surroundings(Vtern& dut) : dut_(dut) {}
  void watch() { busiest_.fill(0); }
  unsigned busiest(unsigned zone) const { return busiest_.at(zone); }
  void sample() override {
    for (unsigned zone = 0; zone < 4; ++zone)
      busiest_[zone] = std::max(busiest_[zone], (dut_.activity_o >> (8 * zone)) & 0xffU);
  }
  void drive() override {
    dut_.link_rx_data_i = dut_.link_tx_data_o;
    dut_.link_rx_idle_i = dut_.link_tx_idle_o;
  }

 private:
  Vtern& dut_;
  std::array<unsigned, 4> busiest_{};
};

/// Tern with a PLL that locks at once and rails that are what the test says.
class TernWorld {
 public:
  static TernWorld& instance() {
    static TernWorld world;
    return world;
  }
  Vtern& dut() { return bench_->dut(); }
  Surroundings& surroundings() { return *surroundings_; }

  void power_on() {
    clocks_.ref_every = multiplier;
    bench_->clear_agents();
    bench_->add(*host_);
    bench_->add(*surroundings_);
    host_->restart(blocks::seed(), 100);
    Vtern& m = dut();
    m.rail_pgood_i = m.pll_lock_i = 0;
    m.straps_i = 0x5c;
    m.vr_hot_ni = m.power_brake_ni = 1;
    set_temperatures(25.0, 30.0, 35.0, 40.0);
    bench_->reset(100);
    ref_cycles(10);
  }
  void set_temperatures(double a, double b, double c, double d) {
    std::uint64_t bits = 0;
    const double degrees[] = {a, b, c, d};
    for (unsigned i = 0; i < 4; ++i) bits |= (static_cast<std::uint64_t>(degrees[i] * 8) & 0xfffU) << (12 * i);
    dut().zone_temp_i = bits;
  }
  void start_core() {
    dut().rail_pgood_i = 0x1f;
    write("power.ctrl", 1);
    for (unsigned i = 0; i < 2000 && !dut().core_rst_no; ++i) ref_cycles(1);
    ref_cycles(4);
  }
  void ref_cycles(unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      dut().pll_lock_i = dut().pll_en_o;
      clocks_.core_runs = dut().pll_en_o;
      bench_->cycle(multiplier);
    }
  }

  Answer access(bool write, const std::string& name, std::uint32_t data) {
    const auto lookup = firstlight::tern_registers().find(name);
    if (!lookup) throw std::invalid_argument(lookup.error);
    host_->issue({write, lookup.found->address, data, 0xf});
    for (unsigned i = 0; i < 2000 && !host_->idle(); ++i) ref_cycles(1);
    const auto answers = host_->take();
    if (answers.size() != 1) throw std::runtime_error("no answer to " + name);
    return answers.front();
  }
  Answer write(const std::string& name, std::uint32_t data) { return access(true, name, data); }
  /// A register's value, or a field's raw bits.
  std::uint32_t read(const std::string& name) {
    const std::uint32_t value = access(false, name, 0).data;
    const auto* field = firstlight::tern_registers().find(name).found->field;
    return field ? field->extract(value) : value;
  }
  void write_words(std::size_t offset, const std::array<std::uint64_t, 4>& words) {
    for (const std::uint64_t word : words) {
      write(sram_word(offset), static_cast<std::uint32_t>(word));
      write(sram_word(offset + 4), static_cast<std::uint32_t>(word >> 32U));
      offset += 8;
    }
  }
  Resp resp(const std::string& name) { return access(false, name, 0).resp; }

 private:
  TernWorld() {
    bench_ = std::make_unique<blocks::BlockBench<Vtern>>(
        "tern_wiring",
        [this](Vtern& m, bool high) {
          if (!high) ++clocks_.tick;
          if (clocks_.ref_rises()) m.clk_ref_i = high;
          if (clocks_.core_rises()) m.clk_core_i = high;
        },
        [](Vtern& m, bool high) { m.rst_por_ni = high; });
    Vtern& m = dut();
    surroundings_ = std::make_unique<Surroundings>(m);
    host_ = std::make_unique<AxilHost>(
        HostPins{m.h_awvalid_i, m.h_awready_o, m.h_awaddr_i, m.h_wvalid_i, m.h_wready_o, m.h_wdata_i, m.h_wstrb_i,
                 m.h_bvalid_o, m.h_bready_i, m.h_bresp_o, m.h_arvalid_i, m.h_arready_o, m.h_araddr_i, m.h_rvalid_o,
                 m.h_rready_i, m.h_rdata_o, m.h_rresp_o},
        clocks_);
  }

  ClockPlan clocks_;
  std::unique_ptr<blocks::BlockBench<Vtern>> bench_;
  std::unique_ptr<AxilHost> host_;
  std::unique_ptr<Surroundings> surroundings_;
};

class Tern : public testing::Test {
 protected:
  void SetUp() override { chip_.power_on(); }
  TernWorld& chip_ = TernWorld::instance();
};

TEST_F(Tern, BeforePowerTheHostReachesTheReferenceDomainOnly) {
  EXPECT_EQ(chip_.read("chip.id"), 0xf1a57e51U);
  EXPECT_EQ(chip_.read("chip.straps.sampled"), 0x5cU);
  EXPECT_EQ(chip_.read("power.status.state"), 0U);
  EXPECT_EQ(chip_.dut().core_rst_no, 0);
  EXPECT_EQ(chip_.dut().pll_en_o, 0);
  EXPECT_EQ(chip_.dut().thermtrip_no, 1);
  EXPECT_EQ(chip_.dut().activity_o, 0);
  for (const std::string name :
       {"sram_data", "dma0.ctrl", "link.ctrl", "tensor.ctrl", "dma1.ctrl", "hbm.status", "mesh.ctrl"})
    EXPECT_EQ(chip_.resp(name), Resp::SlvErr) << name;
}

TEST_F(Tern, WithRailsAndLockTheCoreRunsAndEveryBlockAnswers) {
  chip_.start_core();
  ASSERT_EQ(chip_.dut().core_rst_no, 1);
  EXPECT_EQ(chip_.dut().pll_mult_o, multiplier);
  EXPECT_EQ(chip_.dut().fault_no, 1);
  for (const auto& block : firstlight::tern_registers().blocks()) {
    const std::string name = block.name + "." + block.registers.front().name;
    EXPECT_EQ(chip_.resp(block.registers.front().is_array ? name + "[0]" : name), Resp::Okay) << name;
  }
  EXPECT_EQ(chip_.write("sram_data[0x40]", 0x12345678).resp, Resp::Okay);
  EXPECT_EQ(chip_.read("sram_data[0x40]"), 0x12345678U);
}

/// Each block has its clock, and no other's, while it waits for a memory that does not answer.
TEST_F(Tern, BlocksThatRestHaveNoClock) {
  chip_.start_core();
  EXPECT_EQ(chip_.read("chip.clocks"), 0x3fU) << "after a reset";
  chip_.ref_cycles(200);
  EXPECT_EQ(chip_.read("chip.clocks"), 0U);
  std::uint32_t running = 0;
  const auto expect_also = [&](const std::string& block) {
    chip_.ref_cycles(200);
    running |= firstlight::tern_registers().find("chip.clocks." + block).found->field->register_mask();
    EXPECT_EQ(chip_.read("chip.clocks"), running) << block;
  };
  // First of all the controller: the others' accesses pass through it.
  chip_.write("hbm.command", 1);
  expect_also("hbm");
  chip_.write("dma1.ring_base_hi[3]", 2);
  chip_.write("dma1.q_ctrl[3]", 1);
  chip_.write("dma1.doorbell[3]", 1);
  expect_also("dma1");
  chip_.write("tensor.fetch_base_hi", 2);
  chip_.write("tensor.fetch_count", 1);
  chip_.write("tensor.ctrl", 1);
  chip_.write("tensor.command", 0x10);
  expect_also("tensor");
  chip_.write("dma0.ring_base_hi[3]", 2);
  chip_.write("dma0.q_ctrl[3]", 1);
  chip_.write("dma0.doorbell[3]", 1);
  expect_also("dma0");
  chip_.write("sram.fill", 1);
  expect_also("sram");
  // Another chip that is not there.
  chip_.write("mesh.ctrl", 0x101);
  chip_.write("dma0.ring_base_hi[2]", 0x82);
  chip_.write("dma0.q_ctrl[2]", 1);
  chip_.write("dma0.doorbell[2]", 1);
  expect_also("mesh");
}

TEST_F(Tern, EachZoneIsBusyWithItsOwnBlock) {
  chip_.start_core();
  chip_.surroundings().watch();
  chip_.write("sram_data[0x0]", 1);
  EXPECT_EQ(chip_.surroundings().busiest(0), 0U) << "core";
  EXPECT_GT(chip_.surroundings().busiest(1), 0U) << "sram";
  EXPECT_EQ(chip_.surroundings().busiest(2), 0U) << "hbm";
  EXPECT_EQ(chip_.surroundings().busiest(3), 0U) << "serdes";
  chip_.write("link.ctrl", 0x9);
  chip_.ref_cycles(500);
  EXPECT_GT(chip_.surroundings().busiest(3), 0U) << "serdes";
  // A training page that external memory does not take: a command on the memory port, and no more.
  chip_.dut().m_axi_awready_i = 1;
  chip_.write("hbm.command", 1);
  chip_.ref_cycles(20);
  EXPECT_EQ(chip_.surroundings().busiest(2), 1U) << "hbm";
}

TEST_F(Tern, EachReasonToThrottleReachesTheTensorEngine) {
  constexpr std::uint32_t kBySoftware = 1U << 24;  // at once, and with a dwell of one cycle no longer than it is set
  chip_.start_core();
  chip_.ref_cycles(20);
  EXPECT_EQ(chip_.read("tensor.limited") & 0xeU, 0U);
  chip_.dut().vr_hot_ni = 0;
  chip_.ref_cycles(5);
  EXPECT_EQ(chip_.read("tensor.limited") & 0xeU, 2U) << "power";
  chip_.dut().vr_hot_ni = 1;
  chip_.dut().power_brake_ni = 0;
  chip_.ref_cycles(5);
  EXPECT_EQ(chip_.read("tensor.limited") & 0xeU, 8U) << "external";
  chip_.dut().power_brake_ni = 1;
  chip_.write("thermal.throttle", kBySoftware | 1);
  chip_.ref_cycles(5);
  EXPECT_EQ(chip_.read("tensor.limited") & 0xeU, 4U) << "thermal";
  chip_.write("thermal.throttle", 1);
  chip_.ref_cycles(5);
  EXPECT_EQ(chip_.read("tensor.limited") & 0xeU, 0U);
}

TEST_F(Tern, TheLinkTrainsWithItselfLaneByLane) {
  chip_.start_core();
  chip_.write("link.ctrl", 0x9);
  chip_.ref_cycles(3000);
  EXPECT_EQ(chip_.read("link.status.up"), 1U)
      << "state " << chip_.read("link.status.state") << " cause " << chip_.read("link.status.cause");
  EXPECT_EQ(chip_.read("link.status.width"), 4U);
  EXPECT_EQ(chip_.read("link.status.reversed"), 0U);
}

/// The link's lanes lead back to us, so the chip to the east is we ourselves, at (1, 0) as packets see it.
TEST_F(Tern, ADmaEngineReachesAnotherChipThroughMeshAndLink) {
  constexpr std::uint64_t kSram = 0x10'0000;
  constexpr std::uint64_t kEast = 0x82'0000'0000;
  constexpr unsigned kBytes = 1000;
  chip_.start_core();
  chip_.write("link.ctrl", 0x9);
  chip_.ref_cycles(3000);
  ASSERT_EQ(chip_.read("link.status.up"), 1U);
  chip_.write("sram.fill", 1);
  chip_.ref_cycles(1000);
  chip_.write("mesh.ctrl", 0x1121);  // the link is the east port; it, the local port and the interface are on

  std::vector<golden::dma::Descriptor> copies(2);
  copies[0].src = kSram + 0x2000;
  copies[0].dst = kEast + kSram + 0x3003;  // no word of it whole in one of ours
  copies[1].src = kEast + kSram + 0x3003;
  copies[1].dst = kSram + 0x4000;
  copies[1].dmb = true;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    copies[i].bytes = kBytes;
    copies[i].phase = golden::dma::phase_of(static_cast<std::uint16_t>(i), 4);
    chip_.write_words(i * golden::dma::descriptor_bytes, golden::dma::encode(copies[i]));
  }
  for (unsigned at = 0; at < kBytes; at += 4) chip_.write(sram_word(0x2000 + at), 0x9E3779B9U * (at + 1));
  chip_.write("dma0.ring_base_lo[0]", kSram);
  chip_.write("dma0.ring_base_hi[0]", 0);
  chip_.write("dma0.ring_size[0]", 4);
  chip_.write("dma0.comp_base_lo[0]", kSram + 0x1000);
  chip_.write("dma0.comp_base_hi[0]", 0);
  chip_.write("dma0.comp_size[0]", 4);
  chip_.write("dma0.q_ctrl[0]", 1);
  chip_.write("dma0.doorbell[0]", 2);
  for (unsigned i = 0; i < 2000 && chip_.read("dma0.comp_producer[0]") != 2; ++i) chip_.ref_cycles(10);

  EXPECT_EQ(chip_.read("dma0.errors[0]"), 2U) << "both are ok";
  for (unsigned at = 0; at < kBytes; at += 4)
    ASSERT_EQ(chip_.read(sram_word(0x4000 + at)), 0x9E3779B9U * (at + 1)) << at;
  EXPECT_GT(chip_.read("mesh.sent[2]"), 0U) << "requests to the east";
  EXPECT_EQ(chip_.read("mesh.timed_out[0]") + chip_.read("mesh.timed_out[1]"), 0U);
  EXPECT_EQ(chip_.read("mesh.status.accesses"), 0U);
}

/// One interrupt a block: enabled in the block, then nothing but that block's bit is up, and it reaches the pin through
/// its own mask bit only.
TEST_F(Tern, EveryBlocksInterruptHasItsOwnBit) {
  chip_.write("power.irq_enable", 0x2);
  chip_.start_core();
  const auto expect_only = [this](const std::string& block, const std::string& clear) {
    chip_.ref_cycles(10);
    const std::uint32_t bit =
        firstlight::tern_registers().find("chip.irq_status." + block).found->field->register_mask();
    EXPECT_EQ(chip_.read("chip.irq_status"), bit) << block;
    chip_.write("chip.irq_mask", 0x3ffU & ~bit);
    chip_.ref_cycles(2);
    EXPECT_EQ(chip_.dut().irq_o, 0) << block;
    chip_.write("chip.irq_mask", bit);
    chip_.ref_cycles(2);
    EXPECT_EQ(chip_.dut().irq_o, 1) << block;
    chip_.write(clear, 0xffffffff);
    chip_.ref_cycles(10);
    EXPECT_EQ(chip_.dut().irq_o, 0) << block;
  };
  expect_only("power", "power.irq_status");
  chip_.write("sram.irq_enable", 0x4);
  chip_.write("sram.fill", 1);
  chip_.ref_cycles(1000);
  expect_only("sram", "sram.irq_status");
  chip_.write("dma0.q_irq_mask[0]", 0x4);
  chip_.write("dma0.doorbell[0]", 0xffff);
  expect_only("dma0", "dma0.q_irq_status[0]");
  chip_.write("dma1.q_irq_mask[0]", 0x4);
  chip_.write("dma1.doorbell[0]", 0xffff);
  expect_only("dma1", "dma1.q_irq_status[0]");
  chip_.write("hbm.irq_enable", 0x4);
  chip_.write("hbm.command", 0x4);
  expect_only("hbm", "hbm.irq_status");
  chip_.write("tensor.irq_mask", 0x4);
  chip_.write("tensor.command", 0x4);
  chip_.write("tensor.command", 0x4);
  expect_only("tensor", "tensor.irq_status");
  chip_.write("mesh.irq_mask", 0x4);
  chip_.write("mesh.ctrl", 0x101);
  chip_.write("dma0.ring_base_hi[2]", 0x82);  // a chip to the east, where no port is enabled
  chip_.write("dma0.q_ctrl[2]", 1);
  chip_.write("dma0.doorbell[2]", 1);
  chip_.ref_cycles(100);
  expect_only("mesh", "mesh.irq_status");
  chip_.write("link.irq_mask", 0x1);
  chip_.write("link.ctrl", 0x9);
  chip_.ref_cycles(3000);
  expect_only("link", "link.irq_status");
  chip_.write("thermal.irq_enable", 0xf);
  chip_.ref_cycles(64 * 5);
  chip_.set_temperatures(25.0, 98.0, 35.0, 40.0);
  chip_.ref_cycles(64 * 5);
  expect_only("thermal", "thermal.irq_status");
}

TEST_F(Tern, EachZoneSeesItsOwnSensorAndHeater) {
  chip_.start_core();
  chip_.ref_cycles(64 * 5);
  for (unsigned zone = 0; zone < 4; ++zone) {
    const std::string name = "thermal.zone[" + std::to_string(zone) + "]";
    EXPECT_EQ(chip_.read(name + ".valid"), 1U) << name;
    EXPECT_EQ(chip_.read(name + ".raw"), (25U + 5U * zone) * 8U) << name;
  }
  chip_.write("thermal.heater", 0x4321);
  EXPECT_EQ(chip_.dut().heater_o, 0x4321U);
}

TEST_F(Tern, AHotZoneThrottlesThenTripsAndStopsTheCore) {
  chip_.start_core();
  chip_.ref_cycles(64 * 5);
  ASSERT_EQ(chip_.dut().throttle_o, 0);
  ASSERT_EQ(chip_.read("dma0.status.throttled"), 0U);
  chip_.set_temperatures(25.0, 30.0, 100.0, 40.0);
  chip_.ref_cycles(64 * 5);
  EXPECT_EQ(chip_.dut().throttle_o, 1);
  EXPECT_EQ(chip_.dut().alert_no, 0);
  EXPECT_EQ(chip_.dut().thermtrip_no, 1);
  EXPECT_EQ(chip_.read("thermal.throttle_reason.zones"), 4U);
  EXPECT_EQ(chip_.read("dma0.status.throttled"), 1U);
  chip_.set_temperatures(25.0, 30.0, 120.0, 40.0);
  chip_.ref_cycles(64 * 5);
  EXPECT_EQ(chip_.dut().thermtrip_no, 0);
  EXPECT_EQ(chip_.dut().core_rst_no, 0) << "a trip stops the core";
  EXPECT_EQ(chip_.dut().fault_no, 0);
  EXPECT_EQ(chip_.read("power.fault.cause"), 2U) << "thermtrip";
}

TEST_F(Tern, ABrownoutStopsTheCoreAndTheHostPortGoesOn) {
  chip_.start_core();
  chip_.dut().rail_pgood_i = 0x1b;
  chip_.ref_cycles(40);
  EXPECT_EQ(chip_.dut().core_rst_no, 0);
  EXPECT_EQ(chip_.dut().fault_no, 0);
  EXPECT_EQ(chip_.read("power.fault.cause"), 1U) << "brownout";
  EXPECT_EQ(chip_.resp("dma0.ctrl"), Resp::SlvErr);
  EXPECT_EQ(chip_.read("chip.host_errors.timeout"), 1U);
}

}  // namespace
}  // namespace tb::regs
