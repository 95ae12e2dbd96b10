// One seed, one history: every pin of chip and partner, each core cycle, folded into one number. What registers hold
// before reset is random by the seed; after reset nothing may depend on it.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "firmware/tern_regs.h"
#include "tb/chip/host_port.h"
#include "tb/chip/link_partner.h"
#include "tb/chip/models.h"

namespace {

constexpr unsigned kCorePerReference = 10;
constexpr unsigned kResetCycles = 200;
constexpr unsigned kCycles = 30'000;

constexpr std::uint32_t kEnabled = TERN_LINK_CTRL_ENABLE_MASK | TERN_LINK_CTRL_ALLOW_REVERSAL_MASK |
                                   (TERN_LINK_CTRL_MAX_WIDTH_RESET << TERN_LINK_CTRL_MAX_WIDTH_SHIFT);

void fold(std::uint64_t& hash, std::uint64_t value) {
  constexpr std::uint64_t kPrime = 0x100000001B3;  // FNV-1a, on words
  hash = (hash ^ value) * kPrime;
}

/// The chip and its partner with everything on: core running, link training by itself to L0.
class History {
 public:
  /// @param random seed of what the registers start with
  explicit History(int random) {
    context_ = std::make_unique<VerilatedContext>();
    context_->randReset(2);
    context_->randSeed(random);
    chip_ = std::make_unique<Vtern>(context_.get(), "tern");
    partner_ = std::make_unique<tb::LinkPartner>(*context_, 1);
    host_ = std::make_unique<tb::HostPort>(*chip_);
    // Until a clock has passed in reset, what hangs on a reset without an edge is random, and not worth asserting.
    context_->assertOn(false);
    chip_->rst_por_ni = 1;
    chip_->eval();
    hold_in_reset();
    for (unsigned i = 0; i < kResetCycles; ++i) cycle();
    context_->assertOn(true);
    chip_->rst_por_ni = 1;
    chip_->eval();
  }
  ~History() {
    // Verilator unregisters scopes in the thread's context, which may be that of another chip, gone already.
    Verilated::threadContextp(context_.get());
    chip_->final();
  }
  History(const History&) = delete;
  History& operator=(const History&) = delete;

  std::uint64_t hash() {
    std::uint64_t hash = 0xCBF29CE484222325;
    chip_->rail_pgood_i = 0x1F;
    chip_->eval();
    write(TERN_POWER_BASE + TERN_POWER_CTRL_OFFSET, TERN_POWER_CTRL_START_MASK);
    write(TERN_LINK_BASE + TERN_LINK_CTRL_OFFSET, kEnabled);
    for (unsigned i = 0; i < kCycles; ++i) {
      if (i == kCycles / 2) partner_->request(true, TERN_LINK_BASE + TERN_LINK_CTRL_OFFSET, kEnabled, {});
      cycle();
      fold(hash, chip_->link_tx_data_o);
      fold(hash, chip_->link_rx_data_i);
      fold(hash, chip_->activity_o | (std::uint64_t{chip_->link_tx_idle_o} << 32) |
                     (std::uint64_t{chip_->link_rx_idle_i} << 36));
      fold(hash, std::uint64_t{chip_->irq_o} | (std::uint64_t{chip_->fault_no} << 1U) |
                     (std::uint64_t{chip_->alert_no} << 2U) | (std::uint64_t{chip_->core_rst_no} << 3U) |
                     (std::uint64_t{chip_->pll_en_o} << 4U));
      fold(hash, chip_->h_rdata_o);
    }
    started_ = chip_->core_rst_no;
    return hash;
  }
  bool started() const { return started_; }

 private:
  void hold_in_reset() {
    chip_->rst_por_ni = 0;
    chip_->clk_ref_i = chip_->clk_core_i = 0;
    chip_->rail_pgood_i = chip_->pll_lock_i = chip_->straps_i = 0;
    chip_->zone_temp_i = 0x0C80C80C80C8;
    chip_->vr_hot_ni = chip_->power_brake_ni = 1;
    chip_->link_rx_data_i = 0;
    chip_->link_rx_idle_i = 0xF;
    chip_->m_axi_awready_i = chip_->m_axi_wready_i = chip_->m_axi_arready_i = 1;
    chip_->m_axi_bvalid_i = chip_->m_axi_rvalid_i = 0;
    chip_->m_axi_bid_i = chip_->m_axi_rid_i = chip_->m_axi_bresp_i = chip_->m_axi_rresp_i = chip_->m_axi_rlast_i = 0;
    chip_->m_axi_rdata_i = 0;
    host_->drive();
    chip_->eval();
  }
  void write(std::uint32_t address, std::uint32_t value) { host_->request(true, address, value, {}); }
  void cycle() {
    const bool reference = ++count_ % kCorePerReference == 0;
    if (reference) host_->sample();
    partner_->sample(*chip_);
    chip_->clk_ref_i = reference;
    chip_->clk_core_i = 1;
    chip_->eval();
    if (reference) host_->drive();
    partner_->edge();
    partner_->drive(*chip_);
    chip_->pll_lock_i = chip_->pll_en_o;
    chip_->clk_ref_i = chip_->clk_core_i = 0;
    chip_->eval();
  }

  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Vtern> chip_;
  std::unique_ptr<tb::LinkPartner> partner_;
  std::unique_ptr<tb::HostPort> host_;
  std::uint64_t count_ = 0;
  bool started_ = false;
};

TEST(Determinism, OneSeedGivesOneHistory) {
  History first(7);
  History second(7);
  EXPECT_EQ(first.hash(), second.hash());
  EXPECT_TRUE(first.started()) << "a chip that never starts proves nothing";
}

TEST(Determinism, NothingAfterResetDependsOnWhatRegistersHeldBefore) {
  const std::uint64_t expected = History(1).hash();
  for (const int random : {2, 3, 1234567}) EXPECT_EQ(History(random).hash(), expected) << "random seed " << random;
}

}  // namespace
