#include "lab/drivers/pmbus/options.h"

#include <fmt/format.h>

#include <utility>

#include "lab/core/suggest.h"
#include "lab/drivers/params.h"

namespace firstlight::pmbus {

namespace {

/// How drivers of one part find each other on the bench.
struct SharedDevice {
  static constexpr std::string_view kName = "pmbus_part";
  std::string first_driver;
  std::string description;
  std::shared_ptr<Device> device;
};

ParamSpec param(std::string name, ParamType type, std::string doc) {
  ParamSpec spec;
  spec.name = std::move(name);
  spec.type = type;
  spec.doc = std::move(doc);
  return spec;
}

NumberFormat direct_of(const Value& value) {
  const Value::List& list = value.list();
  if (list.size() != 3) throw_bad_param(value.where, "vout_direct must be [m, b, R]");
  const auto number = [&](std::size_t i) { return integer_in(list[i], "vout_direct"); };
  NumberFormat format;
  format.kind = NumberFormat::Kind::direct;
  format.direct = {static_cast<double>(number(0)), static_cast<double>(number(1)), static_cast<int>(number(2))};
  if (format.direct.m == 0) throw_bad_param(value.where, "vout_direct: m must not be 0");
  return format;
}

NumberFormat vid_of(const std::string& table) {
  NumberFormat format;
  format.kind = NumberFormat::Kind::vid;
  format.vid = find_vid_table(table);
  return format;
}

struct CounterRow {
  const char* name;
  std::uint64_t Counters::*member;
  const char* doc;
};
constexpr CounterRow kCounters[] = {
    {"pec_errors", &Counters::pec_errors, "Answers whose PEC was wrong, since the start."},
    {"nacks", &Counters::nacks, "Transfers that were not acknowledged, since the start."},
    {"retries", &Counters::retries, "Repeated transfers, since the start."},
    {"transfers", &Counters::transfers, "All transfers, since the start."},
    {"recoveries", &Counters::recoveries, "How often the stuck bus was freed, since the start."},
};

}  // namespace

std::vector<ParamSpec> part_params() {
  ParamSpec address = param("address", ParamType::integer, "7-bit I2C address.");
  address.required = true;
  address.min = 0x08;
  address.max = 0x77;
  ParamSpec part =
      param("part", ParamType::text,
            fmt::format("The model of part, whose description tells its number formats and quirks: {}, or a "
                        "file of your own (*.yaml).",
                        fmt::join(known_parts(), ", ")));
  ParamSpec mode =
      param("vout_mode", ParamType::integer, "What VOUT_MODE must say (0x14: linear, 2^-12); any when absent.");
  mode.min = 0;
  mode.max = 255;
  ParamSpec direct = param("vout_direct", ParamType::list, "[m, b, R] of a part whose VOUT_MODE is DIRECT.");
  direct.element = ParamType::integer;
  ParamSpec vid = param("vid", ParamType::enumeration, "The table of a part whose VOUT_MODE is VID.");
  vid.choices = vid_table_names();
  ParamSpec shunt = param("shunt", ParamType::quantity, "The resistor that the part measures current by.");
  shunt.dimension = Dimension::resistance;
  shunt.min = 0;
  return {
      address,
      part,
      mode,
      direct,
      vid,
      shunt,
      param("quirks", ParamType::map,
            "Departures from the book, over those of the part: min_gap, write_gap, busy_limit, io_timeout (times), "
            "retries (0 to 10), block_length, no_capability, no_pec, skip_status_check, no_write_protect, read_only, "
            "no_page, pages_alike (true or false), page_identity (a command whose value differs from page to page), "
            "cml_tolerated, unsupported (lists of commands).")};
}

DeviceOptions options_of(const DriverPlan& plan) {
  DeviceOptions options;
  options.address = static_cast<std::uint8_t>(integer_param(plan.params, "address").value_or(0));
  if (const auto part = file_param(plan, "part")) options.part = load_part(*part);
  if (options.part.quirks.is_set()) apply_quirks(options.quirks, options.part.quirks);
  if (const Value* quirks = find_param(plan.params, "quirks")) apply_quirks(options.quirks, *quirks);
  if (const auto mode = integer_param(plan.params, "vout_mode")) options.vout_mode = static_cast<std::uint8_t>(*mode);
  if (const Value* direct = find_param(plan.params, "vout_direct"))
    options.part.formats[NumberClass::voltage_out] = direct_of(*direct);
  if (const auto table = text_param(plan.params, "vid"))
    options.part.formats[NumberClass::voltage_out] = vid_of(*table);
  if (const auto shunt = quantity_param(plan.params, "shunt")) options.shunt = shunt->value;
  return options;
}

std::shared_ptr<Device> device_of(const DriverPlan& plan, DriverEnvironment& environment) {
  Bench& bench = environment.bench();
  DeviceOptions options = options_of(plan);
  const std::string key = fmt::format("{} 0x{:02x}", plan.uses.at(0), options.address);
  const std::string description = fmt::format("part {}", options.part.name.empty() ? "unnamed" : options.part.name);
  if (bench.has<SharedDevice>(key)) {
    const SharedDevice& shared = bench.get<SharedDevice>(key);
    if (shared.description != description || find_param(plan.params, "quirks") != nullptr)
      throw_bad_param(plan.where,
                      fmt::format("drivers {} and {} drive one part ({}): describe it in the first one only, "
                                  "and name the same part in both",
                                  shared.first_driver, plan.name, key));
    return shared.device;
  }
  const std::shared_ptr<I2cBus> bus = environment.i2c(plan.uses.at(0));
  const auto shared = std::make_shared<SharedDevice>();
  shared->first_driver = plan.name;
  shared->description = description;
  shared->device = std::make_shared<Device>(plan.name, *bus, std::move(options), environment.time());
  bench.keep(shared);
  bench.offer<SharedDevice>(key, *shared);
  return shared->device;
}

void add_counters(Bench& bench, const std::string& driver, const std::shared_ptr<Device>& device) {
  for (const CounterRow& row : kCounters)
    bench.add({driver + "." + row.name, Dimension::none, row.doc, driver, [device, member = row.member] {
                 return Quantity{static_cast<double>(device->counters().*member), Dimension::none};
               }});
}

std::vector<MeasurableSpec> counter_specs() {
  std::vector<MeasurableSpec> specs;
  for (const CounterRow& row : kCounters) specs.push_back({row.name, Dimension::none, row.doc});
  return specs;
}

}  // namespace firstlight::pmbus
