#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lab/arithmetic/gemm.h"
#include "lab/core/bench_time.h"

namespace firstlight {

/// Core cycles of a product, from its first instruction or move to its last, by the engine's own counters. Each cycle
/// is one of `active`, `held` and `idle`.
struct GemmCycles {
  std::uint64_t active = 0;     // the array took a vector
  std::uint64_t held = 0;       // a vector waited: for operands, accumulators, or a limit
  std::uint64_t idle = 0;       // there was no instruction
  std::uint64_t throttled = 0;  // of `active`: while a limit held
  std::uint64_t total() const { return active + held + idle; }
  /// Cycles in which there was an instruction for a vector.
  std::uint64_t busy() const { return active + held; }
  /// Share of all cycles in which the array took a vector.
  double utilisation() const { return share_of(total()); }
  /// The same of those with an instruction: without the first fetch and the last stores.
  double sustained() const { return share_of(busy()); }

 private:
  double share_of(std::uint64_t cycles) const {
    return cycles > 0 ? static_cast<double>(active) / static_cast<double>(cycles) : 0;
  }
};

struct GemmOutcome {
  arithmetic::GemmResult result;
  GemmCycles cycles;
};

/// An element of C that is not what it should be; codes in the format of C.
struct GemmWrong {
  std::size_t m = 0;
  std::size_t n = 0;
  std::uint32_t expected = 0;
  std::uint32_t found = 0;
};

/// Where to look for what made a product wrong; empty when nothing is known.
struct GemmSuspect {
  std::string part;  // "column 3 of the array", "PE row 2 column 5 of the array", "partition 4 of the scratchpad"
  std::string why;   // what in the wrong elements says so
};

/// When a product begins: with the first operands, while the others are on their way, or when all of them are in the
/// scratchpad.
enum class GemmStart : std::uint8_t { streamed, preloaded };

/// What carries out products of any size, with operands and result in its memory.
class GemmEngine {
 public:
  static constexpr std::string_view kName = "gemm";

  GemmEngine() = default;
  GemmEngine(const GemmEngine&) = delete;
  GemmEngine& operator=(const GemmEngine&) = delete;
  virtual ~GemmEngine() = default;

  virtual std::string part() const = 0;
  virtual arithmetic::GemmOrder order() = 0;
  /// Operations (a multiply-add is two) that the array does in a cycle at most.
  virtual double peak(const arithmetic::GemmOptions& options) = 0;
  /// Bytes a cycle between memory and scratchpad, each way, at most.
  virtual double memory_bytes_per_cycle() = 0;
  /// Cycles in which the array takes a vector: those of a product that nothing ever holds up.
  virtual std::uint64_t ideal_cycles(const arithmetic::GemmShape& shape, const arithmetic::GemmOptions& options) = 0;

  /// Brings the operands into memory, runs the product and brings C back. Generators of stochastic rounding begin at 1.
  /// Cycles are counted from the product's beginning, which with `preloaded` is after all moves into the scratchpad.
  /// Throws std::invalid_argument for what arithmetic::gemm_reference refuses and for operands that shall be preloaded
  /// and do not fit, and FailureError when the engine stops with an error, a move fails, or it does not end in time.
  virtual GemmOutcome run(const arithmetic::GemmShape& shape, const arithmetic::GemmOptions& options,
                          const arithmetic::GemmOperands& operands, GemmStart start, Instant deadline) = 0;

  /// @param wrong at least one
  virtual GemmSuspect suspect(const arithmetic::GemmShape& /*shape*/, const arithmetic::GemmOptions& /*options*/,
                              const arithmetic::GemmOperands& /*operands*/, const std::vector<GemmWrong>& /*wrong*/) {
    return {};
  }
};

}  // namespace firstlight
