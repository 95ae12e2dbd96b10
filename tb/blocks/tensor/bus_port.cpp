#include "tb/blocks/tensor/bus_port.h"

#include <stdexcept>

namespace tb::blocks::tensor {

BusPort::Answer BusPort::access(const Access& access) {
  wanted_.push_back(access);
  answered_ = false;
  if (!bench_.cycle_until([this] { return answered_; }, 20000)) throw std::runtime_error("no answer on the data bus");
  return answer_;
}

void BusPort::sample() {
  const Model& dut = bench_.dut();
  if (dut.bus_valid_i == 0 || dut.bus_ready_o == 0) return;
  busy_ = false;
  if (!ours_) return;
  answered_ = true;
  answer_ = {dut.bus_data_o, dut.bus_error_o != 0};
}

void BusPort::offer(const Access& access) {
  Model& dut = bench_.dut();
  dut.bus_valid_i = 1;
  dut.bus_write_i = access.write ? 1 : 0;
  dut.bus_partition_i = access.partition & 0xfU;
  dut.bus_addr_i = access.word & 0x7ffU;
  dut.bus_data_i = access.data;
  dut.bus_strb_i = access.strobes & 0xffU;
  busy_ = true;
}

void BusPort::drive() {
  if (busy_) return;
  bench_.dut().bus_valid_i = 0;
  ours_ = !wanted_.empty();
  if (ours_) {
    offer(wanted_.front());
    wanted_.pop_front();
  } else if (disturb_ && !dice_.one_in(4)) {
    offer({false, dice_.below(16), dice_.below(2048), 0, 0});
  }
}

}  // namespace tb::blocks::tensor
