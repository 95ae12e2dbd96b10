#include "tb/blocks/tensor/instruction_port.h"

namespace tb::blocks::tensor {

void InstructionPort::drop() {
  waiting_.clear();
  bench_.dut().instr_valid_i = 0;
}

void InstructionPort::sample() {
  const Model& dut = bench_.dut();
  if (dut.instr_valid_i == 0 || dut.instr_ready_o == 0) return;
  waiting_.pop_front();
  gap_ = longest_gap_ == 0 ? 0 : dice_.below(longest_gap_ + 1);
}

void InstructionPort::drive() {
  Model& dut = bench_.dut();
  if (gap_ > 0) --gap_;
  const bool offer = !waiting_.empty() && gap_ == 0;
  dut.instr_valid_i = offer ? 1 : 0;
  if (!offer) return;
  for (std::size_t w = 0; w < waiting_.front().size(); ++w) dut.instr_i[w] = waiting_.front().at(w);
}

}  // namespace tb::blocks::tensor
