#include "tb/blocks/link/axi_responder.h"

namespace tb::blocks::link {

using golden::axi::Response;

AxiResponder::AxiResponder(BlockBench<Vlink_end>& bench, std::uint64_t seed, unsigned idle_in)
    : bench_(bench), dice_(seed), idle_in_(idle_in), checker_("accesses from the other side") {
  bench.add(*this);
}

golden::axi::Cycle AxiResponder::pins() const {
  const Vlink_end& d = bench_.dut();
  golden::axi::Cycle c;
  c.aw = {d.m_aw_valid_o != 0, d.m_aw_ready_i != 0, {d.m_aw_id_o, d.m_aw_addr_o, d.m_aw_len_o}};
  c.w = {d.m_w_valid_o != 0, d.m_w_ready_i != 0, {d.m_w_data_o, d.m_w_strb_o, d.m_w_last_o != 0}};
  c.b = {d.m_b_valid_i != 0, d.m_b_ready_o != 0, {d.m_b_id_i, static_cast<Response>(d.m_b_resp_i)}};
  c.ar = {d.m_ar_valid_o != 0, d.m_ar_ready_i != 0, {d.m_ar_id_o, d.m_ar_addr_o, d.m_ar_len_o}};
  c.r = {d.m_r_valid_i != 0,
         d.m_r_ready_o != 0,
         {d.m_r_id_i, d.m_r_data_i, static_cast<Response>(d.m_r_resp_i), d.m_r_last_i != 0}};
  return c;
}

bool AxiResponder::inside(const golden::axi::Address& address) const {
  return address.addr >= base && address.addr + (address.len + 1U) * golden::axi::bytes_per_beat <= base + bytes;
}

void AxiResponder::sample() {
  seen_ = pins();
  checker_.observe(seen_);
  take(seen_);
}

void AxiResponder::take(const golden::axi::Cycle& cycle) {
  if (cycle.aw.moves()) {
    if (!inside(cycle.aw.payload)) ++strays_;
    writes_.push_back({cycle.aw.payload, 0, fail_write_});
    fail_write_ = false;
  }
  // Write data is taken only once its address is there (see drive).
  if (cycle.w.moves()) {
    Burst& burst = writes_.front();
    if (!burst.fails)
      memory_.write64(burst.address.addr + 8ULL * burst.beat, cycle.w.payload.data, cycle.w.payload.strb);
    ++burst.beat;
    if (cycle.w.payload.last) {
      answers_.push_back(burst);
      writes_.pop_front();
    }
  }
  if (cycle.b.moves()) answers_.pop_front();
  if (cycle.ar.moves()) {
    if (!inside(cycle.ar.payload)) ++strays_;
    reads_.push_back({cycle.ar.payload, 0, fail_read_});
    fail_read_ = false;
  }
  if (cycle.r.moves()) {
    if (cycle.r.payload.last)
      reads_.pop_front();
    else
      ++reads_.front().beat;
  }
}

void AxiResponder::drive() {
  Vlink_end& d = bench_.dut();
  const bool b_waits = seen_.b.valid && !seen_.b.ready;
  const bool r_waits = seen_.r.valid && !seen_.r.ready;
  d.m_aw_ready_i = !stuck_ && !pauses();
  d.m_ar_ready_i = !stuck_ && !pauses();
  d.m_w_ready_i = !stuck_ && !writes_.empty() && !pauses();
  if (!b_waits) {
    d.m_b_valid_i = !stuck_ && !answers_.empty() && !pauses();
    if (d.m_b_valid_i) {
      d.m_b_id_i = answers_.front().address.id;
      d.m_b_resp_i = answers_.front().fails ? 2 : 0;
    }
  }
  if (!r_waits) {
    d.m_r_valid_i = !stuck_ && !reads_.empty() && !pauses();
    if (d.m_r_valid_i) {
      const Burst& burst = reads_.front();
      d.m_r_id_i = burst.address.id;
      d.m_r_data_i = memory_.read64(burst.address.addr + 8ULL * burst.beat);
      d.m_r_resp_i = burst.fails ? 2 : 0;
      d.m_r_last_i = burst.beat == burst.address.len;
    }
  }
}

}  // namespace tb::blocks::link
