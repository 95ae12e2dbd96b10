#pragma once

#include <cstdint>
#include <random>
#include <vector>

class VerilatedContext;

namespace tb {

/// Faults of the tensor engine's cells: what a defect would do to a wire or to a memory cell of the verilated chip, at
/// each core clock edge. The RTL knows nothing of it.
class TensorFaults {
 public:
  static constexpr unsigned rows = 8;
  static constexpr unsigned columns = 8;
  static constexpr unsigned partition_bytes = 0x4000;

  /// @param context of the chip, which must exist
  TensorFaults(const VerilatedContext& context, std::uint64_t seed) : context_(context), random_(seed) {}

  /// A cell of the scratchpad that is stuck at one. @param bit 0..71 of the code word
  void set_stuck_cell(unsigned partition, unsigned word, unsigned bit);
  /// The multiply-add of a PE gives each sum with one bit wrong. @param bit 0..31
  void set_flipped_bit(unsigned row, unsigned column, unsigned bit);
  /// While the array has had a vector in each cycle for a while, a sum of the column gets a wrong bit now and then.
  void set_weak_column(unsigned column);

  bool any() const { return stuck_.word != nullptr || flipped_.sum != nullptr || !weak_.empty(); }
  /// Before the rising edge. @param core_activity of the zone, as at the pins
  void before_edge(unsigned core_activity);
  void after_edge();

 private:
  struct StuckBit {
    std::uint32_t* word = nullptr;  // 32 bits of the row
    std::uint32_t mask = 0;
  };
  struct FlippedBit {
    std::uint32_t* sum = nullptr;  // what the PE's last register takes at the next edge
    std::uint32_t mask = 0;
  };
  std::uint32_t* sum_of(unsigned row, unsigned column) const;

  const VerilatedContext& context_;
  std::mt19937_64 random_;
  StuckBit stuck_;
  FlippedBit flipped_;
  std::vector<std::uint32_t*> weak_;  // sums of a column, top to bottom
  unsigned loaded_cycles_ = 0;
};

}  // namespace tb
