#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/core/bench_time.h"

namespace firstlight {

enum class HwmonStatus : std::uint8_t { ok, no_such_channel, no_value, timeout, io_error };

struct HwmonResult {
  HwmonStatus status = HwmonStatus::ok;
  std::int64_t value = 0;  // in the unit of the kernel's ABI: mV, mA, uW, m degC, RPM
  std::string detail;
};

/// One chip of the Linux hwmon class (Documentation/hwmon/sysfs-interface.rst): on this machine, or on the DUT's host.
class Hwmon {
 public:
  Hwmon() = default;
  Hwmon(const Hwmon&) = delete;
  Hwmon& operator=(const Hwmon&) = delete;
  virtual ~Hwmon() = default;

  /// The chip's own `name`.
  virtual std::string chip() const = 0;
  /// "in0_input", "temp1_input", "temp1_label", ...: the attributes that can be read, in order.
  virtual std::vector<std::string> attributes() const = 0;
  /// What the board's maker calls a channel ("temp1" is "Tctl"); empty when nobody named it.
  virtual std::string label(const std::string& channel) const {
    (void)channel;
    return {};
  }
  /// @param attribute a numeric one
  virtual HwmonResult read(const std::string& attribute, Instant deadline) = 0;
  virtual std::string name() const = 0;
};

}  // namespace firstlight
