#include "tb/golden/link/wire_decoder.h"

#include "tb/golden/link/crc32.h"

namespace tb::golden::link {

namespace {

constexpr unsigned lanes = 4;
/// The last 23 bits before each lane's data, the oldest in bit 0.
constexpr std::array<std::uint32_t, lanes> scrambler_start = {0x1F3A9C57U >> 8, 0x5B02E6D1U >> 8, 0x2C8D714BU >> 8,
                                                              0x66F1083EU >> 8};
constexpr std::uint16_t marker = 0x6A3C;

std::uint16_t lane_word(std::uint64_t word, unsigned lane) { return static_cast<std::uint16_t>(word >> (16 * lane)); }

/// One bit of x^23 + x^18 + 1.
bool scrambler_bit(std::uint32_t& history) {
  const std::uint32_t bit = (history ^ (history >> 5)) & 1U;
  history = (history >> 1) | (bit << 22);
  return bit != 0;
}

std::uint16_t descramble(std::uint16_t word, std::uint32_t& history) {
  unsigned key = 0;
  for (unsigned i = 0; i < 16; ++i) key |= (scrambler_bit(history) ? 1U : 0U) << i;
  return static_cast<std::uint16_t>(word ^ key);
}

}  // namespace

void WireDecoder::observe(std::uint64_t word, std::uint8_t idle) {
  if (idle == 0xF) {
    index_ = 0;
    in_data_ = false;
    countdown_.reset();
    return;
  }
  if (in_data_) {
    if ((~idle & 0xFU) != mask_) violation("data on other lanes than agreed");
    data_word(word);
  } else {
    set_word(word);
  }
}

void WireDecoder::set_word(std::uint64_t word) {
  for (unsigned l = 0; l < lanes; ++l) set_[l][index_] = lane_word(word, l);
  if (++index_ < 8) return;
  index_ = 0;
  ++sets_;
  for (unsigned l = 0; l < lanes; ++l) check_set(l);
  const unsigned kind = set_[0][2] >> 12;
  const unsigned count = (set_[0][2] >> 8) & 0xFU;
  if (kind == 3) {
    if (countdown_ ? count + 1 != *countdown_ : count != 7) violation("START sets do not count down from 7");
    countdown_ = count;
    mask_ = (set_[0][3] >> 8) & 0xFU;
  } else if (countdown_) {
    violation("another set among the START sets");
  }
  if (countdown_ && *countdown_ == 0) {
    in_data_ = true;
    countdown_.reset();
    scrambler_ = scrambler_start;
    cycle_ = 0;
    sequence_ = 0;
    words_.clear();
    slots_.clear();
  }
}

void WireDecoder::check_set(unsigned lane) {
  const auto& s = set_[lane];
  // 1ACFFC1D, least significant bit first
  if (s[0] != 0xFC1D || s[1] != 0x1ACF) violation("a set without the sync marker");
  for (unsigned i = 2; i < 5; ++i)
    if (static_cast<std::uint16_t>(~s[i]) != s[i + 3]) violation("a set whose second half is not the complement");
  if (((s[2] >> 4) & 0xFU) != lane) violation("a set with the wrong lane number");
  if ((s[2] & 0xFU) != 1) violation("a set of another version");
}

void WireDecoder::data_word(std::uint64_t word) {
  for (unsigned l = 0; l < lanes; ++l) {
    if (((mask_ >> l) & 1U) == 0) continue;
    const std::uint16_t plain = descramble(lane_word(word, l), scrambler_[l]);
    if (cycle_ == 0) {
      if (plain != marker) violation("no marker at the beginning of a block");
      continue;
    }
    words_.push_back(plain);
    if (words_.size() == 4) {
      std::uint64_t value = 0;
      for (unsigned i = 0; i < 4; ++i) value |= std::uint64_t{words_[i]} << (16 * i);
      words_.clear();
      slot(value);
    }
  }
  cycle_ = (cycle_ + 1) % 65;
}

void WireDecoder::slot(std::uint64_t value) {
  slots_.push_back(value);
  if (slots_.size() < 8) return;
  frame();
  slots_.clear();
}

void WireDecoder::frame() {
  std::vector<std::uint8_t> bytes;
  for (const std::uint64_t s : slots_)
    for (unsigned i = 0; i < 8; ++i) bytes.push_back(static_cast<std::uint8_t>(s >> (8 * i)));
  bytes.resize(60);
  const std::uint64_t control = slots_[7];
  if (crc32(bytes) != control >> 32) violation("a frame with a wrong CRC");
  if ((control & 0xFFU) != sequence_) violation("a frame out of sequence");
  ++sequence_;
  ++frames_;
  for (unsigned i = 0; i < 7; ++i) {
    const unsigned kind = (control >> (16 + 2 * i)) & 3U;
    if (kind == 3) violation("a slot of an unknown kind");
    if (kind == 0 && slots_[i] != 0) violation("an idle slot that is not 0");
    if (kind == 1 || kind == 2) flits_.push_back({kind == 1, slots_[i]});
  }
}

}  // namespace tb::golden::link
