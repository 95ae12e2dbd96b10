#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tb/blocks/block_bench.h"
#include "tb/blocks/dma/axi_pins.h"
#include "tb/golden/axi/protocol_checker.h"

namespace tb::blocks {

/// Issues bursts on an AXI4 subordinate port in random order of timing, and keeps what comes back.
class AxiManagerAgent : public Agent {
 public:
  struct Burst {
    golden::axi::Address address;
    std::vector<golden::axi::WriteBeat> beats;   ///< of a write
    std::vector<golden::axi::ReadBeat> answers;  ///< of a read
    golden::axi::WriteResponse response;         ///< of a write
    unsigned tag = 0;                            ///< the caller's own
  };

  AxiManagerAgent(std::string name, AxiPins pins, std::uint64_t seed);
  void sample() override;
  void drive() override;
  void reset();

  void read(const golden::axi::Address& address, unsigned tag) { reads_due_.push_back({address, {}, {}, {}, tag}); }
  void write(const golden::axi::Address& address, std::vector<golden::axi::WriteBeat> beats, unsigned tag) {
    writes_due_.push_back({address, std::move(beats), {}, {}, tag});
  }
  std::size_t open() const { return open_; }
  std::size_t waiting() const { return reads_due_.size() + writes_due_.size(); }

  double eager = 1.0;  ///< chance of each VALID and READY in a cycle
  std::vector<Burst> finished_reads;
  std::vector<Burst> finished_writes;
  /// Answers that belong to nothing of ours; must stay 0.
  unsigned strays = 0;
  const golden::axi::ProtocolChecker& checker() const { return checker_; }

 private:
  bool chance() { return eager >= 1.0 || std::bernoulli_distribution(eager)(random_); }
  void sample_answers(const golden::axi::Cycle& seen);

  AxiPins pins_;
  golden::axi::ProtocolChecker checker_;
  std::mt19937_64 random_;
  std::deque<Burst> reads_due_;
  std::deque<Burst> writes_due_;
  std::deque<golden::axi::WriteBeat> data_due_;
  std::map<unsigned, std::deque<Burst>> reads_open_;   ///< by ID
  std::map<unsigned, std::deque<Burst>> writes_open_;  ///< by ID
  std::size_t open_ = 0;
  bool aw_taken_ = false;
  bool w_taken_ = false;
  bool ar_taken_ = false;
};

}  // namespace tb::blocks
