#include "lab/drivers/scpi/supply_rail.h"

#include <fmt/format.h>

#include <cmath>

#include "lab/core/failure.h"

namespace firstlight::scpi {

std::string SupplyRail::part() const { return bench_.get<Supply>(plan_.driver).part() + " (" + plan_.name + ")"; }

void SupplyRail::lacks(const std::string& what) const {
  throw FailureError({ErrorClass::bench,
                      "supply_rail",
                      fmt::format("{} is made by a bench supply, which has no {}", plan_.name, what),
                      part(),
                      {},
                      {},
                      "use rail.ramp to move its voltage, and a sensor to take a temperature"});
}

void SupplyRail::enable() {
  if (supply().has_over_voltage()) supply().set_over_voltage(plan_.max);
  if (plan_.max_current) supply().set_current_limit(*plan_.max_current);
  supply().enable();
}

void SupplyRail::set_margin(Margin margin) {
  if (margin != Margin::none) lacks("margins");
}

Voltage SupplyRail::margin_voltage(Margin margin) {
  if (margin != Margin::none) lacks("margins");
  return target_voltage();
}

Temperature SupplyRail::temperature() { lacks("temperature"); }

RailStatus SupplyRail::status() {
  RailStatus status;
  status.on = supply().enabled();
  status.faults = supply().trips();
  const Voltage set = supply().target_voltage();
  const Voltage now = supply().voltage();
  const double apart = std::fabs((now - set).base());
  status.power_good = status.on && status.faults.empty() && apart <= plan_.tolerance.base() * set.base();
  status.text = fmt::format("output {}, set {}, measured {}", status.on ? "on" : "off", to_text(set), to_text(now));
  return status;
}

}  // namespace firstlight::scpi
