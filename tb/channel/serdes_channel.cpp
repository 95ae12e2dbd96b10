#include "tb/channel/serdes_channel.h"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace tb {

namespace {

void require(bool holds, const std::string& what) {
  if (!holds) throw std::out_of_range("SerDes channel: " + what);
}

}  // namespace

SerdesChannel::SerdesChannel(std::uint64_t seed, unsigned latency)
    : random_(seed), look_random_(~seed), latency_(latency) {
  require(latency <= max_latency, "a latency is at most " + std::to_string(max_latency) + " cycles");
  repair();
}

SerdesChannel::Received SerdesChannel::exchange(std::uint64_t tx_word, std::uint8_t tx_idle) {
  sent_[cycles_ % history] = {tx_word, static_cast<std::uint8_t>(tx_idle & 0xFU)};
  Received received;
  if (plain_ && sent(latency_).idle == 0) {
    received.word = sent(latency_).word;
    clean_ = received.word;
  } else {
    clean_ = 0;
    for (unsigned l = 0; l < lanes; ++l) {
      Lane& lane = lane_[l];
      bool idle = false;
      std::uint16_t word = arriving(lane, idle);
      if (idle) {
        received.idle = static_cast<std::uint8_t>(received.idle | (1U << l));
        continue;
      }
      clean_ |= std::uint64_t{word} << (bits_per_word * l);
      if (lane.error_rate > 0 || lane.corrupt_words > 0) word = static_cast<std::uint16_t>(word ^ error_mask(lane));
      received.word |= std::uint64_t{word} << (bits_per_word * l);
    }
  }
  ++cycles_;
  return received;
}

std::uint16_t SerdesChannel::arriving(const Lane& lane, bool& idle) const {
  switch (lane.condition) {
    case Condition::electrical_idle:
      idle = true;
      return 0;
    case Condition::stuck_low:
      return 0;
    case Condition::stuck_high:
      return 0xFFFF;
    case Condition::alive:
      break;
  }
  const unsigned whole = latency_ + lane.skew / bits_per_word;
  const unsigned rest = lane.skew % bits_per_word;
  const Sent& now = sent(whole);
  if ((now.idle >> lane.source) & 1U) {
    idle = true;
    return 0;
  }
  const unsigned shift = bits_per_word * lane.source;
  const auto newer = static_cast<std::uint32_t>((now.word >> shift) & 0xFFFFU);
  const auto older = static_cast<std::uint32_t>((sent(whole + 1).word >> shift) & 0xFFFFU);
  return static_cast<std::uint16_t>((((newer << bits_per_word) | older) >> (bits_per_word - rest)) ^ lane.invert);
}

std::uint16_t SerdesChannel::error_mask(Lane& lane) {
  unsigned mask = 0;
  if (lane.error_rate > 0) {
    while (lane.good_bits < bits_per_word) {
      mask |= 1U << lane.good_bits;
      ++lane.errors;
      const std::uint64_t position = lane.good_bits + 1;
      draw(lane);
      // Saturates: a rate of almost 0 draws a distance beyond all counting.
      lane.good_bits = lane.good_bits > std::numeric_limits<std::uint64_t>::max() - position
                           ? std::numeric_limits<std::uint64_t>::max()
                           : lane.good_bits + position;
    }
    lane.good_bits -= bits_per_word;
  }
  if (lane.corrupt_words > 0) {
    const unsigned bit = 1U << (random_() % bits_per_word);
    if (mask & bit)
      --lane.errors;
    else
      ++lane.errors;
    mask ^= bit;
    if (--lane.corrupt_words == 0) update_fast_path();
  }
  return static_cast<std::uint16_t>(mask);
}

/// Good bits before the next wrong one: geometric, by inversion.
void SerdesChannel::draw(Lane& lane) {
  if (lane.error_rate >= 1) {
    lane.good_bits = 0;
    return;
  }
  const double uniform = (static_cast<double>(random_() >> 11U) + 0.5) * 0x1p-53;  // in (0, 1)
  const double distance = std::floor(std::log(uniform) / std::log1p(-lane.error_rate));
  constexpr double limit = 0x1p62;
  lane.good_bits = static_cast<std::uint64_t>(distance < limit ? distance : limit);
}

