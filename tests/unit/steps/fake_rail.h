#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "lab/capabilities/rail.h"
#include "lab/core/failure.h"
#include "tests/unit/drivers/fake_time.h"

namespace firstlight::test {

/// A rail with a linear ramp, and the ways in which rails go wrong.
class FakeRail final : public Rail {
 public:
  FakeRail(FakeTime& time, RailPlan plan) : time_(time), plan_(std::move(plan)), set_(plan_.nominal) {}

  // how it goes wrong
  double ramp_factor = 1;        // real rise time by what the part says
  double level_factor = 1;       // output by set point; telemetry tells the truth
  double telemetry_factor = 1;   // telemetry by output
  Voltage back_feed{0};          // there without power
  bool telemetry_stuck = false;  // at 0 V
  bool disable_lost = false;
  bool never_good = false;  // the pin
  bool status_never_good = false;
  bool trips_at_half = false;
  std::function<Current()> load_of = [] { return Current(1); };

  std::vector<std::string>* calls = nullptr;
  bool commanded = false;

  const RailPlan& plan() const override { return plan_; }
  std::string part() const override { return "vr page (" + plan_.name + ")"; }
  void set_voltage(Voltage v) override {
    if (v > plan_.max) throw FailureError({ErrorClass::interlock, "rail_envelope", "too much", part(), {}, {}, {}});
    set_ = v;
    note("set");
  }
  Voltage target_voltage() override { return set_; }
  void enable() override {
    commanded = true;
    since_ = time_.now();
    note("enable");
  }
  void disable() override {
    commanded = false;
    if (!disable_lost) since_ = time_.now();
    note("disable");
  }
  void set_margin(Margin margin) override { margin_ = margin; }
  Voltage margin_voltage(Margin margin) override {
    return margin == Margin::low ? 0.95 * set_ : margin == Margin::high ? 1.05 * set_ : set_;
  }
  /// What a probe on the board would see.
  Voltage real() const {
    const double rise = seconds(kRise) * ramp_factor;
    const double t = seconds(time_.now() - since_);
    const Voltage level = level_factor * (margin_ == Margin::low    ? 0.95 * set_
                                          : margin_ == Margin::high ? 1.05 * set_
                                                                    : set_);
    if (commanded || disable_lost) {
      if (trips_at_half && t > rise / 2) return Voltage(0);
      return std::max(back_feed, std::min(1.0, t / rise) * level);
    }
    return std::max(back_feed, std::max(0.0, 1 - t / seconds(kFall)) * (ever_ ? level : Voltage(0)));
  }
  Voltage voltage() override {
    time_.pass(Duration{100'000'000});
    ever_ = ever_ || commanded;
    return telemetry_stuck ? Voltage(0) : telemetry_factor * real();
  }
  Voltage dip{0};  // the deepest since the last clear_extremes
  Voltage lowest_voltage() override { return real() - dip; }
  Voltage highest_voltage() override { return real(); }
  void clear_extremes() override { dip = Voltage(0); }
  Current current() override { return load_of(); }
  Temperature temperature() override { return Temperature(40); }
  RailStatus status() override {
    time_.pass(Duration{100'000'000});
    const bool tripped = trips_at_half && commanded && seconds(time_.now() - since_) > seconds(kRise) * ramp_factor / 2;
    const bool on = (commanded || disable_lost) && !tripped;
    const bool good = on && !status_never_good && real() > 0.9 * set_;
    return {on, good, tripped ? std::vector<std::string>{"IOUT_OC_FAULT"} : std::vector<std::string>{},
            on ? "STATUS_WORD 0x0000" : "STATUS_WORD 0x0840"};
  }
  void clear_faults() override { note("clear"); }
  Duration rise_time() override { return kRise; }
  Duration fall_time() override { return kFall; }
  std::optional<bool> power_good_pin() override {
    if (plan_.pgood_line.empty()) return std::nullopt;
    return !never_good && commanded && real() > 0.9 * set_;
  }

 private:
  static constexpr Duration kRise{4'000'000'000};
  static constexpr Duration kFall{2'000'000'000};
  void note(const char* what) {
    if (calls != nullptr) calls->push_back(std::string(what) + " " + plan_.name);
  }

  FakeTime& time_;
  RailPlan plan_;
  Voltage set_;
  Margin margin_ = Margin::none;
  Instant since_{};
  bool ever_ = false;
};

}  // namespace firstlight::test
