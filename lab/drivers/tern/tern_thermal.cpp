#include "lab/drivers/tern/tern_thermal.h"

#include <fmt/format.h>

#include <algorithm>

#include "lab/core/failure.h"
#include "lab/drivers/tern/fields.h"

namespace firstlight::tern {
namespace {
constexpr double kDutyWindowRefCycles = 4096;
}

TernThermal::TernThermal(std::string name, Registers& registers, BenchTime& time, TernClock clock,
                         std::vector<Zone> zones)
    : name_(std::move(name)), registers_(registers), time_(time), clock_(clock), zones_(std::move(zones)) {}

std::string TernThermal::part(const std::string& zone) const {
  return fmt::format("{} thermal sensor {}", name_, zone);
}

std::vector<std::string> TernThermal::zones() const {
  std::vector<std::string> names;
  for (const Zone& zone : zones_) names.push_back(zone.name);
  return names;
}

std::size_t TernThermal::index(const std::string& zone) const {
  for (std::size_t i = 0; i < zones_.size(); ++i)
    if (zones_[i].name == zone) return i;
  Failure failure;
  failure.error_class = ErrorClass::bench;
  failure.symptom = "unknown_zone";
  failure.message = fmt::format("{} has no thermal zone {}; it has {}", name_, zone, fmt::join(zones(), ", "));
  throw FailureError(failure);
}

std::string TernThermal::rail_of(const std::string& zone) const { return zones_[index(zone)].rail; }

Duration TernThermal::sample_period() {
  return clock_.ref_cycles(std::max<std::uint32_t>(1, registers_.read("thermal.sample.period")));
}

Duration TernThermal::filter_time() {
  const Fields filter(registers_, "thermal.filter", registers_.read("thermal.filter"));
  const std::uint32_t settle = registers_.read("thermal.sample.settle");
  return sample_period() * (std::max(filter["alarm_m"], filter["trip_m"]) + settle + 2);
}

ZoneReading TernThermal::read(const std::string& zone) {
  const std::size_t i = index(zone);
  const std::string zone_reg = fmt::format("thermal.zone[{}]", i);
  const std::string changes_reg = fmt::format("thermal.changes[{}]", i);
  const Fields state(registers_, zone_reg, registers_.read(zone_reg));
  const Fields changes(registers_, changes_reg, registers_.read(changes_reg));
  ZoneReading out;
  out.raw = Temperature(state.scaled("raw"));
  out.temperature = Temperature(state.scaled("temperature"));
  out.valid = state["valid"] != 0;
  out.powered = state["powered"] != 0;
  out.alarm = state["alarm"] != 0;
  out.trip = state["trip"] != 0;
  if (state["fault_sentinel"] != 0)
    out.fault = "sentinel";
  else if (state["fault_range"] != 0)
    out.fault = "out of range";
  else if (state["fault_stuck"] != 0)
    out.fault = "stuck";
  out.samples = changes["samples"];
  out.changes = changes["count"];
  out.text = fmt::format("{} {:#010x}", zone_reg, state.raw());
  return out;
}

// A rail that has just become good leaves its sensor settling for a few samples, and whoever asks then is early, not
// wrong. Silence for longer than the slowest filter is a fault.
ZoneReading TernThermal::settled(const std::string& zone) {
  ZoneReading reading = read(zone);
  const auto settling = [&] { return reading.powered && !reading.valid && reading.fault.empty(); };
  if (!settling()) return reading;
  const Duration period = sample_period();
  const Instant deadline = time_.now() + 2 * filter_time();
  while (settling() && time_.now() < deadline) {
    time_.sleep(period);
    reading = read(zone);
  }
  return reading;
}

Temperature TernThermal::temperature(const std::string& zone) {
  const ZoneReading reading = settled(zone);
  if (reading.valid) return reading.temperature;
  Failure failure;
  failure.error_class = ErrorClass::dut;
  failure.symptom = reading.fault.empty() ? "sensor_not_valid" : "sensor_faulty";
  failure.part = part(zone);
  failure.received = reading.text;
  if (!reading.powered) {
    failure.message = fmt::format("zone {} has no temperature: its rail {} is not good", zone, rail_of(zone));
    failure.likely_cause = fmt::format("{} is off or its power-good does not reach the chip", rail_of(zone));
  } else if (reading.fault.empty()) {
    failure.message =
        fmt::format("zone {} has no temperature after {}", zone, to_text(to_quantity(2 * filter_time()), 3));
    failure.likely_cause = "the sensor takes no samples: its clock or its sample timer stands still";
  } else {
    failure.message = fmt::format("the sensor of zone {} reads {} ({})", zone, to_text(reading.raw), reading.fault);
    failure.likely_cause = reading.fault == "sentinel"
                               ? "the sensor is open, unpowered, or its bus is broken: it answers with its sentinel"
                               : "a broken sensor or a wrong conversion";
  }
  throw FailureError(failure);
}

Temperature TernThermal::hottest() {
  const Fields hottest(registers_, "thermal.hottest", registers_.read("thermal.hottest"));
  if (hottest["valid"] != 0) return Temperature(hottest.scaled("temperature"));
  Failure failure;
  failure.error_class = ErrorClass::dut;
  failure.symptom = "sensor_not_valid";
  failure.message = fmt::format("{} has no valid temperature in any zone", name_);
  failure.part = name_ + " thermal unit";
  failure.received = fmt::format("thermal.hottest {:#010x}", hottest.raw());
  failure.likely_cause = "no zone's rail is good, or every sensor is faulty";
  throw FailureError(failure);
}

void TernThermal::forget_history() { registers_.write("thermal.peak_clear.zones", 0xF); }

Temperature TernThermal::threshold(const char* bank, const std::string& zone) {
  const std::string reg = fmt::format("thermal.{}[{}]", bank, index(zone));
  return Temperature(Fields(registers_, reg, registers_.read(reg)).scaled("limit"));
}

void TernThermal::set_threshold(const char* bank, const std::string& zone, Temperature limit) {
  const std::string reg = fmt::format("thermal.{}[{}]", bank, index(zone));
  const Fields fields(registers_, reg);
  registers_.write(reg, fields.place("limit", fields.raw_of("limit", limit.base())));
}

Temperature TernThermal::alarm_threshold(const std::string& zone) { return threshold("alarm", zone); }
void TernThermal::set_alarm_threshold(const std::string& zone, Temperature limit) {
  set_threshold("alarm", zone, limit);
}
Temperature TernThermal::trip_threshold(const std::string& zone) { return threshold("trip", zone); }
void TernThermal::set_trip_threshold(const std::string& zone, Temperature limit) { set_threshold("trip", zone, limit); }

TripLatch TernThermal::trip_latch() {
  const Fields status(registers_, "thermal.trip_status", registers_.read("thermal.trip_status"));
  TripLatch out;
  out.latched = status["latched"] != 0;
  const std::uint32_t zone = status["zone"];
  out.zone = out.latched && zone < zones_.size() ? zones_[zone].name : "";
  out.temperature = Temperature(status.scaled("temperature"));
  out.sensor_fault = status["sensor_fault"] != 0;
  out.injected = status["injected"] != 0;
  out.text = fmt::format("thermal.trip_status {:#010x}", status.raw());
  return out;
}

void TernThermal::clear_trip() {
  registers_.write("thermal.trip_status.clear_refused", 1);
  registers_.write("thermal.trip_ctrl.clear", 1);
  const Fields status(registers_, "thermal.trip_status", registers_.read("thermal.trip_status"));
  if (status["latched"] == 0) return;
  Failure failure;
  failure.error_class = ErrorClass::dut;
  failure.symptom = "trip_clear_refused";
  failure.message = fmt::format("{} keeps its thermal trip latched", name_);
  failure.part = name_ + " thermal unit";
  failure.sent = "thermal.trip_ctrl.clear = 1";
  failure.received = fmt::format("thermal.trip_status {:#010x}", status.raw());
  failure.likely_cause = "a zone is still above its trip threshold less the hysteresis, or a faulty sensor trips";
  throw FailureError(failure);
}

ThrottleState TernThermal::throttle() {
  const Fields reason(registers_, "thermal.throttle_reason", registers_.read("thermal.throttle_reason"));
  ThrottleState out;
  out.active = reason["active"] != 0;
  for (std::size_t i = 0; i < zones_.size(); ++i)
    if ((reason["zones"] >> i) & 1U) out.reasons.push_back(zones_[i].name + " alarm");
  if (reason["software"] != 0) out.reasons.emplace_back("software");
  if (reason["sensor"] != 0) out.reasons.emplace_back("sensor fault");
  if (reason["dwell"] != 0) out.reasons.emplace_back("dwell");
  out.duty = static_cast<double>(registers_.read("thermal.duty.cycles")) / kDutyWindowRefCycles;
  out.events = registers_.read("thermal.throttle_events");
  return out;
}

void TernThermal::set_heater(const std::string& zone, int level) {
  registers_.write(fmt::format("thermal.heater.zone{}", index(zone)),
                   static_cast<std::uint32_t>(std::clamp(level, 0, max_heater_level())));
}

int TernThermal::heater(const std::string& zone) {
  return static_cast<int>((registers_.read("thermal.heater_actual.levels") >> (4 * index(zone))) & 0xFU);
}

void TernThermal::inject(const std::string& zone, std::optional<Temperature> value) {
  const std::string reg = fmt::format("thermal.inject[{}]", index(zone));
  const Fields fields(registers_, reg);
  registers_.write(
      reg, value ? fields.place("value", fields.raw_of("value", value->base())) | fields.place("enable", 1) : 0U);
}

}  // namespace firstlight::tern
