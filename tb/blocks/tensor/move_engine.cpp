#include "tb/blocks/tensor/move_engine.h"

#include <algorithm>
#include <stdexcept>

namespace tb::blocks::tensor {

namespace {

using firstlight::tern::tensor::Matrix;
using golden::axi::Response;
using golden::axi::WriteBeat;

constexpr std::size_t kInFlight = 4;
constexpr std::size_t kOpenBursts = 8;
constexpr unsigned kRetry = 4;  // cycles between attempts at a semaphore

/// The four bits of an engine at a port that both share.
template <typename Port>
void put(Port& port, unsigned engine, unsigned bits, unsigned value) {
  const unsigned mask = ((1U << bits) - 1) << (bits * engine);
  port = static_cast<Port>((port & ~mask) | (value << (bits * engine)));
}

}  // namespace

MoveEngine::MoveEngine(BlockBench<Model>& bench, AxiManagerAgent& axi, unsigned engine)
    : bench_(bench), axi_(axi), engine_(engine) {
  reset();
  bench.add(*this);
}

void MoveEngine::reset() {
  waiting_.clear();
  under_way_.clear();
  open_.clear();
  gives_.clear();
  next_tag_ = first_tag();
  first_number_ = moves_begun_ = 0;
  attempted_ = taken_ = false;
  pause_ = 0;
  put(bench_.dut().sem_attempt_i, engine_, 1, 0);
  put(bench_.dut().sem_give_i, engine_, 1, 0);
}

void MoveEngine::start(const std::vector<Move>& moves, Matrices& memory, unsigned latency) {
  memory_ = &memory;
  latency_ = latency;
  memory_free_ = bench_.cycles();
  waiting_.assign(moves.begin(), moves.end());
}

void MoveEngine::sample() {
  // The answer to an attempt comes in the cycle after it.
  if (attempted_) taken_ = (bench_.dut().sem_taken_o >> engine_ & 1U) != 0;
  collect();
}

void MoveEngine::drive() {
  Model& dut = bench_.dut();
  if (attempted_ && taken_) begin();
  if (attempted_ && !taken_) pause_ = kRetry;
  const bool asking = (dut.sem_attempt_i >> engine_ & 1U) != 0;
  attempted_ = asking;
  taken_ = false;
  put(dut.sem_attempt_i, engine_, 1, 0);
  if (pause_ > 0) --pause_;
  if (!asking && !waiting_.empty() && under_way_.size() < kInFlight && pause_ == 0) {
    if (waiting_.front().wait_count == 0) {
      begin();
    } else {
      put(dut.sem_attempt_i, engine_, 1, 1);
      put(dut.sem_attempt_sem_i, engine_, 4, waiting_.front().wait_sem);
      put(dut.sem_count_i, engine_, 4, waiting_.front().wait_count);
    }
  }
  issue();
  end();
  put(dut.sem_give_i, engine_, 1, gives_.empty() ? 0 : 1);
  if (!gives_.empty()) {
    put(dut.sem_give_sem_i, engine_, 4, gives_.front());
    gives_.pop_front();
  }
}

void MoveEngine::begin() {
  UnderWay work;
  work.move = waiting_.front();
  waiting_.pop_front();
  ++moves_begun_;
  if (reads_memory()) memory_free_ = std::max(memory_free_, bench_.cycles() + latency_);
  for (std::size_t row = 0; row < work.move.rows; ++row) {
    for (std::size_t done = 0; done < work.move.bytes;) {
      Burst burst;
      burst.memory = work.move.memory + row * work.move.memory_stride + done;
      burst.scratchpad = work.move.scratchpad + row * work.move.scratchpad_stride + done;
      burst.bytes = std::min<std::size_t>(work.move.bytes - done, 128 - burst.scratchpad % 128);
      if (reads_memory()) memory_free_ += (burst.bytes + 7) / 8;
      burst.ready = reads_memory() ? memory_free_ : 0;
      work.bursts.push_back(burst);
      done += burst.bytes;
    }
  }
  under_way_.push_back(std::move(work));
}

void MoveEngine::issue() {
  for (std::size_t i = 0; i < under_way_.size(); ++i) {
    UnderWay& work = under_way_[i];
    for (std::size_t b = 0; b < work.bursts.size(); ++b) {
      Burst& burst = work.bursts[b];
      if (burst.issued) continue;
      if (open_.size() >= kOpenBursts || burst.ready > bench_.cycles()) return;
      burst.issued = true;
      open_[next_tag_] = {first_number_ + i, b};
      send(work, b, next_tag_);
      next_tag_ = first_tag() + (next_tag_ + 1 - first_tag()) % 500;
    }
  }
}

void MoveEngine::send(const UnderWay& work, std::size_t index, unsigned tag) {
  const Burst& burst = work.bursts[index];
  const std::size_t beats = (burst.bytes + 7) / 8;
  const golden::axi::Address address{static_cast<std::uint8_t>(4 + engine_), burst.scratchpad,
                                     static_cast<std::uint8_t>(beats - 1)};
  if (!reads_memory()) return axi_.read(address, tag);
  const std::vector<std::uint8_t>& matrix = memory_->at(work.move.matrix);
  std::vector<WriteBeat> data;
  for (std::size_t beat = 0; beat < beats; ++beat) {
    WriteBeat one{0, 0, beat + 1 == beats};
    for (std::size_t byte = 0; byte < 8 && 8 * beat + byte < burst.bytes; ++byte) {
      one.data |= std::uint64_t{matrix.at(burst.memory + 8 * beat + byte)} << (8 * byte);
      one.strb = static_cast<std::uint8_t>(one.strb | 1U << byte);
    }
    data.push_back(one);
  }
  axi_.write(address, std::move(data), tag);
}

/// Takes what is its own of the answers that have come.
void MoveEngine::collect() {
  auto& list = reads_memory() ? axi_.finished_writes : axi_.finished_reads;
  const auto own = [this](const AxiManagerAgent::Burst& burst) { return open_.count(burst.tag) != 0; };
  for (const auto& burst : list)
    if (own(burst)) finished(burst);
  list.erase(
      std::remove_if(list.begin(), list.end(), [&](const auto& burst) { return burst.tag / 1000 == engine_ + 1; }),
      list.end());
}

void MoveEngine::finished(const AxiManagerAgent::Burst& burst) {
  const auto [number, index] = open_.at(burst.tag);
  open_.erase(burst.tag);
  UnderWay& work = under_way_.at(number - first_number_);
  const Burst& own = work.bursts.at(index);
  if (reads_memory()) {
    if (burst.response.resp != Response::okay) throw std::runtime_error("a write of a move failed");
  } else {
    std::vector<std::uint8_t>& matrix = memory_->at(work.move.matrix);
    for (std::size_t i = 0; i < own.bytes; ++i) {
      const auto& beat = burst.answers.at(i / 8);
      if (beat.resp != Response::okay) throw std::runtime_error("a read of a move failed");
      matrix.at(own.memory + i) = static_cast<std::uint8_t>(beat.data >> (8 * (i % 8)));
    }
  }
  if (++work.answered == work.bursts.size()) work.ends = bench_.cycles() + (reads_memory() ? 0 : latency_);
}

void MoveEngine::end() {
  while (!under_way_.empty() && under_way_.front().answered == under_way_.front().bursts.size() &&
         under_way_.front().ends <= bench_.cycles()) {
    if (under_way_.front().move.signal) gives_.push_back(under_way_.front().move.signal_sem);
    under_way_.pop_front();
    ++first_number_;
  }
}

}  // namespace tb::blocks::tensor
