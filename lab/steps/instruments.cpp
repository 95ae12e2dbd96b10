#include <fmt/format.h>

#include <cmath>

#include "lab/capabilities/clock_source.h"
#include "lab/capabilities/coolant.h"
#include "lab/capabilities/supply.h"
#include "lab/steps/families.h"
#include "lab/steps/support.h"
#include "lab/steps/undo.h"

namespace firstlight {

namespace {

using namespace steps;  // NOLINT(google-build-using-namespace): the helpers of this folder

constexpr Duration kPeriod{10'000'000'000};
constexpr double kSupplyTolerance = 0.02;
constexpr double kOverVoltage = 1.1;

/// What the ledger calls it; a driver that is the only one of its kind may be unnamed.
std::string key_of(const std::string& kind, const std::string& driver) {
  return driver.empty() ? kind : kind + " " + driver;
}

Duration within(const StepContext& step) { return duration_of(step, "within"); }

// ---- bench supply

void supply_on(StepContext& step) {
  const std::string driver = text_of(step, "supply");
  Supply& supply = step.bench().get<Supply>(driver);
  const Voltage volts(step.with("voltage").quantity());
  const Current limit(step.with("current_limit").quantity());
  const Voltage over = step.has("over_voltage") ? Voltage(step.with("over_voltage").quantity()) : kOverVoltage * volts;
  // A supply without a protection that can be set does not keep the step from running, unless it was asked for.
  if (supply.has_over_voltage() || step.has("over_voltage")) supply.set_over_voltage(over);
  supply.set_current_limit(limit);
  supply.set_voltage(volts);
  step.energise({fmt::format("output of {} on at {}, {}", supply.part(), to_text(volts), to_text(limit)),
                 fmt::format("output of {} off, read back", supply.part()), key_of("supply", driver),
                 undo_supply(driver, volts)});
  supply.enable();
  const Limit level = Limit::around(volts.quantity(), kSupplyTolerance * volts.base());
  Voltage now;
  const bool good = poll(step, kPeriod, step.time().now() + within(step), [&] {
    now = supply.voltage();
    step.sample(supply.part() + " voltage", now.quantity());
    return judge(now.base(), level) != Verdict::fail;
  });
  if (!good) {
    const std::vector<std::string> trips = supply.trips();
    step.fail({ErrorClass::dut, trips.empty() ? "supply_low" : "supply_tripped",
               trips.empty() ? fmt::format("{} gives {} where {} is set, after {}", supply.part(), to_text(now),
                                           to_text(volts), to_text(to_quantity(within(step))))
                             : fmt::format("{} switched itself off: {}", supply.part(), fmt::join(trips, ", ")),
               supply.part(), "output on", to_text(now),
               "the board draws more than the current limit: a short, or a limit that is too low"});
  }
  step.measure("", now.quantity(), level, supply.part() + " voltage", supply.part());
  step.measure("current", supply.current().quantity(), Limit::at_most(limit.quantity()), supply.part() + " current",
               supply.part());
}

void supply_off(StepContext& step) {
  const std::string driver = text_of(step, "supply");
  Supply& supply = step.bench().get<Supply>(driver);
  const Voltage target = supply.target_voltage();
  discharge(step.bench(), supply, target, within(step));
  step.de_energised(key_of("supply", driver));
  step.measure("", supply.voltage().quantity(), Limit::at_most((kSupplyOff * target).quantity()),
               supply.part() + " voltage", supply.part());
}

// ---- reference clock

void clock_on(StepContext& step) {
  const std::string driver = text_of(step, "clock");
  ClockSource& clock = step.bench().get<ClockSource>(driver);
  const Frequency target(step.with("frequency").quantity());
  const double tolerance = step.with("tolerance").quantity().value * target.base();
  clock.set_frequency(target);
  step.energise({fmt::format("{} on at {}", clock.part(), to_text(target)), fmt::format("{} off", clock.part()),
                 key_of("clock", driver), undo_clock(driver)});
  clock.enable();
  step.time().sleep(duration_of(step, "settle"));
  const Frequency counted = clock.measured_frequency(1);
  if (counted == Frequency(0))
    step.fail(dut_failure(
        "clock_missing", fmt::format("{} is on but its counter sees no edges at its own output", clock.part()),
        clock.part(), "0 Hz", "the cable is off, the output is shorted, or the output stage is dead"));
  const double off_by = counted / target - 1;
  if (std::fabs(off_by) * target.base() > tolerance)
    step.note_failure(dut_failure("clock_frequency",
                                  fmt::format("{} is off by {:.1f} ppm (allowed: {:.1f} ppm)", clock.part(),
                                              off_by * 1e6, 1e6 * tolerance / target.base()),
                                  clock.part(), to_text(counted.quantity(), 9),
                                  "another crystal or reference, or a generator that is not locked to its reference"));
  step.measure("error", {off_by, Dimension::ratio}, clock.part() + " frequency error", clock.part());
  step.measure("", counted.quantity(), Limit::around(target.quantity(), tolerance), clock.part() + " frequency",
               clock.part());
}

void clock_off(StepContext& step) {
  const std::string driver = text_of(step, "clock");
  ClockSource& clock = step.bench().get<ClockSource>(driver);
  clock.disable();
  step.de_energised(key_of("clock", driver));
  step.measure("", clock.measured_frequency(1).quantity(), Limit::at_most({0, Dimension::frequency}),
               clock.part() + " frequency", clock.part());
}

// ---- coolant

void check_leak(StepContext& step, CoolantUnit& unit) {
  if (unit.leak())
    step.fail(
        dut_failure("coolant_leak", fmt::format("{} detects a leak", unit.part()), unit.part(), "LEAK 1",
                    "a fitting or the cold plate leaks, or condensate reached the sensor; do not power the board"));
  step.expect(unit.part() + " leak", true, "no leak", "no leak", unit.part());
}

void coolant_on(StepContext& step) {
  const std::string driver = text_of(step, "coolant");
  CoolantUnit& unit = step.bench().get<CoolantUnit>(driver);
  const Temperature inlet(step.with("temperature").quantity());
  const Flow wanted(step.with("flow").quantity());
  check_leak(step, unit);
  unit.set_temperature(inlet);
  unit.set_flow(wanted);
  step.energise({fmt::format("pump of {} on, {}, {}", unit.part(), to_text(inlet), to_text(wanted)),
                 fmt::format("pump of {} off", unit.part()), key_of("coolant", driver), undo_coolant(driver)});
  unit.start();
  const double flow_tolerance = step.with("flow_tolerance").quantity().value * wanted.base();
  const double kelvin = step.with("temperature_tolerance").quantity().value;
  Flow flow;
  Temperature now;
  poll(step, kPeriod, step.time().now() + within(step), [&] {
    flow = unit.flow();
    now = unit.inlet();
    step.sample(unit.part() + " flow", flow.quantity());
    step.sample(unit.part() + " inlet", now.quantity());
    return std::fabs((flow - wanted).base()) <= flow_tolerance && std::fabs((now - inlet).base()) <= kelvin;
  });
  if (flow < 0.1 * wanted)
    step.note_failure(dut_failure(
        "coolant_no_flow",
        fmt::format("{} runs but its flow is {} where {} is set", unit.part(), to_text(flow), to_text(wanted)),
        unit.part(), to_text(flow), "a closed valve, a coupling that is not seated, air in the loop, or a dead pump"));
  else if (std::fabs((flow - wanted).base()) > flow_tolerance)
    step.note_failure(dut_failure(
        "coolant_flow", fmt::format("{} gives {} where {} is set", unit.part(), to_text(flow), to_text(wanted)),
        unit.part(), to_text(flow), "a clogged filter or cold plate, a kinked hose, or air in the loop"));
  if (std::fabs((now - inlet).base()) > kelvin)
    step.note_failure(dut_failure(
        "coolant_temperature",
        fmt::format("the inlet from {} is at {} where {} is set", unit.part(), to_text(now), to_text(inlet)),
        unit.part(), to_text(now), "the chiller cannot reject the heat, or the facility water is too warm"));
  step.measure("", flow.quantity(), Limit::around(wanted.quantity(), flow_tolerance), unit.part() + " flow",
               unit.part());
  step.measure("inlet", now.quantity(), Limit::around(inlet.quantity(), kelvin), unit.part() + " inlet", unit.part());
  step.measure("pressure", unit.pressure(), unit.part() + " pressure", unit.part());
  check_leak(step, unit);
}

void coolant_off(StepContext& step) {
  const std::string driver = text_of(step, "coolant");
  CoolantUnit& unit = step.bench().get<CoolantUnit>(driver);
  unit.stop();
  step.de_energised(key_of("coolant", driver));
  Flow flow;
  poll(step, kPeriod, step.time().now() + within(step), [&] {
    flow = unit.flow();
    return flow <= Flow(0.05);
  });
  step.measure("", flow.quantity(), Limit::at_most({0.05, Dimension::flow}), unit.part() + " flow", unit.part());
}

ParamSpec driver_param(const char* name) {
  return name_param(name, NameKind::driver,
                    fmt::format("The driver that offers the {}; may be absent when there is one.", name));
}
ParamSpec within_param(const char* what, const char* fallback) {
  return quantity_param("within", Dimension::time, what, fallback);
}

Step make(const char* verb, const char* doc, const char* needs, std::vector<ParamSpec> params,
          std::vector<MeasurableSpec> measures, const char* example, void (*run)(StepContext&)) {
  StepSpec spec;
  spec.verb = verb;
  spec.doc = doc;
  spec.needs = needs;
  spec.params = std::move(params);
  spec.measures = std::move(measures);
  spec.example = example;
  return {spec, run};
}

Step supply_on_step() {
  return make("supply.on",
              "Sets a bench supply up (over-voltage protection first, then current limit, then voltage), switches its "
              "output on and waits until the "
              "voltage is there.",
              "supply",
              {driver_param("supply"),
               required(setting("voltage", quantity_param("voltage", Dimension::voltage, "Set point."))),
               required(setting("current", quantity_param("current_limit", Dimension::current, "Current limit."))),
               setting("over_voltage", quantity_param("over_voltage", Dimension::voltage,
                                                      "Protection threshold; 10 % above the set point when absent.")),
               within_param("How long the output may take to be there, and to be gone.", "2 s")},
              {{"", Dimension::voltage, "Output voltage. Limit when none is given: 2 % around the set point."},
               {"current", Dimension::current, "Output current."}},
              "{id: main_on, do: supply.on, with: {supply: psu, voltage: 12 V, current_limit: 10 A}}", supply_on);
}

Step supply_off_step() {
  return make("supply.off", "Switches a bench supply's output off and waits until its voltage is gone.", "supply",
              {driver_param("supply"), within_param("How long that may take.", "2 s")},
              {{"", Dimension::voltage, "Output voltage that is left."}},
              "{id: main_off, do: supply.off, with: {supply: psu}}", supply_off);
}

Step clock_on_step() {
  return make("clock.on", "Switches the reference clock on and counts it: a lock bit or a setting proves nothing.",
              "clock",
              {driver_param("clock"),
               required(setting("frequency", quantity_param("frequency", Dimension::frequency, "Frequency."))),
               quantity_param("tolerance", Dimension::ratio, "Allowed deviation of the counted frequency.", "100 ppm"),
               quantity_param("settle", Dimension::time, "Wait before it is counted.", "10 ms")},
              {{"", Dimension::frequency, "Counted frequency."},
               {"error", Dimension::ratio, "Its deviation from the set frequency."}},
              "{id: refclk, do: clock.on, with: {frequency: 100 MHz}}", clock_on);
}

Step clock_off_step() {
  return make("clock.off", "Switches the reference clock off and counts that it is.", "clock", {driver_param("clock")},
              {{"", Dimension::frequency, "Counted frequency."}}, "{id: refclk_off, do: clock.off}", clock_off);
}

Step coolant_on_step() {
  return make(
      "coolant.on",
      "Starts the coolant and waits until flow and inlet temperature are there. Refuses when a leak is detected.",
      "coolant",
      {driver_param("coolant"),
       required(setting("temperature", quantity_param("temperature", Dimension::temperature, "Inlet temperature."))),
       required(setting("flow", quantity_param("flow", Dimension::flow, "Flow."))),
       quantity_param("flow_tolerance", Dimension::ratio, "Allowed deviation of the flow, as a share of it.", "10 %"),
       quantity_param("temperature_tolerance", Dimension::temperature_change,
                      "Allowed deviation of the inlet temperature.", "2 K"),
       within_param("How long they may take to be there.", "5 s")},
      {{"", Dimension::flow, "Flow."},
       {"inlet", Dimension::temperature, "Inlet temperature."},
       {"pressure", Dimension::pressure, "Pressure."}},
      "{id: coolant, do: coolant.on, with: {temperature: 30 degC, flow: 2 L/min}}", coolant_on);
}

Step coolant_off_step() {
  return make("coolant.off", "Stops the coolant and waits until it stands.", "coolant",
              {driver_param("coolant"), within_param("How long that may take.", "5 s")},
              {{"", Dimension::flow, "Flow that is left."}}, "{id: coolant_off, do: coolant.off}", coolant_off);
}

}  // namespace

std::vector<Step> instrument_steps() {
  return {supply_on_step(), supply_off_step(), clock_on_step(),
          clock_off_step(), coolant_on_step(), coolant_off_step()};
}

}  // namespace firstlight
