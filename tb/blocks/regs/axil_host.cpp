#include "tb/blocks/regs/axil_host.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace tb::regs {

void AxilHost::restart(std::uint64_t seed, unsigned eagerness) {
  random_.seed(seed);
  eagerness_ = eagerness;
  for (auto* queue : {&aw_, &w_, &ar_, &open_writes_, &open_reads_}) queue->clear();
  for (auto* queue : {&aw_taken_, &w_taken_, &ar_taken_}) queue->clear();
  answers_.clear();
  aw_fire_ = w_fire_ = ar_fire_ = b_seen_ = r_seen_ = false;
  dut_.awvalid_i = dut_.wvalid_i = dut_.arvalid_i = dut_.bready_i = dut_.rready_i = 0;
}

void AxilHost::issue(const Access& access) {
  if (access.write) {
    aw_.push_back(access);
    w_.push_back(access);
    open_writes_.push_back(access);
  } else {
    ar_.push_back(access);
    open_reads_.push_back(access);
  }
}

std::vector<Answer> AxilHost::take() { return std::exchange(answers_, {}); }

void AxilHost::sample() {
  if (!clocks_.ref_rises()) return;
  ++cycle_;
  aw_fire_ = dut_.awvalid_i && dut_.awready_o;
  w_fire_ = dut_.wvalid_i && dut_.wready_o;
  ar_fire_ = dut_.arvalid_i && dut_.arready_o;
  if (aw_fire_) aw_taken_.push_back(cycle_);
  if (w_fire_) w_taken_.push_back(cycle_);
  if (ar_fire_) ar_taken_.push_back(cycle_);
  sample_answers();
}

void AxilHost::sample_answers() {
  if (dut_.bvalid_o && !b_seen_) {
    b_seen_ = true;
    b_first_ = cycle_;
  }
  if (dut_.rvalid_o && !r_seen_) {
    r_seen_ = true;
    r_first_ = cycle_;
  }
  if (dut_.bvalid_o && dut_.bready_i) {
    if (aw_taken_.empty() || w_taken_.empty())
      throw std::logic_error("the host port answers a write that it has not taken");
    const std::uint64_t taken = std::max(aw_taken_.front(), w_taken_.front());
    answers_.push_back({open_writes_.front(), static_cast<Resp>(dut_.bresp_o), 0, b_first_ - taken});
    open_writes_.pop_front();
    aw_taken_.pop_front();
    w_taken_.pop_front();
    b_seen_ = false;
  }
  if (dut_.rvalid_o && dut_.rready_i) {
    if (ar_taken_.empty()) throw std::logic_error("the host port answers a read that it has not taken");
    answers_.push_back(
        {open_reads_.front(), static_cast<Resp>(dut_.rresp_o), dut_.rdata_o, r_first_ - ar_taken_.front()});
    open_reads_.pop_front();
    ar_taken_.pop_front();
    r_seen_ = false;
  }
}

void AxilHost::drive() {
  if (!clocks_.ref_rises()) return;
  drive_requests();
  dut_.bready_i = lucky();
  dut_.rready_i = lucky();
}

void AxilHost::drive_requests() {
  if (aw_fire_) dut_.awvalid_i = 0;
  if (!dut_.awvalid_i && !aw_.empty() && lucky()) {
    dut_.awvalid_i = 1;
    dut_.awaddr_i = aw_.front().addr;
    aw_.pop_front();
  }
  if (w_fire_) dut_.wvalid_i = 0;
  if (!dut_.wvalid_i && !w_.empty() && lucky()) {
    dut_.wvalid_i = 1;
    dut_.wdata_i = w_.front().data;
    dut_.wstrb_i = w_.front().strb;
    w_.pop_front();
  }
  if (ar_fire_) dut_.arvalid_i = 0;
  if (!dut_.arvalid_i && !ar_.empty() && lucky()) {
    dut_.arvalid_i = 1;
    dut_.araddr_i = ar_.front().addr;
    ar_.pop_front();
  }
}

}  // namespace tb::regs