void SerdesChannel::set_skew(unsigned lane, unsigned bits) {
  require(bits <= max_skew, "a skew is at most " + std::to_string(max_skew) + " bits");
  lane_.at(lane).skew = bits;
  update_fast_path();
}

void SerdesChannel::set_inverted(unsigned lane, bool inverted) {
  lane_.at(lane).invert = inverted ? 0xFFFF : 0;
  update_fast_path();
}

void SerdesChannel::set_bit_error_rate(unsigned lane, double probability) {
  require(probability >= 0 && probability <= 1, "a bit error rate is 0 to 1");
  Lane& l = lane_.at(lane);
  l.set_error_rate = probability;
  update_error_rate(l);
}

void SerdesChannel::set_eye(unsigned lane, const Eye& eye) {
  Lane& l = lane_.at(lane);
  require(eye.amplitude_mv > 0 && eye.loss_db >= 0 && eye.noise_mv >= 0 && eye.jitter_ui >= 0 && eye.jitter_ui <= 0.25,
          "an eye has an amplitude, and no negative loss, noise or jitter; jitter is at most a quarter of a bit");
  l.eye = eye;
  looked_lane_ = lanes;
  update_error_rate(l);
}

void SerdesChannel::update_error_rate(Lane& lane) {
  // Below this not one error comes in the longest run, and the lane costs nothing.
  constexpr double never = 1e-18;
  const double by_eye = error_ratio(lane.eye, 0, 0);
  lane.error_rate = lane.set_error_rate + (by_eye < never ? 0 : by_eye * (1 - lane.set_error_rate));
  if (lane.error_rate > 0) draw(lane);
  update_fast_path();
}

std::uint16_t SerdesChannel::look(unsigned lane, const EyePlace& place) {
  if (lane != looked_lane_ || !(place == looked_at_)) {
    look_ratio_ = error_ratio(lane_.at(lane).eye, place.phase_ui(), place.offset_mv());
    looked_lane_ = lane;
    looked_at_ = place;
  }
  unsigned word = static_cast<unsigned>(clean_ >> (bits_per_word * lane)) & 0xFFFFU;
  constexpr double never = 1e-12;
  if (look_ratio_ > never)
    for (unsigned b = 0; b < bits_per_word; ++b)
      if (static_cast<double>(look_random_() >> 11U) * 0x1p-53 < look_ratio_) word ^= 1U << b;
  return static_cast<std::uint16_t>(word);
}

void SerdesChannel::set_condition(unsigned lane, Condition condition) {
  lane_.at(lane).condition = condition;
  update_fast_path();
}

void SerdesChannel::set_wiring(const std::array<unsigned, lanes>& source) {
  unsigned seen = 0;
  for (const unsigned s : source) {
    require(s < lanes, "a wire comes from lane 0 to 3");
    seen |= 1U << s;
  }
  require(seen == 0xF, "each transmit lane goes to one receive lane");
  for (unsigned l = 0; l < lanes; ++l) lane_[l].source = source[l];
  update_fast_path();
}

void SerdesChannel::corrupt(unsigned lane, unsigned words) {
  lane_.at(lane).corrupt_words += words;
  update_fast_path();
}

void SerdesChannel::set_latency(unsigned cycles) {
  require(cycles <= max_latency, "a latency is at most " + std::to_string(max_latency) + " cycles");
  latency_ = cycles;
}

void SerdesChannel::repair() {
  for (unsigned l = 0; l < lanes; ++l) {
    const std::uint64_t errors = lane_[l].errors;
    lane_[l] = Lane{};
    lane_[l].source = l;
    lane_[l].errors = errors;
  }
  update_fast_path();
}

void SerdesChannel::update_fast_path() {
  plain_ = true;
  for (unsigned l = 0; l < lanes; ++l) {
    const Lane& lane = lane_[l];
    if (lane.source != l || lane.skew != 0 || lane.condition != Condition::alive || lane.invert != 0 ||
        lane.error_rate > 0 || lane.corrupt_words > 0)
      plain_ = false;
  }
}

}  // namespace tb
