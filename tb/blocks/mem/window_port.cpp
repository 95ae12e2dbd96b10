#include "tb/blocks/mem/window_port.h"

#include <stdexcept>

namespace tb::blocks::mem {

WindowPort::WindowPort(BlockBench<Vmem_dut>& bench) : bench_(bench) { bench.add(*this); }

void WindowPort::begin(bool write, unsigned address, std::uint32_t data, unsigned strobes) {
  auto& dut = bench_.dut();
  dut.win_valid_i = 1;
  dut.win_write_i = write;
  dut.win_addr_i = static_cast<std::uint16_t>(address);
  dut.win_wdata_i = data;
  dut.win_strb_i = static_cast<std::uint8_t>(strobes);
  busy_ = true;
  answer_.reset();
}

std::optional<WindowPort::Answer> WindowPort::take() {
  auto answer = answer_;
  answer_.reset();
  return answer;
}

void WindowPort::sample() {
  const auto& dut = bench_.dut();
  if (busy_ && dut.win_ready_o) answer_ = Answer{dut.win_rdata_o, dut.win_error_o != 0};
}

void WindowPort::drive() {
  if (!busy_ || !answer_) return;
  bench_.dut().win_valid_i = 0;
  busy_ = false;
}

WindowPort::Answer WindowPort::wait() {
  if (!bench_.cycle_until([this] { return !busy_; }, 1000)) throw std::runtime_error("no answer at the host window");
  return *take();
}

WindowPort::Answer WindowPort::read(unsigned address) {
  begin(false, address, 0, 0);
  return wait();
}

bool WindowPort::write(unsigned address, std::uint32_t data, unsigned strobes) {
  begin(true, address, data, strobes);
  return wait().error;
}

std::uint64_t WindowPort::read_word(unsigned word) {
  const std::uint64_t low = read(word * 8).data;
  return low | std::uint64_t{read(word * 8 + 4).data} << 32U;
}

}  // namespace tb::blocks::mem
