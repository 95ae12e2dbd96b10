#include "lab/steps/rail_on.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "lab/capabilities/rail.h"
#include "lab/steps/rail_actions.h"
#include "lab/steps/support.h"
#include "lab/steps/undo.h"

namespace firstlight::steps {

namespace {

constexpr double kRampReserve = 1.5;           // of TON_DELAY + TON_RISE, before the ramp counts as slow
constexpr Duration kRampFloor{2'000'000'000};  // reading it takes time, too
constexpr Duration kSettle{2'000'000'000};     // from power-good to the measurement of the level
constexpr double kOvershoot = 0.05;            // of the set point
constexpr double kAgreement = 0.02;            // telemetry against the independent sense

/// One rail on its way up.
class RailOn {
 public:
  explicit RailOn(StepContext& step)
      : step_(step),
        bench_(step.bench()),
        rail_(bench_.rail(step.with("rail").text())),
        plan_(rail_.plan()),
        name_(plan_.name),
        target_(step.has("voltage") ? Voltage(step.with("voltage").quantity()) : plan_.nominal) {}

  void run() {
    check_predecessors();
    check_residual();
    rail_.clear_faults();
    rail_.set_voltage(target_);
    expected_ = rail_.rise_time();
    limit_ = std::max(rise_limit(), plan_.pgood_within);
    turn_on();
    const bool good = watch_ramp();
    step_.data("rail_ramp", ramp_json(name_, "up", target_, rise_, points_));
    if (!good) diagnose();
    judge_ramp();
    judge_level();
  }

 private:
  [[noreturn]] void fail(const char* symptom, std::string message, std::string cause,
                         ErrorClass error_class = ErrorClass::dut) {
    step_.fail({error_class, symptom, std::move(message), rail_.part(), {}, status_.text, std::move(cause)});
  }
  bool in_tolerance(Voltage v) const {
    return std::fabs(v.base() - target_.base()) <= plan_.tolerance.base() * target_.base();
  }
  Limit level_limit() const { return Limit::around(target_.quantity(), plan_.tolerance.base() * target_.base()); }
  std::string subject(const char* what) const { return name_ + "." + what; }

  void check_predecessors() {
    for (const std::string& before : plan_.after) {
      Rail& other = bench_.rail(before);
      const RailStatus status = other.status();
      if (status.on && status.power_good) continue;
      step_.fail({ErrorClass::dut,
                  "rail_order",
                  fmt::format("{} must not be on before {}, which is {}", name_, before,
                              status.on ? "on but not power-good" : "off"),
                  other.part(),
                  {},
                  status.text,
                  fmt::format("{} was never turned on, or dropped since; the order stands in the bench file", before)});
    }
  }

  void check_residual() {
    status_ = rail_.status();
    if (status_.on)
      fail("rail_already_on", fmt::format("{} is on before it was turned on", name_),
           "an earlier step or program left it on; turn it off first", ErrorClass::sequence);
    const Voltage telemetry = rail_.voltage();
    const std::optional<Voltage> independent = sensed(bench_, rail_);
    const Voltage left = independent.value_or(telemetry);
    const std::string part = left > plan_.residual ? rail_.part() : sense_part(bench_, rail_);
    step_.measure("residual", left.quantity(), Limit::at_most(plan_.residual.quantity()), subject("residual"), part);
    if (left > plan_.residual)
      fail("rail_residual_voltage",
           fmt::format("{} has {} before it is turned on (allowed: {}; its regulator reads {})", name_, to_text(left),
                       to_text(plan_.residual), to_text(telemetry)),
           "another rail feeds back into it through the chip or the board, or its capacitors were never discharged");
    if (independent && telemetry > plan_.residual)
      fail("rail_telemetry_disagrees",
           fmt::format("{} is off and measures {}, but its regulator reads {}", name_, to_text(left),
                       to_text(telemetry)),
           "READ_VOUT is stuck, or VOUT_MODE has the wrong exponent");
  }

  void turn_on() {
    step_.energise({fmt::format("enable {} at {}", name_, to_text(target_)),
                    fmt::format("disable {}, read back <= {}", name_, to_text(plan_.residual)), rail_key(name_),
                    undo_rail(name_)});
    begin_ = step_.time().now();
    rail_.enable();
    enabled_ = step_.time().now();
  }

  /// How long something took that was not there yet at one look, and was at the next. The rail began after the command
  /// was begun and before it was answered. Where all that spans the limit, because whoever looks was held up, only
  /// what the earlier look saw for certain counts against the rail.
  Duration seen_after(Instant earlier, Duration limit) const {
    const Duration latest = step_.time().now() - begin_;
    return latest <= limit ? latest : std::max(Duration{}, earlier - enabled_);
  }
  Duration rise_limit() const { return from_seconds(seconds(expected_) * kRampReserve) + kRampFloor; }

  void take_sample() {
    const Instant earlier = std::exchange(looked_, step_.time().now());
    const Voltage v = rail_.voltage();
    const Instant now = step_.time().now();
    points_.emplace_back(now, v);
    step_.sample(subject("voltage"), v.quantity());
    peak_ = std::max(peak_, v);
    if (!risen_ && v >= 0.9 * target_) {
      risen_ = true;
      rise_ = seen_after(earlier, rise_limit());
    }
  }

  /// Until the output, the pin and STATUS_WORD all say that it is good.
  bool watch_ramp() {
    const Duration period = std::clamp(expected_ / 40, Duration{200'000'000}, Duration{5'000'000'000});
    return poll(step_, period, enabled_ + limit_, [this] {
      const Instant earlier = looked_;
      take_sample();
      if (!in_tolerance(points_.back().second)) return false;
      pin_ = rail_.power_good_pin();
      if (pin_ && !*pin_) return false;
      status_ = rail_.status();
      good_after_ = seen_after(earlier, limit_);
      return status_.on && status_.power_good;
    });
  }

  void compare_with_sense(Voltage v) {
    const std::optional<Voltage> independent = sensed(bench_, rail_);
    if (independent &&
        std::fabs((*independent - v).base()) > std::max(kAgreement, plan_.tolerance.base()) * target_.base())
      fail("rail_telemetry_disagrees",
           fmt::format("{} measures {}, but its regulator reads {}", name_, to_text(*independent), to_text(v)),
           unchanging() ? "READ_VOUT is stuck: it never changed during the ramp"
                        : "VOUT_MODE has the wrong exponent, or a sense line is open");
  }

  /// Why it did not become good, the most specific cause first.
  [[noreturn]] void diagnose() {
    status_ = rail_.status();
    pin_ = rail_.power_good_pin();
    const Voltage v = rail_.voltage();
    const std::string waited = to_text(to_quantity(limit_), 3);
    const std::string span = fmt::format("TON_DELAY + TON_RISE say {}", to_text(to_quantity(expected_), 3));
    if (!status_.on)
      fail("rail_shut_down",
           fmt::format("{} turned itself off during its ramp, at {}{}", name_, to_text(v), fault_text()),
           "a short or overload on the rail, the trip pin is active, or the input voltage sagged");
    // Before anything is compared: readings of a moving voltage, taken one after the other, differ.
    if (!in_tolerance(v) && still_rising())
      fail("rail_slow_ramp",
           fmt::format("{} is at {} of {} after {} and still rising; {}", name_, to_text(v), to_text(target_), waited,
                       span),
           "more capacitance than designed, a current limit that is too low, or TON_RISE that is not what the part "
           "does");
    compare_with_sense(v);
    if (in_tolerance(v) && pin_ && !*pin_ && status_.power_good)
      fail("rail_pgood_timeout",
           fmt::format("{} is at {} and good by STATUS_WORD, but its power-good pin {} stayed low for {}", name_,
                       to_text(v), plan_.pgood_line, waited),
           "the pin is not connected, lacks its pull-up, or is held low by something else");
    if (in_tolerance(v))
      fail("rail_not_good",
           fmt::format("{} is at {} but its regulator does not call it good after {}{}", name_, to_text(v), waited,
                       fault_text()),
           "POWER_GOOD_ON is set above the output voltage");
    fail("rail_out_of_tolerance",
         fmt::format("{} settled at {} where {} +- {} is wanted{}", name_, to_text(v), to_text(target_),
                     to_text(plan_.tolerance), fault_text()),
         "feedback divider or trim, an overload, or a set point that did not take");
  }

  std::string fault_text() const {
    return status_.faults.empty() ? std::string() : fmt::format(" ({})", fmt::join(status_.faults, ", "));
  }
  bool unchanging() const {
    return std::all_of(points_.begin(), points_.end(),
                       [this](const auto& p) { return p.second == points_.front().second; });
  }
  bool still_rising() const {
    // A slow bus gives few points: the last two at least.
    if (points_.size() < 2) return false;
    const std::size_t before = points_.size() - 1 - std::max<std::size_t>(1, points_.size() / 4);
    return points_.back().second - points_[before].second > 0.02 * target_;
  }

  void judge_ramp() {
    const Limit rise = Limit::at_most(to_quantity(rise_limit()));
    step_.measure("rise_time", to_quantity(rise_), rise, subject("rise_time"), rail_.part());
    step_.measure("pgood_time", to_quantity(good_after_), Limit::at_most(to_quantity(limit_)), subject("pgood_time"),
                  rail_.part());
    const Quantity overshoot{std::max(0.0, peak_ / target_ - 1), Dimension::ratio};
    step_.measure("overshoot", overshoot, Limit::at_most({kOvershoot, Dimension::ratio}), subject("overshoot"),
                  rail_.part());
  }

  void judge_level() {
    step_.time().sleep(kSettle);
    const Voltage v = rail_.voltage();
    step_.sample(subject("voltage"), v.quantity());
    step_.measure("", v.quantity(), level_limit(), subject("voltage"), rail_.part());
    if (const std::optional<Voltage> independent = sensed(bench_, rail_)) {
      const double apart = std::fabs((*independent - v).base());
      if (apart > kAgreement * target_.base())
        step_.note_failure(
            {ErrorClass::dut,
             "rail_telemetry_disagrees",
             fmt::format("{} measures {}, but its regulator reads {}", name_, to_text(*independent), to_text(v)),
             rail_.part(),
             {},
             fmt::format("{} by {}", to_text(*independent), sense_part(bench_, rail_)),
             unchanging() ? "READ_VOUT is stuck" : "VOUT_MODE has the wrong exponent, or a sense line is open"});
      step_.measure("sense", independent->quantity(), level_limit(), subject("sense"), rail_.part());
    }
    status_ = rail_.status();
    for (const std::string& fault : status_.faults)
      if (fault.rfind("VIN_", 0) == 0 || fault == "UNIT_OFF_FOR_LOW_VIN")
        step_.note_failure({ErrorClass::dut,
                            "rail_input",
                            fmt::format("with {} on, its regulator says {} of its input", name_, fault),
                            "board input of " + rail_.part(),
                            {},
                            status_.text,
                            "the board's input voltage sags under load: the supply, its current limit, or the cable"});
    step_.expect(subject("status"), status_.faults.empty(), "no fault or warning bits",
                 status_.faults.empty() ? "none" : fmt::format("{}", fmt::join(status_.faults, ", ")), rail_.part());
  }

  StepContext& step_;
  Bench& bench_;
  Rail& rail_;
  const RailPlan& plan_;
  std::string name_;
  Voltage target_;
  Duration expected_{};
  Duration limit_{};
  Instant begin_{};  // before and after the command
  Instant enabled_{};
  Instant looked_{};  // when the last look at the ramp began
  RailStatus status_;
  std::optional<bool> pin_;
  std::vector<std::pair<Instant, Voltage>> points_;
  Voltage peak_;
  bool risen_ = false;
  Duration rise_{};
  Duration good_after_{};
};

}  // namespace

Step rail_on_step() {
  StepSpec spec;
  spec.verb = "rail.on";
  spec.doc =
      "Turns a rail on and proves it. Checks that the rails it depends on are good and that it is not fed from "
      "elsewhere, sets the voltage, "
      "enables, follows the ramp, and waits for power-good (pin and STATUS_WORD) no longer than the part's own "
      "TON_DELAY and TON_RISE justify. "
      "Then compares the regulator's telemetry with the independent sense.";
  spec.needs = "rails";
  spec.params = {required(name_param("rail", NameKind::rail, "The rail.")),
                 quantity_param("voltage", Dimension::voltage, "Set point; the rail's nominal voltage when absent.")};
  spec.measures = {
      {"", Dimension::voltage,
       "Voltage after the ramp, by the regulator. Limit when none is given: nominal and tolerance of the rail."},
      {"residual", Dimension::voltage, "Voltage before it was turned on."},
      {"rise_time", Dimension::time, "From the command to 90 % of the set point."},
      {"pgood_time", Dimension::time, "From the command to power-good."},
      {"overshoot", Dimension::ratio, "Highest sample above the set point, as a share of it."},
      {"sense", Dimension::voltage, "Voltage after the ramp, by the independent sense."}};
  spec.example = "{id: core_on, do: rail.on, with: {rail: vdd_core}, timeout: 100 ms}";
  return {spec, [](StepContext& step) { RailOn(step).run(); }};
}

}  // namespace firstlight::steps
