#include "tb/chip/tensor_faults.h"

#include <fmt/format.h>
#include <verilated.h>
#include <verilated_sym_props.h>

#include <stdexcept>
#include <string>

namespace tb {
namespace {

constexpr unsigned kLaneBits = 32;
constexpr unsigned kRowLanes = 3;         // of 32 bits that a code word of 72 takes
constexpr unsigned kVectorActivity = 30;  // of the core zone: a vector went into the array (rtl/README.md)
constexpr unsigned kLoadedAfter = 16;     // vectors without a gap
constexpr unsigned kOneIn = 48;           // loaded cycles
constexpr unsigned kLowestWeakBit = 8;    // of a sum: where the longest paths of the adder end
constexpr unsigned kWeakBits = 15;

/// A signal that tern.vlt has opened. @param scope within the tensor engine's core
void* signal(const VerilatedContext& context, const std::string& scope, const char* name) {
  // The model is named like its top.
  const std::string full = "tern.tern.i_tensor.u_core." + scope;
  const VerilatedScope* const found = context.scopeFind(full.c_str());
  const VerilatedVar* const variable = found != nullptr ? found->varFind(name) : nullptr;
  if (variable == nullptr) throw std::logic_error(fmt::format("the chip has no open signal {}.{}", full, name));
  return variable->datap();
}

}  // namespace

std::uint32_t* TensorFaults::sum_of(unsigned row, unsigned column) const {
  const std::string scope = fmt::format("u_array.gen_step[{}].gen_column[{}].u_cell.u_fma", 2 * row, column);
  return static_cast<std::uint32_t*>(signal(context_, scope, "result"));
}

void TensorFaults::set_stuck_cell(unsigned partition, unsigned word, unsigned bit) {
  const std::string scope = fmt::format("gen_partition[{}].u_spad.u_array", partition);
  auto* const memory = static_cast<std::uint32_t*>(signal(context_, scope, "mem"));
  stuck_ = {memory + std::size_t{kRowLanes} * word + bit / kLaneBits, 1U << (bit % kLaneBits)};
}

void TensorFaults::set_flipped_bit(unsigned row, unsigned column, unsigned bit) {
  flipped_ = {sum_of(row, column), 1U << bit};
}

void TensorFaults::set_weak_column(unsigned column) {
  weak_.clear();
  for (unsigned row = 0; row < rows; ++row) weak_.push_back(sum_of(row, column));
}

void TensorFaults::before_edge(unsigned core_activity) {
  if (flipped_.sum != nullptr) *flipped_.sum ^= flipped_.mask;
  if (weak_.empty()) return;
  loaded_cycles_ = core_activity >= kVectorActivity ? loaded_cycles_ + 1 : 0;
  if (loaded_cycles_ < kLoadedAfter || random_() % kOneIn != 0) return;
  *weak_.at(random_() % weak_.size()) ^= 1U << (kLowestWeakBit + random_() % kWeakBits);
}

void TensorFaults::after_edge() {
  if (stuck_.word != nullptr) *stuck_.word |= stuck_.mask;
}

}  // namespace tb
