#include "lab/drivers/pmbus/monitor.h"

#include <memory>
#include <utility>

#include "lab/drivers/params.h"
#include "lab/drivers/pmbus/options.h"
#include "lab/drivers/pmbus/telemetry.h"

namespace firstlight::pmbus {

namespace {

void build(const DriverPlan& plan, DriverEnvironment& environment) {
  Bench& bench = environment.bench();
  const std::shared_ptr<Device> device = device_of(plan, environment);
  const auto page = static_cast<int>(integer_param(plan.params, "page").value_or(0));
  device->add_page(page, plan.name);
  for (const Reading& reading : readings())
    bench.add({plan.name + "." + reading.name, reading.dimension, reading.doc, device->part(page),
               [device, page, reading] { return read_now(*device, page, reading); }});
  add_counters(bench, plan.name, device);
}

}  // namespace

DriverType monitor_driver() {
  DriverTypeSpec spec;
  spec.driver = "pmbus_monitor";
  spec.doc =
      "A PMBus part that is only read: a hot-swap controller, a power monitor, a power supply of a rack, one channel "
      "of "
      "a sequencer. Drivers that name one address share the part. What the part does not have fails when it is "
      "measured.";
  spec.uses = {"i2c"};
  spec.params = part_params();
  ParamSpec page;
  page.name = "page";
  page.type = ParamType::integer;
  page.doc = "Its output or channel.";
  page.fallback = "0";
  page.min = 0;
  page.max = 31;
  spec.params.push_back(page);
  for (const Reading& reading : readings()) spec.measures.push_back({reading.name, reading.dimension, reading.doc});
  for (MeasurableSpec& counter : counter_specs()) spec.measures.push_back(std::move(counter));
  return {spec, build};
}

}  // namespace firstlight::pmbus
