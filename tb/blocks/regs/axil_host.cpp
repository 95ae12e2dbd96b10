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
  pins_.awvalid = pins_.wvalid = pins_.arvalid = pins_.bready = pins_.rready = 0;
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
  aw_fire_ = pins_.awvalid && pins_.awready;
  w_fire_ = pins_.wvalid && pins_.wready;
  ar_fire_ = pins_.arvalid && pins_.arready;
  if (aw_fire_) aw_taken_.push_back(cycle_);
  if (w_fire_) w_taken_.push_back(cycle_);
  if (ar_fire_) ar_taken_.push_back(cycle_);
  sample_answers();
}

void AxilHost::sample_answers() {
  if (pins_.bvalid && !b_seen_) {
    b_seen_ = true;
    b_first_ = cycle_;
  }
  if (pins_.rvalid && !r_seen_) {
    r_seen_ = true;
    r_first_ = cycle_;
  }
  if (pins_.bvalid && pins_.bready) {
    if (aw_taken_.empty() || w_taken_.empty())
      throw std::logic_error("the host port answers a write that it has not taken");
    const std::uint64_t taken = std::max(aw_taken_.front(), w_taken_.front());
    answers_.push_back({open_writes_.front(), static_cast<Resp>(pins_.bresp), 0, b_first_ - taken});
    open_writes_.pop_front();
    aw_taken_.pop_front();
    w_taken_.pop_front();
    b_seen_ = false;
  }
  if (pins_.rvalid && pins_.rready) {
    if (ar_taken_.empty()) throw std::logic_error("the host port answers a read that it has not taken");
    answers_.push_back(
        {open_reads_.front(), static_cast<Resp>(pins_.rresp), pins_.rdata, r_first_ - ar_taken_.front()});
    open_reads_.pop_front();
    ar_taken_.pop_front();
    r_seen_ = false;
  }
}

void AxilHost::drive() {
  if (!clocks_.ref_rises()) return;
  drive_requests();
  pins_.bready = lucky();
  pins_.rready = lucky();
}

void AxilHost::drive_requests() {
  if (aw_fire_) pins_.awvalid = 0;
  if (!pins_.awvalid && !aw_.empty() && lucky()) {
    pins_.awvalid = 1;
    pins_.awaddr = aw_.front().addr;
    aw_.pop_front();
  }
  if (w_fire_) pins_.wvalid = 0;
  if (!pins_.wvalid && !w_.empty() && lucky()) {
    pins_.wvalid = 1;
    pins_.wdata = w_.front().data;
    pins_.wstrb = w_.front().strb;
    w_.pop_front();
  }
  if (ar_fire_) pins_.arvalid = 0;
  if (!pins_.arvalid && !ar_.empty() && lucky()) {
    pins_.arvalid = 1;
    pins_.araddr = ar_.front().addr;
    ar_.pop_front();
  }
}

}  // namespace tb::regs
