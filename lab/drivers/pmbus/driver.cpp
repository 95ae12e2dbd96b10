#include <fmt/format.h>

#include <memory>
#include <utility>

#include "lab/capabilities/lines.h"
#include "lab/drivers/params.h"
#include "lab/drivers/pmbus/monitor.h"
#include "lab/drivers/pmbus/options.h"
#include "lab/drivers/pmbus/rail.h"
#include "lab/drivers/rail_measurables.h"
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

void build(const DriverPlan& plan, DriverEnvironment& environment) {
  Bench& bench = environment.bench();
  const std::shared_ptr<pmbus::Device> device = pmbus::device_of(plan, environment);
  for (const RailPlan& rail_plan : environment.rails_of(plan.name)) {
    device->add_page(rail_plan.page, rail_plan.name);
    auto rail = std::make_unique<pmbus::PmbusRail>(rail_plan, device, pgood_reader(rail_plan, bench));
    add_rail_measurables(bench, *rail, rail->part());
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
