#include "tests/corpus/vocabulary.h"

#include <utility>

namespace firstlight {
namespace {

ParamSpec param(std::string name, ParamType type, bool required = false) {
  ParamSpec spec;
  spec.name = std::move(name);
  spec.type = type;
  spec.doc = "The " + spec.name + ".";
  spec.required = required;
  return spec;
}

ParamSpec needed(ParamSpec spec) {
  spec.required = true;
  return spec;
}

ParamSpec quantity(std::string name, Dimension dimension, std::string fallback = {}) {
  ParamSpec spec = param(std::move(name), ParamType::quantity);
  spec.dimension = dimension;
  spec.fallback = std::move(fallback);
  return spec;
}

ParamSpec integer(std::string name, std::string fallback, double min, double max) {
  ParamSpec spec = param(std::move(name), ParamType::integer);
  spec.fallback = std::move(fallback);
  spec.min = min;
  spec.max = max;
  return spec;
}

ParamSpec choice(std::string name, std::vector<std::string> choices, std::string fallback) {
  ParamSpec spec = param(std::move(name), ParamType::enumeration);
  spec.choices = std::move(choices);
  spec.fallback = std::move(fallback);
  return spec;
}

ParamSpec named(std::string name, NameKind kind) {
  ParamSpec spec = param(std::move(name), ParamType::name, true);
  spec.names = kind;
  return spec;
}

ParamSpec optional(ParamSpec spec) {
  spec.required = false;
  return spec;
}

/// A value for a setting of the driver's instrument.
ParamSpec setting(std::string name, std::string what, Dimension dimension) {
  ParamSpec spec = needed(quantity(std::move(name), dimension));
  spec.sets = std::move(what);
  return spec;
}

ParamSpec list(std::string name, ParamType element, NameKind kind = NameKind::none) {
  ParamSpec spec = param(std::move(name), ParamType::list);
  spec.element = element;
  spec.names = kind;
  return spec;
}

std::vector<ResourceTypeSpec> resources() {
  return {{"i2c", "An I2C bus.", {}},
          {"scpi", "An instrument that speaks SCPI.", {param("idn", ParamType::text)}},
          {"registers", "The chip's host port.", {}},
          {"dma_memory", "Host memory that the chip's DMA reaches.", {}},
          {"gpio", "Digital lines.", {}},
          {"exec", "A program.", {}}};
}

std::vector<DriverTypeSpec> drivers() {
  DriverTypeSpec pmbus{"pmbus", "A PMBus regulator.", {"i2c"}, {}, {"rails"}, {}};
  pmbus.params = {needed(integer("address", "", 0x08, 0x77)), param("quirks", ParamType::map)};
  pmbus.measures = {{"retries", Dimension::none, "Repeated transfers."}};
  DriverTypeSpec supply{"scpi_supply", "A bench supply.", {"scpi"}, {}, {"supply"}, {}};
  supply.params = {quantity("max_voltage", Dimension::voltage), quantity("max_current", Dimension::current)};
  supply.measures = {{"voltage", Dimension::voltage, "Output voltage."},
                     {"current", Dimension::current, "Output current."}};
  DriverTypeSpec meter{"scpi_meter", "A voltmeter.", {"scpi"}, {}, {"meter"}, {}};
  for (const char* channel : {"ch1", "ch2", "ch3", "ch4", "ch5", "ch6"})
    meter.measures.push_back({channel, Dimension::voltage, "A channel."});
  DriverTypeSpec coolant{"scpi_coolant", "A coolant unit.", {"scpi"}, {}, {"coolant"}, {}};
  coolant.measures = {{"inlet", Dimension::temperature, "Inlet."},
                      {"outlet", Dimension::temperature, "Outlet."},
                      {"flow", Dimension::flow, "Flow."}};
  DriverTypeSpec oven{"exec", "A program.", {"exec"}, {}, {"setpoints"}, {}};
  oven.params = {param("max", ParamType::map)};
  DriverTypeSpec lines{"gpio", "Digital lines.", {"gpio"}, {}, {"lines"}, {}, "lines"};
  lines.params = {needed(list("lines", ParamType::text))};
  DriverTypeSpec tern{"tern", "The chip.", {"registers", "dma_memory"}, {}, {}, {}};
  tern.offers = {"registers", "thermal", "dma", "memories"};
  tern.params = {quantity("timeout", Dimension::time, "10 ms"), choice("link", {"near", "far"}, "near")};
  tern.measures = {{"hottest", Dimension::temperature, "The hottest zone."},
                   {"core_temperature", Dimension::temperature, "Zone core."}};
  DriverTypeSpec link{"tern_link", "The chip's link.", {"registers"}, {}, {"links"}, {}};
  return {pmbus, supply, meter, coolant, oven, lines, tern, link};
}

StepSpec step(std::string verb, std::string needs, std::vector<ParamSpec> params,
              std::vector<MeasurableSpec> measures = {}) {
  StepSpec spec;
  spec.verb = std::move(verb);
  spec.doc = "Does " + spec.verb + ".";
  spec.needs = std::move(needs);
  spec.params = std::move(params);
  spec.measures = std::move(measures);
  return spec;
}

std::vector<StepSpec> power_steps() {
  return {step("rail.on", "rails", {named("rail", NameKind::rail), quantity("voltage", Dimension::voltage)},
               {{"", Dimension::voltage, "The voltage when power-good."}, {"ramp", Dimension::time, "The ramp."}}),
          step("rail.off", "rails", {named("rail", NameKind::rail)}, {{"", Dimension::voltage, "What is left."}}),
          step("rail.ramp", "rails",
               {named("rail", NameKind::rail), needed(quantity("to", Dimension::voltage)),
                quantity("slew", Dimension::voltage_slew)},
               {{"", Dimension::voltage, "The voltage at the end."}}),
          step("supply.on", "supply",
               {optional(named("supply", NameKind::driver)), setting("voltage", "voltage", Dimension::voltage),
                setting("current_limit", "current", Dimension::current)},
               {{"", Dimension::voltage, "The voltage at the output."}}),
          step("setpoint.set", "setpoints",
               {named("device", NameKind::driver), param("setpoint", ParamType::text, true),
                setting("value", "@setpoint", Dimension::temperature)}),
          step("rail.margin", "rails", {named("rail", NameKind::rail), choice("to", {"none", "low", "high"}, "none")},
               {{"", Dimension::voltage, "The voltage at the margin."}})};
}

std::vector<StepSpec> chip_steps() {
  return {
      step("thermal.soak", "thermal",
           {list("zones", ParamType::text), integer("level", "8", 0, 15),
            quantity("settle", Dimension::temperature_change, "500 mK"), quantity("limit", Dimension::time, "10 s")},
           {{"hottest", Dimension::temperature, "The hottest zone."}}),
      step("reg.read", "registers", {named("register", NameKind::reg)}, {{"", Dimension::none, "The value."}}),
      step("reg.write", "registers", {named("register", NameKind::reg), needed(integer("value", "", 0, 4294967295))}),
      step("reg.poll", "registers",
           {named("register", NameKind::reg), needed(integer("equals", "", 0, 4294967295)),
            needed(quantity("within", Dimension::time))}),
      step("link.train", "links", {integer("lanes", "4", 1, 4)}, {{"lanes", Dimension::none, "Lanes up."}}),
      step("link.prbs", "links",
           {choice("pattern", {"prbs7", "prbs15", "prbs31"}, "prbs31"), integer("bits", "1000000", 1, 1e12),
            list("lanes", ParamType::integer)},
           {{"ber", Dimension::bit_error_ratio, "The bound on the error ratio."}}),
      step("dma.copy", "dma", {needed(quantity("size", Dimension::data)), param("check", ParamType::boolean)},
           {{"", Dimension::data_rate, "The rate."}})};
}

std::vector<StepSpec> general_steps() {
  return {step("measure", "", {named("of", NameKind::measurable), integer("samples", "1", 1, 10000)},
               {{"", Dimension::none, "The value."}}),
          step("wait_for", "",
               {named("of", NameKind::measurable), quantity("above", Dimension::none),
                quantity("below", Dimension::none), needed(quantity("within", Dimension::time))}),
          step("monitor", "",
               {needed(list("of", ParamType::name, NameKind::measurable)), param("name", ParamType::text, true),
                quantity("period", Dimension::time, "10 ms")},
               {{"", Dimension::none, "Every sample."}}),
          step("wait", "", {needed(quantity("time", Dimension::time))}),
          step("prompt", "", {param("question", ParamType::text, true), list("choices", ParamType::text)})};
}

}  // namespace

const Vocabulary& corpus_vocabulary() {
  static const Vocabulary vocabulary = [] {
    Vocabulary out;
    out.resources = resources();
    out.drivers = drivers();
    for (const auto& part : {power_steps(), chip_steps(), general_steps()})
      out.steps.insert(out.steps.end(), part.begin(), part.end());
    out.faults = {{"rail_no_pgood", "power", "Power-good never rises.", "the rail", "vdd_hbm", ""},
                  {"no_flow", "thermal", "The pump stands still.", "", "", ""},
                  {"lane_dead", "link", "A lane carries nothing.", "the lane", "", ""}};
    out.rail_measures = {{"voltage", Dimension::voltage, "Voltage."},
                         {"current", Dimension::current, "Current."},
                         {"temperature", Dimension::temperature, "Temperature of the regulator."}};
    out.register_names = {"chip.id",
                          "dma.ctrl",
                          "dma.ctrl.enable",
                          "link.lane_errors[0]",
                          "link.lane_errors[1]",
                          "link.lane_errors[0].count",
                          "link.trace"};
    return out;
  }();
  return vocabulary;
}

}  // namespace firstlight
