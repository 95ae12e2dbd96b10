#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "Vmem_dut.h"
#include "tb/blocks/block_bench.h"
#include "tb/blocks/dice.h"

namespace tb::blocks::mem {

struct AxiBeat {
  std::uint64_t data = 0;
  unsigned strobes = 0xff;
  unsigned response = 0;
};

/// One INCR burst of full width. Reads come back with data and a response a beat, writes with one response.
struct AxiBurst {
  bool write = false;
  unsigned id = 0;
  unsigned word = 0;  // first 64-bit word of the SRAM
  std::vector<AxiBeat> beats;
  unsigned response = 0;
};

/// An AXI manager that queues bursts, and wavers on every handshake with a given probability. The SRAM answers in
/// order; anything else (a wrong ID, a wrong last, an answer without a request) throws std::runtime_error.
class AxiPort : public Agent {
 public:
  explicit AxiPort(BlockBench<Vmem_dut>& bench);

  void issue(AxiBurst burst);
  /// Bursts whose answers are complete, in the order of completion; taken once.
  std::vector<AxiBurst> take_done();
  bool idle() const { return reads_.empty() && writes_.empty(); }
  std::size_t outstanding() const { return reads_.size() + writes_.size(); }
  void set_waver(double probability, std::uint64_t seed);
  /// Forgets everything, for a reset.
  void clear();

  /// Issues one burst and waits for its answer.
  AxiBurst run(AxiBurst burst);

  void sample() override;
  void drive() override;

 private:
  bool waver();
  void take_b();
  void take_r();
  void drive_aw();
  void drive_w();
  void drive_ar();

  BlockBench<Vmem_dut>& bench_;
  std::deque<AxiBurst> writes_;  // until B
  std::deque<AxiBurst> reads_;   // until the last R
  std::size_t aw_sent_ = 0;      // of writes_
  std::size_t w_burst_ = 0;      // of writes_
  std::size_t w_beat_ = 0;
  std::size_t ar_sent_ = 0;  // of reads_
  std::size_t r_beat_ = 0;
  std::vector<AxiBurst> done_;
  double waver_ = 0;
  Dice dice_{0};
  bool aw_taken_ = false;
  bool w_taken_ = false;
  bool ar_taken_ = false;
};

}  // namespace tb::blocks::mem
