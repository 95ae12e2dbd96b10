#include <fmt/format.h>

#include <functional>
#include <memory>
#include <utility>

#include "lab/drivers/params.h"
#include "lab/drivers/registry.h"
#include "lab/drivers/scpi/instrument.h"

namespace firstlight {

namespace {

using scpi::Personality;
using scpi::Session;

constexpr int kMostChannels = 16;

Personality personality_of(const DriverPlan& plan, const ResourcePlan& resource, const std::string& kind) {
  const auto name = text_param(plan.params, "personality");
  Personality personality = scpi::load_personality(name.value_or(""));
  if (personality.kind != kind)
    throw_bad_param(plan.where, fmt::format("the personality {} is that of a {}, and {} drives a {}", personality.name,
                                            personality.kind, plan.driver, kind));
  if (const auto idn = text_param(resource.params, "idn")) personality.session.idn = *idn;
  return personality;
}

std::map<std::string, Quantity> envelope_of(const DriverPlan& plan) {
  std::map<std::string, Quantity> envelope;
  constexpr std::string_view kPrefix = "max_";
  for (const auto& [name, value] : plan.params)
    if (name.rfind(kPrefix, 0) == 0 && value.is_set()) envelope[name.substr(kPrefix.size())] = value.quantity();
  return envelope;
}

template <class Kind>
std::shared_ptr<Kind> make(const DriverPlan& plan, DriverEnvironment& environment, const std::string& kind) {
  const std::string& resource = plan.uses.at(0);
  const std::shared_ptr<ByteStream> stream = environment.stream(resource);
  Personality personality = personality_of(plan, environment.resource(resource), kind);
  const std::string name = fmt::format("{} ({})", plan.name, resource);
  auto session = std::make_shared<Session>(name, *stream, personality.session, environment.time());
  auto instrument = std::make_shared<Kind>(std::move(session), std::move(personality), envelope_of(plan));
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

ParamSpec maximum(const char* name, Dimension dimension, const char* doc) {
  ParamSpec spec;
  spec.name = name;
  spec.type = ParamType::quantity;
  spec.dimension = dimension;
  spec.doc = doc;
  spec.min = 0;
  return spec;
}

DriverTypeSpec spec_of(const char* driver, const char* doc, const char* offers, std::vector<MeasurableSpec> measures,
                       std::vector<ParamSpec> maxima) {
  DriverTypeSpec spec;
  spec.driver = driver;
  spec.doc = doc;
  spec.uses = {"scpi"};
  ParamSpec personality;
  personality.name = "personality";
  personality.type = ParamType::text;
  personality.required = true;
  personality.doc = fmt::format("How the instrument is spoken to: a file ending in .yaml, or one of {}.",
                                fmt::join(scpi::known_personalities(), ", "));
  spec.params = std::move(maxima);
  spec.params.insert(spec.params.begin(), personality);
  spec.offers = {offers, "identity"};
  spec.measures = std::move(measures);
  return spec;
}

std::vector<MeasurableSpec> channel_specs() {
  std::vector<MeasurableSpec> specs;
  for (int channel = 1; channel <= kMostChannels; ++channel)
    specs.push_back({fmt::format("ch{}", channel), Dimension::voltage,
                     fmt::format("Voltage at channel {} of the scanner.", channel)});
  return specs;
}

}  // namespace

std::vector<DriverType> scpi_drivers() {
  return {
      {spec_of("scpi_supply", "A bench supply.", "supply",
               {{"voltage", Dimension::voltage, "Output voltage, measured."},
                {"current", Dimension::current, "Output current, measured."},
                {"power", Dimension::power, "Output power, measured."}},
               {maximum("max_voltage", Dimension::voltage, "No sequence may set more."),
                maximum("max_current", Dimension::current, "No sequence may set a higher limit."),
                maximum("max_over_voltage", Dimension::voltage, "No sequence may set a higher protection threshold.")}),
       build_supply},
      {spec_of("scpi_meter", "A voltmeter with a scanner.", "meter", channel_specs(), {}), build_meter},
      {spec_of("scpi_clock", "A clock generator with a counter.", "clock",
               {{"frequency", Dimension::frequency, "Counted at input 1, the generator's own output."},
                {"frequency2", Dimension::frequency, "Counted at input 2."}},
               {maximum("max_frequency", Dimension::frequency, "No sequence may set more.")}),
       build_clock},
      {spec_of("scpi_coolant", "A coolant distribution unit.", "coolant",
               {{"inlet", Dimension::temperature, "Coolant temperature towards the cold plate."},
                {"outlet", Dimension::temperature, "Coolant temperature from the cold plate."},
                {"flow", Dimension::flow, "Flow, measured."},
                {"pressure", Dimension::pressure, "Pressure, measured."},
                {"leak", Dimension::none, "1 when the unit detects a leak."}},
               {maximum("max_temperature", Dimension::temperature, "No sequence may set a hotter inlet."),
                maximum("max_flow", Dimension::flow, "No sequence may set more.")}),
       build_coolant},
  };
}

}  // namespace firstlight
