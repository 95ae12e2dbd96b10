#pragma once

#include <cstdint>
#include <functional>

#include "lab/core/register_map.h"
#include "lab/transports/register_bus.h"

namespace firstlight::peers {

/// QEMU's `edu` device (docs/specs/edu.rst): a PCI card with a liveness check, a calculator of factorials and a DMA
/// engine with 4 KiB of its own.
inline constexpr std::uint32_t kEduId = 0x010000ed;
inline constexpr std::uint16_t kEduVendor = 0x1234;
inline constexpr std::uint16_t kEduDevice = 0x11e8;
inline constexpr std::uint32_t kEduBufferAddress = 0x40000;  // as its DMA engine sees it
/// Of its own memory, the most that one copy may take: QEMU 7.2 ends itself over one that reaches the last byte.
inline constexpr std::uint32_t kEduMostBytes = 4092;
inline constexpr unsigned kEduAddressBits = 28;

/// Its registers, as the lab's register driver takes them.
const RegisterMap& edu_registers();

class Edu {
 public:
  /// @param wait lets the device's time pass, 1 ms or so
  Edu(RegisterBus& bus, std::function<void()> wait) : bus_(bus), wait_(std::move(wait)) {}

  std::uint32_t id() { return get(0x00); }
  /// What it makes of a value: its complement.
  std::uint32_t liveness(std::uint32_t value);
  std::uint32_t factorial(std::uint32_t n);
  /// Bus address of host memory, offset into the device's own. Throws std::runtime_error when it does not end.
  void copy_in(std::uint64_t host, std::uint32_t offset, std::uint32_t count);
  void copy_out(std::uint32_t offset, std::uint64_t host, std::uint32_t count);

 private:
  std::uint32_t get(std::uint64_t address);
  void put(std::uint64_t address, std::uint32_t value);
  void copy(std::uint32_t source, std::uint32_t destination, std::uint32_t count, std::uint32_t command);
  void until_clear(std::uint64_t address, std::uint32_t bit);

  RegisterBus& bus_;
  std::function<void()> wait_;
};

}  // namespace firstlight::peers
