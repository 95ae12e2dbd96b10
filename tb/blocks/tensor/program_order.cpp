#include "tb/blocks/tensor/program_order.h"

#include <algorithm>

namespace tb::blocks::tensor {

using golden::tensor::element_bytes;
using golden::tensor::kEntries;
using golden::tensor::Opcode;

namespace {

constexpr int kLoadUnit = 0;
constexpr int kMultiplyUnit = 1;
constexpr int kStoreUnit = 2;

}  // namespace

int ProgramOrder::unit_of(const Instruction& i) {
  if (i.is(Opcode::kLoad)) return kLoadUnit;
  return i.is(Opcode::kStore) ? kStoreUnit : kMultiplyUnit;
}

std::vector<ProgramOrder::Use> ProgramOrder::uses_of(const Instruction& i) {
  std::vector<Use> uses;
  const bool load = i.is(Opcode::kLoad);
  const bool store = i.is(Opcode::kStore);
  if (!store) uses.push_back({Space::kStationary, i.sbank, i.sbank + 1, load});
  if (!load) {
    const unsigned first = i.abank * kEntries + i.entry;
    const unsigned entries = i.is(Opcode::kTranspose) ? i.k : i.n;
    uses.push_back({Space::kAccumulator, first, first + entries, !store || i.release});
  }
  if (!i.is(Opcode::kTranspose)) {
    const unsigned elements = (load ? i.m : i.n) * (i.double_row ? 2 : 1);
    const unsigned first = i.address / 8;
    uses.push_back({Space::kScratchpad, first, first + (elements * element_bytes(i.dtype) + 7) / 8, store});
  }
  if (store && (i.scale || i.bias)) uses.push_back({Space::kScratchpad, i.params / 8, i.params / 8 + 1, false});
  return uses;
}

bool ProgramOrder::conflict(const std::vector<Use>& a, const std::vector<Use>& b) {
  return std::any_of(a.begin(), a.end(), [&b](const Use& x) {
    return std::any_of(b.begin(), b.end(), [&x](const Use& y) {
      return x.space == y.space && x.first < y.behind && y.first < x.behind && (x.writes || y.writes);
    });
  });
}

/// Units begin in order. Load and store end one instruction before they begin the next, products follow each other
/// closely.
ProgramOrder::Knowledge ProgramOrder::at_begin(int unit) const {
  Knowledge known{-1, -1, -1};
  for (int i = static_cast<int>(program_.size()) - 1; i >= 0; --i)
    if (unit_of(program_[static_cast<std::size_t>(i)]) == unit)
      return unit == kMultiplyUnit ? begins_[static_cast<std::size_t>(i)] : at_end(i);
  return known;
}

ProgramOrder::Knowledge ProgramOrder::at_end(int index) const {
  Knowledge known = begins_[static_cast<std::size_t>(index)];
  int& own = known.at(static_cast<std::size_t>(unit_of(program_[static_cast<std::size_t>(index)])));
  own = std::max(own, index);
  return known;
}

std::optional<ProgramOrder::Plan> ProgramOrder::plan(int unit, const std::vector<Use>& uses,
                                                     const Knowledge& known) const {
  Plan plan;
  for (int other = 0; other < kUnits; ++other) {
    if (other == unit) continue;
    int needed = -1;
    for (int i = 0; i < static_cast<int>(program_.size()); ++i)
      if (unit_of(program_[static_cast<std::size_t>(i)]) == other && conflict(uses_[static_cast<std::size_t>(i)], uses))
        needed = i;
    if (needed <= known.at(static_cast<std::size_t>(other))) continue;
    // Who signals something already cannot signal this as well; a later one of its unit can, or whoever waited for it.
    int signaller = -1;
    for (int i = needed; i < static_cast<int>(program_.size()) && signaller < 0; ++i)
      if (!program_[static_cast<std::size_t>(i)].signal && unit_of(program_[static_cast<std::size_t>(i)]) != unit &&
          at_end(i).at(static_cast<std::size_t>(other)) >= needed)
        signaller = i;
    if (signaller < 0) return std::nullopt;
    const auto place = static_cast<std::size_t>(unit_of(program_[static_cast<std::size_t>(signaller)]));
    if (plan.signaller.at(place) < 0) ++plan.count;
    plan.signaller.at(place) = std::max(plan.signaller.at(place), signaller);
  }
  return plan;
}

/// A semaphore serves again when its last waiter is sure to have begun before any of the new signals, and before the
/// new one waits, who would otherwise take what is not his.
std::optional<unsigned> ProgramOrder::free_semaphore(int new_unit, const Plan& plan) const {
  for (unsigned s = 0; s < kSemaphores; ++s) {
    const int waiter = last_waiter_.at(s);
    if (waiter < 0) return s;
    const auto unit = static_cast<std::size_t>(unit_of(program_[static_cast<std::size_t>(waiter)]));
    if (static_cast<int>(unit) != new_unit && at_begin(new_unit).at(unit) < waiter) continue;
    const bool free = std::all_of(plan.signaller.begin(), plan.signaller.end(), [&](int i) {
      if (i < 0) return true;
      const bool same_unit = unit_of(program_[static_cast<std::size_t>(i)]) == static_cast<int>(unit);
      return same_unit ? i >= waiter : begins_[static_cast<std::size_t>(i)].at(unit) >= waiter;
    });
    if (free) return s;
  }
  return std::nullopt;
}

bool ProgramOrder::add(const Instruction& instruction) {
  const int unit = unit_of(instruction);
  const std::vector<Use> uses = uses_of(instruction);
  Knowledge known = at_begin(unit);
  const auto plan = this->plan(unit, uses, known);
  if (!plan) return false;
  Instruction placed = instruction;
  if (plan->count > 0) {
    const auto semaphore = free_semaphore(unit, *plan);
    if (!semaphore) return false;
    for (const int i : plan->signaller) {
      if (i < 0) continue;
      program_[static_cast<std::size_t>(i)].signal = true;
      program_[static_cast<std::size_t>(i)].signal_sem = *semaphore;
      const Knowledge end = at_end(i);
      for (std::size_t u = 0; u < end.size(); ++u) known.at(u) = std::max(known.at(u), end.at(u));
    }
    placed.wait_sem = *semaphore;
    placed.wait_count = plan->count;
    last_waiter_.at(*semaphore) = static_cast<int>(program_.size());
  }
  program_.push_back(placed);
  uses_.push_back(uses);
  begins_.push_back(known);
  return true;
}

}  // namespace tb::blocks::tensor
