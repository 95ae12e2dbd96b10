#include "lab/drivers/tern/tern_dma_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lab/core/failure.h"
#include "lab/drivers/tern/dma_layout.h"
#include "lab/drivers/tern/dma_ring.h"
#include "lab/drivers/tern/fields.h"

namespace firstlight::tern {
namespace {

constexpr std::uint8_t kCanary = 0xC5;
constexpr std::uint8_t kPoison = 0xA5;
constexpr double kPollCoreCycles = 400;
constexpr int kPatience = 20;                // polls without a completion, before it is asked where it stays
constexpr double kVisibleCoreCycles = 2000;  // from the engine's write to memory that shows it
constexpr double kHaltCoreCycles = 4e5;      // ten times what a window needs to answer what is outstanding
constexpr std::uint32_t kMaxRows = 0xFFFF;
constexpr std::uint32_t kMaxLength = 65536;
constexpr std::uint32_t kMaxStride = (1U << 24U) - 1;
constexpr unsigned kMaxCount = 15;
constexpr unsigned kSemaphores = 16;

[[noreturn]] void refuse(ErrorClass error_class, const std::string& symptom, const std::string& message) {
  Failure failure;
  failure.error_class = error_class;
  failure.symptom = symptom;
  failure.message = message;
  throw FailureError(failure);
}

/// What no descriptor can say is a bug of whoever made the copy.
void check(const DmaCopy& copy) {
  const bool fits = copy.length >= 1 && copy.length <= kMaxLength && copy.rows >= 1 && copy.rows <= kMaxRows &&
                    copy.source_stride <= kMaxStride && copy.destination_stride <= kMaxStride &&
                    (!copy.wait || (copy.wait->semaphore < kSemaphores && copy.wait->count <= kMaxCount)) &&
                    (!copy.signal || *copy.signal < kSemaphores);
  if (!fits)
    refuse(ErrorClass::bug, "bad_copy",
           fmt::format("no descriptor can say: {} rows of {} bytes, strides {} and {}", copy.rows, copy.length,
                       copy.source_stride, copy.destination_stride));
}

}  // namespace

TernDmaQueue::TernDmaQueue(std::string chip, unsigned engine, unsigned index, Registers& registers,
                           std::shared_ptr<DmaMemory> memory, BenchTime& time, TernClock clock)
    : chip_(std::move(chip)),
      engine_(engine),
      index_(index),
      registers_(registers),
      memory_(std::move(memory)),
      time_(time),
      clock_(clock) {}

std::string TernDmaQueue::part() const { return fmt::format("{} dma{} queue {}", chip_, engine_, index_); }

std::string TernDmaQueue::reg(const char* name) const { return fmt::format("dma{}.{}[{}]", engine_, name, index_); }

std::uint64_t TernDmaQueue::descriptors_at() const { return DmaLayout::queue(engine_, index_); }
std::uint64_t TernDmaQueue::completions_at() const { return descriptors_at() + DmaLayout::kCompletions; }

std::string TernDmaQueue::pointers() const {
  return fmt::format("{} {:#010x}, tail {}, head {}, comp_producer {}, comp_consumer {}", reg("q_status"),
                     registers_.read(reg("q_status")), registers_.read(reg("tail")), registers_.read(reg("head")),
                     registers_.read(reg("comp_producer")), registers_.read(reg("comp_consumer")));
}

void TernDmaQueue::fail(const std::string& symptom, const std::string& message, const std::string& cause,
                        const std::string& blamed) const {
  Failure failure;
  failure.error_class = ErrorClass::dut;
  failure.symptom = symptom;
  failure.message = message;
  failure.part = blamed.empty() ? part() : blamed;
  failure.sent = fmt::format("doorbell {}", tail_);
  failure.received = pointers();
  failure.likely_cause = cause;
  throw FailureError(failure);
}

void TernDmaQueue::lay_out() {
  const auto fill = [&](std::uint64_t offset, std::size_t count, std::uint8_t byte) {
    const std::vector<std::uint8_t> bytes(count, byte);
    memory_->write(offset, bytes.data(), bytes.size());
  };
  fill(descriptors_at(), entries_ * kDescriptorBytes, kPoison);
  fill(descriptors_at() + entries_ * kDescriptorBytes, DmaLayout::kCanaryBytes, kCanary);
  // Phase 0 comes last of the four, so zero is never a first pass.
  fill(completions_at(), entries_ * kCompletionBytes, 0);
  fill(completions_at() + entries_ * kCompletionBytes, DmaLayout::kCanaryBytes, kCanary);
  memory_->barrier();
}

void TernDmaQueue::program() {
  const auto address = [&](const std::string& name, std::uint64_t value) {
    registers_.write(reg((name + "_lo").c_str()), static_cast<std::uint32_t>(value));
    registers_.write(reg((name + "_hi").c_str()), static_cast<std::uint32_t>(value >> 32U));
  };
  registers_.write(reg("q_ctrl"), 0);
  if (registers_.read(reg("q_status") + ".busy") != 0) abort(time_.now() + clock_.core_cycles(kHaltCoreCycles));
  registers_.write(reg("q_command") + ".reset", 1);
  lay_out();  // an abort may have written completions until now
  registers_.write(reg("q_command") + ".clear_error", 1);
  address("ring_base", memory_->base() + descriptors_at());
  address("comp_base", memory_->base() + completions_at());
  registers_.write(reg("ring_size"), log2_);
  registers_.write(reg("comp_size"), log2_);
  registers_.write(reg("q_ctrl") + ".enable", 1);
}

void TernDmaQueue::open(std::uint32_t entries) {
  if (entries < DmaLayout::kMinEntries || entries > DmaLayout::kMaxEntries || (entries & (entries - 1)) != 0)
    refuse(ErrorClass::sequence, "bad_ring_size",
           fmt::format("a ring of {} entries: expected a power of two from {} to {}", entries, DmaLayout::kMinEntries,
                       DmaLayout::kMaxEntries));
  if (memory_->size() <= DmaLayout::kWindow)
    refuse(ErrorClass::bench, "host_memory_too_small",
           fmt::format("{} has {:#x} bytes; the rings and buffers of the DMA take {:#x}", memory_->name(),
                       memory_->size(), DmaLayout::kWindow));
  entries_ = entries;
  log2_ = 0;
  while ((1U << log2_) < entries) ++log2_;
  tail_ = consumer_ = 0;
  in_ring_ = 0;
  outstanding_.clear();
  program();
  const Fields status(registers_, reg("q_status"), registers_.read(reg("q_status")));
  if (status["bad_config"] != 0 || status["halted"] != 0)
    fail("dma_not_ready", fmt::format("{} does not take its rings", part()),
         "a queue that does not leave its halt, or registers that are not written");
}

void TernDmaQueue::close() {
  if (!is_open()) return;
  registers_.write(reg("q_ctrl") + ".enable", 0);
  entries_ = 0;
  in_ring_ = 0;
  outstanding_.clear();
}

void TernDmaQueue::check_doorbell() const {
  const std::uint32_t accepted = registers_.read(reg("tail"));
  if (accepted == tail_) return;
  if (registers_.read(reg("doorbell_overruns")) != 0)
    fail("dma_ring_overrun",
         fmt::format("the engine refused doorbell {}: it arrived beyond the ring's free space", tail_),
         "a bit error between host and doorbell register, or a host and an engine that disagree on the ring's size",
         "doorbell path to " + part());
  fail("dma_doorbell_lost", fmt::format("the engine's tail is {} after doorbell {}", accepted, tail_),
       "the doorbell write was lost or changed on its way", "doorbell path to " + part());
}

void TernDmaQueue::check_room(std::size_t copies) const {
  if (copies <= room()) return;
  refuse(ErrorClass::bug, "ring_full",
         fmt::format("{} copies do not fit a ring of {} with {} outstanding", copies, entries_, in_ring_));
}

std::vector<std::uint16_t> TernDmaQueue::submit(const std::vector<DmaCopy>& copies) {
  check_room(copies.size());
  if (copies.empty()) return {};
  if (copies.back().chain) refuse(ErrorClass::bug, "open_chain", "the last copy of a chain says that another follows");
  for (const DmaCopy& copy : copies) check(copy);
  std::vector<std::uint16_t> ids;
  Transfer transfer;
  for (const DmaCopy& copy : copies) {
    const auto bytes = encode(copy, next_tag_, phase_of(tail_, log2_));
    memory_->write(descriptors_at() + (tail_ % entries_) * kDescriptorBytes, bytes.data(), bytes.size());
    ++tail_;
    transfer.bytes += copy.bytes();
    ++transfer.descriptors;
    if (copy.chain) continue;
    outstanding_[next_tag_] = transfer;
    in_ring_ += transfer.descriptors;
    ids.push_back(next_tag_++);
    transfer = {};
  }
  memory_->barrier();
  registers_.write(reg("doorbell"), tail_);
  check_doorbell();
  return ids;
}

void TernDmaQueue::check_canaries() const {
  for (const auto& [what, offset] : {std::pair{"descriptor", descriptors_at() + entries_ * kDescriptorBytes},
                                     std::pair{"completion", completions_at() + entries_ * kCompletionBytes}}) {
    std::array<std::uint8_t, DmaLayout::kCanaryBytes> bytes{};
    memory_->read(offset, bytes.data(), bytes.size());
    if (std::any_of(bytes.begin(), bytes.end(), [](std::uint8_t b) { return b != kCanary; }))
      fail("dma_canary", fmt::format("the canary behind the {} ring was overwritten", what),
           "the engine writes beyond the end of the ring, or a copy went astray");
  }
}

DmaCompletion TernDmaQueue::accept(const Completion& record) {
  const auto it = outstanding_.find(record.tag);
  if (it == outstanding_.end())
    fail("dma_unknown_completion",
         fmt::format("a completion for tag {} that is not outstanding ({})", record.tag, name_of(record.status)),
         "a descriptor was executed twice, or its memory was stale");
  DmaCompletion out;
  out.id = record.tag;
  out.status = name_of(record.status);
  out.ok = record.status == 0;
  out.error_address = record.address;
  out.done = record.bytes;
  if (out.ok && record.bytes != static_cast<std::uint32_t>(it->second.bytes))
    fail("dma_short_copy",
         fmt::format("tag {} completed as ok with {} of {} bytes", record.tag, record.bytes, it->second.bytes),
         "the engine lost part of the copy");
  in_ring_ -= it->second.descriptors;
  outstanding_.erase(it);
  return out;
}

void TernDmaQueue::fail_stale(unsigned descriptor) const {
  fail("dma_phase_mismatch", fmt::format("descriptor {} carried the phase of another pass over the ring", descriptor),
       "the descriptor's write was not visible when the doorbell rang: a missing barrier, or a write buffer that a "
       "barrier does not flush",
       "host memory " + memory_->name());
}

/// The engine has written a completion that memory does not show. What it says by its registers comes first.
void TernDmaQueue::fail_lost() const {
  const Fields first(registers_, reg("first_error"), registers_.read(reg("first_error")));
  if (first["valid"] != 0 && first["cause"] == static_cast<unsigned>(DmaStatus::phase_mismatch))
    fail_stale(first["index"]);
  fail("dma_completion_lost", fmt::format("the engine has written completion {}, and it is not in memory", consumer_),
       "the write was lost on its way, or an older write of the host, with no barrier behind it, came after it",
       "host memory " + memory_->name());
}

std::vector<DmaCompletion> TernDmaQueue::completions() {
  std::vector<DmaCompletion> out;
  while (!outstanding_.empty()) {
    std::array<std::uint8_t, kCompletionBytes> bytes{};
    memory_->read(completions_at() + (consumer_ % entries_) * kCompletionBytes, bytes.data(), bytes.size());
    const Completion record = decode(bytes);
    if (record.phase != phase_of(consumer_, log2_)) break;
    // A stale descriptor is reported under whatever tag its old content had.
    if (record.status == static_cast<unsigned>(DmaStatus::phase_mismatch)) fail_stale(record.index);
    out.push_back(accept(record));
    ++consumer_;
  }
  if (!out.empty()) registers_.write(reg("comp_consumer"), consumer_);
  check_canaries();
  return out;
}

/// A completion that memory has shown long after the engine wrote it.
void TernDmaQueue::fail_late(Duration late) const {
  fail("dma_completion_late",
       fmt::format("completion {} was in memory {} or more after the engine had written it, where {} are allowed",
                   consumer_ - 1, to_text(to_quantity(late)),
                   to_text(to_quantity(clock_.core_cycles(kVisibleCoreCycles)))),
       "posted writes are held on their way: a bridge that waits for more to combine, or a root port without room",
       "path to host memory " + memory_->name());
}

std::vector<DmaCompletion> TernDmaQueue::wait_all(Instant deadline) {
  std::vector<DmaCompletion> out;
  int empty = 0;
  bool written = false;  // by the engine, and not to be seen
  Instant since{};
  for (;;) {
    const Instant looked = time_.now();
    const std::vector<DmaCompletion> fresh = completions();
    out.insert(out.end(), fresh.begin(), fresh.end());
    if (!fresh.empty()) {
      if (written && looked - since > clock_.core_cycles(kVisibleCoreCycles)) fail_late(looked - since);
      empty = 0;
      written = false;
    } else if (++empty > kPatience && !written && registers_.read(reg("comp_producer")) != consumer_) {
      // It may have come between that look and this one.
      written = true;
      since = time_.now();
      continue;
    }
    if (outstanding_.empty()) return out;
    if (looked >= deadline) {
      if (registers_.read(reg("comp_producer")) != consumer_) fail_lost();
      fail("dma_timeout", fmt::format("{} of the transfers have no completion", outstanding_.size()), why_none_comes());
    }
    time_.sleep_until(std::min(deadline, time_.now() + clock_.core_cycles(kPollCoreCycles)));
  }
}

std::string TernDmaQueue::why_none_comes() const {
  const Fields status(registers_, reg("q_status"), registers_.read(reg("q_status")));
  if (status["in_flight"] != 0) return "a read or write got no answer from memory";
  if (status["waiting"] != 0) return "a copy waits for a semaphore that no one signals";
  if (status["halted"] != 0) return "the queue has halted";
  return "the engine does not see the descriptors";
}

void TernDmaQueue::abort(Instant deadline) {
  registers_.write(reg("q_command") + ".abort_all", 1);
  while (registers_.read(reg("q_status") + ".halted") == 0) {
    if (time_.now() >= deadline)
      fail("dma_abort_timeout", fmt::format("{} did not halt after an abort", part()),
           "a read or write that is outstanding got no answer from memory");
    time_.sleep_until(std::min(deadline, time_.now() + clock_.core_cycles(kPollCoreCycles)));
  }
}

void TernDmaQueue::resume() { registers_.write(reg("q_command") + ".resume", 1); }

std::string TernDmaQueue::error() {
  const Fields first(registers_, reg("first_error"), registers_.read(reg("first_error")));
  if (first["valid"] == 0) return {};
  const std::uint64_t low = registers_.read(reg("first_error_addr_lo"));
  const std::uint64_t high = registers_.read(reg("first_error_addr_hi"));
  return fmt::format("descriptor {}: {} at {:#012x}", first["index"], first.name("cause"), (high << 32U) | low);
}

void TernDmaQueue::clear_error() { registers_.write(reg("q_command") + ".clear_error", 1); }

}  // namespace firstlight::tern
