#include "lab/drivers/tern/tern_dma.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lab/core/failure.h"
#include "lab/drivers/tern/dma_ring.h"
#include "lab/drivers/tern/fields.h"

namespace firstlight::tern {
namespace {

constexpr std::uint32_t kMinEntries = 4;
constexpr std::uint32_t kMaxEntries = 4096;
constexpr std::size_t kCanaryBytes = 64;
constexpr std::uint8_t kCanary = 0xC5;
constexpr std::uint8_t kPoison = 0xA5;
constexpr std::uint32_t kBounceBytes = 64 * 1024;
constexpr std::uint64_t kDescriptorOffset = 0;
constexpr std::uint64_t kCompletionOffset = 0x40000;  // behind the largest descriptor ring and its canary
constexpr std::uint64_t kBounceOffset = 0x60000;
constexpr std::uint64_t kWindowOffset = 0x80000;
constexpr double kPollCoreCycles = 400;
// A bounce moves at most 64 KiB; ten times what the slowest window needs.
constexpr double kBounceLimitCoreCycles = 4e5;

const char* const kCounters[] = {"descriptors", "ring_overruns",     "doorbell_overruns",  "comp_lost",
                                 "cycles_busy", "cycles_read_stall", "cycles_write_stall", "cycles_throttled"};

}  // namespace

TernDma::TernDma(std::string name, Registers& registers, std::shared_ptr<DmaMemory> memory, BenchTime& time,
                 TernClock clock, std::uint64_t hbm_bytes)
    : name_(std::move(name)),
      registers_(registers),
      memory_(std::move(memory)),
      time_(time),
      clock_(clock),
      hbm_bytes_(hbm_bytes) {}

std::vector<DmaWindow> TernDma::windows() const {
  const RegionInfo& sram = registers_.map().region("sram");
  const RegionInfo& peer = registers_.map().region("peer");
  return {{sram.name, sram.base, sram.size},
          {"hbm", registers_.map().region("hbm").base, hbm_bytes_},
          {"host", memory_->base() + kWindowOffset, memory_->size() - kWindowOffset},
          {peer.name, peer.base, peer.size}};
}

std::string TernDma::pointers() const {
  const Fields status(registers_, "dma0.status", registers_.read("dma0.status"));
  return fmt::format("dma0.status {:#010x}, tail {}, head {}, comp_producer {}, comp_consumer {}", status.raw(),
                     registers_.read("dma0.tail"), registers_.read("dma0.head"), registers_.read("dma0.comp_producer"),
                     registers_.read("dma0.comp_consumer"));
}

void TernDma::fail(const std::string& symptom, const std::string& message, const std::string& cause,
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

void TernDma::lay_out() {
  const auto fill = [&](std::uint64_t offset, std::size_t count, std::uint8_t byte) {
    const std::vector<std::uint8_t> bytes(count, byte);
    memory_->write(offset, bytes.data(), bytes.size());
  };
  fill(kDescriptorOffset, entries_ * kDescriptorBytes, kPoison);
  fill(kDescriptorOffset + entries_ * kDescriptorBytes, kCanaryBytes, kCanary);
  fill(kCompletionOffset, entries_ * kCompletionBytes,
       0);  // phase 0 comes last of the four, so zero is never a first pass
  fill(kCompletionOffset + entries_ * kCompletionBytes, kCanaryBytes, kCanary);
  memory_->barrier();
}

void TernDma::program() {
  const auto address = [&](const char* name, std::uint64_t value) {
    registers_.write(fmt::format("dma0.{}_lo", name), static_cast<std::uint32_t>(value));
    registers_.write(fmt::format("dma0.{}_hi", name), static_cast<std::uint32_t>(value >> 32U));
  };
  registers_.write("dma0.ctrl", 0);
  registers_.write("dma0.command.reset_rings", 1);
  address("ring_base", memory_->base() + kDescriptorOffset);
  address("comp_base", memory_->base() + kCompletionOffset);
  registers_.write("dma0.ring_size", log2_);
  registers_.write("dma0.comp_size", log2_);
  registers_.write("dma0.irq_status", 0xFF);
  registers_.write("dma0.command.clear_error", 1);
  registers_.write("dma0.ctrl.enable", 1);
}

void TernDma::open(std::uint32_t entries) {
  if (entries < kMinEntries || entries > kMaxEntries || (entries & (entries - 1)) != 0) {
    Failure failure;
    failure.error_class = ErrorClass::sequence;
    failure.symptom = "bad_ring_size";
    failure.message =
        fmt::format("a ring of {} entries: expected a power of two from {} to {}", entries, kMinEntries, kMaxEntries);
    throw FailureError(failure);
  }
  entries_ = entries;
  log2_ = 0;
  while ((1U << log2_) < entries) ++log2_;
  tail_ = consumer_ = 0;
  outstanding_.clear();
  lay_out();
  program();
  const Fields status(registers_, "dma0.status", registers_.read("dma0.status"));
  if (status["bad_config"] != 0 || status["halted"] != 0)
    fail("dma_not_ready", fmt::format("{} does not take its rings", part()),
         "it is halted by an earlier error, or busy");
}

void TernDma::close() {
  if (!is_open()) return;
  registers_.write("dma0.ctrl.enable", 0);
  entries_ = 0;
  outstanding_.clear();
}

void TernDma::check_doorbell() const {
  const std::uint32_t accepted = registers_.read("dma0.tail");
  if (accepted == tail_) return;
  const std::uint32_t overruns = registers_.read("dma0.doorbell_overruns");
  if (overruns != 0)
    fail("dma_ring_overrun",
         fmt::format("the engine refused doorbell {}: it arrived beyond the ring's free space", tail_),
         "a bit error between host and doorbell register, or a host and an engine that disagree on the ring's size",
         "doorbell path to " + part());
  fail("dma_doorbell_lost", fmt::format("the engine's tail is {} after doorbell {}", accepted, tail_),
       "the doorbell write was lost or changed on its way", "doorbell path to " + part());
}

std::vector<std::uint16_t> TernDma::submit(const std::vector<DmaCopy>& copies) {
  if (copies.size() + outstanding_.size() > entries_ - 1) {
    Failure failure;
    failure.error_class = ErrorClass::bug;
    failure.symptom = "ring_full";
    failure.message = fmt::format("{} copies do not fit a ring of {} with {} outstanding", copies.size(), entries_,
                                  outstanding_.size());
    throw FailureError(failure);
  }
  std::vector<std::uint16_t> ids;
  for (const DmaCopy& copy : copies) {
    Descriptor descriptor;
    descriptor.source = copy.source;
    descriptor.destination = copy.destination;
    descriptor.length = copy.length;
    descriptor.tag = next_tag_++;
    const auto bytes = encode(descriptor, phase_of(tail_, log2_));
    memory_->write(kDescriptorOffset + (tail_ % entries_) * kDescriptorBytes, bytes.data(), bytes.size());
    outstanding_[descriptor.tag] = copy;
    ids.push_back(descriptor.tag);
    ++tail_;
  }
  memory_->barrier();
  registers_.write("dma0.doorbell", tail_);
  check_doorbell();
  return ids;
}

void TernDma::check_canaries() const {
  for (const auto& [what, offset] : {std::pair{"descriptor", kDescriptorOffset + entries_ * kDescriptorBytes},
                                     std::pair{"completion", kCompletionOffset + entries_ * kCompletionBytes}}) {
    std::array<std::uint8_t, kCanaryBytes> bytes{};
    memory_->read(offset, bytes.data(), bytes.size());
    if (std::any_of(bytes.begin(), bytes.end(), [](std::uint8_t b) { return b != kCanary; }))
      fail("dma_canary", fmt::format("the canary behind the {} ring was overwritten", what),
           "the engine writes beyond the end of the ring, or a copy went astray");
  }
}

DmaCompletion TernDma::accept(const Completion& record) {
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
  if (out.ok && record.bytes != it->second.length)
    fail("dma_short_copy",
         fmt::format("tag {} completed as ok with {} of {} bytes", record.tag, record.bytes, it->second.length),
         "the engine lost part of the copy");
  outstanding_.erase(it);
  return out;
}

std::vector<DmaCompletion> TernDma::completions() {
  std::vector<DmaCompletion> out;
  while (!outstanding_.empty()) {
    std::array<std::uint8_t, kCompletionBytes> bytes{};
    memory_->read(kCompletionOffset + (consumer_ % entries_) * kCompletionBytes, bytes.data(), bytes.size());
    const Completion record = decode(bytes);
    if (record.phase != phase_of(consumer_, log2_)) break;
    // A stale descriptor is reported under whatever tag its old content had.
    if (record.status == static_cast<unsigned>(DmaStatus::phase_mismatch))
      fail("dma_phase_mismatch",
           fmt::format("descriptor {} carried the phase of another pass over the ring", record.index),
           "the descriptor's write was not visible when the doorbell rang: a missing barrier, or a write buffer that a "
           "barrier does not flush",
           "host memory " + memory_->name());
    out.push_back(accept(record));
    ++consumer_;
  }
  if (!out.empty()) registers_.write("dma0.comp_consumer", consumer_);
  check_canaries();
  return out;
}

std::vector<DmaCompletion> TernDma::wait_all(Instant deadline) {
  std::vector<DmaCompletion> out;
  for (;;) {
    const Instant looked = time_.now();
    const std::vector<DmaCompletion> fresh = completions();
    out.insert(out.end(), fresh.begin(), fresh.end());
    if (outstanding_.empty()) return out;
    if (looked >= deadline) {
      const std::uint32_t written = registers_.read("dma0.comp_producer");
      if (written != consumer_)
        fail("dma_completion_lost",
             fmt::format("the engine has written completion {}, and it is not in memory", consumer_),
             "the write was lost on its way, or an older write of the host, with no barrier behind it, came after it",
             "host memory " + memory_->name());
      fail("dma_timeout", fmt::format("{} of the copies have no completion", outstanding_.size()),
           registers_.read("dma0.status.in_flight") != 0 ? "a read or write got no answer from memory"
                                                         : "the engine does not see the descriptors");
    }
    time_.sleep_until(std::min(deadline, time_.now() + clock_.core_cycles(kPollCoreCycles)));
  }
}

bool TernDma::in_host(std::uint64_t address, std::size_t count) const {
  return address >= memory_->base() && address + count <= memory_->base() + memory_->size();
}

void TernDma::bounce(std::uint64_t source, std::uint64_t destination, std::uint32_t length) {
  if (!is_open()) open(64);
  if (!outstanding_.empty())
    fail("dma_busy", "memory behind the engine cannot be looked at while copies are outstanding",
         "a step that did not wait for its copies");
  submit({{source, destination, length}});
  const std::vector<DmaCompletion> done = wait_all(time_.now() + clock_.core_cycles(kBounceLimitCoreCycles));
  if (!done.front().ok)
    fail("dma_copy_failed",
         fmt::format("copying {} bytes from {:#x} to {:#x} ended with {} at {:#x}", length, source, destination,
                     done.front().status, done.front().error_address),
         "the memory at that address answers with an error");
}

std::vector<std::uint8_t> TernDma::peek(std::uint64_t address, std::size_t count) {
  std::vector<std::uint8_t> out(count);
  if (in_host(address, count)) {
    memory_->read(address - memory_->base(), out.data(), count);
    return out;
  }
  for (std::size_t done = 0; done < count;) {
    const std::size_t part = std::min<std::size_t>(kBounceBytes, count - done);
    bounce(address + done, memory_->base() + kBounceOffset, static_cast<std::uint32_t>(part));
    memory_->read(kBounceOffset, out.data() + done, part);
    done += part;
  }
  return out;
}

void TernDma::poke(std::uint64_t address, const std::vector<std::uint8_t>& bytes) {
  if (in_host(address, bytes.size())) {
    memory_->write(address - memory_->base(), bytes.data(), bytes.size());
    memory_->barrier();
    return;
  }
  for (std::size_t done = 0; done < bytes.size();) {
    const std::size_t part = std::min<std::size_t>(kBounceBytes, bytes.size() - done);
    memory_->write(kBounceOffset, bytes.data() + done, part);
    bounce(memory_->base() + kBounceOffset, address + done, static_cast<std::uint32_t>(part));
    done += part;
  }
}

std::vector<std::pair<std::string, std::uint64_t>> TernDma::counters() {
  std::vector<std::pair<std::string, std::uint64_t>> out;
  for (const char* name : kCounters) out.emplace_back(name, registers_.read(fmt::format("dma0.{}", name)));
  for (const char* name : {"bytes_read", "bytes_written"}) {
    const std::uint64_t low = registers_.read(fmt::format("dma0.{}_lo", name));
    const std::uint64_t high = registers_.read(fmt::format("dma0.{}_hi", name));
    out.emplace_back(name, (high << 32U) | low);
  }
  for (unsigned status = 0; status < 8; ++status)
    out.emplace_back("ended_" + name_of(status), registers_.read(fmt::format("dma0.errors[{}]", status)));
  return out;
}

void TernDma::clear_counters() { registers_.write("dma0.command.clear_counters", 1); }

std::string TernDma::error() {
  const Fields first(registers_, "dma0.first_error", registers_.read("dma0.first_error"));
  if (first["valid"] == 0) return {};
  const std::uint64_t low = registers_.read("dma0.first_error_addr_lo");
  const std::uint64_t high = registers_.read("dma0.first_error_addr_hi");
  return fmt::format("descriptor {}: {} at {:#012x}", first["index"], first.name("cause"), (high << 32U) | low);
}

void TernDma::clear_error() { registers_.write("dma0.command.clear_error", 1); }

}  // namespace firstlight::tern
