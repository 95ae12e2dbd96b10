#include "tests/unit/tensor/plan_machine.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "tests/unit/tensor/decode.h"

namespace firstlight::tern::tensor {

namespace {

constexpr std::size_t kQueue = 8;         // instructions
constexpr std::size_t kMovesAtATime = 4;  // docs/dma.md, "Order"
constexpr std::uint64_t kHandOut = 2;     // cycles, of 16 bytes

}  // namespace

PlanMachine::PlanMachine(const Engine& engine, Memory& memory, const Pace& pace, std::uint64_t seed)
    : engine_(engine), memory_(memory), pace_(pace), random_(seed), model_({engine.rows, engine.columns}) {
  for (unsigned column = 0; column < engine.columns; ++column) model_.generator(column).write(0);
}

void PlanMachine::run(const GemmPlan& plan) {
  handed_out_ = 0;
  for (const Move& move : plan.in) lanes_[kIn].queue.push_back({nullptr, &move, 0, false});
  for (const Move& move : plan.out) lanes_[kOut].queue.push_back({nullptr, &move, 0, false});
  for (;;) {
    fill_queues(plan);
    while (end_what_is_due() || begin_what_can()) fill_queues(plan);
    const bool done = handed_out_ == plan.program.size() &&
                      std::all_of(lanes_.begin(), lanes_.end(),
                                  [](const Lane& lane) { return lane.queue.empty() && lane.under_way.empty(); });
    if (done) return;
    const std::uint64_t next = next_event();
    if (next == std::numeric_limits<std::uint64_t>::max()) throw std::runtime_error("everything waits");
    now_ = next;
  }
}

void PlanMachine::fill_queues(const GemmPlan& plan) {
  while (handed_out_ < plan.program.size() && next_hand_out_ <= now_) {
    const Instruction& one = plan.program[handed_out_];
    const Unit unit = one.opcode == Opcode::load_stationary ? kLoad : one.opcode == Opcode::store ? kStore : kMultiply;
    if (lanes_[unit].queue.size() >= kQueue) return;
    lanes_[unit].queue.push_back({&one, nullptr, 0, false});
    ++handed_out_;
    next_hand_out_ = now_ + (pace_.random ? 0 : kHandOut);
  }
}

bool PlanMachine::end_what_is_due() {
  bool any = false;
  for (Lane& lane : lanes_) {
    while (!lane.under_way.empty() && lane.under_way.front().end <= now_) {
      Work work = lane.under_way.front();
      lane.under_way.pop_front();
      happen(work);
      const bool signal = work.move != nullptr ? work.move->signal : work.instruction->signal;
      if (signal) {
        std::uint64_t& count =
            semaphores_.at(work.move != nullptr ? work.move->signal_sem : work.instruction->signal_sem);
        highest_ = std::max(highest_, ++count);
      }
      any = true;
    }
  }
  return any;
}

bool PlanMachine::begin_what_can() {
  bool any = false;
  for (const Unit unit : {kLoad, kMultiply, kStore, kIn, kOut}) {
    while (!lanes_[unit].queue.empty() && may_begin(unit, lanes_[unit].queue.front())) {
      begin(unit);
      any = true;
    }
  }
  return any;
}

bool PlanMachine::may_begin(Unit unit, const Work& work) const {
  const Lane& lane = lanes_[unit];
  const std::size_t at_a_time = work.move != nullptr ? kMovesAtATime : unit == kMultiply ? 2 : 1;
  if (lane.next_start > now_ || lane.under_way.size() >= at_a_time) return false;
  const unsigned semaphore = work.move != nullptr ? work.move->wait_sem : work.instruction->wait_sem;
  const unsigned count = work.move != nullptr ? work.move->wait_count : work.instruction->wait_count;
  return semaphores_.at(semaphore) >= count;
}

void PlanMachine::begin(Unit unit) {
  Lane& lane = lanes_[unit];
  Work work = lane.queue.front();
  lane.queue.pop_front();
  if (work.move != nullptr)
    semaphores_.at(work.move->wait_sem) -= work.move->wait_count;
  else
    semaphores_.at(work.instruction->wait_sem) -= work.instruction->wait_count;
  work.end = end_of(unit, work);
  if (!lane.under_way.empty()) work.end = std::max(work.end, lane.under_way.back().end);
  if (random_() % 2 == 0) {
    // Products follow each other in the array.
    if (unit == kMultiply)
      for (Work& before : lane.under_way) happen(before);
    happen(work);
  }
  lane.under_way.push_back(work);
}

/// And when the lane's next may begin.
std::uint64_t PlanMachine::end_of(Unit unit, const Work& work) {
  Lane& lane = lanes_[unit];
  if (pace_.random) {
    const auto some = [&] { return random_() % (random_() % 8 == 0 ? 5000 : random_() % 2 == 0 ? 300 : 20); };
    lane.next_start = now_ + some();
    return now_ + some();
  }
  if (work.move != nullptr) {
    const std::size_t beats = work.move->rows * ((work.move->bytes + 7) / 8);
    lane.data_end = std::max(lane.data_end, now_ + pace_.latency) +
                    static_cast<std::uint64_t>(static_cast<double>(beats) * pace_.beat);
    return lane.data_end + pace_.latency / 2;
  }
  const Instruction& one = *work.instruction;
  if (unit == kMultiply) {
    lane.data_end = std::max(lane.data_end, now_ + 1) + one.n;
    lane.next_start = lane.data_end - std::min(one.n, 2U);
    return lane.data_end + 3 * engine_.rows + 4;
  }
  return now_ + 10 + (unit == kLoad ? one.m : one.n);
}

void PlanMachine::happen(Work& work) {
  if (work.has_happened) return;
  work.has_happened = true;
  if (work.move != nullptr) return carry(*work.move);
  const auto error = model_.execute(decode(encode(*work.instruction)));
  if (error) throw std::runtime_error("the engine's error " + std::to_string(static_cast<int>(error->code)));
}

void PlanMachine::carry(const Move& move) {
  std::vector<std::uint8_t>& matrix = memory_.at(move.matrix);
  for (std::size_t row = 0; row < move.rows; ++row) {
    for (std::size_t i = 0; i < move.bytes; ++i) {
      std::uint8_t& there = matrix.at(move.memory + row * move.memory_stride + i);
      const std::size_t here = move.scratchpad + row * move.scratchpad_stride + i;
      if (move.matrix == Matrix::c)
        there = get(here);
      else
        put(here, there);
    }
  }
}

std::uint8_t PlanMachine::get(std::size_t at) const {
  const auto partition = static_cast<unsigned>(at / engine_.partition_bytes);
  const auto byte = static_cast<unsigned>(at % engine_.partition_bytes);
  return static_cast<std::uint8_t>(model_.word(partition, byte / 8) >> (8 * (byte % 8)));
}

void PlanMachine::put(std::size_t at, std::uint8_t byte) {
  const auto partition = static_cast<unsigned>(at / engine_.partition_bytes);
  const auto offset = static_cast<unsigned>(at % engine_.partition_bytes);
  const unsigned shift = 8 * (offset % 8);
  const std::uint64_t word = model_.word(partition, offset / 8) & ~(std::uint64_t{0xff} << shift);
  model_.set_word(partition, offset / 8, word | std::uint64_t{byte} << shift);
}

bool PlanMachine::semaphores_are_zero() const {
  return std::all_of(semaphores_.begin(), semaphores_.end(), [](std::uint64_t count) { return count == 0; });
}

std::uint64_t PlanMachine::next_event() const {
  std::uint64_t next = std::numeric_limits<std::uint64_t>::max();
  const auto consider = [&](std::uint64_t at) {
    if (at > now_) next = std::min(next, at);
  };
  for (const Lane& lane : lanes_) {
    if (!lane.under_way.empty()) consider(lane.under_way.front().end);
    if (!lane.queue.empty()) consider(lane.next_start);
  }
  consider(next_hand_out_);
  return next;
}

}  // namespace firstlight::tern::tensor
