#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "tb/board/board_faults.h"
#include "tb/board/board_pins.h"
#include "tb/board/clocks.h"
#include "tb/board/power_model.h"
#include "tb/board/power_tree.h"
#include "tb/board/sensors.h"
#include "tb/board/thermal_plant.h"
#include "tb/instruments/agenda.h"
#include "tb/instruments/clock_generator.h"
#include "tb/instruments/coolant_unit.h"
#include "tb/instruments/dmm.h"
#include "tb/instruments/eeprom.h"
#include "tb/instruments/i2c_bus.h"
#include "tb/instruments/psu.h"

namespace tb::board {

struct BoardParameters {
  std::uint64_t seed = 1;
  double time_scale = 5000;  // bench time of one clock cycle, by its nominal period
};

/// The table in front of the chip: supply, regulators, rails, clocks, cooling, sensors, and the instruments that
/// measure them. The chip's wrapper drives `ChipPins` and follows `BoardPins`; the virtual bench talks to the
/// instruments and to the I2C bus. Physics are worked out in steps of 1 ms to 0.2 s, as long as nothing moves fast;
/// voltages in between have closed forms.
class Board : public sc_core::sc_module {
 public:
  Board(const sc_core::sc_module_name& name, const BoardParameters& parameters, const BoardFaults& faults = {});
  ~Board() override;
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  /// The chip's side.
  const BoardPins& pins() const { return pins_; }
  const ChipPins& chip() const { return chip_; }
  /// Everything that the chip drives, as it is now. Cheap when nothing has changed.
  void drive(const ChipPins& chip);
  /// How busy the chip is from cycle to cycle, from now on; replaces what was told for later than now. Who never calls
  /// it is taken at the activity of `drive`.
  void follow(const std::vector<ActivityStep>& steps);
  /// Called after every change of `pins()`.
  void on_pins(std::function<void(const BoardPins&)> action) { on_pins_ = std::move(action); }

  /// The bench's side.
  instruments::I2cBusModel& i2c() { return i2c_; }
  instruments::Psu& psu() { return tree_.psu(); }
  instruments::Dmm& dmm() { return dmm_; }
  instruments::ClockGenerator& clock_generator() { return clock_generator_; }
  instruments::CoolantUnit& coolant_unit() { return coolant_unit_; }
  static const std::vector<std::string>& lines();
  /// The electrical level of a line; nothing for a name that is not in `lines()`.
  std::optional<bool> line(std::string_view name) const;
  instruments::Agenda& agenda() { return agenda_; }

  /// Replaces the faults, at any time.
  void set_faults(const BoardFaults& faults);

  /// What no instrument can see, for tests and pictures. Temperatures and powers are those of the last step.
  const PowerTree& tree() const { return tree_; }
  PowerTree& tree() { return tree_; }
  const ThermalPlant& plant() const { return plant_; }
  const ZonePowers& zone_powers() const { return zone_powers_; }
  firstlight::Power rail_power(std::size_t rail) const;
  const BoardParameters& parameters() const { return parameters_; }

 private:
  class Loop;  // what the coolant unit does to the plant

  void attach_targets();
  ChipPins effective() const;
  void apply_chip();
  void tell(const std::vector<ActivityStep>& steps);
  void follow_activity(std::size_t rail, const std::vector<ActivityStep>& steps);
  void settle();
  void step();
  void update_loads();
  void convert_temperatures();
  void plan_step();
  void soon(const sc_core::sc_time& delay);
  void follow_lock();
  void publish();

  BoardParameters parameters_;
  BoardFaults faults_;
  instruments::Agenda agenda_;
  PowerTree tree_;
  PowerModel power_model_;
  ThermalPlant plant_;
  ZoneSensors sensors_;
  Clocks clocks_;
  instruments::I2cBusModel i2c_;
  instruments::Eeprom eeprom_;
  std::unique_ptr<Loop> loop_;
  instruments::Dmm dmm_;
  instruments::ClockGenerator clock_generator_;
  instruments::CoolantUnit coolant_unit_;

  ChipPins chip_;
  BoardPins pins_;
  std::array<std::int16_t, kZones> codes_{};
  std::function<void(const BoardPins&)> on_pins_;
  ZonePowers zone_powers_{};
  std::array<double, kRails> full_activity_{};  // S, what a rail's load rises by
  std::array<double, kZones> activity_{};       // as last told, cycle by cycle
  std::vector<LoadStep> load_steps_;
  bool followed_ = false;
  sc_core::sc_time settled_at_ = sc_core::SC_ZERO_TIME;
  sc_core::sc_time step_at_ = sc_core::SC_ZERO_TIME;
  instruments::Agenda::Entry step_;
  instruments::Agenda::Entry brownout_;
  std::mt19937_64 random_;
  bool was_locked_ = false;
  bool brownout_done_ = false;
  bool ready_ = false;
};

}  // namespace tb::board
