#pragma once

#include "tb/instruments/scpi_instrument.h"

namespace tb::instruments {

/// What a coolant unit does to the loop, and what its own sensors find there.
class CoolantLoop {
 public:
  CoolantLoop() = default;
  CoolantLoop(const CoolantLoop&) = delete;
  CoolantLoop& operator=(const CoolantLoop&) = delete;
  virtual ~CoolantLoop() = default;

  virtual void set_supply(firstlight::Temperature temperature, firstlight::Flow flow, bool pump) = 0;
  virtual firstlight::Temperature inlet() = 0;
  virtual firstlight::Temperature outlet() = 0;
  virtual firstlight::Flow flow() = 0;
  virtual double pressure_pascal() = 0;
  virtual bool leaks() = 0;
};

/// A coolant distribution unit: SOURce:TEMPerature, SOURce:FLOW, OUTPut (the pump), MEASure:TEMPerature? (@1) inlet or
/// (@2) outlet, MEASure:FLOW? (L/min), MEASure:PRESsure? (Pa), LEAK? (0 or 1).
class CoolantUnit : public ScpiInstrument {
 public:
  CoolantUnit(Agenda& agenda, std::string identity, CoolantLoop& loop, std::uint64_t seed);

 private:
  void reset_settings() override;
  void add_measurements();
  void apply() { loop_.set_supply(temperature_, flow_, on_); }

  CoolantLoop& loop_;
  firstlight::Temperature temperature_;
  firstlight::Flow flow_;
  bool on_ = false;
};

}  // namespace tb::instruments
