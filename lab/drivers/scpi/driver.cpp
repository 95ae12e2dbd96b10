#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <regex>
#include <utility>

#include "lab/drivers/params.h"
#include "lab/drivers/rail_measurables.h"
#include "lab/drivers/registry.h"
#include "lab/drivers/scpi/instrument.h"
#include "lab/drivers/scpi/supply_rail.h"

namespace firstlight {

namespace {

using scpi::Line;
using scpi::Personality;

constexpr int kMostChannels = 16;
constexpr int kMostInputs = 4;
constexpr Duration kSettle = std::chrono::milliseconds(500);

std::string expression_of(const Value& value) {
  try {
    const std::regex regex(value.text());
  } catch (const std::regex_error& error) {
    throw_bad_param(value.where, fmt::format("`idn` is no regular expression: {}; one that stands for itself is "
                                             "escaped, as in \"\\\\(\"",
                                             error.what()));
  }
  return value.text();
}

Personality personality_of(const DriverPlan& plan, const ResourcePlan& resource, const std::string& kind) {
  const auto name = file_param(plan, "personality");
  Personality personality = scpi::load_personality(name.value_or(""));
  if (personality.kind != kind)
    throw_bad_param(plan.where, fmt::format("the personality {} is that of a {}, and {} drives a {}", personality.name,
                                            personality.kind, plan.driver, kind));
  if (const Value* idn = find_param(resource.params, "idn")) personality.session.idn = expression_of(*idn);
  return personality;
}

std::shared_ptr<Line> line_of(const DriverPlan& plan, DriverEnvironment& environment, Personality personality) {
  const std::string& resource = plan.uses.at(0);
  const std::shared_ptr<ByteStream> stream = environment.stream(resource);
  const std::string wanted = personality.name;
  auto line = environment.common<Line>(resource, [&] {
    return std::make_shared<Line>(fmt::format("{} ({})", plan.name, resource), *stream, std::move(personality),
                                  environment.time());
  });
  if (line->personality().name != wanted)
    throw_bad_param(plan.where, fmt::format("{} is spoken to as {} by another driver, and as {} by this one", resource,
                                            line->personality().name, wanted));
  return line;
}

std::string channels_text(const Personality& personality) {
  std::vector<std::string> names;
  for (const scpi::ChannelPlan& channel : personality.channels) names.push_back(channel.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// The place of the channel that the driver names; the only one when there is only one.
std::size_t channel_of(const DriverPlan& plan, const Personality& personality) {
  const auto wanted = integer_param(plan.params, "channel");
  if (personality.channels.size() < 2 && !wanted) return 0;
  if (!wanted)
    throw_bad_param(plan.where, fmt::format("{} has the channels {}; say which one by `channel`", personality.name,
                                            channels_text(personality)));
  for (std::size_t i = 0; i < personality.channels.size(); ++i)
    if (personality.channels[i].name == std::to_string(*wanted)) return i;
  throw_bad_param(plan.where,
                  fmt::format("{} has no channel {}; it has {}", personality.name, *wanted,
                              personality.channels.empty() ? "only one, without a name" : channels_text(personality)));
}

template <class Kind>
std::shared_ptr<Kind> make(const DriverPlan& plan, DriverEnvironment& environment, const std::string& kind) {
  Personality personality = personality_of(plan, environment.resource(plan.uses.at(0)), kind);
  const bool by_channel = kind == "supply" || kind == "load";
  const std::size_t channel = by_channel ? channel_of(plan, personality) : 0;
  const std::shared_ptr<Line> line = line_of(plan, environment, std::move(personality));
  std::string name = fmt::format("{} ({})", plan.name, plan.uses.at(0));
  if (by_channel && line->personality().channels.size() > 1)
    name = fmt::format("{} ({} channel {})", plan.name, plan.uses.at(0), line->channel_name(channel));
  auto instrument = std::make_shared<Kind>(line, std::move(name), channel);
  environment.bench().keep(instrument);
  environment.bench().offer<Identity>(plan.name, *instrument);
  return instrument;
}

template <class Kind>
void measure(Bench& bench, const DriverPlan& plan, const std::string& suffix, Dimension dimension,
             const std::string& part, const std::shared_ptr<Kind>& instrument, std::function<Quantity(Kind&)> read) {
  bench.add({plan.name + "." + suffix, dimension, {}, part, [instrument, read = std::move(read)] {
               return read(*instrument);
             }});
}

void add_supply_rail(const DriverPlan& plan, DriverEnvironment& environment) {
  for (const RailPlan& rail_plan : environment.rails_of(plan.name)) {
    if (rail_plan.page != 0)
      throw_bad_param(rail_plan.where,
                      fmt::format("a bench supply has no pages; give {} a driver for each channel", plan.uses.at(0)));
    const auto settle = quantity_param(plan.params, "settle");
    auto rail =
        std::make_unique<scpi::SupplyRail>(rail_plan, environment.bench(), settle ? to_duration(*settle) : kSettle);
    add_rail_measurables(environment.bench(), *rail, plan.uses.at(0));
    environment.bench().add(std::move(rail));
  }
}

void build_supply(const DriverPlan& plan, DriverEnvironment& environment) {
  const auto supply = make<scpi::ScpiSupply>(plan, environment, "supply");
  Bench& bench = environment.bench();
  bench.offer<Supply>(plan.name, *supply);
  const std::string part = supply->part();
  const auto add = [&](const char* suffix, Dimension dimension, std::function<Quantity(scpi::ScpiSupply&)> read) {
    measure<scpi::ScpiSupply>(bench, plan, suffix, dimension, part, supply, std::move(read));
  };
  add("voltage", Dimension::voltage, [](auto& s) { return s.voltage().quantity(); });
  add("current", Dimension::current, [](auto& s) { return s.current().quantity(); });
  add("power", Dimension::power, [](auto& s) { return s.power().quantity(); });
  add_supply_rail(plan, environment);
}

void build_meter(const DriverPlan& plan, DriverEnvironment& environment) {
  const auto meter = make<scpi::ScpiMeter>(plan, environment, "meter");
  Bench& bench = environment.bench();
  bench.offer<Meter>(plan.name, *meter);
  for (int channel = 1; channel <= std::min(meter->channels(), kMostChannels); ++channel)
    measure<scpi::ScpiMeter>(bench, plan, fmt::format("ch{}", channel), Dimension::voltage,
                             fmt::format("{} channel {}", meter->part(), channel), meter,
                             [channel](auto& m) { return m.voltage(channel).quantity(); });
}

void build_clock(const DriverPlan& plan, DriverEnvironment& environment) {
  const auto clock = make<scpi::ScpiClock>(plan, environment, "clock");
  Bench& bench = environment.bench();
  const auto counter = text_param(plan.params, "counter");
  const int counted_at = static_cast<int>(integer_param(plan.params, "counter_input").value_or(1));
  if (counter)  // looked up at the first use: its driver may stand later in the file
    clock->count_by(
        [&bench, name = *counter, counted_at](int) { return bench.get<FrequencyCounter>(name).frequency(counted_at); },
        1);
  bench.offer<ClockSource>(plan.name, *clock);
  for (int input = 1; input <= std::min(clock->counter_inputs(), 2); ++input)
    measure<scpi::ScpiClock>(bench, plan, input == 1 ? "frequency" : "frequency2", Dimension::frequency,
                             fmt::format("{} input {}", clock->part(), input), clock,
                             [input](auto& c) { return c.measured_frequency(input).quantity(); });
}

void build_coolant(const DriverPlan& plan, DriverEnvironment& environment) {
  const auto unit = make<scpi::ScpiCoolant>(plan, environment, "coolant");
  Bench& bench = environment.bench();
  bench.offer<CoolantUnit>(plan.name, *unit);
  const std::string part = unit->part();
  const auto add = [&](const char* suffix, Dimension dimension, std::function<Quantity(scpi::ScpiCoolant&)> read) {
    measure<scpi::ScpiCoolant>(bench, plan, suffix, dimension, part, unit, std::move(read));
  };
  add("inlet", Dimension::temperature, [](auto& c) { return c.inlet().quantity(); });
  add("outlet", Dimension::temperature, [](auto& c) { return c.outlet().quantity(); });
  add("flow", Dimension::flow, [](auto& c) { return c.flow().quantity(); });
  add("pressure", Dimension::pressure, [](auto& c) { return c.pressure(); });
  add("leak", Dimension::none, [](auto& c) { return Quantity{c.leak() ? 1.0 : 0.0, Dimension::none}; });
}

void build_counter(const DriverPlan& plan, DriverEnvironment& environment) {
  const auto counter = make<scpi::ScpiCounter>(plan, environment, "counter");
  Bench& bench = environment.bench();
  bench.offer<FrequencyCounter>(plan.name, *counter);
  for (int input = 1; input <= std::min(counter->inputs(), kMostInputs); ++input)
    measure<scpi::ScpiCounter>(bench, plan, fmt::format("ch{}", input), Dimension::frequency,
                               fmt::format("{} input {}", counter->part(), input), counter,
                               [input](auto& c) { return c.frequency(input).quantity(); });
}

void build_load(const DriverPlan& plan, DriverEnvironment& environment) {
  const auto load = make<scpi::ScpiLoad>(plan, environment, "load");
  Bench& bench = environment.bench();
  bench.offer<Load>(plan.name, *load);
  const std::string part = load->part();
  const auto add = [&](const char* suffix, Dimension dimension, std::function<Quantity(scpi::ScpiLoad&)> read) {
    measure<scpi::ScpiLoad>(bench, plan, suffix, dimension, part, load, std::move(read));
  };
  add("voltage", Dimension::voltage, [](auto& l) { return l.voltage().quantity(); });
  add("current", Dimension::current, [](auto& l) { return l.current().quantity(); });
  add("power", Dimension::power, [](auto& l) { return l.power().quantity(); });
}

void build_chamber(const DriverPlan& plan, DriverEnvironment& environment) {
  const auto chamber = make<scpi::ScpiChamber>(plan, environment, "chamber");
  Bench& bench = environment.bench();
  bench.offer<Setpoints>(plan.name, *chamber);
  bench.offer<Switch>(plan.name, *chamber);
  measure<scpi::ScpiChamber>(bench, plan, "temperature", Dimension::temperature, chamber->part(), chamber,
                             [](auto& c) { return c.temperature().quantity(); });
}

ParamSpec bound(const char* name, Dimension dimension, const char* doc) {
  ParamSpec spec;
  spec.name = name;
  spec.type = ParamType::quantity;
  spec.dimension = dimension;
  spec.doc = doc;
  if (dimension != Dimension::temperature) spec.min = 0;
  return spec;
}

ParamSpec channel_param() {
  ParamSpec spec;
  spec.name = "channel";
  spec.type = ParamType::integer;
  spec.doc = "The output, by the instrument's own number; needed where there are several. Each is a driver of its own.";
  spec.min = 1;
  spec.max = 9999;
  return spec;
}

ParamSpec personality_param() {
  ParamSpec spec;
  spec.name = "personality";
  spec.required = true;
  spec.doc = fmt::format("How the instrument is spoken to: a file ending in .yaml, or one of {}.",
                         fmt::join(scpi::known_personalities(), ", "));
  return spec;
}

std::vector<ParamSpec> counted_params() {
  ParamSpec counter;
  counter.name = "counter";
  counter.type = ParamType::name;
  counter.names = NameKind::driver;
  counter.doc = "The driver of the counter that counts the output, for a generator without one.";
  ParamSpec input = channel_param();
  input.name = "counter_input";
  input.doc = "The input of that counter.";
  input.fallback = "1";
  return {counter, input, bound("max_frequency", Dimension::frequency, "No sequence may set more."),
          bound("min_frequency", Dimension::frequency, "No sequence may set less.")};
}

std::vector<ParamSpec> supply_params() {
  return {channel_param(),
          bound("max_voltage", Dimension::voltage, "No sequence may set more."),
          bound("min_voltage", Dimension::voltage, "No sequence may set less."),
          bound("max_current", Dimension::current, "No sequence may set a higher limit."),
          bound("max_over_voltage", Dimension::voltage, "No sequence may set a higher protection threshold."),
          bound("settle", Dimension::time,
                "How long the output takes to be there, and to be gone, where it makes a rail; 500 ms when absent.")};
}

std::vector<ParamSpec> temperature_params() {
  return {bound("max_temperature", Dimension::temperature, "No sequence may set it hotter."),
          bound("min_temperature", Dimension::temperature, "No sequence may set it colder.")};
}

std::vector<ParamSpec> with(std::vector<ParamSpec> first, const ParamSpec& then) {
  first.push_back(then);
  return first;
}

DriverTypeSpec spec_of(const char* driver, const char* doc, std::vector<std::string> offers,
                       std::vector<MeasurableSpec> measures, std::vector<ParamSpec> params) {
  DriverTypeSpec spec;
  spec.driver = driver;
  spec.doc = doc;
  spec.uses = {"scpi"};
  spec.params = std::move(params);
  spec.params.insert(spec.params.begin(), personality_param());
  spec.offers = std::move(offers);
  spec.offers.emplace_back("identity");
  spec.measures = std::move(measures);
  return spec;
}

std::vector<MeasurableSpec> channel_specs(int count, Dimension dimension, const char* what) {
  std::vector<MeasurableSpec> specs;
  for (int channel = 1; channel <= count; ++channel)
    specs.push_back({fmt::format("ch{}", channel), dimension, fmt::format("{} {}.", what, channel)});
  return specs;
}

}  // namespace

std::vector<DriverType> scpi_drivers() {
  return {
      {spec_of(
           "scpi_supply",
           "A bench supply, or one output of it. It may make a rail of the bench: the rail's `max` and `max_current` "
           "then go into the supply's protections.",
           {"supply", "rails"},
           {{"voltage", Dimension::voltage, "Output voltage, measured."},
            {"current", Dimension::current, "Output current, measured."},
            {"power", Dimension::power, "Output power, measured."}},
           supply_params()),
       build_supply},
      {spec_of("scpi_meter", "A voltmeter with a scanner.", {"meter"},
               channel_specs(kMostChannels, Dimension::voltage, "Voltage at channel"), {}),
       build_meter},
      {spec_of("scpi_clock", "A clock generator, with a counter of its own or another instrument's.", {"clock"},
               {{"frequency", Dimension::frequency, "Counted at input 1, the generator's own output."},
                {"frequency2", Dimension::frequency, "Counted at input 2."}},
               counted_params()),
       build_clock},
      {spec_of("scpi_counter", "A frequency counter.", {"counter"},
               channel_specs(kMostInputs, Dimension::frequency, "Frequency at input"), {}),
       build_counter},
      {spec_of("scpi_coolant", "A coolant distribution unit.", {"coolant"},
               {{"inlet", Dimension::temperature, "Coolant temperature towards the cold plate."},
                {"outlet", Dimension::temperature, "Coolant temperature from the cold plate."},
                {"flow", Dimension::flow, "Flow, measured."},
                {"pressure", Dimension::pressure, "Pressure, measured."},
                {"leak", Dimension::none, "1 when the unit detects a leak."}},
               with(temperature_params(), bound("max_flow", Dimension::flow, "No sequence may set more."))),
       build_coolant},
      {spec_of("scpi_load", "An electronic load at constant current, or one channel of it.", {"load"},
               {{"voltage", Dimension::voltage, "Voltage at the terminals, measured."},
                {"current", Dimension::current, "Current, measured."},
                {"power", Dimension::power, "Power, measured."}},
               {channel_param(), bound("max_current", Dimension::current, "No sequence may draw more.")}),
       build_load},
      {spec_of("scpi_chamber", "A thermal chamber, thermostat or chiller: set point `temperature`, switch `control`.",
               {"setpoints", "switch"}, {{"temperature", Dimension::temperature, "Temperature, measured."}},
               temperature_params()),
       build_chamber},
  };
}

}  // namespace firstlight
