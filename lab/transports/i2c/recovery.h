#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lab/core/bench_time.h"
#include "lab/transports/gpio.h"

namespace firstlight::i2c {

/// A digital line that reaches a bus by another way than the adapter.
struct RecoveryLine {
  std::shared_ptr<Gpio> gpio;
  std::string line;

  explicit operator bool() const { return gpio != nullptr; }
};

/// What a bench says of how its bus is freed: i2c-dev has no call for it, and what helps differs from board to board.
struct RecoveryPlan {
  std::vector<std::string> steps;  // in this order: "clocks", "hold_clock", "reset", "rebind"
  RecoveryLine scl;
  RecoveryLine sda;
  RecoveryLine reset;  // active low: of the mux or the parts
  Duration hold{150'000'000'000};
  std::string adapter_folder;  // in sysfs: whose driver is unbound and bound
};

/// Runs the steps until the bus is free, and counts which step did it.
class Recovery {
 public:
  Recovery(RecoveryPlan plan, BenchTime& time) : plan_(std::move(plan)), time_(time) {}

  /// @param is_free asks the bus by a transfer; not called while a line shows SDA low
  /// @param reopen after the adapter's driver was bound again
  bool run(Instant deadline, const std::function<bool()>& is_free, const std::function<void()>& reopen);
  /// "clocks: SDA stays low; hold_clock: freed (2 of 3 recoveries by it)".
  std::string report() const { return report_; }
  const std::map<std::string, int>& worked() const { return worked_; }

 private:
  std::string run_step(const std::string& step, const std::function<void()>& reopen);
  std::string clocks();
  std::string hold_clock();
  std::string pulse_reset();
  std::string rebind(const std::function<void()>& reopen);
  bool sda_low() const;
  std::string drive(const RecoveryLine& line, bool level) const;

  RecoveryPlan plan_;
  BenchTime& time_;
  std::map<std::string, int> worked_;
  int runs_ = 0;
  std::string report_;
};

}  // namespace firstlight::i2c
