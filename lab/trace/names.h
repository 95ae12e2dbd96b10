#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "lab/trace/transaction.h"

namespace firstlight::trace {

// How the enumerations of transports stand in a trace, in the order of their values.
inline constexpr std::array<std::string_view, 9> kKindNames = {"i2c",   "stream", "registers", "dma_memory", "gpio",
                                                               "hwmon", "ipmi",   "http",      "modbus"};
inline constexpr std::array<std::string_view, 7> kI2cStatusNames = {
    "ok", "address_nack", "data_nack", "timeout", "bus_stuck", "arbitration_lost", "io_error"};
inline constexpr std::array<std::string_view, 5> kBusStatusNames = {"ok", "slave_error", "decode_error", "timeout",
                                                                    "io_error"};
inline constexpr std::array<std::string_view, 4> kStreamStatusNames = {"ok", "timeout", "closed", "io_error"};
inline constexpr std::array<std::string_view, 5> kHwmonStatusNames = {"ok", "no_such_channel", "no_value", "timeout",
                                                                      "io_error"};
inline constexpr std::array<std::string_view, 4> kIpmiStatusNames = {"ok", "timeout", "refused", "io_error"};
inline constexpr std::array<std::string_view, 5> kHttpStatusNames = {"ok", "timeout", "unreachable", "bad_certificate",
                                                                     "io_error"};
inline constexpr std::array<std::string_view, 5> kModbusStatusNames = {"ok", "exception", "timeout", "closed",
                                                                       "io_error"};
inline constexpr std::array<std::string_view, 4> kModbusTableNames = {"coils", "discrete_inputs", "input_registers",
                                                                      "holding_registers"};

constexpr const auto& names_of(Kind) { return kKindNames; }
constexpr const auto& names_of(I2cStatus) { return kI2cStatusNames; }
constexpr const auto& names_of(BusStatus) { return kBusStatusNames; }
constexpr const auto& names_of(StreamStatus) { return kStreamStatusNames; }
constexpr const auto& names_of(HwmonStatus) { return kHwmonStatusNames; }
constexpr const auto& names_of(IpmiStatus) { return kIpmiStatusNames; }
constexpr const auto& names_of(HttpStatus) { return kHttpStatusNames; }
constexpr const auto& names_of(ModbusStatus) { return kModbusStatusNames; }
constexpr const auto& names_of(ModbusTable) { return kModbusTableNames; }

template <class Enum>
constexpr std::string_view text_of(Enum value) {
  return names_of(value).at(static_cast<std::size_t>(value));
}

template <class Enum>
std::optional<Enum> value_of(std::string_view text) {
  const auto& names = names_of(Enum{});
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names.at(i) == text) return static_cast<Enum>(i);
  return {};
}

/// Payloads of memory up to so many bytes stand in the line, longer ones beside it.
inline constexpr std::size_t kInlineBytes = 64;

}  // namespace firstlight::trace
