#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/core/quantity.h"

namespace firstlight {

/// How a device's own numbers become base units: base = factor * number + zero. From a unit that `parse_quantity`
/// knows, so "degC", "K" and "kPa" need no table of their own.
struct UnitScale {
  Dimension dimension = Dimension::none;
  double factor = 1;
  double zero = 0;

  Quantity to_base(double number) const { return {factor * number + zero, dimension}; }
  double from_base(double base) const { return (base - zero) / factor; }
};
/// "degC", "L/min", "kPa"; "" and "1" are a plain number. Nothing for a unit that nobody knows.
std::optional<UnitScale> unit_scale(const std::string& unit);

struct PointReading {
  std::string name;
  Dimension dimension = Dimension::none;
};

/// Range and resolution in base units.
struct PointSetting {
  std::string name;
  Dimension dimension = Dimension::none;
  std::optional<double> min;
  std::optional<double> max;
  double resolution = 0;  // how far a read-back may be off without being another setting
};

/// A device that is a set of named points: readings, settings that it holds, outputs that are on or off. The same name
/// may stand once in each. What lies under it is a Modbus device map or a program; what stands on it are the
/// capabilities. Every call does I/O, has its own deadline, and throws FailureError with what went over the wires.
class PointDevice {
 public:
  PointDevice() = default;
  PointDevice(const PointDevice&) = delete;
  PointDevice& operator=(const PointDevice&) = delete;
  virtual ~PointDevice() = default;

  virtual std::string part() const = 0;
  /// True when the tables are known without talking to the device.
  virtual bool described() const { return true; }
  virtual std::vector<PointReading> readings() = 0;
  virtual std::vector<PointSetting> settings() = 0;
  virtual std::vector<std::string> outputs() = 0;

  /// Names are those of the tables: the callers have checked them.
  virtual Quantity read(const std::string& reading) = 0;
  virtual Quantity setting(const std::string& name) = 0;
  virtual void set(const std::string& name, const Quantity& value) = 0;
  virtual bool output(const std::string& name) = 0;
  virtual void switch_output(const std::string& name, bool on) = 0;
};

}  // namespace firstlight
