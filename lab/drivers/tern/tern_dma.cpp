#include "lab/drivers/tern/tern_dma.h"

#include <fmt/format.h>

#include <algorithm>

#include "lab/core/failure.h"
#include "lab/drivers/tern/dma_layout.h"
#include "lab/drivers/tern/dma_ring.h"

namespace firstlight::tern {
namespace {

constexpr std::uint32_t kBounceEntries = 64;
// A bounce moves at most 64 KiB; ten times what the slowest window needs.
constexpr double kBounceLimitCoreCycles = 4e5;

}  // namespace

TernDma::TernDma(std::string name, Registers& registers, std::shared_ptr<DmaMemory> memory, BenchTime& time,
                 TernClock clock, std::uint64_t hbm_bytes)
    : name_(std::move(name)),
      registers_(registers),
      memory_(std::move(memory)),
      time_(time),
      clock_(clock),
      hbm_bytes_(hbm_bytes) {
  for (unsigned engine = 0; engine < engines(); ++engine)
    for (unsigned index = 0; index < queues(); ++index)
      queues_.push_back(std::make_unique<TernDmaQueue>(name_, engine, index, registers_, memory_, time_, clock_));
}

unsigned TernDma::engines() const { return DmaLayout::kEngines; }
unsigned TernDma::queues() const { return DmaLayout::kQueues; }

std::vector<DmaWindow> TernDma::windows() const {
  std::vector<DmaWindow> out;
  for (const RegionInfo& region : registers_.map().regions()) {
    if (region.name == "mesh") continue;  // who answers there is a matter of the mesh, not of this chip
    if (region.name == "hbm")
      out.push_back({region.name, region.base, hbm_bytes_});
    else if (region.name == "host")
      out.push_back({region.name, memory_->base() + DmaLayout::kWindow,
                     memory_->size() - std::min(memory_->size(), DmaLayout::kWindow)});
    else
      out.push_back({region.name, region.base, region.size});
  }
  return out;
}

DmaQueue& TernDma::queue(unsigned engine, unsigned index) {
  if (engine < engines() && index < queues()) return *queues_[engine * queues() + index];
  Failure failure;
  failure.error_class = ErrorClass::sequence;
  failure.symptom = "no_dma_queue";
  failure.message = fmt::format("{} has {} engines of {} queues; there is no queue {} of engine {}", part(), engines(),
                                queues(), index, engine);
  throw FailureError(failure);
}

bool TernDma::in_host(std::uint64_t address, std::size_t count) const {
  return address >= memory_->base() && address + count <= memory_->base() + memory_->size();
}

void TernDma::bounce(std::uint64_t source, std::uint64_t destination, std::uint32_t length) {
  DmaQueue& mover = queue(0, 0);
  if (!mover.is_open()) mover.open(kBounceEntries);
  Failure failure;
  failure.part = mover.part();
  if (mover.room() != mover.entries()) {
    failure.error_class = ErrorClass::bug;
    failure.symptom = "dma_busy";
    failure.message = "memory behind the engine cannot be looked at while copies are outstanding";
    failure.likely_cause = "a step that did not wait for its copies";
    throw FailureError(failure);
  }
  DmaCopy copy;
  copy.source = source;
  copy.destination = destination;
  copy.length = length;
  mover.submit({copy});
  const DmaCompletion done = mover.wait_all(time_.now() + clock_.core_cycles(kBounceLimitCoreCycles)).front();
  if (done.ok) return;
  failure.error_class = ErrorClass::dut;
  failure.symptom = "dma_copy_failed";
  failure.message = fmt::format("copying {} bytes from {:#x} to {:#x} ended with {} at {:#x}", length, source,
                                destination, done.status, done.error_address);
  failure.received = mover.error();
  failure.likely_cause =
      "the memory at that address answers with a bus error, as one with ECC does where nothing was written";
  throw FailureError(failure);
}

std::vector<std::uint8_t> TernDma::peek(std::uint64_t address, std::size_t count) {
  std::vector<std::uint8_t> out(count);
  if (in_host(address, count)) {
    memory_->read(address - memory_->base(), out.data(), count);
    return out;
  }
  for (std::size_t done = 0; done < count;) {
    const std::size_t part = std::min<std::size_t>(DmaLayout::kBounceBytes, count - done);
    bounce(address + done, memory_->base() + DmaLayout::kBounce, static_cast<std::uint32_t>(part));
    memory_->read(DmaLayout::kBounce, out.data() + done, part);
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
    const std::size_t part = std::min<std::size_t>(DmaLayout::kBounceBytes, bytes.size() - done);
    memory_->write(DmaLayout::kBounce, bytes.data() + done, part);
    bounce(memory_->base() + DmaLayout::kBounce, address + done, static_cast<std::uint32_t>(part));
    done += part;
  }
}

std::uint64_t TernDma::busy_cycles(unsigned engine) {
  return registers_.read(fmt::format("dma{}.cycles_busy", engine));
}

void TernDma::clear_counters(unsigned engine) {
  registers_.write(fmt::format("dma{}.command.clear_counters", engine), 1);
}

}  // namespace firstlight::tern
