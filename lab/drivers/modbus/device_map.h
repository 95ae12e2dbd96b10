#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/core/bench_time.h"
#include "lab/drivers/points/point_device.h"
#include "lab/transports/modbus_bus.h"

namespace firstlight::modbus {

enum class Format : std::uint8_t { bit, u16, s16, u32, s32, f32 };

/// Where a number of a device lies, and what it means: base units = to_base(scale * raw + offset).
struct Point {
  std::string name;
  ModbusTable table = ModbusTable::holding_registers;
  std::uint16_t address = 0;
  Format format = Format::u16;
  bool low_word_first = false;
  double scale = 1;
  double offset = 0;
  UnitScale unit;
  std::optional<double> min;  // in base units: of a setting what it may be set to, of a reading what is plausible
  std::optional<double> max;
  std::vector<std::int64_t> invalid;  // raw values by which the device says that there is no reading
  std::int64_t on = 1;                // of an output
  std::int64_t off = 0;
  std::string doc;

  std::uint16_t registers() const;
  /// What one step of the raw number is, in base units; 0 for a float.
  double resolution() const;
};

/// A model of a device: how it is spoken to. One file a model.
struct DeviceMap {
  std::string name;
  std::string doc;
  std::uint8_t unit = 1;                       // the address it has from the factory
  Duration timeout = std::chrono::seconds(1);  // for one answer
  Duration pacing{};                           // between the end of an answer and the next request
  std::optional<Point> identity;               // a number by which the device is known
  std::int64_t identity_value = 0;
  std::vector<Point> readings;
  std::vector<Point> settings;
  std::vector<Point> outputs;
};

/// Reads a map. Throws FailureError (bench) that tells all that is wrong, each with file, line and column.
DeviceMap parse_device_map(const std::string& file, const std::string& text);

/// A file ending in .yaml, or one of those in the program. Throws FailureError (bench).
DeviceMap load_device_map(const std::string& name);
std::vector<std::string> known_device_maps();

/// The raw number that registers (high word first or not) hold. A float comes as a double of its own.
double decode(const Point& point, const std::vector<std::uint16_t>& registers);
/// Nothing when the number does not fit the format.
std::optional<std::vector<std::uint16_t>> encode(const Point& point, double raw);

}  // namespace firstlight::modbus
