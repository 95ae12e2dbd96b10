#include "tests/unit/tern/fake_tensor.h"

#include <algorithm>
#include <string>

#include "tests/unit/tensor/decode.h"

namespace firstlight::test {

namespace {

using tb::golden::tensor::kPartitionBytes;
using tb::golden::tensor::Opcode;

constexpr std::size_t kQueue = 8;
constexpr std::size_t kInstructionBytes = 16;
constexpr std::size_t kWord = 8;
constexpr unsigned kFetchError = 9;
constexpr unsigned kOverflow = 7;
constexpr unsigned kMost = 255;

}  // namespace

FakeTensor::FakeTensor(RegisterFile& registers, FakeDma& dma)
    : registers_(registers), dma_(dma), model_({kSize, kSize}) {
  registers_.set("tensor.shape", kSize | kSize << 8U);
  registers_.on_write("tensor.command", [this](std::uint32_t value) { command(value); });
  registers_.on_write("tensor.flags", [this](std::uint32_t) { model_.clear_flags(); });
  registers_.on_write("tensor.inject_arm", [this](std::uint32_t writes) { spoiled_ = writes != 0; });
  for (unsigned column = 0; column < kSize; ++column)
    registers_.on_write("tensor.random_load[" + std::to_string(column) + "]", [this, column](std::uint32_t state) {
      model_.generator(column).write(state);
      publish();
    });
  dma_.beside = [this] { return step(); };
  publish();
}

void FakeTensor::command(std::uint32_t value) {
  if ((value & 8U) != 0) {
    vectors_ = model_.vectors();
    publish();
  }
  if ((value & 1U) != 0) {
    program_.clear();
    for (auto& queue : queues_) queue.clear();
    dma_.semaphores.fill(0);
    halted_ = failed_ = false;
    spoiled_ = false;
    registers_.set("tensor.error", 0);
    publish();
  }
  if ((value & 16U) != 0) fetch();
}

void FakeTensor::fetch() {
  const std::uint64_t base =
      std::uint64_t{registers_.get("tensor.fetch_base_hi")} << 32U | registers_.get("tensor.fetch_base_lo");
  const std::uint32_t count = registers_.get("tensor.fetch_count");
  ++programs;
  if (!dma_.has(base, count * kInstructionBytes)) return fail(kFetchError, 0, static_cast<std::uint32_t>(base));
  const std::vector<std::uint8_t> bytes = dma_.read(base, count * kInstructionBytes);
  for (std::size_t at = 0; at < bytes.size(); at += kInstructionBytes) {
    std::array<std::uint64_t, 2> words{};
    for (std::size_t i = 0; i < kInstructionBytes; ++i)
      words.at(i / kWord) |= std::uint64_t{bytes.at(at + i)} << (8 * (i % kWord));
    program_.push_back(tern::tensor::decode(words));
  }
  dma_.run();
}

bool FakeTensor::step() {
  if (deaf || failed_) return false;
  bool moved = false;
  while (!program_.empty() && !halted_) {
    const Instruction& next = program_.front();
    if (next.is(Opcode::kHalt)) {
      halted_ = true;
    } else {
      auto& queue = queues_.at(next.is(Opcode::kLoad) ? 0 : next.is(Opcode::kStore) ? 2 : 1);
      if (queue.size() >= kQueue) break;
      queue.push_back(next);
    }
    program_.pop_front();
    moved = true;
  }
  for (auto& queue : queues_)
    while (!failed_ && run_queue(queue)) moved = true;
  publish();
  return moved;
}

bool FakeTensor::run_queue(std::deque<Instruction>& queue) {
  if (queue.empty()) return false;
  const Instruction next = queue.front();
  unsigned& semaphore = dma_.semaphores.at(next.wait_sem);
  if (semaphore < next.wait_count) return false;
  semaphore -= next.wait_count;
  queue.pop_front();
  scratchpad_to_model();
  const auto error = model_.execute(next);
  if (error) {
    fail(static_cast<unsigned>(error->code), error->tag, error->detail);
    return true;
  }
  model_to_scratchpad();
  if (next.is(Opcode::kStore) && wrong_element == stores_++) dma_.memory("scratchpad").at(next.address) ^= 1U;
  if (!next.signal) return true;
  if (dma_.semaphores.at(next.signal_sem) == kMost)
    fail(kOverflow, next.tag, next.signal_sem);
  else
    ++dma_.semaphores.at(next.signal_sem);
  return true;
}

void FakeTensor::fail(unsigned code, std::uint32_t tag, std::uint32_t detail) {
  failed_ = true;
  registers_.set("tensor.error", code);
  registers_.set("tensor.error_tag", tag);
  registers_.set("tensor.error_detail", detail);
  publish();
}

void FakeTensor::scratchpad_to_model() {
  const std::vector<std::uint8_t>& bytes = dma_.memory("scratchpad");
  for (unsigned partition = 0; partition < kSize; ++partition)
    for (unsigned word = 0; word < kPartitionBytes / kWord; ++word) {
      std::uint64_t value = 0;
      for (unsigned i = 0; i < kWord; ++i)
        value |= std::uint64_t{bytes[partition * kPartitionBytes + word * kWord + i]} << (8 * i);
      model_.set_word(partition, word, value);
    }
  if (spoiled_) model_.spoil(0, 0);
}

void FakeTensor::model_to_scratchpad() {
  std::vector<std::uint8_t>& bytes = dma_.memory("scratchpad");
  for (unsigned partition = 0; partition < kSize; ++partition)
    for (unsigned word = 0; word < kPartitionBytes / kWord; ++word)
      for (unsigned i = 0; i < kWord; ++i)
        bytes[partition * kPartitionBytes + word * kWord + i] =
            static_cast<std::uint8_t>(model_.word(partition, word) >> (8 * i));
}

void FakeTensor::publish() {
  const bool idle = std::all_of(queues_.begin(), queues_.end(), [](const auto& queue) { return queue.empty(); });
  registers_.set("tensor.status.idle", idle ? 1 : 0);
  registers_.set("tensor.status.halted", halted_ ? 1 : 0);
  registers_.set("tensor.status.ended", halted_ && idle ? 1 : 0);
  registers_.set("tensor.status.error", failed_ ? 1 : 0);
  registers_.set("tensor.status.fetching", program_.empty() ? 0 : 1);
  registers_.set("tensor.flags", model_.flags());
  const auto active = static_cast<std::uint32_t>(model_.vectors() - vectors_);
  registers_.set("tensor.active_lo", active);
  registers_.set("tensor.elapsed_lo", active + 10);
  for (unsigned i = 0; i < dma_.semaphores.size(); ++i)
    registers_.set("tensor.semaphores[" + std::to_string(i) + "]", dma_.semaphores.at(i));
  for (unsigned column = 0; column < kSize; ++column)
    registers_.set("tensor.random_state[" + std::to_string(column) + "]", model_.generator(column).state());
}

}  // namespace firstlight::test
