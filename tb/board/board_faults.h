#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "lab/core/vocabulary.h"
#include "tb/board/board_names.h"
#include "tb/board/clocks.h"
#include "tb/board/rail.h"
#include "tb/board/sensors.h"
#include "tb/board/thermal_plant.h"
#include "tb/instruments/pmbus_regulator.h"

namespace tb::board {

/// Everything that can be wrong with the board and its instruments. A default one is healthy.
struct BoardFaults {
  std::array<RailFaults, kRails> rails;
  std::array<bool, kRails> no_power_good{};  // the pin never rises
  std::optional<std::size_t> brownout;       // the rail that drops for 3 ms
  std::array<instruments::PmbusRegulatorFaults, kRegulators> regulators;
  ClockFaults clocks;
  ThermalFaults thermal;
  SensorFaults sensors;
  bool psu_sag = false;
  bool power_brake_stuck = false;
  bool vr_hot_stuck = false;
  bool psu_wrong_identity = false;
  bool board_wrong_serial = false;
  bool trip_not_wired = false;

  /// Adds a fault by its name in the catalogue. An empty value takes the default. Throws std::invalid_argument that
  /// names fault and value and says what was expected.
  void set(std::string_view name, std::string_view value = {});
};

/// The catalogue of what `BoardFaults::set` knows: the domains power, pmbus, clock and thermal.
const std::vector<firstlight::FaultSpec>& board_fault_specs();

}  // namespace tb::board
