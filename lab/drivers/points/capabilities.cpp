#include "lab/drivers/points/capabilities.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "lab/core/failure.h"
#include "lab/core/suggest.h"

namespace firstlight {

namespace {

constexpr Duration kLook = std::chrono::milliseconds(50);
constexpr double kFloatRounding = 1e-6;
/// Long enough for a supply behind the outlet to run its capacitors down.
constexpr Duration kCycleOff = std::chrono::seconds(2);

[[noreturn]] void no_such(const std::string& part, const char* what, const std::string& name,
                          const std::vector<std::string>& known) {
  const std::string near = nearest_name(name, known);
  throw FailureError({ErrorClass::bench,
                      std::string("no_such_") + what,
                      fmt::format("{} has no {} \"{}\"{}", part, what, name,
                                  near.empty() ? std::string() : fmt::format("; did you mean \"{}\"?", near)),
                      part,
                      {},
                      {},
                      fmt::format("it has: {}", fmt::join(known, ", "))});
}

[[noreturn]] void outside(const std::string& part, const std::string& what, const Quantity& value, const char* relation,
                          const char* whose, const Quantity& bound) {
  throw FailureError(
      {ErrorClass::interlock,
       "instrument_envelope",
       fmt::format("{} of {} for {} is {} the {} of {}", what, to_text(value), part, relation, whose, to_text(bound)),
       part,
       {},
       {},
       "the sequence asks for more than the bench allows; nothing was sent"});
}

}  // namespace

PointSetpoints::PointSetpoints(std::shared_ptr<PointDevice> device, PointLimits limits)
    : device_(std::move(device)), limits_(std::move(limits)) {}

std::vector<std::string> PointSetpoints::setpoints() {
  std::vector<std::string> names;
  for (const PointSetting& setting : device_->settings()) names.push_back(setting.name);
  return names;
}

PointSetting PointSetpoints::find(const std::string& setpoint) {
  for (PointSetting& setting : device_->settings())
    if (setting.name == setpoint) return setting;
  no_such(part(), "setpoint", setpoint, setpoints());
}

void PointSetpoints::check(const PointSetting& setting, const Quantity& value) const {
  if (value.dimension != setting.dimension)
    throw FailureError(
        {ErrorClass::bench,
         "wrong_dimension",
         fmt::format("{} of {} is a {}, not {}", setting.name, part(), name_of(setting.dimension), to_text(value)),
         part(),
         {},
         {},
         "the sequence gives the set point a value of another kind; nothing was sent"});
  const auto bound = limits_.maxima.find(setting.name);
  if (bound != limits_.maxima.end() && !(value.value <= bound->second.value))
    outside(part(), setting.name, value, "above", "bench's maximum", bound->second);
  if (setting.max && !(value.value <= *setting.max))
    outside(part(), setting.name, value, "above", "device's range", {*setting.max, setting.dimension});
  if (setting.min && !(value.value >= *setting.min))
    outside(part(), setting.name, value, "below", "device's range", {*setting.min, setting.dimension});
}

void PointSetpoints::set(const std::string& setpoint, const Quantity& value) {
  const PointSetting setting = find(setpoint);
  check(setting, value);
  device_->set(setpoint, value);
  const Quantity back = device_->setting(setpoint);
  // Half a step of rounding on the way there, and the same on the way back; a float rounds as well.
  const double rounding = std::max(setting.resolution * 1.01, kFloatRounding * std::fabs(value.value));
  if (std::fabs(back.value - value.value) <= rounding) return;
  throw FailureError({ErrorClass::bench, "instrument_readback",
                      fmt::format("{} took {} of {} without complaint but says it is {}", part(), setpoint,
                                  to_text(value), to_text(back)),
                      part(), fmt::format("{} = {}", setpoint, to_text(value)), to_text(back),
                      "the device is in local mode, runs a program of its own, or bounds the value itself"});
}

Quantity PointSetpoints::target(const std::string& setpoint) {
  find(setpoint);
  return device_->setting(setpoint);
}

PointSwitch::PointSwitch(std::shared_ptr<PointDevice> device, PointLimits limits, BenchTime& time)
    : device_(std::move(device)), limits_(std::move(limits)), time_(time) {}

std::string PointSwitch::part(const std::string& outlet) const {
  return fmt::format("{} output {}", device_->part(), outlet);
}

void PointSwitch::check(const std::string& outlet) {
  const std::vector<std::string> known = device_->outputs();
  if (std::find(known.begin(), known.end(), outlet) == known.end()) no_such(device_->part(), "outlet", outlet, known);
}

bool PointSwitch::on(const std::string& outlet) {
  check(outlet);
  return device_->output(outlet);
}

void PointSwitch::turn(const std::string& outlet, bool on) {
  check(outlet);
  device_->switch_output(outlet, on);
  const Instant end = time_.now() + limits_.settle;
  while (device_->output(outlet) != on) {
    if (time_.now() >= end)
      throw FailureError({ErrorClass::bench, "outlet_readback",
                          fmt::format("{} was switched {} but is still {} after {}", part(outlet), on ? "on" : "off",
                                      on ? "off" : "on", to_text(to_quantity(limits_.settle))),
                          part(outlet), on ? "on" : "off", on ? "off" : "on",
                          on ? "a protection has tripped, or the device is in local mode"
                             : "the relay is stuck, or the device is in local mode"});
    time_.sleep(kLook);
  }
}

void PointSwitch::cycle(const std::string& outlet) {
  turn(outlet, false);
  time_.sleep(kCycleOff);
  turn(outlet, true);
}

PointCoolant::PointCoolant(const std::shared_ptr<PointDevice>& device, const PointLimits& limits, BenchTime& time)
    : device_(device), setpoints_(device, limits), switch_(device, limits, time) {}

}  // namespace firstlight
