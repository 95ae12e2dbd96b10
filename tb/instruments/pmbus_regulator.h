#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tb/instruments/i2c_target.h"
#include "tb/instruments/pmbus_codec.h"
#include "tb/instruments/pmbus_page.h"

namespace tb::instruments {

struct PmbusIdentity {
  std::string id;
  std::string model;
  std::string revision;
  std::string serial;
};

struct PmbusRegulatorParameters {
  std::string name;
  std::uint8_t address = 0;
  PmbusIdentity identity;
  double efficiency = 0.9;  // output by input power
  firstlight::Power quiescent{0.3};
  firstlight::Temperature ambient{28};
  firstlight::ThermalResistance to_ambient{4};  // of the power stages
};

/// What can be wrong with a regulator as a PMBus device.
struct PmbusRegulatorFaults {
  bool nack = false;             // does not answer to its address
  bool page_no_effect = false;   // PAGE is acknowledged and stays 0
  bool telemetry_stuck = false;  // READ_VOUT keeps its first value
  double pec_error_share = 0;    // of transactions with a PEC, that have it wrong
  int vout_mode_offset = 0;      // VOUT_MODE tells an exponent that is off by so much
};

/// A PMBus regulator with several outputs, as an I2C target with PEC in both directions. A write acts at its STOP, a
/// read fetches its value at the repeated START. What is not supported is not acknowledged, and told in STATUS_CML.
class PmbusRegulator : public I2cTarget {
 public:
  PmbusRegulator(Agenda& agenda, PmbusRegulatorParameters parameters, std::uint64_t seed);

  PmbusPage& add_page(OutputStage& stage, PmbusPageParameters parameters);
  PmbusPage& page(std::size_t number) { return pages_.at(number); }
  const PmbusPage& page(std::size_t number) const { return pages_.at(number); }
  std::size_t page_count() const { return pages_.size(); }

  /// The 12 V input as it is now. Below `kLogicOff` the device forgets everything and does not answer.
  void set_input(firstlight::Voltage vin);
  static constexpr firstlight::Voltage kLogicOn{4.5};
  static constexpr firstlight::Voltage kLogicOff{4.2};
  /// What it draws from its input.
  firstlight::Power input_power() const;
  /// Works out the temperature of the power stages from what they lose now.
  void update_temperature();

  void set_faults(const PmbusRegulatorFaults& faults);
  const PmbusRegulatorFaults& faults() const { return faults_; }
  const PmbusRegulatorParameters& parameters() const { return parameters_; }

  bool address(bool read) override;
  bool write(std::uint8_t byte) override;
  std::uint8_t read() override;
  void stop() override;

 private:
  static constexpr std::uint8_t kAllPages = 0xff;

  void power_up();
  bool begin_read();
  std::optional<std::vector<std::uint8_t>> fetch(const pmbus::CommandInfo& info);
  std::uint8_t device_byte(pmbus::Command command) const;
  std::uint16_t measure(pmbus::Command command, PmbusPage& page);
  const std::string& text(pmbus::Command command) const;
  void execute();
  bool write_allowed(pmbus::Command command) const;
  void write_device(pmbus::Command command, std::uint8_t value);
  void communication_fault(std::uint8_t bit);
  firstlight::Power page_input_power(const PmbusPage& page) const;
  double noise(double sigma);
  bool spoil_pec();

  Agenda& agenda_;
  PmbusRegulatorParameters parameters_;
  PmbusRegulatorFaults faults_;
  std::mt19937_64 random_;
  std::deque<PmbusPage> pages_;
  firstlight::Voltage vin_;
  firstlight::Temperature temperature_;
  bool powered_ = false;
  std::uint8_t selected_ = 0;
  std::uint8_t write_protect_ = 0;
  std::optional<std::uint16_t> stuck_vout_;

  // The transaction that is on the bus.
  pmbus::Pec pec_;
  std::vector<std::uint8_t> received_;
  bool reject_ = false;
  bool writing_ = false;
  std::vector<std::uint8_t> answer_;
  std::size_t answered_ = 0;
};

}  // namespace tb::instruments
