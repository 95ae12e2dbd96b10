#include <fmt/format.h>

#include <cmath>

#include "lab/capabilities/setpoints.h"
#include "lab/capabilities/switch.h"
#include "lab/steps/families.h"
#include "lab/steps/outlets.h"
#include "lab/steps/support.h"
#include "lab/steps/undo.h"

namespace firstlight {

namespace {

using namespace steps;  // NOLINT(google-build-using-namespace): the helpers of this folder

constexpr Duration kLook = std::chrono::milliseconds(200);

std::string outlet_key(const std::string& driver, const std::string& outlet) {
  return fmt::format("outlet {} {}", driver, outlet);
}

void expect_state(StepContext& step, Switch& device, const std::string& outlet, bool on) {
  const bool found = device.on(outlet);
  step.expect(device.part(outlet), found == on, on ? "on" : "off", found ? "on" : "off", device.part(outlet));
}

void outlet_on(StepContext& step) {
  const std::string driver = text_of(step, "switch");
  auto& device = step.bench().get<Switch>(driver);
  const std::string outlet = outlet_of(device, driver, text_of(step, "outlet"));
  // Whoever answers may be another device than the bench means: that is found out before anything is owed to it.
  device.on(outlet);
  step.energise({fmt::format("{} on", device.part(outlet)), fmt::format("{} off, read back", device.part(outlet)),
                 outlet_key(driver, outlet), undo_switch(driver, outlet)});
  device.turn_on(outlet);
  expect_state(step, device, outlet, true);
}

void outlet_off(StepContext& step) {
  const std::string driver = text_of(step, "switch");
  auto& device = step.bench().get<Switch>(driver);
  const std::string outlet = outlet_of(device, driver, text_of(step, "outlet"));
  device.turn_off(outlet);
  step.de_energised(outlet_key(driver, outlet));
  expect_state(step, device, outlet, false);
}

/// Waits until what is watched is where the set point says; the last reading is what is measured.
void wait_for(StepContext& step, const std::string& watch, const Quantity& wanted, const std::string& part) {
  const Measurable& measurable = step.bench().measurable(watch);
  const double tolerance = step.with("tolerance").quantity().value;
  Quantity now;
  poll(step, kLook, step.time().now() + duration_of(step, "within"), [&] {
    now = measurable.read();
    step.sample(watch, now);
    return std::fabs(now.value - wanted.value) <= tolerance;
  });
  step.measure("", now, Limit::around(wanted, tolerance), watch, part);
}

void setpoint_set(StepContext& step) {
  const std::string driver = text_of(step, "device");
  auto& device = step.bench().get<Setpoints>(driver);
  const std::string setpoint = text_of(step, "setpoint");
  const Quantity value = step.with("value").quantity();
  const Quantity before = device.target(setpoint);
  step.energise({fmt::format("{} of {} at {}", setpoint, device.part(), to_text(value)),
                 fmt::format("{} of {} back at {}", setpoint, device.part(), to_text(before)),
                 fmt::format("setpoint {} {}", driver, setpoint), undo_setpoint(driver, setpoint, before)});
  device.set(setpoint, value);
  const std::string watch = text_of(step, "watch");
  if (watch.empty()) return;
  if (!step.has("tolerance"))
    step.fail({ErrorClass::sequence, "no_tolerance", "`watch` needs `tolerance`: how near to the set point counts",
               device.part(), "", "", ""});
  wait_for(step, watch, value, device.part());
}

ParamSpec switch_param() {
  return name_param("switch", NameKind::driver, "The driver that offers the outlet; may be absent when there is one.");
}
ParamSpec outlet_param() { return text_param("outlet", "Which of its outlets; may be absent when it has one."); }

Step make(const char* verb, const char* doc, const char* needs, std::vector<ParamSpec> params, const char* example,
          void (*run)(StepContext&)) {
  StepSpec spec;
  spec.verb = verb;
  spec.doc = doc;
  spec.needs = needs;
  spec.params = std::move(params);
  spec.example = example;
  return {spec, run};
}

}  // namespace

std::vector<Step> facility_steps() {
  Step set = make(
      "setpoint.set",
      "Sets what a chamber or a chiller holds, reads it back, and waits for it where `watch` names what "
      "measures it. When the bench is made safe, the set point goes back to what it was.",
      "setpoints",
      {name_param("device", NameKind::driver, "The driver that offers the set point; may be absent when there is one."),
       required(text_param("setpoint", "Which of its set points.")),
       required(setting("@setpoint", quantity_param("value", Dimension::none, "Set point, with its unit."))),
       name_param("watch", NameKind::measurable, "What shows that it is reached."),
       quantity_param("tolerance", Dimension::none,
                      "How near counts, in the unit of what is watched; goes with `watch`."),
       quantity_param("within", Dimension::time, "How long it may take to be there.", "10 min")},
      "{id: warm, do: setpoint.set, with: {device: oven, setpoint: air, value: 60 degC, watch: oven.air, "
      "tolerance: 2 degC}}",
      setpoint_set);
  set.spec.measures = {
      {"", Dimension::none, "What is watched, in its dimension, when it was there or its time was over."}};
  return {make("outlet.on", "Switches an outlet (a power strip's, or the chassis behind a BMC) on and reads it back.",
               "switch", {switch_param(), outlet_param()},
               "{id: strip_on, do: outlet.on, with: {switch: strip, outlet: A1}}", outlet_on),
          make("outlet.off", "Switches an outlet off and reads it back.", "switch", {switch_param(), outlet_param()},
               "{id: strip_off, do: outlet.off, with: {switch: strip, outlet: A1}}", outlet_off),
          set};
}

}  // namespace firstlight
