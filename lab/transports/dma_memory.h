#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace firstlight {

/// Host memory that the chip reaches by bus address (huge pages or VFIO in the lab). Accesses cost no bus time.
class DmaMemory {
 public:
  DmaMemory() = default;
  DmaMemory(const DmaMemory&) = delete;
  DmaMemory& operator=(const DmaMemory&) = delete;
  virtual ~DmaMemory() = default;

  /// Bus address of the first byte, as the chip's DMA sees it.
  virtual std::uint64_t base() const = 0;
  virtual std::uint64_t size() const = 0;
  /// Offsets count from base(). Out of range throws std::out_of_range: a bug of the caller.
  virtual void read(std::uint64_t offset, std::uint8_t* data, std::size_t count) const = 0;
  virtual void write(std::uint64_t offset, const std::uint8_t* data, std::size_t count) = 0;
  /// Orders earlier writes before whatever the caller does next (a doorbell).
  virtual void barrier() = 0;
  virtual std::string name() const = 0;
};

}  // namespace firstlight
