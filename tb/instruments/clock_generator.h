#pragma once

#include <vector>

#include "tb/instruments/scpi_instrument.h"

namespace tb::instruments {

/// A clock generator with a counter: FREQuency, OUTPut, MEASure:FREQuency? [(@1|@2)]. Channel 1 counts the clock at the
/// board, channel 2 a test output. A channel on which nothing toggles measures 0 Hz.
class ClockGenerator : public ScpiInstrument {
 public:
  using Probe = std::function<firstlight::Frequency()>;
  /// Told of every change: the frequency that the output has now, zero while it is off.
  using Output = std::function<void(firstlight::Frequency)>;
  ClockGenerator(Agenda& agenda, std::string identity, Output output, std::vector<Probe> probes, std::uint64_t seed);

 private:
  void reset_settings() override;
  void apply();

  Output output_;
  std::vector<Probe> probes_;
  firstlight::Frequency frequency_;
  bool on_ = false;
};

}  // namespace tb::instruments
