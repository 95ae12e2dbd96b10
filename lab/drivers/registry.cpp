#include "lab/drivers/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "lab/core/failure.h"
#include "lab/core/suggest.h"

namespace firstlight {

namespace {

template <class Transport, class Open>
std::shared_ptr<Transport> shared(std::map<std::string, std::shared_ptr<Transport>>& opened, Bench& bench,
                                  const std::string& name, Open open) {
  auto& slot = opened[name];
  if (!slot) {
    slot = open();
    bench.keep(slot);
  }
  return slot;
}

const DriverType& driver_type(const std::string& name) {
  std::vector<std::string> known;
  for (const DriverType& type : all_driver_types()) {
    if (type.spec.driver == name) return type;
    known.push_back(type.spec.driver);
  }
  throw FailureError({ErrorClass::bench,
                      "no_driver_type",
                      fmt::format("there is no driver \"{}\"; the nearest is \"{}\"", name, nearest_name(name, known)),
                      name,
                      {},
                      {},
                      fmt::format("known are: {}", fmt::join(known, ", "))});
}

}  // namespace

std::vector<RailPlan> DriverEnvironment::rails_of(const std::string& driver) const {
  std::vector<RailPlan> rails;
  for (const RailPlan& rail : bench_.plan().rails)
    if (rail.driver == driver) rails.push_back(rail);
  return rails;
}

const ResourcePlan& DriverEnvironment::resource(const std::string& name) const {
  for (const ResourcePlan& resource : bench_.plan().resources)
    if (resource.name == name) return resource;
  throw FailureError(
      {ErrorClass::bench, "no_resource", fmt::format("the bench has no resource \"{}\"", name), name, {}, {}, {}});
}

std::shared_ptr<I2cBus> DriverEnvironment::i2c(const std::string& name) {
  return shared(i2c_, bench_, name, [&] { return std::shared_ptr<I2cBus>(provider_.open_i2c(resource(name))); });
}
std::shared_ptr<ByteStream> DriverEnvironment::stream(const std::string& name) {
  return shared(streams_, bench_, name,
                [&] { return std::shared_ptr<ByteStream>(provider_.open_stream(resource(name))); });
}
std::shared_ptr<RegisterBus> DriverEnvironment::registers(const std::string& name) {
  return shared(registers_, bench_, name,
                [&] { return std::shared_ptr<RegisterBus>(provider_.open_registers(resource(name))); });
}
std::shared_ptr<DmaMemory> DriverEnvironment::dma_memory(const std::string& name) {
  return shared(memories_, bench_, name,
                [&] { return std::shared_ptr<DmaMemory>(provider_.open_dma_memory(resource(name))); });
}
std::shared_ptr<Gpio> DriverEnvironment::gpio(const std::string& name) {
  return shared(gpios_, bench_, name, [&] { return std::shared_ptr<Gpio>(provider_.open_gpio(resource(name))); });
}
std::shared_ptr<Hwmon> DriverEnvironment::hwmon(const std::string& name) {
  return shared(hwmons_, bench_, name, [&] { return std::shared_ptr<Hwmon>(provider_.open_hwmon(resource(name))); });
}
std::shared_ptr<IpmiLink> DriverEnvironment::ipmi(const std::string& name) {
  return shared(ipmi_, bench_, name, [&] { return std::shared_ptr<IpmiLink>(provider_.open_ipmi(resource(name))); });
}
std::shared_ptr<HttpClient> DriverEnvironment::http(const std::string& name) {
  return shared(http_, bench_, name, [&] { return std::shared_ptr<HttpClient>(provider_.open_http(resource(name))); });
}
std::shared_ptr<ModbusBus> DriverEnvironment::modbus(const std::string& name) {
  return shared(modbus_, bench_, name,
                [&] { return std::shared_ptr<ModbusBus>(provider_.open_modbus(resource(name))); });
}

const std::vector<DriverType>& all_driver_types() {
  static const std::vector<DriverType> types = [] {
    std::vector<DriverType> all;
    for (auto part :
         {pmbus_drivers(), scpi_drivers(), eeprom_drivers(), lm75_drivers(), gpio_drivers(), register_drivers(),
          tern_drivers(), ipmi_drivers(), redfish_drivers(), modbus_drivers(), exec_drivers(), hwmon_drivers()})
      std::move(part.begin(), part.end(), std::back_inserter(all));
    return all;
  }();
  return types;
}

void build_drivers(Bench& bench, TransportProvider& provider) {
  DriverEnvironment environment(bench, provider);
  for (const DriverPlan& plan : bench.plan().drivers) driver_type(plan.driver).build(plan, environment);
}

std::vector<Failure> build_reachable_drivers(Bench& bench, TransportProvider& provider) {
  DriverEnvironment environment(bench, provider);
  std::vector<Failure> left_out;
  for (const DriverPlan& plan : bench.plan().drivers) {
    try {
      driver_type(plan.driver).build(plan, environment);
    } catch (const FailureError& error) {
      left_out.push_back(error.failure());
      bench.leave_out(plan.name, error.failure());
    }
  }
  return left_out;
}

std::vector<DriverTypeSpec> driver_type_specs() {
  std::vector<DriverTypeSpec> specs;
  for (const DriverType& type : all_driver_types()) specs.push_back(type.spec);
  return specs;
}

std::vector<MeasurableSpec> rail_measure_specs() {
  return {
      {"voltage", Dimension::voltage, "Output voltage by the regulator's telemetry."},
      {"voltage.min", Dimension::voltage,
       "The lowest that the output has been since its extremes were cleared, for parts that catch it."},
      {"voltage.max", Dimension::voltage, "The highest, likewise."},
      {"current", Dimension::current, "Output current by the regulator's telemetry."},
      {"power", Dimension::power, "Output power, voltage times current."},
      {"temperature", Dimension::temperature, "Temperature of the regulator."},
  };
}

}  // namespace firstlight
