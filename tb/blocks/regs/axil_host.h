#pragma once

#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include "tb/blocks/block_bench.h"

namespace tb::regs {

enum class Resp : std::uint8_t { Okay = 0, ExOkay = 1, SlvErr = 2, DecErr = 3 };

struct Access {
  bool write = false;
  std::uint32_t addr = 0;
  std::uint32_t data = 0;
  std::uint8_t strb = 0xf;
};
struct Answer {
  Access access;
  Resp resp = Resp::Okay;
  std::uint32_t data = 0;  // reads
  std::uint64_t cycles =
      0;  // reference cycles from the cycle in which all of the request was taken to the answer's first valid
};

/// When which clock of the two rises: every n-th tick of the bench. The core clock can stand still.
struct ClockPlan {
  unsigned ref_every = 1;
  unsigned core_every = 1;
  bool core_runs = true;
  std::uint64_t tick = 0;

  bool ref_rises() const { return tick % ref_every == 0; }
  bool core_rises() const { return core_runs && tick % core_every == 0; }
};

/// The pins of a verilated AXI4-Lite port.
struct HostPins {
  CData &awvalid, &awready;
  IData& awaddr;
  CData &wvalid, &wready;
  IData& wdata;
  CData &wstrb, &bvalid, &bready, &bresp, &arvalid, &arready;
  IData& araddr;
  CData &rvalid, &rready;
  IData& rdata;
  CData& rresp;
};

/// An AXI4-Lite manager. Address and data of writes go out independently of each other, each after a random pause;
/// answers are fetched after random pauses. `eagerness` is the chance in percent that something that could happen in a
/// cycle does: 100 is as fast as the protocol allows.
class AxilHost : public blocks::Agent {
 public:
  AxilHost(const HostPins& pins, const ClockPlan& clocks) : pins_(pins), clocks_(clocks) {}

  void restart(std::uint64_t seed, unsigned eagerness);
  void issue(const Access& access);
  /// Issued and not answered yet, in order of issue.
  const std::deque<Access>& open_writes() const { return open_writes_; }
  const std::deque<Access>& open_reads() const { return open_reads_; }
  bool idle() const { return open_writes_.empty() && open_reads_.empty(); }
  /// Answers since the last call, in order of arrival.
  std::vector<Answer> take();

  void sample() override;
  void drive() override;

 private:
  bool lucky() { return std::uniform_int_distribution<unsigned>(0, 99)(random_) < eagerness_; }
  void sample_answers();
  void drive_requests();

  HostPins pins_;
  const ClockPlan& clocks_;
  std::mt19937_64 random_;
  unsigned eagerness_ = 100;
  std::uint64_t cycle_ = 0;
  std::deque<Access> aw_, w_, ar_;  // still to be sent
  std::deque<Access> open_writes_, open_reads_;
  std::deque<std::uint64_t> aw_taken_, w_taken_, ar_taken_;
  bool aw_fire_ = false, w_fire_ = false, ar_fire_ = false;
  bool b_seen_ = false, r_seen_ = false;
  std::uint64_t b_first_ = 0, r_first_ = 0;
  std::vector<Answer> answers_;
};

}  // namespace tb::regs
