#pragma once

#include <cstdint>
#include <string>

#include "lab/core/bench_time.h"

namespace firstlight {

enum class BusStatus : std::uint8_t { ok, slave_error, decode_error, timeout, io_error };

struct BusResult {
  BusStatus status = BusStatus::ok;
  std::uint32_t data = 0;
  std::string detail;
};

/// 32-bit accesses to the chip's host port: a PCIe BAR, a debug bridge, or the model's AXI4-Lite pins.
class RegisterBus {
 public:
  RegisterBus() = default;
  RegisterBus(const RegisterBus&) = delete;
  RegisterBus& operator=(const RegisterBus&) = delete;
  virtual ~RegisterBus() = default;

  virtual BusResult read(std::uint64_t address, Instant deadline) = 0;
  virtual BusResult write(std::uint64_t address, std::uint32_t value, Instant deadline) = 0;
  virtual std::string name() const = 0;
};

}  // namespace firstlight
