#include "tb/chip/host_port.h"

#include <utility>

#include "tb/chip/models.h"

namespace tb {

std::uint64_t HostPort::request(bool write, std::uint32_t address, std::uint32_t data, Done done) {
  Access access;
  access.id = next_id_++;
  access.write = write;
  access.address = address & 0xFFFFFFU;
  access.data = data;
  queue_.push_back({access, std::move(done)});
  return access.id;
}

void HostPort::cancel(std::uint64_t id) {
  for (auto it = queue_.begin(); it != queue_.end(); ++it) {
    if (it->access.id != id) continue;
    if (it == queue_.begin() && started_)
      it->done = nullptr;
    else
      queue_.erase(it);
    return;
  }
}

void HostPort::sample() {
  if (!started_) return;
  if (dut_.h_awvalid_i && dut_.h_awready_o) address_taken_ = true;
  if (dut_.h_arvalid_i && dut_.h_arready_o) address_taken_ = true;
  if (dut_.h_wvalid_i && dut_.h_wready_o) data_taken_ = true;
  if (dut_.h_bvalid_o && dut_.h_bready_i)
    finish(dut_.h_bresp_o, 0);
  else if (dut_.h_rvalid_o && dut_.h_rready_i)
    finish(dut_.h_rresp_o, dut_.h_rdata_o);
}

void HostPort::finish(unsigned response, std::uint32_t data) {
  Pending pending = std::move(queue_.front());
  queue_.pop_front();
  started_ = false;
  if (!pending.access.write) pending.access.data = data;
  pending.access.outcome = response == 0 ? Outcome::okay : response == 2 ? Outcome::slave_error : Outcome::decode_error;
  if (pending.done) pending.done(pending.access);
}

void HostPort::drive() {
  if (!started_ && !queue_.empty()) {
    started_ = true;
    address_taken_ = false;
    data_taken_ = false;
  }
  const Access idle;
  const Access& access = started_ ? queue_.front().access : idle;
  dut_.h_awvalid_i = started_ && access.write && !address_taken_;
  dut_.h_awaddr_i = access.address;
  dut_.h_wvalid_i = started_ && access.write && !data_taken_;
  dut_.h_wdata_i = access.data;
  dut_.h_wstrb_i = 0xF;
  dut_.h_bready_i = started_ && access.write;
  dut_.h_arvalid_i = started_ && !access.write && !address_taken_;
  dut_.h_araddr_i = access.address;
  dut_.h_rready_i = started_ && !access.write;
}

void HostPort::reset() {
  if (started_ && !queue_.empty()) queue_.pop_front();
  started_ = false;
  drive();
}

}  // namespace tb
