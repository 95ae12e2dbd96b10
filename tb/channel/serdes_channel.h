#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>

#include "tb/channel/eye.h"

namespace tb {

/// One direction of the board's SerDes traces: four lanes of 16 bits a core cycle, bit 0 of a word first on the wire.
/// Word and idle masks are packed as on the chip's pins: lane l is bits 16 l + 15 .. 16 l, and bit l. What it does to a
/// lane may change at any time. The same seed and calls give the same bits; a lane without errors costs no random
/// numbers.
class SerdesChannel {
 public:
  static constexpr unsigned lanes = 4;
  static constexpr unsigned bits_per_word = 16;
  static constexpr unsigned max_skew = 63;     // bits
  static constexpr unsigned max_latency = 64;  // cycles

  enum class Condition {
    alive,
    electrical_idle,  ///< open: the receiver sees no signal
    stuck_low,        ///< a signal, but the bits never change
    stuck_high,
  };

  struct Received {
    std::uint64_t word = 0;
    std::uint8_t idle = 0;  ///< lanes in electrical idle; their bits read 0
    bool operator==(const Received& o) const { return word == o.word && idle == o.idle; }
  };

  /// `latency`: whole cycles from end to end, 0 to max_latency. Throws std::out_of_range beyond.
  explicit SerdesChannel(std::uint64_t seed, unsigned latency = 0);

  /// One core cycle: what is sent, and what arrives in the same cycle.
  Received exchange(std::uint64_t tx_word, std::uint8_t tx_idle);

  // Settings, by receive lane. All throw std::out_of_range on a lane beyond 3 or a value out of range.

  /// Bits by which this lane is later than the fastest, 0 to 63.
  void set_skew(unsigned lane, unsigned bits);
  void set_inverted(unsigned lane, bool inverted);
  /// Probability that a bit is wrong, 0 to 1.
  void set_bit_error_rate(unsigned lane, double probability);
  void set_condition(unsigned lane, Condition condition);
  /// The analog side of a lane. Its errors at the place where data is sampled come besides those of the bit error rate.
  void set_eye(unsigned lane, const Eye& eye);
  /// `source[l]`: the transmit lane that receive lane l is wired to. Must be a permutation.
  void set_wiring(const std::array<unsigned, lanes>& source);
  /// Inverts one bit in each of the next `words` words of this lane, besides the random errors.
  void corrupt(unsigned lane, unsigned words);
  /// 0 to max_latency whole cycles.
  void set_latency(unsigned cycles);

  /// What a second sampler of this receive lane sees of the word that the last `exchange` gave: the bits as they were
  /// sent, with the errors of its own place in the eye.
  std::uint16_t look(unsigned lane, const EyePlace& place);

  const Eye& eye(unsigned lane) const { return lane_.at(lane).eye; }
  unsigned skew(unsigned lane) const { return lane_.at(lane).skew; }
  double bit_error_rate(unsigned lane) const { return lane_.at(lane).error_rate; }
  Condition condition(unsigned lane) const { return lane_.at(lane).condition; }
  /// Bits inverted by errors (not by polarity) on this lane while it carried a signal.
  std::uint64_t errors(unsigned lane) const { return lane_.at(lane).errors; }
  /// Cycles exchanged.
  std::uint64_t cycles() const { return cycles_; }

  /// Straight, clean, alive, in step, with an open eye; keeps the random state, the counts and the latency.
  void repair();

 private:
  struct Lane {
    unsigned source = 0;
    unsigned skew = 0;
    Condition condition = Condition::alive;
    std::uint16_t invert = 0;
    double set_error_rate = 0;  ///< besides what the eye brings
    double error_rate = 0;
    Eye eye;
    std::uint64_t good_bits = 0;  ///< until the next error, while error_rate > 0
    unsigned corrupt_words = 0;
    std::uint64_t errors = 0;
  };
  struct Sent {
    std::uint64_t word = 0;
    std::uint8_t idle = 0xF;
  };
  static constexpr std::size_t history = 128;  // a power of two beyond max_latency + 5

  const Sent& sent(unsigned cycles_ago) const { return sent_[(cycles_ - cycles_ago) % history]; }
  std::uint16_t arriving(const Lane& lane, bool& idle) const;
  std::uint16_t error_mask(Lane& lane);
  void draw(Lane& lane);
  void update_error_rate(Lane& lane);
  void update_fast_path();

  std::array<Lane, lanes> lane_;
  std::array<Sent, history> sent_{};
  std::mt19937_64 random_;
  std::mt19937_64 look_random_;  ///< of its own, so that looking changes nothing
  std::uint64_t clean_ = 0;      ///< the last words that arrived, without errors
  EyePlace looked_at_{};
  unsigned looked_lane_ = lanes;
  double look_ratio_ = 0;
  std::uint64_t cycles_ = 0;
  unsigned latency_;
  bool plain_ = true;  ///< no lane needs more than the latency
};

}  // namespace tb
