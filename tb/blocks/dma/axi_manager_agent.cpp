#include "tb/blocks/dma/axi_manager_agent.h"

#include <utility>

namespace tb::blocks {

AxiManagerAgent::AxiManagerAgent(std::string name, AxiPins pins, std::uint64_t seed)
    : pins_(pins), checker_(std::move(name)), random_(seed) {
  reset();
}

void AxiManagerAgent::reset() {
  pins_.aw_valid = pins_.w_valid = pins_.ar_valid = 0;
  pins_.b_ready = pins_.r_ready = 0;
  reads_due_.clear();
  writes_due_.clear();
  data_due_.clear();
  reads_open_.clear();
  writes_open_.clear();
  finished_reads.clear();
  finished_writes.clear();
  aw_taken_ = w_taken_ = ar_taken_ = false;
  open_ = 0;
  strays = 0;
  checker_.reset();
}

void AxiManagerAgent::sample_answers(const golden::axi::Cycle& seen) {
  if (seen.b.moves()) {
    auto& bursts = writes_open_[seen.b.payload.id];
    if (bursts.empty()) {
      ++strays;
    } else {
      bursts.front().response = seen.b.payload;
      finished_writes.push_back(std::move(bursts.front()));
      bursts.pop_front();
      --open_;
    }
  }
  if (seen.r.moves()) {
    auto& bursts = reads_open_[seen.r.payload.id];
    if (bursts.empty()) {
      ++strays;
      return;
    }
    bursts.front().answers.push_back(seen.r.payload);
    if (seen.r.payload.last) {
      finished_reads.push_back(std::move(bursts.front()));
      bursts.pop_front();
      --open_;
    }
  }
}

void AxiManagerAgent::sample() {
  const golden::axi::Cycle seen = pins_.cycle();
  checker_.observe(seen);
  sample_answers(seen);
  if (seen.aw.moves()) {
    Burst burst = std::move(writes_due_.front());
    writes_due_.pop_front();
    data_due_.insert(data_due_.end(), burst.beats.begin(), burst.beats.end());
    writes_open_[burst.address.id].push_back(std::move(burst));
    ++open_;
    aw_taken_ = true;
  }
  if (seen.w.moves()) {
    data_due_.pop_front();
    w_taken_ = true;
  }
  if (seen.ar.moves()) {
    reads_open_[reads_due_.front().address.id].push_back(std::move(reads_due_.front()));
    reads_due_.pop_front();
    ++open_;
    ar_taken_ = true;
  }
}

void AxiManagerAgent::drive() {
  if (std::exchange(aw_taken_, false)) pins_.aw_valid = 0;
  if (std::exchange(w_taken_, false)) pins_.w_valid = 0;
  if (std::exchange(ar_taken_, false)) pins_.ar_valid = 0;
  if (!pins_.aw_valid && !writes_due_.empty() && chance()) {
    const auto& a = writes_due_.front().address;
    pins_.aw_valid = 1;
    pins_.aw_id = a.id;
    pins_.aw_addr = a.addr;
    pins_.aw_len = a.len;
  }
  if (!pins_.w_valid && !data_due_.empty() && chance()) {
    pins_.w_valid = 1;
    pins_.w_data = data_due_.front().data;
    pins_.w_strb = data_due_.front().strb;
    pins_.w_last = data_due_.front().last;
  }
  if (!pins_.ar_valid && !reads_due_.empty() && chance()) {
    const auto& a = reads_due_.front().address;
    pins_.ar_valid = 1;
    pins_.ar_id = a.id;
    pins_.ar_addr = a.addr;
    pins_.ar_len = a.len;
  }
  pins_.b_ready = chance();
  pins_.r_ready = chance();
}

}  // namespace tb::blocks
