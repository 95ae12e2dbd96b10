#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "lab/core/quantity.h"

namespace tb::board {

inline constexpr std::size_t kZones = 4;
using ZonePowers = std::array<firstlight::Power, kZones>;

struct ThermalParameters {
  std::array<firstlight::ThermalResistance, kZones> die_to_plate{
      firstlight::ThermalResistance(0.40), firstlight::ThermalResistance(0.45), firstlight::ThermalResistance(0.35),
      firstlight::ThermalResistance(0.50)};
  std::array<double, kZones> die_joule_per_kelvin{0.40, 0.30, 0.45, 0.30};
  double plate_joule_per_kelvin = 33;
  firstlight::ThermalResistance plate_to_coolant{0.030};  // at the nominal flow; falls with flow^0.8
  firstlight::Flow nominal_flow{2.0};
  firstlight::ThermalResistance plate_to_air{4.0};  // all that is left without flow
  firstlight::Temperature air{28};
  double coolant_joule_per_kelvin_litre = 4100;
  double pump_seconds = 0.2;    // lag of the flow
  double supply_seconds = 0.3;  // lag of the inlet temperature
};

/// What can be wrong with the cooling.
struct ThermalFaults {
  std::array<double, kZones> resistance_scale{1, 1, 1, 1};  // die to plate
  double flow_scale = 1;
  double inlet_offset_kelvin = 0;
  bool leak = false;
};

/// Four zones of a die on a cold plate in a coolant loop: a linear network of heat capacities and resistances. A step
/// is exact for powers that are constant within it (matrix exponential), so that steps may be as long as the powers
/// allow. The flow follows the pump with a lag and is held within a step.
class ThermalPlant {
 public:
  explicit ThermalPlant(const ThermalParameters& parameters);

  /// Lets `seconds` pass with these powers.
  void advance(double seconds, const ZonePowers& powers);
  void set_supply(firstlight::Temperature inlet, firstlight::Flow flow, bool pump);
  void set_faults(const ThermalFaults& faults);

  firstlight::Temperature zone(std::size_t index) const { return firstlight::Temperature(state_[index]); }
  firstlight::Temperature plate() const { return firstlight::Temperature(state_[kPlate]); }
  firstlight::Temperature inlet() const { return firstlight::Temperature(state_[kInlet]); }
  /// Behind the plate; the inlet's temperature while nothing flows.
  firstlight::Temperature outlet() const;
  firstlight::Flow flow() const { return firstlight::Flow(flow_); }
  bool leak() const { return faults_.leak; }
  /// Pressure drop over the plate: quadratic in the flow, 20 kPa at the nominal one.
  double pressure_pascal() const;
  /// Heat that goes into coolant and air now.
  firstlight::Power heat_out() const;
  /// Heat that is stored above a plant that is at the air's temperature throughout, in J.
  double stored_joule() const;
  /// How fast the fastest node moves with these powers, in K/s.
  double fastest_change(const ZonePowers& powers) const;
  /// The flow still moves.
  bool flow_moves() const;

 private:
  static constexpr std::size_t kPlate = kZones;
  static constexpr std::size_t kInlet = kZones + 1;
  static constexpr std::size_t kStates = kZones + 2;
  static constexpr std::size_t kSize = kStates + 1 + kZones;  // states, the constant 1, the powers
  using Matrix = std::array<std::array<double, kSize>, kSize>;
  using Vector = std::array<double, kSize>;

  double die_conductance(std::size_t zone) const;
  double coolant_conductance() const;
  double target_flow() const;
  Matrix rates() const;
  const Matrix& transition(double seconds);
  void follow_pump(double seconds);

  ThermalParameters parameters_;
  ThermalFaults faults_;
  std::array<double, kStates> state_{};
  double set_inlet_;
  double set_flow_ = 0;
  bool pump_ = false;
  double flow_ = 0;
  std::map<double, Matrix> transitions_;  // for the network as it is now, by step
};

}  // namespace tb::board
