#include "tests/envelope/raw_steps.h"

#include <limits>
#include <utility>

#include "lab/capabilities/rail.h"
#include "lab/capabilities/supply.h"
#include "lab/steps/undo.h"

namespace envelope {

namespace {

using namespace firstlight;  // NOLINT(google-build-using-namespace): steps of the product, here

ParamSpec rail_param() {
  ParamSpec spec;
  spec.name = "rail";
  spec.type = ParamType::name;
  spec.names = NameKind::rail;
  spec.required = true;
  return spec;
}

ParamSpec voltage_param(const char* name) {
  ParamSpec spec;
  spec.name = name;
  spec.type = ParamType::quantity;
  spec.dimension = Dimension::voltage;
  spec.required = true;
  return spec;
}

ParamSpec margin_param() {
  ParamSpec spec;
  spec.name = "margin";
  spec.type = ParamType::enumeration;
  spec.choices = {"low", "high", "none"};
  spec.required = true;
  return spec;
}

Rail& rail_of(StepContext& step) { return step.bench().rail(step.with("rail").text()); }

/// The ledger is kept even here, or the bench could not be made safe.
void announce(StepContext& step) {
  const std::string& rail = step.with("rail").text();
  step.energise({"raw access to " + rail, "disable " + rail, "rail " + rail, steps::undo_rail(rail)});
}

Step make(const char* verb, const char* needs, std::vector<ParamSpec> params, void (*run)(StepContext&)) {
  StepSpec spec;
  spec.verb = verb;
  spec.doc = "Unchecked access, for tests.";
  spec.needs = needs;
  spec.params = std::move(params);
  return {spec, run};
}

void set(StepContext& step) {
  announce(step);
  rail_of(step).set_voltage(Voltage(step.with("to").quantity()));
}

void not_a_number(StepContext& step) {
  announce(step);
  rail_of(step).set_voltage(Voltage(std::numeric_limits<double>::quiet_NaN()));
}

void enable(StepContext& step) {
  announce(step);
  rail_of(step).enable();
}

void disable(StepContext& step) { rail_of(step).disable(); }

void margin(StepContext& step) {
  announce(step);
  const std::string& which = step.with("margin").text();
  rail_of(step).set_margin(which == "low" ? Margin::low : which == "high" ? Margin::high : Margin::none);
}

void supply(StepContext& step) {
  step.bench().get<Supply>("psu").set_voltage(Voltage(step.with("voltage").quantity()));
}

}  // namespace

const std::vector<Step>& raw_steps() {
  static const std::vector<Step> steps = {make("raw.set", "rails", {rail_param(), voltage_param("to")}, set),
                                          make("raw.nan", "rails", {rail_param()}, not_a_number),
                                          make("raw.enable", "rails", {rail_param()}, enable),
                                          make("raw.disable", "rails", {rail_param()}, disable),
                                          make("raw.margin", "rails", {rail_param(), margin_param()}, margin),
                                          make("raw.supply", "supply", {voltage_param("voltage")}, supply)};
  return steps;
}

}  // namespace envelope
