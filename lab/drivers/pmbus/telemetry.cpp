#include "lab/drivers/pmbus/telemetry.h"

#include <fmt/format.h>

namespace firstlight::pmbus {

namespace {

// What a part that works can be at; a sensor that is open, shorted or not configured reads beyond.
constexpr double kColdest = -60;
constexpr double kHottest = 250;

}  // namespace

const std::vector<Reading>& readings() {
  static const std::vector<Reading> table = {
      {"input_voltage", Command::READ_VIN, Dimension::voltage, "READ_VIN."},
      {"output_voltage", Command::READ_VOUT, Dimension::voltage, "READ_VOUT."},
      {"input_current", Command::READ_IIN, Dimension::current, "READ_IIN."},
      {"output_current", Command::READ_IOUT, Dimension::current, "READ_IOUT."},
      {"input_power", Command::READ_PIN, Dimension::power, "READ_PIN."},
      {"output_power", Command::READ_POUT, Dimension::power, "READ_POUT."},
      {"temperature", Command::READ_TEMPERATURE_1, Dimension::temperature, "READ_TEMPERATURE_1."},
  };
  return table;
}

Temperature plausible_temperature(double celsius, const std::string& part) {
  if (celsius >= kColdest && celsius <= kHottest) return Temperature(celsius);
  throw FailureError({ErrorClass::infrastructure, "implausible_temperature",
                      fmt::format("{} says {:.1f} degC, which it would not survive", part, celsius), part,
                      "READ_TEMPERATURE_1", fmt::format("{:.1f} degC", celsius),
                      "its sensor is open or switched off, or the part codes temperature otherwise than its "
                      "description says"});
}

Quantity read_now(Device& device, int page, const Reading& reading) {
  const double value = device.read_number(page, reading.command);
  if (reading.dimension == Dimension::temperature) return plausible_temperature(value, device.part(page)).quantity();
  return {value, reading.dimension};
}

}  // namespace firstlight::pmbus
