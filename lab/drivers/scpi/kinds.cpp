#include "lab/drivers/scpi/kinds.h"

#include <utility>

namespace firstlight::scpi {

namespace {

constexpr bool kOptional = false;

Purpose setting(const std::string& what, std::string doc, bool required = true) {
  return {"set_" + what, PurposeKind::setting, required, true, "Sets " + std::move(doc) + "; `{}` is the value."};
}
Purpose target(const std::string& what, std::string doc, bool required = true) {
  return {"get_" + what, PurposeKind::question, required, true, "Asks for " + std::move(doc) + " as it is set."};
}
Purpose question(std::string name, std::string doc, bool required = true) {
  return {std::move(name), PurposeKind::question, required, true, "Measures " + std::move(doc) + "."};
}
Purpose flag(std::string name, std::string doc, bool required = true) {
  return {std::move(name), PurposeKind::flag, required, true, "Asks whether " + std::move(doc) + "."};
}
Purpose action(std::string name, std::string doc) {
  return {std::move(name), PurposeKind::action, true, true, std::move(doc)};
}

std::vector<Purpose> with_output(std::vector<Purpose> purposes, const char* what) {
  purposes.push_back(action("output_on", std::string("Switches ") + what + " on."));
  purposes.push_back(action("output_off", std::string("Switches ") + what + " off."));
  purposes.push_back(flag("get_output", std::string(what) + " is on"));
  return purposes;
}

KindSpec supply() {
  return {
      "supply",
      "A bench supply; a channel is an output.",
      with_output({setting("voltage", "the output voltage"), target("voltage", "the output voltage"),
                   setting("current", "the current limit"), target("current", "the current limit"),
                   setting("over_voltage", "the over-voltage protection", kOptional),
                   target("over_voltage", "the over-voltage protection", kOptional),
                   question("measure_voltage", "the output voltage"), question("measure_current", "the output current"),
                   question("measure_power", "the output power; voltage times current when absent", kOptional),
                   flag("over_voltage_tripped", "the over-voltage protection has tripped", kOptional),
                   flag("over_current_tripped", "the over-current protection has tripped", kOptional)},
                  "the output"),
      {{"voltage", Dimension::voltage}, {"current", Dimension::current}, {"over_voltage", Dimension::voltage}}};
}

KindSpec meter() {
  return {"meter",
          "A voltmeter; a channel is one of its scanner.",
          {question("measure_voltage", "the voltage")},
          {{"voltage", Dimension::voltage}},
          true};
}

/// The output and its settings belong to the instrument, not to one of its channels.
std::vector<Purpose> of_the_whole(std::vector<Purpose> purposes) {
  for (Purpose& purpose : purposes) purpose.by_channel = false;
  return purposes;
}

std::vector<Purpose> with(std::vector<Purpose> purposes, Purpose one) {
  purposes.push_back(std::move(one));
  return purposes;
}

KindSpec clock() {
  return {"clock",
          "A clock generator; a channel is an input of its counter, the first one its own output.",
          with(of_the_whole(with_output({setting("frequency", "the frequency"), target("frequency", "the frequency")},
                                        "the output")),
               question("measure_frequency", "the frequency at an input", kOptional)),
          {{"frequency", Dimension::frequency}}};
}

KindSpec counter() {
  return {"counter",
          "A frequency counter; a channel is an input.",
          {question("measure_frequency", "the frequency")},
          {{"frequency", Dimension::frequency}},
          true};
}

KindSpec coolant() {
  return {"coolant",
          "A coolant distribution unit.",
          with_output(
              {setting("temperature", "the inlet temperature"), target("temperature", "the inlet temperature"),
               setting("flow", "the flow"), target("flow", "the flow"),
               question("measure_inlet", "the temperature towards the cold plate"),
               question("measure_outlet", "the temperature from the cold plate"), question("measure_flow", "the flow"),
               question("measure_pressure", "the pressure"), flag("leak", "a leak is detected")},
              "the pump"),
          {{"temperature", Dimension::temperature}, {"flow", Dimension::flow}}};
}

KindSpec load() {
  return {"load",
          "An electronic load at constant current.",
          with_output(
              {setting("current", "the current that is drawn"), target("current", "the current that is drawn"),
               question("measure_voltage", "the voltage at the terminals"), question("measure_current", "the current"),
               question("measure_power", "the power; voltage times current when absent", kOptional)},
              "the input"),
          {{"current", Dimension::current}}};
}

KindSpec chamber() {
  return {"chamber",
          "A thermal chamber, thermostat or chiller.",
          with_output({setting("temperature", "the temperature"), target("temperature", "the temperature"),
                       question("measure_temperature", "the temperature")},
                      "the control"),
          {{"temperature", Dimension::temperature}}};
}

}  // namespace

const std::vector<KindSpec>& kinds() {
  static const std::vector<KindSpec> table = {supply(), meter(), clock(), counter(), coolant(), load(), chamber()};
  return table;
}

const KindSpec* find_kind(const std::string& name) {
  for (const KindSpec& kind : kinds())
    if (kind.name == name) return &kind;
  return nullptr;
}

}  // namespace firstlight::scpi
