#include <fmt/format.h>

#include <memory>
#include <utility>

#include "lab/capabilities/lines.h"
#include "lab/drivers/params.h"
#include "lab/drivers/pmbus/monitor.h"
#include "lab/drivers/pmbus/options.h"
#include "lab/drivers/pmbus/rail.h"
#include "lab/drivers/registry.h"

namespace firstlight {

namespace {

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
  add("voltage.min", Dimension::voltage, "Caught by the regulator", [r] { return r->lowest_voltage().quantity(); });
  add("voltage.max", Dimension::voltage, "Caught by the regulator", [r] { return r->highest_voltage().quantity(); });
  add("current", Dimension::current, "Regulator telemetry", [r] { return r->current().quantity(); });
  add("temperature", Dimension::temperature, "Regulator telemetry", [r] { return r->temperature().quantity(); });
  add("power", Dimension::power, "Regulator telemetry", [r] { return (r->voltage() * r->current()).quantity(); });
}

void build(const DriverPlan& plan, DriverEnvironment& environment) {
  Bench& bench = environment.bench();
  const std::shared_ptr<pmbus::Device> device = pmbus::device_of(plan, environment);
  for (const RailPlan& rail_plan : environment.rails_of(plan.name)) {
    device->add_page(rail_plan.page, rail_plan.name);
    auto rail = std::make_unique<pmbus::PmbusRail>(rail_plan, device, pgood_reader(rail_plan, bench));
    add_rail_measurables(bench, *rail);
    bench.add(std::move(rail));
  }
  pmbus::add_counters(bench, plan.name, device);
}

}  // namespace

std::vector<DriverType> pmbus_drivers() {
  DriverTypeSpec spec;
  spec.driver = "pmbus";
  spec.doc =
      "A PMBus regulator with one or more pages, each a rail of the bench. Uses PEC when CAPABILITY says so, checks "
      "that "
      "PAGE takes effect, reads back what it writes.";
  spec.uses = {"i2c"};
  spec.params = pmbus::part_params();
  spec.offers = {"rails"};
  spec.measures = pmbus::counter_specs();
  return {{spec, build}, pmbus::monitor_driver()};
}

}  // namespace firstlight
