#pragma once

#include <Vflit_end.h>

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "tb/blocks/dice.h"
#include "tb/blocks/link/link_pair.h"

namespace tb::blocks::link {

/// Two links below their bridges.
class FlitBench : public LinkPair<Vflit_end> {
 protected:
  void quiet(Vflit_end& dut) override;
};

/// The one bench of this program, reset.
FlitBench& fresh_flit_bench();

/// What a flit of packet `serial` of a class must be; flit 0 is the head.
std::uint64_t flit_data(std::uint64_t seed, unsigned traffic, std::uint32_t serial, unsigned index);
/// Flits of packet `serial` of a class, its head among them: 1 to 19.
unsigned flit_count(std::uint64_t seed, unsigned traffic, std::uint32_t serial);

/// Sends packets of all classes, each as soon as there is credit for all of it; gives one up that the end of the
/// session cuts off.
class FlitSource : public Agent {
 public:
  /// `idle_in`: begins no packet in one cycle of `idle_in`; 0: always sends. `seed` says what is in the packets.
  FlitSource(BlockBench<Vflit_end>& bench, std::uint64_t seed, unsigned idle_in);
  void stop() { stopped_ = true; }
  /// Touches nothing any more, not even to end a packet.
  void switch_off() { off_ = true; }
  /// After stop: everything went out.
  bool done() const { return stopped_ && left_ == 0; }
  std::uint64_t flits() const { return flits_; }
  std::uint32_t packets(unsigned traffic) const { return serial_.at(traffic); }
  void sample() override;
  void drive() override;

 private:
  void begin_packet();

  BlockBench<Vflit_end>& bench_;
  std::uint64_t seed_;
  Dice dice_;
  unsigned idle_in_;
  std::array<std::uint32_t, 3> serial_{};
  unsigned traffic_ = 0;
  unsigned index_ = 0;
  unsigned left_ = 0;
  std::uint64_t flits_ = 0;
  bool taken_ = false;
  bool given_up_ = false;
  bool stopped_ = false;
  bool off_ = false;
};

/// Takes flits out of the queues and compares each with what was sent: nothing wrong, lost, repeated or reordered.
class FlitSink : public Agent {
 public:
  FlitSink(BlockBench<Vflit_end>& bench, std::uint64_t seed, unsigned idle_in);
  /// One in `idle_in` cycles a queue is not read; 1: never read.
  void set_idle_in(unsigned idle_in) { idle_in_ = idle_in; }
  std::uint64_t flits() const { return flits_; }
  std::uint32_t packets(unsigned traffic) const { return serial_.at(traffic); }
  const std::vector<std::string>& violations() const { return violations_; }
  void switch_off() { off_ = true; }
  void sample() override;
  void drive() override;

 private:
  void take(unsigned traffic, std::uint64_t data);

  BlockBench<Vflit_end>& bench_;
  std::uint64_t seed_;
  Dice dice_;
  unsigned idle_in_;
  std::array<std::uint32_t, 3> serial_{};
  std::array<unsigned, 3> index_{};
  std::uint64_t flits_ = 0;
  std::vector<std::string> violations_;
  bool off_ = false;
};

}  // namespace tb::blocks::link
