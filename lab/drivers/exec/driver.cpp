#include <fmt/format.h>

#include <memory>
#include <utility>

#include "lab/drivers/exec/program.h"
#include "lab/drivers/params.h"
#include "lab/drivers/points/identity_check.h"
#include "lab/drivers/points/offers.h"
#include "lab/drivers/registry.h"

namespace firstlight {

namespace {

std::shared_ptr<exec::Program> make(const DriverPlan& plan, DriverEnvironment& environment) {
  const std::string& resource = plan.uses.at(0);
  const Duration timeout = to_duration(quantity_param(plan.params, "timeout").value_or(Quantity{5, Dimension::time}));
  const auto program =
      std::make_shared<exec::Program>(fmt::format("{} ({})", plan.name, resource), environment.stream(resource),
                                      timeout, declared_identity(plan, {"name", "serial_number"}), environment.time());
  environment.bench().keep(program);
  environment.bench().offer<Identity>(plan.name, *program);
  return program;
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
  spec.uses = {"exec"};
  ParamSpec timeout;
  timeout.name = "timeout";
  timeout.type = ParamType::quantity;
  timeout.dimension = Dimension::time;
  timeout.fallback = "5 s";
  timeout.min = 0;
  timeout.doc = "For one answer of the program.";
  ParamSpec name;
  name.name = "name";
  name.doc = "Regular expression for the name that the program must give.";
  ParamSpec serial;
  serial.name = "serial_number";
  serial.doc = "Regular expression for the serial number that the program must give.";
  spec.params = std::move(params);
  spec.params.insert(spec.params.end(), {timeout, name, serial});
  spec.offers = std::move(offers);
  spec.offers.emplace_back("identity");
  return spec;
}

}  // namespace

std::vector<DriverType> exec_drivers() {
  DriverTypeSpec device = spec_of(
      "exec",
      "A program of yours that takes one line of JSON and answers with one: its readings, set points and outputs.",
      {"setpoints", "switch"}, point_params());
  device.measures_param = "measures";
  DriverTypeSpec coolant = spec_of("exec_coolant",
                                   "A coolant unit behind a program: one that offers the settings `temperature` and "
                                   "`flow`, the output `pump` and the readings `inlet`, `outlet`, `flow`, `pressure`, "
                                   "`leak`.",
                                   {"coolant"}, coolant_params());
  coolant.measures = coolant_measures();
  return {{device, build_device}, {coolant, build_coolant}};
}

}  // namespace firstlight
