#include "tb/golden/link/wire_decoder.h"

#include <algorithm>

#include "tb/golden/link/crc32.h"

namespace tb::golden::link {

namespace {

constexpr unsigned lanes = 4;
/// The last 23 bits before each lane's data, the oldest in bit 0.
constexpr std::array<std::uint32_t, lanes> scrambler_start = {0x1F3A9C57U >> 8, 0x5B02E6D1U >> 8, 0x2C8D714BU >> 8,
                                                              0x66F1083EU >> 8};
constexpr std::uint16_t marker = 0x6A3C;

std::uint16_t lane_word(std::uint64_t word, unsigned lane) { return static_cast<std::uint16_t>(word >> (16 * lane)); }

constexpr std::uint16_t sync0 = 0xFC1D;
constexpr std::uint16_t sync1 = 0x1ACF;

bool all_lanes(std::uint64_t word, std::uint8_t idle, std::uint16_t value) {
  for (unsigned l = 0; l < lanes; ++l)
    if (((idle >> l) & 1U) == 0 && lane_word(word, l) != value) return false;
  return true;
}

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

bool WireDecoder::Frame::empty() const {
  return std::all_of(kinds.begin(), kinds.end(), [](Kind k) { return k == Kind::idle; });
}

void WireDecoder::begin_set() {
  index_ = 0;
  in_data_ = false;
  countdown_.reset();
}

void WireDecoder::observe(std::uint64_t word, std::uint8_t idle) {
  if (idle == 0xF) {
    begin_set();
    held_.reset();
    return;
  }
  if (held_) {
    idle_ = held_->idle;
    // 1ACFFC1D on every lane that sends: here a set begins, whatever it cuts off.
    const bool sync = all_lanes(held_->word, held_->idle, sync0) && all_lanes(word, idle, sync1);
    if (sync && (in_data_ || index_ != 0)) begin_set();
    if (!in_data_) {
      set_word(held_->word);
    } else {
      if ((~held_->idle & 0xFU) != mask_) violation("data on other lanes than agreed");
      data_word(held_->word);
    }
  }
  held_ = Word{word, idle};
}

void WireDecoder::set_word(std::uint64_t word) {
  for (unsigned l = 0; l < lanes; ++l) set_[l][index_] = lane_word(word, l);
  if (++index_ < 8) return;
  index_ = 0;
  ++sets_;
  unsigned first = 0;  // all lanes that send say the same
  for (unsigned l = lanes; l-- > 0;) {
    if ((idle_ >> l) & 1U) continue;
    first = l;
    check_set(l);
  }
  const unsigned kind = set_[first][2] >> 12;
  const unsigned count = (set_[first][2] >> 8) & 0xFU;
  if (kind == 3) {
    if (countdown_ ? count + 1 != *countdown_ : count != 7) violation("START sets do not count down from 7");
    countdown_ = count;
    mask_ = (set_[first][3] >> 8) & 0xFU;
  } else if (countdown_) {
    violation("another set among the START sets");
  }
  if (countdown_ && *countdown_ == 0) {
    in_data_ = true;
    countdown_.reset();
    scrambler_ = scrambler_start;
    cycle_ = 0;
    words_.clear();
    slots_.clear();
    if (on_start_) on_start_(((set_[first][3] >> 4) & 1U) != 0);
  }
}

void WireDecoder::check_set(unsigned lane) {
  const auto& s = set_[lane];
  // 1ACFFC1D, least significant bit first
  if (s[0] != sync0 || s[1] != sync1) violation("a set without the sync marker");
  for (unsigned i = 2; i < 5; ++i)
    if (static_cast<std::uint16_t>(~s[i]) != s[i + 3]) violation("a set whose second half is not the complement");
  if (((s[2] >> 4) & 0xFU) != lane) violation("a set with the wrong lane number");
  if ((s[2] & 0xFU) != 2) violation("a set of another version");
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
  ++frames_;
  Frame frame;
  frame.number = control & 0x3FU;
  frame.ack = (control >> 6) & 0x3FU;
  frame.nak = ((control >> 12) & 1U) != 0;
  frame.credit_class = (control >> 13) & 3U;
  frame.credit = (control >> 15) & 7U;
  for (unsigned i = 0; i < 7; ++i) {
    frame.kinds[i] = static_cast<Kind>((control >> (18 + 2 * i)) & 3U);
    frame.slots[i] = slots_[i];
    if (frame.kinds[i] == Kind::idle && slots_[i] != 0) violation("an idle slot that is not 0");
    if (keeps_ && (frame.kinds[i] == Kind::head || frame.kinds[i] == Kind::body))
      flits_.push_back({frame.kinds[i] == Kind::head, slots_[i]});
  }
  if (on_frame_) on_frame_(frame);
}

}  // namespace tb::golden::link
