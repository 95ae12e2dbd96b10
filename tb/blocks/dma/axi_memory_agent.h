#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tb/blocks/block_bench.h"
#include "tb/blocks/dma/axi_pins.h"
#include "tb/golden/axi/protocol_checker.h"
#include "tb/golden/axi/sparse_memory.h"

namespace tb::blocks {

/// How a memory behaves on the bus; may change at any time.
struct MemoryManners {
  unsigned least_latency = 1;  ///< cycles from the last request beat to the first answer
  unsigned most_latency = 1;
  double ready = 1.0;    ///< chance of each READY in a cycle
  double answer = 1.0;   ///< chance that a due answer shows in a cycle
  bool reorder = false;  ///< answers of different IDs overtake one another and interleave
  bool frozen = false;   ///< no READY and no new answers
};

/// A memory behind an AXI4 manager port, with injected bus errors and a protocol checker. A write reaches the memory
/// when its response is shown, not before, so whatever trusts it earlier reads old data.
class AxiMemoryAgent : public Agent {
 public:
  AxiMemoryAgent(std::string name, AxiPins pins, golden::axi::SparseMemory& memory, std::uint64_t seed);

  void sample() override;
  void drive() override;
  /// Forgets what is open, as the manager's reset does.
  void reset();

  MemoryManners manners;
  golden::axi::Response error = golden::axi::Response::slverr;  ///< what faults answer
  std::set<std::uint64_t> read_faults;                          ///< 8-byte words that answer reads with `error`
  std::set<std::uint64_t> write_faults;                         ///< a write burst that touches one fails

  const golden::axi::ProtocolChecker& checker() const { return checker_; }
  bool idle() const;
  /// Bursts asked for so far; a test may clear them.
  std::vector<golden::axi::Address> reads;
  std::vector<golden::axi::Address> writes;

 private:
  struct Write {
    golden::axi::Address address;
    std::vector<golden::axi::WriteBeat> beats;
    std::uint64_t due = 0;
    bool complete = false;
  };
  struct Read {
    golden::axi::Address address;
    unsigned beat = 0;
    std::uint64_t due = 0;
  };

  bool chance(double p) { return p >= 1.0 || std::bernoulli_distribution(p)(random_); }
  std::uint64_t latency();
  template <class Queue, class Ready>
  std::optional<std::size_t> pick(const Queue& queue, Ready ready);
  golden::axi::Response apply(const Write& write);
  void drive_b();
  void drive_r();

  AxiPins pins_;
  golden::axi::SparseMemory& memory_;
  golden::axi::ProtocolChecker checker_;
  std::mt19937_64 random_;
  std::uint64_t now_ = 0;
  golden::axi::Cycle seen_;
  std::deque<Write> writes_;
  std::deque<Read> reads_;
  bool b_waits_ = false;
  bool r_waits_ = false;
};

}  // namespace tb::blocks
