#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <systemc>
#include <vector>

#include "lab/core/quantity.h"
#include "tb/instruments/agenda.h"
#include "tb/instruments/output_stage.h"
#include "tb/instruments/pmbus_commands.h"

namespace tb::instruments {

struct PmbusPageParameters {
  std::string rail;  // for messages
  firstlight::Voltage nominal;
  firstlight::Voltage max;
  firstlight::Current overcurrent;
  sc_core::sc_time ton_delay = sc_core::SC_ZERO_TIME;
  sc_core::sc_time ton_rise = sc_core::SC_ZERO_TIME;
  sc_core::sc_time toff_delay = sc_core::SC_ZERO_TIME;
  sc_core::sc_time toff_fall = sc_core::SC_ZERO_TIME;
  bool has_enable_pin = true;  // the board can cut the output through the shutdown pin
};

/// One output of a PMBus regulator: its registers, when it drives the output, its power-good comparator, and its
/// protections with their latched status and their responses. Knows nothing of I2C.
class PmbusPage {
 public:
  /// LINEAR16 with VOUT_MODE 0x14.
  static constexpr int kVoutExponent = -12;

  PmbusPage(Agenda& agenda, OutputStage& stage, PmbusPageParameters parameters);
  ~PmbusPage();
  PmbusPage(const PmbusPage&) = delete;
  PmbusPage& operator=(const PmbusPage&) = delete;

  /// Registers as they stand after power-up, output off.
  void reset();

  /// Content of a stored register (raw, vout, vout_limit, linear, status).
  std::uint16_t get(pmbus::Command command) const { return registers_[index(command)]; }
  /// Writes a stored register and does what it says. False: the data are invalid, and nothing has changed.
  bool set(pmbus::Command command, std::uint16_t value);
  std::uint16_t status_word() const;
  /// Latches bits of one of the STATUS_ registers.
  void raise(pmbus::Command status_register, std::uint8_t bits);
  /// Unlatches everything; what still holds is latched again at once (PMBus 1.3 part II, 15.1).
  void clear_faults();
  /// What the peak detectors have caught since power-up or `clear_peaks`: they follow the output at every moment.
  firstlight::Voltage lowest() { return stage_.lowest_voltage(); }
  firstlight::Voltage highest() { return stage_.highest_voltage(); }
  void clear_peaks() { stage_.forget_extremes(); }

  /// The regulator's input; VIN_ON and VIN_OFF decide from it.
  void set_input(firstlight::Voltage vin);
  /// The shutdown pin: active turns the output off at once and latches, until OPERATION is written off, then on.
  void set_shutdown_pin(bool active);
  void set_temperature(firstlight::Temperature temperature);

  /// Once lost it stays so for a while, so that who is slower than a droop sees it.
  bool power_good() const { return power_good_; }
  static const sc_core::sc_time& least_power_bad();
  void on_power_good(std::function<void(bool)> action) { power_good_action_ = std::move(action); }
  /// VR_HOT#: the output is on, and its current or the temperature is above its warning limit now.
  bool hot() const;
  const OutputStage& stage() const { return stage_; }
  const PmbusPageParameters& parameters() const { return parameters_; }

 private:
  static std::size_t index(pmbus::Command command) { return static_cast<std::size_t>(command); }
  firstlight::Voltage vout(pmbus::Command command) const;
  firstlight::Voltage trim(pmbus::Command command) const;
  double linear(pmbus::Command command) const;
  sc_core::sc_time milliseconds(pmbus::Command command) const;
  firstlight::Voltage target() const;
  void follow_command();
  void write_limits_to_stage();
  bool set_operation(std::uint8_t value);
  bool set_vout(pmbus::Command command, std::uint16_t value);
  bool wanted() const;
  void apply(bool soft_off);
  void start();
  void evaluate();
  void evaluate_output();
  void evaluate_current();
  void fault(pmbus::Command status_register, std::uint8_t bit, std::uint8_t response);
  void update_power_good();

  Agenda& agenda_;
  OutputStage& stage_;
  PmbusPageParameters parameters_;
  std::array<std::uint16_t, 256> registers_{};
  std::map<pmbus::Command, double> following_;  // limits that follow VOUT_COMMAND, as a share of it
  firstlight::Voltage vin_;
  firstlight::Temperature temperature_{25};
  bool input_good_ = false;
  bool shutdown_pin_ = false;
  bool tripped_ = false;
  bool faulted_ = false;
  bool on_ = false;
  bool reached_ = false;  // the output has been good since it was turned on
  bool power_good_ = false;
  sc_core::sc_time power_bad_until_ = sc_core::SC_ZERO_TIME;
  bool evaluating_ = false;
  unsigned retries_ = 0;
  Agenda::Entry ton_max_;
  Agenda::Entry retry_;
  Agenda::Entry power_bad_;
  std::function<void(bool)> power_good_action_;
};

}  // namespace tb::instruments
