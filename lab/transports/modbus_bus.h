#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/core/bench_time.h"

namespace firstlight {

enum class ModbusStatus : std::uint8_t { ok, exception, timeout, closed, io_error };

struct ModbusResult {
  ModbusStatus status = ModbusStatus::ok;
  std::vector<std::uint16_t> data;  // registers, or coils as 0 and 1
  int exception = 0;                // the server's exception code (MODBUS Application Protocol 1.1b3, 7)
  std::string detail;
};

enum class ModbusTable : std::uint8_t { coils, discrete_inputs, input_registers, holding_registers };

/// A Modbus client, by TCP or a serial line.
class ModbusBus {
 public:
  ModbusBus() = default;
  ModbusBus(const ModbusBus&) = delete;
  ModbusBus& operator=(const ModbusBus&) = delete;
  virtual ~ModbusBus() = default;

  /// @param unit the server's address, 1 to 247 (0 or 255 for TCP devices that have none); @param address counts from
  /// 0, as on the wire
  virtual ModbusResult read(std::uint8_t unit, ModbusTable table, std::uint16_t address, std::uint16_t count,
                            Instant deadline) = 0;
  /// To coils or holding registers.
  virtual ModbusResult write(std::uint8_t unit, ModbusTable table, std::uint16_t address,
                             const std::vector<std::uint16_t>& values, Instant deadline) = 0;
  virtual std::string name() const = 0;
};

}  // namespace firstlight
