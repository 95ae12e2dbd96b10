#pragma once

#include "tb/instruments/output_stage.h"
#include "tb/instruments/scpi_instrument.h"

namespace tb::instruments {

/// A bench supply with one output: VOLTage, CURRent, VOLTage:PROTection, CURRent:PROTection:STATe, OUTPut,
/// MEASure:VOLTage?/CURRent?/POWer?, ...:TRIPped?, OUTPut:PROTection:CLEar. Over its current limit it holds the current
/// (bit 0 of STATus:QUEStionable), or turns its output off when CURRent:PROTection:STATe is on (bit 1); over VOLTage:
/// PROTection it turns off (bit 9).
class Psu : public ScpiInstrument {
 public:
  struct Ratings {
    firstlight::Voltage volts;
    firstlight::Current amperes;
  };
  Psu(Agenda& agenda, std::string identity, OutputStage& output, Ratings ratings, std::uint64_t seed);

  /// Looks at the output again: to be called when the load has changed.
  void regulate();
  bool output_on() const { return on_; }
  bool current_limited() const { return limited_; }

 private:
  void reset_settings() override;
  void add_settings();
  void add_measurements();
  void limit_current();
  void turn(bool on);
  void trip(bool& latch);
  void publish();

  OutputStage& output_;
  Ratings ratings_;
  firstlight::Voltage volts_;
  firstlight::Voltage held_;  // the set point that the output really has: lower than volts_ in current limit
  firstlight::Current limit_;
  firstlight::Voltage protection_;
  bool current_protection_ = false;
  bool on_ = false;
  bool limited_ = false;
  bool regulating_ = false;
  bool overvoltage_ = false;
  bool overcurrent_ = false;
};

}  // namespace tb::instruments
