#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "lab/capabilities/bench.h"
#include "lab/capabilities/supply.h"
#include "lab/core/bench_time.h"
#include "lab/core/quantity.h"
#include "lab/steps/step.h"

namespace firstlight {

/// Undoes an action on a bench, with read-back. Called in a fiber. Throws FailureError when the part will not turn off,
/// class bench when the kind or what it names is not known.
void perform_undo(Bench& bench, const Undo& undo);

/// True for what works only from the board's rails: it is undone as well when they are all off.
bool needs_rails(const Undo& undo);

/// How the part of a driver is turned off: what is done when a part that it feeds does not turn off by itself. Nothing
/// when the driver has no output to turn off.
std::optional<Undo> turn_off_undo(const Bench& bench, const std::string& driver);

/// The three above, as whoever makes a bench safe is given them.
struct UndoTable {
  std::function<void(Bench&, const Undo&)> perform;
  std::function<bool(const Undo&)> needs_rails;
  std::function<std::optional<Undo>(const Bench&, const std::string& driver)> turn_off;
};
UndoTable undo_table();

namespace steps {

// How steps write down what undoes them. A driver is empty where the bench has only one of the kind.
Undo undo_rail(const std::string& rail);
Undo undo_set_point(const std::string& rail, Voltage back);
Undo undo_margin(const std::string& rail);
Undo undo_supply(const std::string& driver, Voltage target);
Undo undo_switch(const std::string& driver, const std::string& outlet);
Undo undo_setpoint(const std::string& driver, const std::string& setpoint, const Quantity& back);
Undo undo_clock(const std::string& driver);
Undo undo_coolant(const std::string& driver);
Undo undo_heater(const std::string& zone, const std::string& chip = {});
Undo undo_trip_threshold(const std::string& zone, const std::string& chip, Temperature back);
Undo undo_chip();
Undo undo_link();
Undo undo_prbs();

/// A supply is off below this share of its set point.
inline constexpr double kSupplyOff = 0.1;
/// Output off, then waits until the voltage is gone. Throws FailureError (bench, "supply_will_not_turn_off").
void discharge(Bench& bench, Supply& supply, Voltage target, Duration limit);

}  // namespace steps

}  // namespace firstlight
