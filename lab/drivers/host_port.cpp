#include <memory>

#include "lab/core/failure.h"
#include "lab/drivers/params.h"
#include "lab/drivers/register_access.h"
#include "lab/drivers/registry.h"
#include "rtl/regs/tern_registers.h"

namespace firstlight {

namespace {

void build(const DriverPlan& plan, DriverEnvironment& environment) {
  const auto timeout = quantity_param(plan.params, "timeout");
  const auto access =
      std::make_shared<RegisterAccess>(plan.name, environment.registers(plan.uses.at(0)), tern_registers(), "chip.id",
                                       timeout ? to_duration(*timeout) : from_seconds(0.5), environment.time());
  environment.bench().keep(access);
  environment.bench().offer<Registers>(plan.name, *access);
}

}  // namespace

std::vector<DriverType> register_drivers() {
  DriverTypeSpec spec;
  spec.driver = "registers";
  spec.doc = "The chip's registers by name, over its host port.";
  spec.uses = {"registers"};
  ParamSpec chip;
  chip.name = "chip";
  chip.type = ParamType::enumeration;
  chip.choices = {"tern"};
  chip.fallback = "tern";
  chip.doc = "Whose register map.";
  ParamSpec timeout;
  timeout.name = "timeout";
  timeout.type = ParamType::quantity;
  timeout.dimension = Dimension::time;
  timeout.fallback = "500 ms";
  timeout.doc = "Of one access.";
  spec.params = {chip, timeout};
  spec.offers = {"registers"};
  return {{spec, build}};
}

}  // namespace firstlight
