#include "lab/steps/undo.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lab/capabilities/chip_power.h"
#include "lab/capabilities/chip_thermal.h"
#include "lab/capabilities/clock_source.h"
#include "lab/capabilities/coolant.h"
#include "lab/capabilities/link.h"
#include "lab/capabilities/rail.h"
#include "lab/capabilities/setpoints.h"
#include "lab/capabilities/switch.h"
#include "lab/core/failure.h"
#include "lab/steps/outlets.h"
#include "lab/steps/rail_actions.h"

namespace firstlight {

namespace steps {

namespace {

constexpr Duration kPeriod = std::chrono::milliseconds(10);
constexpr Duration kDischarge = std::chrono::seconds(5);

/// The shortest text that reads back as the same number.
template <Dimension D>
std::string exactly(Physical<D> value) {
  return fmt::format("{} {}", value.base(), base_unit(D));
}

[[noreturn]] void bad_value(const Undo& undo, const std::string& why) {
  throw FailureError({ErrorClass::bench,
                      "bad_undo",
                      fmt::format("undo {} of {}: {}", undo.kind, undo.target, why),
                      undo.target,
                      {},
                      {},
                      "the ledger was edited, or is of another version of Firstlight"});
}

template <Dimension D>
Physical<D> value_of(const Undo& undo) {
  QuantityError error;
  if (const auto value = parse_quantity(undo.value, D, &error)) return Physical<D>(*value);
  bad_value(undo, error.message);
}

/// "zone" or "driver.zone".
std::string zone_target(const std::string& zone, const std::string& chip) {
  return chip.empty() ? zone : chip + "." + zone;
}
std::string chip_of(const Undo& undo) {
  const auto dot = undo.target.find('.');
  return dot == std::string::npos ? std::string() : undo.target.substr(0, dot);
}
std::string zone_of(const Undo& undo) { return undo.target.substr(undo.target.find('.') + 1); }

void rail_off(Bench& bench, const Undo& undo) {
  Rail& rail = bench.rail(undo.target);
  const OffResult result = turn_off(bench, rail);
  if (!result.off) throw FailureError(off_failure(rail, result));
}

void rail_set_point(Bench& bench, const Undo& undo) {
  bench.rail(undo.target).set_voltage(value_of<Dimension::voltage>(undo));
}

void rail_margin(Bench& bench, const Undo& undo) {
  Rail& rail = bench.rail(undo.target);
  // Writing OPERATION would turn an off rail on.
  if (rail.status().on) rail.set_margin(Margin::none);
}

void supply_off(Bench& bench, const Undo& undo) {
  auto& supply = bench.get<Supply>(undo.target);
  const Voltage target = undo.value.empty() ? supply.target_voltage() : value_of<Dimension::voltage>(undo);
  discharge(bench, supply, target, kDischarge);
}

void switch_off(Bench& bench, const Undo& undo) {
  auto& device = bench.get<Switch>(undo.target);
  device.turn_off(outlet_of(device, undo.target, undo.value));
}
void setpoint(Bench& bench, const Undo& undo) {
  const auto dot = undo.target.find('.');
  auto& device = bench.get<Setpoints>(undo.target.substr(0, dot));
  const std::string name = undo.target.substr(dot + 1);
  const auto back = parse_quantity(undo.value, device.dimension(name));
  if (!back) bad_value(undo, "\"" + undo.value + "\" is no value of it");
  device.set(name, *back);
}
void clock_off(Bench& bench, const Undo& undo) { bench.get<ClockSource>(undo.target).disable(); }
void coolant_stop(Bench& bench, const Undo& undo) { bench.get<CoolantUnit>(undo.target).stop(); }
void heater_off(Bench& bench, const Undo& undo) { bench.get<ChipThermal>(chip_of(undo)).set_heater(zone_of(undo), 0); }
void trip_threshold(Bench& bench, const Undo& undo) {
  bench.get<ChipThermal>(chip_of(undo)).set_trip_threshold(zone_of(undo), value_of<Dimension::temperature>(undo));
}
void chip_stop(Bench& bench, const Undo& undo) { bench.get<ChipPower>(undo.target).stop(); }
void link_disable(Bench& bench, const Undo& undo) { bench.get<Link>(undo.target).disable(); }
void prbs_stop(Bench& bench, const Undo& undo) { bench.get<Link>(undo.target).stop_prbs(); }

struct Kind {
  const char* name;
  bool needs_rails;
  void (*perform)(Bench&, const Undo&);
};

constexpr std::array<Kind, 13> kKinds = {{
    {"switch_off", false, switch_off},
    {"setpoint", false, setpoint},
    {"rail_off", false, rail_off},
    {"rail_set_point", true, rail_set_point},
    {"rail_margin", true, rail_margin},
    {"supply_off", false, supply_off},
    {"clock_off", false, clock_off},
    {"coolant_stop", false, coolant_stop},
    {"heater_off", true, heater_off},
    {"trip_threshold", true, trip_threshold},
    {"chip_stop", true, chip_stop},
    {"link_disable", true, link_disable},
    {"prbs_stop", true, prbs_stop},
}};

const Kind* kind_of(const Undo& undo) {
  const auto* found =
      std::find_if(kKinds.begin(), kKinds.end(), [&](const Kind& kind) { return undo.kind == kind.name; });
  return found == kKinds.end() ? nullptr : found;
}

}  // namespace

Undo undo_rail(const std::string& rail) { return {"rail_off", rail, {}}; }
Undo undo_set_point(const std::string& rail, Voltage back) { return {"rail_set_point", rail, exactly(back)}; }
Undo undo_margin(const std::string& rail) { return {"rail_margin", rail, {}}; }
Undo undo_supply(const std::string& driver, Voltage target) { return {"supply_off", driver, exactly(target)}; }
Undo undo_switch(const std::string& driver, const std::string& outlet) { return {"switch_off", driver, outlet}; }
Undo undo_setpoint(const std::string& driver, const std::string& setpoint, const Quantity& back) {
  const std::string_view unit = base_unit(back.dimension);
  return {"setpoint", driver + "." + setpoint, fmt::format("{}{}{}", back.value, unit.empty() ? "" : " ", unit)};
}
Undo undo_clock(const std::string& driver) { return {"clock_off", driver, {}}; }
Undo undo_coolant(const std::string& driver) { return {"coolant_stop", driver, {}}; }
Undo undo_heater(const std::string& zone, const std::string& chip) {
  return {"heater_off", zone_target(zone, chip), {}};
}
Undo undo_trip_threshold(const std::string& zone, const std::string& chip, Temperature back) {
  return {"trip_threshold", zone_target(zone, chip), exactly(back)};
}
Undo undo_chip() { return {"chip_stop", {}, {}}; }
Undo undo_link() { return {"link_disable", {}, {}}; }
Undo undo_prbs() { return {"prbs_stop", {}, {}}; }

void discharge(Bench& bench, Supply& supply, Voltage target, Duration limit) {
  supply.disable();
  const Instant end = bench.time().now() + limit;
  Voltage left = supply.voltage();
  while (left > kSupplyOff * target && bench.time().now() < end) {
    bench.time().sleep(kPeriod);
    left = supply.voltage();
  }
  if (left <= kSupplyOff * target) return;
  throw FailureError({ErrorClass::bench, "supply_will_not_turn_off",
                      fmt::format("{} still has {} after {} with its output off", supply.part(), to_text(left),
                                  to_text(to_quantity(limit))),
                      supply.part(), "output off", to_text(left),
                      "the output relay is stuck, or something feeds the output back"});
}

}  // namespace steps

void perform_undo(Bench& bench, const Undo& undo) {
  const steps::Kind* kind = steps::kind_of(undo);
  if (kind != nullptr) return kind->perform(bench, undo);
  throw FailureError({ErrorClass::bench,
                      "bad_undo",
                      fmt::format("there is no undo \"{}\" (of {})", undo.kind, undo.target),
                      undo.target,
                      {},
                      {},
                      "the ledger was edited, or is of another version of Firstlight"});
}

bool needs_rails(const Undo& undo) {
  const steps::Kind* kind = steps::kind_of(undo);
  return kind != nullptr && kind->needs_rails;
}

std::optional<Undo> turn_off_undo(const Bench& bench, const std::string& driver) {
  if (bench.has<Supply>(driver)) return Undo{"supply_off", driver, {}};
  if (bench.has<Switch>(driver)) return Undo{"switch_off", driver, {}};
  return {};
}

UndoTable undo_table() { return {perform_undo, needs_rails, turn_off_undo}; }

}  // namespace firstlight
