#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tb/blocks/block_bench.h"
#include "tb/blocks/dma/axi_memory_agent.h"
#include "tb/blocks/dma/axi_pins.h"
#include "tb/golden/axi/protocol_checker.h"
#include "tb/golden/axi/sparse_memory.h"
#include "tb/golden/hbm/faulty_dram.h"
#include "tb/golden/hbm/training.h"

namespace tb::blocks::hbm {

/// The memories behind the controller's pins: an external memory whose byte lanes arrive right at the taps of their
/// eyes only and whose cells may be faulty, and the host's memory. A write reaches its memory when all its data are
/// there, bursts in the order of their addresses.
class HbmMemoryAgent : public Agent {
 public:
  HbmMemoryAgent(AxiPins pins, const QData& rd_delay, const QData& wr_delay, std::uint64_t seed);

  void sample() override;
  void drive() override;
  /// Forgets what is open and what is stored.
  void reset();

  MemoryManners manners;
  golden::hbm::Eyes eyes{};
  golden::hbm::FaultyDram dram;
  golden::axi::SparseMemory host;
  /// 8-byte words of the external memory, by byte offset, that answer reads or writes with SLVERR.
  std::set<std::uint64_t> bus_errors;
  /// Wrong bits that reads saw on each lane since it was cleared.
  std::array<unsigned, golden::hbm::kLanes> flipped{};
  unsigned strays = 0;  // accesses of neither memory

  const golden::axi::ProtocolChecker& checker() const { return checker_; }
  bool idle() const;
  std::uint64_t beats() const { return checker_.read_beats() + checker_.write_beats(); }

 private:
  struct Write {
    golden::axi::Address address;
    std::vector<golden::axi::WriteBeat> beats;
    std::uint64_t due = 0;
    bool complete = false;
    golden::axi::Response response = golden::axi::Response::okay;
  };
  struct Read {
    golden::axi::Address address;
    unsigned beat = 0;
    std::uint64_t due = 0;
  };

  bool chance(double p) { return p >= 1.0 || std::bernoulli_distribution(p)(random_); }
  std::uint64_t latency();
  /// What the taps make of a word.
  std::uint64_t through(std::uint64_t word, const QData& delay, bool write);
  void apply(Write& write);
  void drive_b();
  void drive_r();
  template <class Queue, class Ready>
  std::optional<std::size_t> pick(const Queue& queue, Ready ready);

  AxiPins pins_;
  const QData& rd_delay_;
  const QData& wr_delay_;
  golden::axi::ProtocolChecker checker_;
  std::mt19937_64 random_;
  std::uint64_t now_ = 0;
  std::deque<Write> writes_;
  std::deque<Read> reads_;
  bool b_waits_ = false;
  bool r_waits_ = false;
};

}  // namespace tb::blocks::hbm
