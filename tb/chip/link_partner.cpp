#include "tb/chip/link_partner.h"

#include <algorithm>
#include <utility>

#include "firmware/tern_regs.h"
#include "tb/chip/models.h"

namespace tb {
namespace {

constexpr std::uint32_t kBlockBytes = 0x1000;
constexpr unsigned kResetCycles = 8;
constexpr std::uint8_t kAllIdle = 0xF;

bool within(std::uint32_t address, std::uint32_t base, std::uint32_t bytes) {
  return address >= base && address - base < bytes;
}

}  // namespace

LinkPartner::LinkPartner(VerilatedContext& context, std::uint64_t seed)
    : peer_(std::make_unique<Vtern_peer>(&context, "peer")), to_chip_(seed * 2 + 1), from_chip_(seed * 2 + 2) {
  // An edge of the reset, and none of a clock: what is not reset yet is anything.
  peer_->clk_i = 0;
  peer_->rst_ni = 1;
  peer_->eval();
  reset();
}

LinkPartner::~LinkPartner() { peer_->final(); }

void LinkPartner::reset() {
  reset_cycles_ = kResetCycles;
  prbs_ctrl_ = 0;
  on_pins_ = false;
  accesses_.clear();
  chip_data_ = 0;
  chip_idle_ = kAllIdle;
  peer_->rst_ni = 0;
  peer_->clk_i = 0;
  drive_port(Port::none, false);
  peer_->eval();
}

std::uint64_t LinkPartner::request(bool write, std::uint32_t address, std::uint32_t data, Done done) {
  accesses_.push_back({next_id_, write, address, data, std::move(done)});
  return next_id_++;
}

void LinkPartner::cancel(std::uint64_t id) {
  for (auto it = accesses_.begin(); it != accesses_.end(); ++it) {
    if (it->id != id) continue;
    if (it == accesses_.begin() && on_pins_)
      it->done = nullptr;
    else
      accesses_.erase(it);
    return;
  }
}

LinkPartner::Port LinkPartner::port_of(std::uint32_t address) {
  if (within(address, TERN_LINK_BASE, kBlockBytes)) return Port::link;
  if (within(address, TERN_SRAM_BASE, kBlockBytes)) return Port::sram;
  if (within(address, TERN_SRAM_DATA_BASE, TERN_SRAM_DATA_BYTES)) return Port::window;
  return Port::none;
}

void LinkPartner::drive_port(Port port, bool valid) {
  const Access none;
  const Access& access = valid ? accesses_.front() : none;
  const auto block_address = static_cast<std::uint16_t>(access.address & (kBlockBytes - 1));
  peer_->link_reg_valid_i = valid && port == Port::link;
  peer_->link_reg_write_i = access.write;
  peer_->link_reg_addr_i = block_address;
  peer_->link_reg_wdata_i = access.data;
  peer_->link_reg_strb_i = 0xF;
  peer_->sram_reg_valid_i = valid && port == Port::sram;
  peer_->sram_reg_write_i = access.write;
  peer_->sram_reg_addr_i = block_address;
  peer_->sram_reg_wdata_i = access.data;
  peer_->sram_reg_strb_i = 0xF;
  peer_->sram_win_valid_i = valid && port == Port::window;
  peer_->sram_win_write_i = access.write;
  peer_->sram_win_addr_i = static_cast<std::uint16_t>(access.address & 0xFFFFU);
  peer_->sram_win_wdata_i = access.data;
  peer_->sram_win_strb_i = 0xF;
}

bool LinkPartner::sends_prbs() const { return (prbs_ctrl_ & TERN_LINK_PRBS_CTRL_TX_ENABLE_MASK) != 0; }

void LinkPartner::sample(const Vtern& chip) {
  chip_data_ = chip.link_tx_data_o;
  chip_idle_ = chip.link_tx_idle_o;
  if (on_pins_) finish_access();
}

void LinkPartner::finish_access() {
  const Port port = port_of(accesses_.front().address);
  const bool ready = port == Port::link     ? peer_->link_reg_ready_o
                     : port == Port::sram   ? peer_->sram_reg_ready_o
                     : port == Port::window ? peer_->sram_win_ready_o
                                            : 1;
  if (!ready) return;
  Answer answer;
  switch (port) {
    case Port::link:
      answer = {static_cast<bool>(peer_->link_reg_error_o), peer_->link_reg_rdata_o};
      break;
    case Port::sram:
      answer = {static_cast<bool>(peer_->sram_reg_error_o), peer_->sram_reg_rdata_o};
      break;
    case Port::window:
      answer = {static_cast<bool>(peer_->sram_win_error_o), peer_->sram_win_rdata_o};
      break;
    case Port::none:
      answer = {true, 0};
      break;
  }
  const Access access = std::move(accesses_.front());
  accesses_.pop_front();
  on_pins_ = false;
  if (access.write && !answer.error && access.address == TERN_LINK_BASE + TERN_LINK_PRBS_CTRL_OFFSET)
    prbs_ctrl_ = access.data;
  if (access.done) access.done(answer);
}

void LinkPartner::edge() {
  if (absent_) return;
  peer_->clk_i = 1;
  peer_->eval();
  if (reset_cycles_ > 0 && --reset_cycles_ == 0) peer_->rst_ni = 1;
  // A finished access leaves its pins for one cycle, as the register port wants.
  const bool start = !on_pins_ && !accesses_.empty() && reset_cycles_ == 0 && !peer_->link_reg_valid_i &&
                     !peer_->sram_reg_valid_i && !peer_->sram_win_valid_i;
  if (start) on_pins_ = true;
  drive_port(on_pins_ ? port_of(accesses_.front().address) : Port::none, on_pins_);
  const SerdesChannel::Received received = from_chip_.exchange(chip_data_, chip_idle_);
  peer_->link_rx_data_i = received.word;
  peer_->link_rx_idle_i = received.idle;
  if (peer_->link_eye_run_o)
    peer_->link_eye_data_i =
        from_chip_.look(peer_->link_eye_lane_o, {peer_->link_eye_phase_o, peer_->link_eye_offset_o});
  peer_->clk_i = 0;
  peer_->eval();
}

void LinkPartner::drive(Vtern& chip) {
  std::uint64_t data = peer_->link_tx_data_o;
  if (constant_in_prbs_ && sends_prbs()) data = 0;
  const std::uint8_t idle = absent_ ? kAllIdle : peer_->link_tx_idle_o;
  const SerdesChannel::Received received = to_chip_.exchange(data, idle);
  chip.link_rx_data_i = received.word;
  chip.link_rx_idle_i = received.idle;
  if (chip.link_eye_run_o)
    chip.link_eye_data_i = to_chip_.look(chip.link_eye_lane_o, {chip.link_eye_phase_o, chip.link_eye_offset_o});
}

}  // namespace tb
