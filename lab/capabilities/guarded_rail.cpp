#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "lab/capabilities/rail.h"
#include "lab/capabilities/safeguard.h"
#include "lab/core/failure.h"

namespace firstlight {

namespace {

constexpr const char* kSymptom = "rail_envelope";
// Software cannot time the steps of a ramp finer than this, so that is what a slew is judged over.
constexpr Duration kSlewWindow = std::chrono::milliseconds(1);

class GuardedRail final : public Rail {
 public:
  GuardedRail(std::unique_ptr<Rail> rail, Safeguard& safeguard, std::function<Rail&(const std::string&)> peer)
      : rail_(std::move(rail)), guard_(safeguard), peer_(std::move(peer)) {}

  void set_voltage(Voltage voltage) override;
  void enable() override;
  void disable() override;
  void set_margin(Margin margin) override;

  const RailPlan& plan() const override { return rail_->plan(); }
  std::string part() const override { return rail_->part(); }
  Voltage target_voltage() override { return rail_->target_voltage(); }
  Voltage margin_voltage(Margin margin) override { return rail_->margin_voltage(margin); }
  Margin margin() override { return rail_->margin(); }
  Voltage settable(Voltage voltage) override { return rail_->settable(voltage); }
  Voltage offset() override { return rail_->offset(); }
  std::optional<VoltageSlew> transition_rate() override {
    if (!rate_) rate_ = rail_->transition_rate();
    return *rate_;
  }
  Voltage voltage() override { return rail_->voltage(); }
  Voltage lowest_voltage() override { return rail_->lowest_voltage(); }
  Voltage highest_voltage() override { return rail_->highest_voltage(); }
  void clear_extremes() override { rail_->clear_extremes(); }
  Current current() override { return rail_->current(); }
  Temperature temperature() override { return rail_->temperature(); }
  RailStatus status() override { return rail_->status(); }
  void clear_faults() override { rail_->clear_faults(); }
  Duration rise_time() override { return rail_->rise_time(); }
  Duration fall_time() override { return rail_->fall_time(); }
  std::optional<bool> power_good_pin() override { return rail_->power_good_pin(); }

 private:
  const std::string& name() const { return plan().name; }
  const Envelope& envelope() const { return guard_.envelope(); }
  void require_voltage(Voltage voltage, const char* what) {
    guard_.require(envelope().rail_voltage(name(), voltage), kSymptom, what, part());
  }
  Voltage allowed_set_point(Voltage voltage);
  void check_slew(Voltage from, Voltage to, const char* what);
  void check_move(Voltage to);
  void check_load();
  void end_margin();
  Margin margined();
  bool steps_are_steep();
  void check_before();
  void check_excluded();
  void check_upon();
  [[noreturn]] void refuse(const char* symptom, std::string message, const RailStatus& found, std::string cause) const;

