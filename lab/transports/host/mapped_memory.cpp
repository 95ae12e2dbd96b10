#include "lab/transports/host/mapped_memory.h"

#include <fmt/format.h>

#include <atomic>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace firstlight::host {

MappedMemory::MappedMemory(std::string name, std::shared_ptr<Mapping> mapping, std::uint64_t base, std::uint64_t size,
                           std::shared_ptr<void> keeper)
    : keeper_(std::move(keeper)), name_(std::move(name)), mapping_(std::move(mapping)), base_(base), size_(size) {}

std::uint8_t* MappedMemory::at(std::uint64_t offset, std::size_t count) const {
  if (offset > size_ || size_ - offset < count)
    throw std::out_of_range(fmt::format("{} bytes at 0x{:x} of {}, which has 0x{:x}", count, offset, name_, size_));
  return mapping_->bytes() + offset;
}

void MappedMemory::read(std::uint64_t offset, std::uint8_t* data, std::size_t count) const {
  const std::uint8_t* const from = at(offset, count);
  // What the device wrote since is not to be taken from a register.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  std::memcpy(data, from, count);
}

void MappedMemory::write(std::uint64_t offset, const std::uint8_t* data, std::size_t count) {
  std::memcpy(at(offset, count), data, count);
}

void MappedMemory::barrier() { std::atomic_thread_fence(std::memory_order_seq_cst); }

}  // namespace firstlight::host
