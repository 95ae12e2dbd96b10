#include <fmt/format.h>

#include <memory>
#include <utility>

#include "lab/capabilities/lines.h"
#include "lab/core/suggest.h"
#include "lab/drivers/params.h"
#include "lab/drivers/pmbus/rail.h"
#include "lab/drivers/registry.h"

namespace firstlight {

namespace {

using pmbus::Counters;
using pmbus::Device;
using pmbus::DeviceOptions;
using pmbus::Quirks;

Quirks quirks_of(const Value& value) {
  static const std::vector<std::string> known = {"min_gap",           "busy_limit",    "io_timeout",
                                                 "retries",           "no_capability", "no_pec",
                                                 "skip_status_check", "no_page",       "pages_alike"};
  Quirks quirks;
  for (const auto& [key, entry] : value.map()) {
    if (key == "min_gap")
      quirks.min_gap = duration_in(entry, key);
    else if (key == "busy_limit")
      quirks.busy_limit = duration_in(entry, key);
    else if (key == "io_timeout")
      quirks.io_timeout = duration_in(entry, key);
    else if (key == "retries")
      quirks.retries = static_cast<int>(integer_in(entry, key));
    else if (key == "no_capability")
      quirks.no_capability = boolean_in(entry, key);
    else if (key == "no_pec")
      quirks.no_pec = boolean_in(entry, key);
    else if (key == "skip_status_check")
      quirks.skip_status_check = boolean_in(entry, key);
    else if (key == "no_page")
      quirks.no_page = boolean_in(entry, key);
    else if (key == "pages_alike")
      quirks.pages_alike = boolean_in(entry, key);
    else
      throw_bad_param(entry.where, fmt::format("the pmbus driver has no quirk \"{}\"", key), nearest_name(key, known));
  }
  if (quirks.retries < 0 || quirks.retries > 10) throw_bad_param(value.where, "quirks: retries must be 0 to 10");
  return quirks;
}

DeviceOptions options_of(const DriverPlan& plan) {
  DeviceOptions options;
  options.address = static_cast<std::uint8_t>(integer_param(plan.params, "address").value_or(0));
  if (const auto mode = integer_param(plan.params, "vout_mode")) options.vout_mode = static_cast<std::uint8_t>(*mode);
  if (const Value* quirks = find_param(plan.params, "quirks")) options.quirks = quirks_of(*quirks);
  if (const Value* direct = find_param(plan.params, "vout_direct")) {
    const Value::List& list = direct->list();
    if (list.size() != 3) throw_bad_param(direct->where, "vout_direct must be [m, b, R]");
    const auto number = [&](std::size_t i) { return static_cast<int>(integer_in(list[i], "vout_direct")); };
    options.direct = pmbus::DirectCoefficients{number(0), number(1), number(2)};
    if (options.direct->m == 0) throw_bad_param(direct->where, "vout_direct: m must not be 0");
  }
  return options;
}

std::function<bool()> pgood_reader(const RailPlan& rail, Bench& bench) {
  if (rail.pgood_line.empty()) return {};
  const std::size_t dot = rail.pgood_line.find('.');
  if (dot == std::string::npos)
    throw_bad_param(rail.where, fmt::format("the power-good line \"{}\" must be written driver.line", rail.pgood_line));
  // Looked up at the first use: the driver of the lines may stand later in the file.
  return [&bench, driver = rail.pgood_line.substr(0, dot), line = rail.pgood_line.substr(dot + 1)] {
    return bench.get<Lines>(driver).level(line);
  };
}

void add_rail_measurables(Bench& bench, Rail& rail) {
  const std::string& name = rail.plan().name;
  const std::string part = rail.part();
  const auto add = [&](const char* suffix, Dimension dimension, const char* doc, std::function<Quantity()> read) {
    bench.add({name + "." + suffix, dimension, doc, part, std::move(read)});
  };
  Rail* r = &rail;
  add("voltage", Dimension::voltage, "Regulator telemetry", [r] { return r->voltage().quantity(); });
  add("current", Dimension::current, "Regulator telemetry", [r] { return r->current().quantity(); });
  add("temperature", Dimension::temperature, "Regulator telemetry", [r] { return r->temperature().quantity(); });
  add("power", Dimension::power, "Regulator telemetry", [r] { return (r->voltage() * r->current()).quantity(); });
}

void add_counters(Bench& bench, const std::string& driver, const std::shared_ptr<Device>& device) {
  const auto add = [&](const char* suffix, std::uint64_t Counters::*member) {
    bench.add(
        {driver + "." + suffix, Dimension::none, "Counted by the driver since the start", driver, [device, member] {
           return Quantity{static_cast<double>(device->counters().*member), Dimension::none};
         }});
  };
  add("pec_errors", &Counters::pec_errors);
  add("nacks", &Counters::nacks);
  add("retries", &Counters::retries);
  add("transfers", &Counters::transfers);
}

void build(const DriverPlan& plan, DriverEnvironment& environment) {
  Bench& bench = environment.bench();
  const std::shared_ptr<I2cBus> bus = environment.i2c(plan.uses.at(0));
  const auto device = std::make_shared<Device>(plan.name, *bus, options_of(plan), environment.time());
  bench.keep(device);
  for (const RailPlan& rail_plan : environment.rails_of(plan.name)) {
    device->add_page(rail_plan.page, rail_plan.name);
    auto rail = std::make_unique<pmbus::PmbusRail>(rail_plan, device, pgood_reader(rail_plan, bench));
    add_rail_measurables(bench, *rail);
    bench.add(std::move(rail));
  }
  add_counters(bench, plan.name, device);
}

ParamSpec param(std::string name, ParamType type, std::string doc) {
  ParamSpec spec;
  spec.name = std::move(name);
  spec.type = type;
  spec.doc = std::move(doc);
  return spec;
}

}  // namespace

std::vector<DriverType> pmbus_drivers() {
  DriverTypeSpec spec;
  spec.driver = "pmbus";
  spec.doc =
      "A PMBus regulator with one or more pages, each a rail of the bench. Uses PEC when CAPABILITY says so, checks "
      "that PAGE "
      "takes effect, reads back what it writes.";
  spec.uses = {"i2c"};
  ParamSpec address = param("address", ParamType::integer, "7-bit I2C address.");
  address.required = true;
  address.min = 0x08;
  address.max = 0x77;
  ParamSpec mode =
      param("vout_mode", ParamType::integer, "What VOUT_MODE must say (0x14: linear, 2^-12); any when absent.");
  mode.min = 0;
  mode.max = 255;
  ParamSpec direct = param("vout_direct", ParamType::list, "[m, b, R] of a part whose VOUT_MODE is DIRECT.");
  direct.element = ParamType::integer;
  spec.params = {address, mode, direct,
                 param("quirks", ParamType::map,
                       "Departures from the book: min_gap, busy_limit, io_timeout (times), retries (0 to 10), "
                       "no_capability, no_pec, "
                       "skip_status_check, no_page, pages_alike (true or false).")};
  spec.offers = {"rails"};
  spec.measures = {
      {"pec_errors", Dimension::none, "Answers whose PEC was wrong, since the start."},
      {"nacks", Dimension::none, "Transfers that were not acknowledged, since the start."},
      {"retries", Dimension::none, "Repeated transfers, since the start."},
      {"transfers", Dimension::none, "All transfers, since the start."},
  };
  return {{spec, build}};
}

}  // namespace firstlight
