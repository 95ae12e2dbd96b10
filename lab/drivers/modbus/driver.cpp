#include <fmt/format.h>

#include <memory>
#include <utility>

#include "lab/drivers/modbus/device.h"
#include "lab/drivers/params.h"
#include "lab/drivers/points/offers.h"
#include "lab/drivers/registry.h"

namespace firstlight {

namespace {

std::shared_ptr<PointDevice> make(const DriverPlan& plan, DriverEnvironment& environment) {
  const std::string& resource = plan.uses.at(0);
  modbus::DeviceMap map = modbus::load_device_map(file_param(plan, "device").value_or(""));
  const auto unit = static_cast<std::uint8_t>(integer_param(plan.params, "unit").value_or(map.unit));
  const auto device =
      std::make_shared<modbus::Device>(fmt::format("{} ({} unit {})", plan.name, resource, unit),
                                       environment.modbus(resource), std::move(map), unit, environment.time());
  environment.bench().keep(device);
  return device;
}

void build_device(const DriverPlan& plan, DriverEnvironment& environment) {
  offer_points(plan, environment, make(plan, environment));
}
void build_coolant(const DriverPlan& plan, DriverEnvironment& environment) {
  offer_coolant(plan, environment, make(plan, environment));
}

DriverTypeSpec spec_of(const char* driver, const char* doc, std::vector<std::string> offers,
                       std::vector<ParamSpec> params) {
  DriverTypeSpec spec;
  spec.driver = driver;
  spec.doc = doc;
  spec.uses = {"modbus"};
  ParamSpec device;
  device.name = "device";
  device.required = true;
  device.doc = fmt::format("Where the device keeps what: a device map, a file ending in .yaml or one of {}.",
                           fmt::join(modbus::known_device_maps(), ", "));
  ParamSpec unit;
  unit.name = "unit";
  unit.type = ParamType::integer;
  unit.min = 0;
  unit.max = 255;
  unit.doc = "The device's address on the line; the map's when absent.";
  spec.params = std::move(params);
  spec.params.insert(spec.params.begin(), {device, unit});
  spec.offers = std::move(offers);
  return spec;
}

}  // namespace

std::vector<DriverType> modbus_drivers() {
  DriverTypeSpec device =
      spec_of("modbus", "A device by Modbus: its readings, set points and outputs as its map names them.",
              {"setpoints", "switch"}, point_params());
  device.measures_param = "measures";
  DriverTypeSpec coolant = spec_of("modbus_coolant",
                                   "A coolant unit by Modbus: one whose map has the settings `temperature` and `flow`, "
                                   "the output `pump` and the readings `inlet`, `outlet`, `flow`, `pressure`, `leak`.",
                                   {"coolant"}, coolant_params());
  coolant.measures = coolant_measures();
  return {{device, build_device}, {coolant, build_coolant}};
}

}  // namespace firstlight
