#include "tb/golden/hbm/faulty_dram.h"

namespace tb::golden::hbm {
namespace {

using Kind = DramFault::Kind;

bool bit_of(std::uint64_t word, unsigned bit) { return ((word >> bit) & 1U) != 0; }
std::uint64_t with_bit(std::uint64_t word, unsigned bit, bool value) {
  const std::uint64_t mask = std::uint64_t{1} << bit;
  return value ? word | mask : word & ~mask;
}
std::string cell_text(const Cell& cell) { return std::to_string(cell.word) + "." + std::to_string(cell.bit); }

}  // namespace

std::string DramFault::text() const {
  static const char* const names[] = {"stuck at",       "no transition to", "inverted by",  "forced by", "held by",
                                      "no cell behind", "other cell than",  "two cells at", "lost write"};
  return cell_text(victim) + " " + names[static_cast<std::size_t>(kind)] + " " + cell_text(aggressor) +
         (edge ? " rising" : " falling") + (value ? " to 1" : " to 0") + " count " + std::to_string(count);
}

std::uint64_t FaultyDram::held(std::uint32_t word) const {
  const auto found = words_.find(word);
  return found == words_.end() ? 0 : found->second;
}

std::vector<std::uint32_t> FaultyDram::reached(std::uint32_t word) const {
  for (const DramFault& fault : faults_) {
    if (fault.kind == Kind::no_cell && fault.victim.word == word) return {};
    if (fault.kind == Kind::other_cell && fault.aggressor.word == word) return {fault.victim.word};
    if (fault.kind == Kind::two_cells && fault.aggressor.word == word) return {word, fault.victim.word};
  }
  return {word};
}

std::uint64_t FaultyDram::read(std::uint32_t word) const {
  std::uint64_t data = ~std::uint64_t{0};
  for (const std::uint32_t cell : reached(word)) {
    std::uint64_t bits = held(cell);
    for (const DramFault& fault : faults_) {
      if (fault.victim.word != cell) continue;
      const bool held_by =
          fault.kind == Kind::coupling_state && bit_of(held(fault.aggressor.word), fault.aggressor.bit) == fault.edge;
      if (fault.kind == Kind::stuck_at || held_by) bits = with_bit(bits, fault.victim.bit, fault.value);
    }
    data &= bits;
  }
  return data;
}

void FaultyDram::write(std::uint32_t word, std::uint64_t data) {
  for (std::size_t i = 0; i < faults_.size(); ++i)
    if (faults_[i].kind == Kind::lost_write && faults_[i].victim.word == word && ++writes_[i] == faults_[i].count)
      return;
  for (const std::uint32_t cell : reached(word)) store(cell, data);
}

void FaultyDram::store(std::uint32_t word, std::uint64_t data) {
  const std::uint64_t before = held(word);
  for (const DramFault& fault : faults_) {
    if (fault.victim.word != word) continue;
    const unsigned bit = fault.victim.bit;
    if (fault.kind == Kind::stuck_at) data = with_bit(data, bit, fault.value);
    if (fault.kind == Kind::transition && bit_of(before, bit) != fault.value && bit_of(data, bit) == fault.value)
      data = with_bit(data, bit, !fault.value);
  }
  words_[word] = data;
  couple(word, before, data);
}

void FaultyDram::set_bit(const Cell& cell, bool value) {
  words_[cell.word] = with_bit(held(cell.word), cell.bit, value);
}

void FaultyDram::couple(std::uint32_t word, std::uint64_t before, std::uint64_t now) {
  for (const DramFault& fault : faults_) {
    if (fault.aggressor.word != word) continue;
    const bool was = bit_of(before, fault.aggressor.bit);
    const bool is = bit_of(now, fault.aggressor.bit);
    if (was == is || is != fault.edge) continue;
    if (fault.kind == Kind::coupling_inversion)
      set_bit(fault.victim, !bit_of(held(fault.victim.word), fault.victim.bit));
    if (fault.kind == Kind::coupling_idempotent) set_bit(fault.victim, fault.value);
  }
}

}  // namespace tb::golden::hbm
