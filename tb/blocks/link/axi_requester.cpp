#include "tb/blocks/link/axi_requester.h"

#include <algorithm>
#include <stdexcept>

namespace tb::blocks::link {

using golden::axi::Response;

bool Access::okay() const {
  return done && std::all_of(resp.begin(), resp.end(), [](Response r) { return r == Response::okay; });
}

AxiRequester::AxiRequester(BlockBench<Vlink_end>& bench, std::uint64_t seed, unsigned idle_in)
    : bench_(bench), dice_(seed), idle_in_(idle_in), checker_("requests") {
  bench.add(*this);
}

Access AxiRequester::read(std::uint64_t addr, unsigned beats, std::uint8_t id) {
  Access access;
  access.id = id;
  access.addr = addr;
  access.beats = beats;
  return access;
}

Access AxiRequester::write(std::uint64_t addr, std::vector<std::uint64_t> data, std::uint8_t id) {
  Access access;
  access.write = true;
  access.id = id;
  access.addr = addr;
  access.beats = static_cast<unsigned>(data.size());
  access.strb.assign(data.size(), 0xFF);
  access.data = std::move(data);
  return access;
}

std::size_t AxiRequester::submit(Access access) {
  const std::size_t handle = accesses_.size();
  (access.write ? writes_ : reads_).push_back(handle);
  accesses_.push_back(std::move(access));
  ++open_;
  return handle;
}

golden::axi::Cycle AxiRequester::pins() const {
  const Vlink_end& d = bench_.dut();
  golden::axi::Cycle c;
  c.aw = {d.s_aw_valid_i != 0, d.s_aw_ready_o != 0, {d.s_aw_id_i, d.s_aw_addr_i, d.s_aw_len_i}};
  c.w = {d.s_w_valid_i != 0, d.s_w_ready_o != 0, {d.s_w_data_i, d.s_w_strb_i, d.s_w_last_i != 0}};
  c.b = {d.s_b_valid_o != 0, d.s_b_ready_i != 0, {d.s_b_id_o, static_cast<Response>(d.s_b_resp_o)}};
  c.ar = {d.s_ar_valid_i != 0, d.s_ar_ready_o != 0, {d.s_ar_id_i, d.s_ar_addr_i, d.s_ar_len_i}};
  c.r = {d.s_r_valid_o != 0,
         d.s_r_ready_i != 0,
         {d.s_r_id_o, d.s_r_data_o, static_cast<Response>(d.s_r_resp_o), d.s_r_last_o != 0}};
  return c;
}

void AxiRequester::sample() {
  seen_ = pins();
  checker_.observe(seen_);
  take_responses(seen_);
}

void AxiRequester::take_responses(const golden::axi::Cycle& cycle) {
  if (cycle.b.moves()) {
    auto& waiting = write_answers_[cycle.b.payload.id];
    if (waiting.empty()) throw std::runtime_error("a write response that nothing waits for");
    Access& access = accesses_[waiting.front()];
    access.resp = {cycle.b.payload.resp};
    access.done = true;
    access.finished = bench_.cycles();
    waiting.pop_front();
    --open_;
  }
  if (cycle.r.moves()) {
    auto& waiting = read_answers_[cycle.r.payload.id];
    if (waiting.empty()) throw std::runtime_error("read data that nothing waits for");
    Access& access = accesses_[waiting.front()];
    access.resp.push_back(cycle.r.payload.resp);
    access.data.push_back(cycle.r.payload.data);
    if (cycle.r.payload.last) {
      access.done = true;
      access.finished = bench_.cycles();
      waiting.pop_front();
      --open_;
    }
  }
}

void AxiRequester::drive_address(std::deque<std::size_t>& queue, bool write) {
  Vlink_end& d = bench_.dut();
  CData& valid = write ? d.s_aw_valid_i : d.s_ar_valid_i;
  if (write ? seen_.aw.moves() : seen_.ar.moves()) valid = 0;
  if (valid || queue.empty() || pauses()) return;
  const std::size_t handle = queue.front();
  queue.pop_front();
  const Access& access = accesses_[handle];
  valid = 1;
  (write ? d.s_aw_id_i : d.s_ar_id_i) = access.id;
  (write ? d.s_aw_addr_i : d.s_ar_addr_i) = access.addr;
  (write ? d.s_aw_len_i : d.s_ar_len_i) = static_cast<CData>(access.beats - 1);
  (write ? write_answers_ : read_answers_)[access.id].push_back(handle);
  if (write) data_.push_back(handle);
}

void AxiRequester::drive_data() {
  Vlink_end& d = bench_.dut();
  if (seen_.w.moves()) d.s_w_valid_i = 0;
  if (d.s_w_valid_i || data_.empty() || pauses()) return;
  const Access& access = accesses_[data_.front()];
  d.s_w_valid_i = 1;
  d.s_w_data_i = access.data[beat_];
  d.s_w_strb_i = access.strb[beat_];
  ++beat_;
  d.s_w_last_i = beat_ == access.data.size();
  if (d.s_w_last_i) {
    beat_ = 0;
    data_.pop_front();
  }
}

void AxiRequester::drive() {
  drive_address(writes_, true);
  drive_address(reads_, false);
  drive_data();
  bench_.dut().s_b_ready_i = !pauses();
  bench_.dut().s_r_ready_i = !pauses();
}

}  // namespace tb::blocks::link