  std::unique_ptr<Rail> rail_;
  Safeguard& guard_;
  std::function<Rail&(const std::string&)> peer_;
  std::optional<std::optional<VoltageSlew>> rate_;  // asked for once
  std::optional<Voltage> offset_;                   // as last read
  std::optional<Margin> margin_;                    // as we left it; asked for when that is not known
};

void GuardedRail::refuse(const char* symptom, std::string message, const RailStatus& found, std::string cause) const {
  throw FailureError(
      {ErrorClass::interlock, symptom, std::move(message), part(), "nothing was sent", found.text, std::move(cause)});
}

/// What the part will really be set to. A code that rounds out of the envelope is replaced by the next one inside.
Voltage GuardedRail::allowed_set_point(Voltage voltage) {
  require_voltage(voltage, "a set point");
  const Voltage taken = rail_->settable(voltage);
  if (!envelope().rail_voltage(name(), taken)) return voltage;
  const Voltage inside = voltage - 2 * (taken - voltage);
  require_voltage(rail_->settable(inside), "a set point, rounded to what the part can be set to,");
  return inside;
}

void GuardedRail::check_slew(Voltage from, Voltage to, const char* what) {
  if (!plan().slew) return;
  // A part that moves its output by a rate of its own needs no help; one that jumps must be led in steps.
  const VoltageSlew led(std::fabs((to - from).base()) / seconds(kSlewWindow));
  const VoltageSlew slew = transition_rate().value_or(led);
  guard_.require(envelope().rail_slew(name(), slew), kSymptom, what, part());
}

void GuardedRail::check_load() {
  if (plan().max_current)
    guard_.require(envelope().rail_current(name(), rail_->current()), kSymptom,
                   "the present current, while the voltage is to go up,", part());
}

void GuardedRail::set_voltage(Voltage voltage) {
  const Voltage allowed = allowed_set_point(voltage);
  if (guard_.safe_state()) {
    end_margin();
    return rail_->set_voltage(allowed);
  }
  const Turns::Hold hold(guard_.turns());
  if (!offset_) offset_ = rail_->offset();
  require_voltage(rail_->settable(allowed) + *offset_, "a set point with the part's trim");
  if (margined() != Margin::none || plan().max_current || steps_are_steep()) check_move(allowed);
  rail_->set_voltage(allowed);
}

/// The set point of a rail that may be on.
void GuardedRail::check_move(Voltage to) {
  const RailStatus status = rail_->status();
  if (!status.on) return;
  if (margined() != Margin::none)
    refuse(kSymptom, fmt::format("{} is on its margin; its set point cannot be moved meanwhile", name()), status,
           "parts differ in whether a margin follows the set point; end the margin first");
  const Voltage from = rail_->target_voltage();
  check_slew(from, to, "a step of the set point");
  if (to > from) check_load();
}

/// A margin may follow the set point: one that was left on would go where nobody looked when that is put back.
void GuardedRail::end_margin() {
  if (margined() == Margin::none || !rail_->status().on) return;
  require_voltage(rail_->target_voltage() + rail_->offset(), "the stored set point");
  rail_->set_margin(Margin::none);
  margin_ = Margin::none;
}

Margin GuardedRail::margined() {
  if (!margin_) margin_ = rail_->margin();
  return *margin_;
}

bool GuardedRail::steps_are_steep() {
  if (!plan().slew) return false;
  const std::optional<VoltageSlew> rate = transition_rate();
  return !rate || *rate > *plan().slew;
}

void GuardedRail::enable() {
  guard_.require_running("turning " + name() + " on", part());
  const Turns::Hold hold(guard_.turns());
  offset_ = rail_->offset();  // whoever wrote it meanwhile
  require_voltage(rail_->target_voltage() + *offset_, "the stored set point");
  check_before();
  check_excluded();
  guard_.require_running("turning " + name() + " on", part());  // reading the others took time
  margin_.reset();
  rail_->enable();
}

void GuardedRail::disable() {
  if (guard_.safe_state()) return rail_->disable();
  const Turns::Hold hold(guard_.turns());
  check_upon();
  rail_->disable();
}

void GuardedRail::set_margin(Margin margin) {
  const Turns::Hold hold(guard_.turns());
  const RailStatus status = rail_->status();
  if (!status.on)
    refuse("rail_is_off", fmt::format("{} is off; its margin cannot be switched", name()), status,
           "the command that switches a margin also turns the output on");
  const Voltage target = rail_->margin_voltage(margin);
  require_voltage(target + rail_->offset(), margin == Margin::none ? "the stored set point" : "the stored margin");
  if (!guard_.safe_state() && margin != Margin::none) {
    check_slew(rail_->margin_voltage(margined()), target, "the step to the margin");
    if (margin == Margin::high) check_load();
    guard_.require_running("a margin of " + name(), part());
  }
  margin_.reset();
  rail_->set_margin(margin);
  margin_ = margin;
}

void GuardedRail::check_before() {
  for (const std::string& other : envelope().before(name())) {
    const RailStatus status = peer_(other).status();
    if (status.on && status.power_good) continue;
    refuse("rail_order",
           fmt::format("{} must not be on before {}, which is {}", name(), other,
                       status.on ? "on but not power-good" : "off"),
           status, "the order stands under `after` in the bench file");
  }
}

void GuardedRail::check_excluded() {
  for (const std::string& other : envelope().excluded_by(name())) {
    Rail& rail = peer_(other);
    const RailStatus status = rail.status();
    const Voltage left = rail.voltage();
    if (!status.on && left <= rail.plan().residual) continue;
    refuse("rail_excluded",
           fmt::format("{} must not be on together with {}, which is {}", name(), other,
                       status.on ? "on" : "off but still has " + to_text(left)),
           status, "the two stand under `excludes` in the bench file");
  }
}

void GuardedRail::check_upon() {
  for (const std::string& other : envelope().upon(name())) {
    const RailStatus status = peer_(other).status();
    if (!status.on) continue;
    refuse("rail_order", fmt::format("{} must not be turned off while {} is on", name(), other), status,
           fmt::format("turn {} off first: it stands `after` {} in the bench file", other, name()));
  }
}

}  // namespace

std::unique_ptr<Rail> guarded(std::unique_ptr<Rail> rail, Safeguard& safeguard,
                              std::function<Rail&(const std::string&)> peer) {
  return std::make_unique<GuardedRail>(std::move(rail), safeguard, std::move(peer));
}

}  // namespace firstlight
