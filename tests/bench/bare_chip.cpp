#include "tests/bench/bare_chip.h"

#include <stdexcept>

#include "firmware/tern_regs.h"
#include "tb/chip/models.h"

namespace bench {
namespace {

constexpr unsigned kCorePerReference = 10;
constexpr std::uint64_t kPatience = 200'000;  // core cycles, for one access or for the core to start
constexpr std::uint32_t kAllLanes = 0xF;
constexpr std::uint32_t kPrbs31 = 2;
constexpr std::uint64_t kRoomTemperature = 0x0C8;  // 25 degC, in eighths

}  // namespace

BareChip::BareChip(std::uint64_t seed)
    : context_(std::make_unique<VerilatedContext>()),
      chip_((context_->randReset(2), context_->randSeed(static_cast<int>(seed % 0x7FFFFFFF + 1)),
             std::make_unique<Vtern>(context_.get(), "tern"))),
      peer_(std::make_unique<Vtern_peer>(context_.get(), "peer")),
      host_(*chip_) {
  // An asynchronous reset acts on its edge; what hangs on one that has none stays random until a clock has passed, and
  // is not worth asserting.
  context_->assertOn(false);
  chip_->rst_por_ni = peer_->rst_ni = 1;
  chip_->eval();
  peer_->eval();
  chip_->rst_por_ni = peer_->rst_ni = 0;
  // Inputs start random as well.
  chip_->m_axi_awready_i = chip_->m_axi_wready_i = chip_->m_axi_arready_i = 0;
  chip_->m_axi_bvalid_i = chip_->m_axi_rvalid_i = 0;
  chip_->link_rx_idle_i = peer_->link_rx_idle_i = kAllLanes;
  chip_->rail_pgood_i = chip_->pll_lock_i = chip_->straps_i = 0;
  chip_->zone_temp_i = 0;
  chip_->vr_hot_ni = chip_->power_brake_ni = 1;
  host_.drive();
  peer_->link_reg_valid_i = peer_->sram_reg_valid_i = peer_->sram_win_valid_i = 0;
  chip_->eval();
  peer_->eval();
  for (unsigned zone = 0; zone < 4; ++zone) chip_->zone_temp_i |= kRoomTemperature << (12 * zone);
  run(4 * kCorePerReference);
  context_->assertOn(true);
  chip_->rst_por_ni = peer_->rst_ni = 1;
  chip_->rail_pgood_i = 0x1F;
  run(4 * kCorePerReference);
}

BareChip::~BareChip() {
  // Verilator unregisters scopes in the thread's context, which may be that of another chip, gone already.
  Verilated::threadContextp(context_.get());
  chip_->final();
  peer_->final();
}

void BareChip::run(std::uint64_t cycles) {
  for (; cycles > 0; --cycles) cycle();
}

void BareChip::cycle() {
  const bool reference = --until_reference_ == 0;
  if (reference) {
    until_reference_ = kCorePerReference;
    host_.sample();
  }
  const std::uint64_t to_peer = chip_->link_tx_data_o;
  const std::uint8_t to_peer_idle = chip_->link_tx_idle_o;
  const std::uint64_t to_chip = peer_->link_tx_data_o;
  const std::uint8_t to_chip_idle = peer_->link_tx_idle_o;
  chip_->clk_ref_i = reference;
  chip_->clk_core_i = 1;
  chip_->eval();
  peer_->clk_i = 1;
  peer_->eval();
  if (reference) {
    host_.drive();
    chip_->pll_lock_i = chip_->pll_en_o;
  }
  peer_->link_rx_data_i = to_peer;
  peer_->link_rx_idle_i = to_peer_idle;
  chip_->link_rx_data_i = to_chip;
  chip_->link_rx_idle_i = to_chip_idle;
  chip_->clk_ref_i = chip_->clk_core_i = 0;
  chip_->eval();
  peer_->clk_i = 0;
  peer_->eval();
  ++cycles_;
}

std::uint32_t BareChip::access(bool write, std::uint32_t address, std::uint32_t value) {
  bool done = false;
  tb::HostPort::Access answer;
  host_.request(write, address, value, [&](const tb::HostPort::Access& access) {
    done = true;
    answer = access;
  });
  for (std::uint64_t waited = 0; !done && waited < kPatience; ++waited) cycle();
  if (!done || answer.outcome != tb::HostPort::Outcome::okay)
    throw std::runtime_error("the bare chip's register at " + std::to_string(address) + " does not answer");
  return answer.data;
}

std::uint32_t BareChip::read(std::uint32_t address) { return access(false, address, 0); }
void BareChip::write(std::uint32_t address, std::uint32_t value) { access(true, address, value); }

void BareChip::write_partner_link(std::uint16_t offset, std::uint32_t value) {
  peer_->link_reg_valid_i = 1;
  peer_->link_reg_write_i = 1;
  peer_->link_reg_addr_i = offset;
  peer_->link_reg_wdata_i = value;
  peer_->link_reg_strb_i = 0xF;
  peer_->eval();  // inputs settle before the edge that sees them
  std::uint64_t waited = 0;
  do cycle();
  while (!peer_->link_reg_ready_o && ++waited < kPatience);
  if (!peer_->link_reg_ready_o) throw std::runtime_error("the bare partner's link registers do not answer");
  cycle();
  peer_->link_reg_valid_i = 0;
  peer_->eval();
}

void BareChip::start_prbs() {
  write(TERN_POWER_BASE + TERN_POWER_CTRL_OFFSET, TERN_POWER_CTRL_START_MASK);
  std::uint64_t waited = 0;
  while (!chip_->core_rst_no && ++waited < kPatience) cycle();
  if (!chip_->core_rst_no) throw std::runtime_error("the bare chip's core does not start");
  const std::uint32_t sequence = (kAllLanes << TERN_LINK_PRBS_CTRL_TX_ENABLE_SHIFT) |
                                 (kAllLanes << TERN_LINK_PRBS_CTRL_RX_ENABLE_SHIFT) |
                                 (kPrbs31 << TERN_LINK_PRBS_CTRL_SELECT_SHIFT);
  write_partner_link(TERN_LINK_PRBS_CTRL_OFFSET, sequence);
  write(TERN_LINK_BASE + TERN_LINK_PRBS_CTRL_OFFSET, sequence);
}

}  // namespace bench
