#pragma once

#include <vector>

#include "tb/instruments/scpi_instrument.h"

namespace tb::instruments {

/// A multimeter with a scanner: MEASure:VOLTage? (@list) measures the channels one after the other and answers with
/// their values, separated by commas; MEASure:VOLTage? alone measures channel 1. SENSe:VOLTage:NPLCycles sets the
/// aperture in 20 ms line cycles, and with it the noise (0.1 mV at the default of 0.1).
class Dmm : public ScpiInstrument {
 public:
  using Probe = std::function<firstlight::Voltage()>;
  /// @param probes channel 1 first
  Dmm(Agenda& agenda, std::string identity, std::vector<Probe> probes, std::uint64_t seed);

 private:
  void reset_settings() override;
  std::string measure(int channel);

  std::vector<Probe> probes_;
  double cycles_ = 0;
};

}  // namespace tb::instruments
