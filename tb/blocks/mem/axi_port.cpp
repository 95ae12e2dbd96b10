#include "tb/blocks/mem/axi_port.h"

#include <stdexcept>
#include <utility>

namespace tb::blocks::mem {
namespace {

constexpr std::uint64_t kSramBase = 0x100000;

std::uint8_t length_of(const AxiBurst& burst) { return static_cast<std::uint8_t>(burst.beats.size() - 1); }
std::uint64_t address_of(const AxiBurst& burst) { return kSramBase + std::uint64_t{burst.word} * 8; }

}  // namespace

AxiPort::AxiPort(BlockBench<Vmem_dut>& bench) : bench_(bench) { bench.add(*this); }

void AxiPort::issue(AxiBurst burst) {
  auto& queue = burst.write ? writes_ : reads_;
  queue.push_back(std::move(burst));
}

std::vector<AxiBurst> AxiPort::take_done() { return std::exchange(done_, {}); }

void AxiPort::set_waver(double probability, std::uint64_t seed) {
  waver_ = probability;
  dice_ = Dice(seed);
}

void AxiPort::clear() {
  writes_.clear();
  reads_.clear();
  done_.clear();
  aw_sent_ = w_burst_ = w_beat_ = ar_sent_ = r_beat_ = 0;
  auto& dut = bench_.dut();
  dut.aw_valid_i = dut.w_valid_i = dut.ar_valid_i = 0;
  dut.b_ready_i = dut.r_ready_i = 1;
  set_waver(0, 0);
}

AxiBurst AxiPort::run(AxiBurst burst) {
  issue(std::move(burst));
  if (!bench_.cycle_until([this] { return idle(); }, 20000)) throw std::runtime_error("no answer at the AXI port");
  return take_done().at(0);
}

bool AxiPort::waver() { return waver_ > 0 && dice_.below(1000) < waver_ * 1000; }

void AxiPort::sample() {
  const auto& dut = bench_.dut();
  aw_taken_ = dut.aw_valid_i && dut.aw_ready_o;
  w_taken_ = dut.w_valid_i && dut.w_ready_o;
  ar_taken_ = dut.ar_valid_i && dut.ar_ready_o;
  if (dut.b_valid_o && dut.b_ready_i) take_b();
  if (dut.r_valid_o && dut.r_ready_i) take_r();
}

void AxiPort::take_b() {
  const auto& dut = bench_.dut();
  if (w_burst_ == 0) throw std::runtime_error("B before the last W");
  if (writes_.front().id != dut.b_id_o) throw std::runtime_error("B with a wrong ID");
  writes_.front().response = dut.b_resp_o;
  done_.push_back(std::move(writes_.front()));
  writes_.pop_front();
  --aw_sent_;
  --w_burst_;
}

void AxiPort::take_r() {
  const auto& dut = bench_.dut();
  if (ar_sent_ == 0) throw std::runtime_error("R without AR");
  auto& burst = reads_.front();
  auto& beat = burst.beats.at(r_beat_++);
  if (burst.id != dut.r_id_o) throw std::runtime_error("R with a wrong ID");
  if ((r_beat_ == burst.beats.size()) != (dut.r_last_o != 0)) throw std::runtime_error("R with a wrong last");
  beat.data = dut.r_data_o;
  beat.response = dut.r_resp_o;
  if (r_beat_ < burst.beats.size()) return;
  done_.push_back(std::move(burst));
  reads_.pop_front();
  --ar_sent_;
  r_beat_ = 0;
}

void AxiPort::drive() {
  drive_aw();
  drive_w();
  drive_ar();
  bench_.dut().b_ready_i = !waver();
  bench_.dut().r_ready_i = !waver();
}

void AxiPort::drive_aw() {
  auto& dut = bench_.dut();
  if (std::exchange(aw_taken_, false)) {
    ++aw_sent_;
    dut.aw_valid_i = 0;
  }
  if (dut.aw_valid_i || aw_sent_ >= writes_.size() || waver()) return;
  const auto& burst = writes_.at(aw_sent_);
  dut.aw_valid_i = 1;
  dut.aw_id_i = static_cast<std::uint8_t>(burst.id);
  dut.aw_addr_i = address_of(burst);
  dut.aw_len_i = length_of(burst);
}

void AxiPort::drive_w() {
  auto& dut = bench_.dut();
  if (std::exchange(w_taken_, false)) {
    dut.w_valid_i = 0;
    if (++w_beat_ == writes_.at(w_burst_).beats.size()) {
      ++w_burst_;
      w_beat_ = 0;
    }
  }
  if (dut.w_valid_i || w_burst_ >= writes_.size() || waver()) return;
  const auto& burst = writes_.at(w_burst_);
  dut.w_valid_i = 1;
  dut.w_data_i = burst.beats.at(w_beat_).data;
  dut.w_strb_i = static_cast<std::uint8_t>(burst.beats.at(w_beat_).strobes);
  dut.w_last_i = w_beat_ + 1 == burst.beats.size();
}

void AxiPort::drive_ar() {
  auto& dut = bench_.dut();
  if (std::exchange(ar_taken_, false)) {
    ++ar_sent_;
    dut.ar_valid_i = 0;
  }
  if (dut.ar_valid_i || ar_sent_ >= reads_.size() || waver()) return;
  const auto& burst = reads_.at(ar_sent_);
  dut.ar_valid_i = 1;
  dut.ar_id_i = static_cast<std::uint8_t>(burst.id);
  dut.ar_addr_i = address_of(burst);
  dut.ar_len_i = length_of(burst);
}

}  // namespace tb::blocks::mem
