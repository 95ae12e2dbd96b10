#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lab/bench/plan.h"
#include "lab/core/quantity.h"

namespace firstlight {

/// What the bench allows, whoever asks. `firstlight check` asks it of every target that a sequence states, and the
/// bench's capabilities ask it before each action; no sequence, step or driver widens it. It talks to nobody.
class Envelope {
 public:
  /// Why something is not allowed, in words that name value and bound; nothing when it is allowed.
  using Objection = std::optional<std::string>;

  explicit Envelope(const BenchPlan& bench);

  /// Against a rail's `max` and `min`; NaN and what is below 0 V is never allowed.
  Objection rail_voltage(const std::string& rail, Voltage voltage) const;
  /// Against a rail's `slew`.
  Objection rail_slew(const std::string& rail, VoltageSlew slew) const;
  /// Against a rail's `max_current`.
  Objection rail_current(const std::string& rail, Current current) const;
  /// Against a driver's `max_<setting>` and `min_<setting>`, or what its maps `max` and `min` say of the setting:
  /// ("psu", "voltage", 12 V).
  Objection setting(const std::string& driver, const std::string& setting, const Quantity& value) const;

  /// Rails that must be on and good before this one may be on.
  const std::vector<std::string>& before(const std::string& rail) const { return rail_of(rail).before; }
  /// Rails that need this one to be on.
  const std::vector<std::string>& upon(const std::string& rail) const { return rail_of(rail).upon; }
  /// Rails that must not be on together with this one, whichever of the two says so.
  const std::vector<std::string>& excluded_by(const std::string& rail) const { return rail_of(rail).excluded; }

 private:
  struct RailBounds {
    Voltage max;
    std::optional<Voltage> min;
    std::optional<VoltageSlew> slew;
    std::optional<Current> max_current;
    std::vector<std::string> before;
    std::vector<std::string> upon;
    std::vector<std::string> excluded;
  };
  struct Bounds {
    std::optional<Quantity> min;
    std::optional<Quantity> max;
  };
  void bound(const std::string& driver, const std::string& param, const Value& value);
  const RailBounds& rail_of(const std::string& rail) const;

  std::map<std::string, RailBounds> rails_;
  std::map<std::string, std::map<std::string, Bounds>> settings_;  // by driver, by setting
};

}  // namespace firstlight
