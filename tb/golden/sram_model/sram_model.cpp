#include "tb/golden/sram_model/sram_model.h"

namespace tb::golden {
namespace {

Codeword operator^(Codeword a, Codeword b) { return {a.data ^ b.data, static_cast<std::uint8_t>(a.check ^ b.check)}; }

std::uint64_t merged(std::uint64_t old, std::uint64_t fresh, unsigned strobes) {
  for (unsigned b = 0; b < 8; ++b) {
    const std::uint64_t lane = std::uint64_t{0xff} << (8 * b);
    if ((strobes >> b) & 1U) old = (old & ~lane) | (fresh & lane);
  }
  return old;
}

}  // namespace

void SramModel::fill(std::uint64_t data) { words_.assign(kWords, secded_encode(data)); }

void SramModel::inject(Codeword mask, std::optional<unsigned> match, unsigned writes, unsigned reads) {
  mask_ = mask;
  match_ = match;
  writes_left_ = writes;
  reads_left_ = reads;
}

void SramModel::clear_counts() {
  corrected_ = uncorrected_ = 0;
  first_corrected_.reset();
  first_uncorrected_.reset();
}

Decoded SramModel::look(unsigned word, Source source) {
  Codeword seen = words_.at(word);
  if (reads_left_ > 0 && hits(word)) {
    --reads_left_;
    seen = seen ^ mask_;
  }
  const Decoded decoded = secded_decode(seen);
  const First first{word * 8, decoded.syndrome, source};
  if (decoded.corrected) {
    ++corrected_;
    if (!first_corrected_) first_corrected_ = first;
  }
  if (decoded.uncorrected) {
    ++uncorrected_;
    if (!first_uncorrected_) first_uncorrected_ = first;
  }
  return decoded;
}

void SramModel::store(unsigned word, std::uint64_t data) {
  Codeword stored = secded_encode(data);
  if (writes_left_ > 0 && hits(word)) {
    --writes_left_;
    stored = stored ^ mask_;
  }
  words_.at(word) = stored;
}

SramModel::Read SramModel::read(unsigned word, Source source) {
  const Decoded decoded = look(word, source);
  if (decoded.uncorrected) return {0, true};
  if (decoded.corrected && write_back_) words_.at(word) = secded_encode(decoded.data);
  return {decoded.data, false};
}

bool SramModel::write(unsigned word, std::uint64_t data, unsigned strobes, Source source) {
  if (strobes == 0) return false;
  if (strobes == 0xff) {
    store(word, data);
    return false;
  }
  const Decoded decoded = look(word, source);
  if (decoded.uncorrected) return true;
  store(word, merged(decoded.data, data, strobes));
  return false;
}

}  // namespace tb::golden
