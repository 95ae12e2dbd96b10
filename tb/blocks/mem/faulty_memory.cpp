#include "tb/blocks/mem/faulty_memory.h"

#include <fmt/format.h>
#include <svdpi.h>

#include <algorithm>
#include <deque>
#include <stdexcept>
#include <utility>

namespace tb::blocks::mem {

using Kind = MemoryFault::Kind;

std::string MemoryFault::text() const {
  const auto at = [](const Cell& cell) { return fmt::format("row {} bit {}", cell.row, cell.bit); };
  const char* const edge_text = edge ? "rise" : "fall";
  switch (kind) {
    case Kind::stuck_at:
      return fmt::format("{} stuck at {:d}", at(victim), value);
    case Kind::transition:
      return fmt::format("{} does not {}", at(victim), value ? "rise" : "fall");
    case Kind::coupling_inversion:
      return fmt::format("{} inverts {} when they {}", at(aggressor), at(victim), edge_text);
    case Kind::coupling_idempotent:
      return fmt::format("a {} of {} makes {} {:d}", edge_text, at(aggressor), at(victim), value);
    case Kind::coupling_state:
      return fmt::format("while {} is {:d}, {} is {:d}", at(aggressor), edge, at(victim), value);
    case Kind::no_cell:
      return fmt::format("row {} is reached by no address", victim.row);
    case Kind::other_cell:
      return fmt::format("address {} reaches row {} instead", aggressor.row, victim.row);
    case Kind::two_cells:
      return fmt::format("address {} reaches row {} as well", aggressor.row, victim.row);
  }
  return "?";
}

void FaultyMemory::become(std::vector<MemoryFault> faults) {
  faults_ = std::move(faults);
  std::fill(rows_.begin(), rows_.end(), Row());
  hold_states();
}

std::vector<unsigned> FaultyMemory::reached(unsigned row) const {
  for (const MemoryFault& fault : faults_) {
    if (fault.kind == Kind::no_cell && fault.victim.row == row) return {};
    if (fault.kind == Kind::other_cell && fault.aggressor.row == row) return {fault.victim.row};
    if (fault.kind == Kind::two_cells && fault.aggressor.row == row) return {row, fault.victim.row};
  }
  return {row};
}

void FaultyMemory::couple(unsigned row, const Row& before, const Row& now) {
  for (const MemoryFault& fault : faults_) {
    const Cell& aggressor = fault.aggressor;
    if (aggressor.row != row || before[aggressor.bit] == now[aggressor.bit] || now[aggressor.bit] != fault.edge)
      continue;
    Row& victim = rows_[fault.victim.row];
    if (fault.kind == Kind::coupling_inversion) victim.flip(fault.victim.bit);
    if (fault.kind == Kind::coupling_idempotent) victim[fault.victim.bit] = fault.value;
  }
}

void FaultyMemory::hold_states() {
  for (const MemoryFault& fault : faults_) {
    const bool held = fault.kind == Kind::stuck_at || (fault.kind == Kind::coupling_state &&
                                                       rows_[fault.aggressor.row][fault.aggressor.bit] == fault.edge);
    if (held) rows_[fault.victim.row][fault.victim.bit] = fault.value;
  }
}

void FaultyMemory::store(unsigned row, Row bits) {
  const Row before = rows_[row];
  for (const MemoryFault& fault : faults_)
    if (fault.kind == Kind::transition && fault.victim.row == row && before[fault.victim.bit] != fault.value)
      bits[fault.victim.bit] = before[fault.victim.bit];
  rows_[row] = bits;
  couple(row, before, bits);
}

void FaultyMemory::write(unsigned row, const Row& bits) {
  if (faults_.empty()) {
    rows_[row] = bits;
    return;
  }
  for (const unsigned one : reached(row)) store(one, bits);
  hold_states();
}

FaultyMemory::Row FaultyMemory::read(unsigned row) {
  if (faults_.empty()) return rows_[row];
  Row bits = Row().set();
  for (const unsigned one : reached(row)) bits &= rows_[one];
  return bits;
}

namespace {

struct Place {
  std::string name;
  FaultyMemory memory;
};

std::deque<Place>& places() {
  static std::deque<Place> the_places;
  return the_places;
}

}  // namespace

FaultyMemory& faulty_memory(std::string_view place) {
  FaultyMemory* found = nullptr;
  for (Place& one : places()) {
    if (one.name.find(place) == std::string::npos) continue;
    if (found) throw std::out_of_range(fmt::format("\"{}\" is part of several arrays' names", place));
    found = &one.memory;
  }
  if (!found) throw std::out_of_range(fmt::format("no array's name has \"{}\" in it", place));
  return *found;
}

void heal_faulty_memories() {
  for (Place& one : places()) one.memory.become({});
}

}  // namespace tb::blocks::mem

extern "C" int faulty_memory_open(const char* name, int rows) {
  auto& all = tb::blocks::mem::places();
  all.push_back({name, tb::blocks::mem::FaultyMemory(static_cast<unsigned>(rows))});
  return static_cast<int>(all.size()) - 1;
}

extern "C" void faulty_memory_access(int memory_number, svBit write, int row, const svBitVecVal* written,
                                     svBitVecVal* read) {
  using tb::blocks::mem::FaultyMemory;
  constexpr unsigned kWordBits = 32;
  constexpr unsigned kWords = 3;
  const FaultyMemory::Row low_word(UINT32_MAX);
  FaultyMemory& memory = tb::blocks::mem::places()[static_cast<std::size_t>(memory_number)].memory;
  if (write != 0) {
    FaultyMemory::Row bits;
    for (unsigned w = 0; w < kWords; ++w) bits |= FaultyMemory::Row(written[w]) << (kWordBits * w);
    memory.write(static_cast<unsigned>(row), bits);
    return;
  }
  const FaultyMemory::Row bits = memory.read(static_cast<unsigned>(row));
  for (unsigned w = 0; w < kWords; ++w)
    read[w] = static_cast<svBitVecVal>(((bits >> (kWordBits * w)) & low_word).to_ulong());
}
