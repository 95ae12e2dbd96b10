#pragma once

#include <functional>
#include <memory>
#include <string>

#include "lab/bench/envelope.h"
#include "lab/core/bench_time.h"
#include "lab/core/turns.h"

namespace firstlight {

class Rail;
class Supply;
class ClockSource;
class CoolantUnit;
class Load;
class Setpoints;
class Switch;

/// The envelope at run time: stands between everyone who takes a capability of the bench and the driver that offers it,
/// and looks before each action. What it refuses is a failure of class interlock, and nothing was sent.
///
/// Turning on and off is judged by what other rails are doing, so one rail at a time is switched; two branches cannot
/// pass the check together.
class Safeguard {
 public:
  Safeguard(const BenchPlan& plan, BenchTime& time) : envelope_(plan), turns_(time) {}
  Safeguard(const Safeguard&) = delete;
  Safeguard& operator=(const Safeguard&) = delete;
  ~Safeguard() = default;

  const Envelope& envelope() const { return envelope_; }
  Turns& turns() { return turns_; }

  /// From here on the bench only loses energy: whatever turns something on is refused, and turning off is neither
  /// judged by the order of rails nor made to wait for anyone.
  void begin_safe_state() { safe_state_ = true; }
  bool safe_state() const { return safe_state_; }

  /// Throws when the bench is being made safe. @param what "turning vdd_core on"
  void require_running(const std::string& what, const std::string& part) const;
  /// Throws when there is an objection. @param what "a set point"
  void require(const Envelope::Objection& objection, const std::string& symptom, const std::string& what,
               const std::string& part) const;

 private:
  const Envelope envelope_;
  Turns turns_;
  bool safe_state_ = false;
};

/// A rail whose every action is judged first. `peer` finds the rails that it depends on, as their drivers made them.
std::unique_ptr<Rail> guarded(std::unique_ptr<Rail> rail, Safeguard& safeguard,
                              std::function<Rail&(const std::string&)> peer);
/// The same for instruments, by the bounds of their driver.
std::shared_ptr<Supply> guarded(Supply& supply, const std::string& driver, Safeguard& safeguard);
std::shared_ptr<ClockSource> guarded(ClockSource& clock, const std::string& driver, Safeguard& safeguard);
std::shared_ptr<CoolantUnit> guarded(CoolantUnit& unit, const std::string& driver, Safeguard& safeguard);
std::shared_ptr<Load> guarded(Load& load, const std::string& driver, Safeguard& safeguard);
std::shared_ptr<Setpoints> guarded(Setpoints& setpoints, const std::string& driver, Safeguard& safeguard);
std::shared_ptr<Switch> guarded(Switch& outlets, const std::string& driver, Safeguard& safeguard);

}  // namespace firstlight
