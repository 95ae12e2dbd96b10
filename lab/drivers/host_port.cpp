#include <memory>
#include <string>

#include "lab/drivers/params.h"
#include "lab/drivers/register_access.h"
#include "lab/drivers/registry.h"
#include "rtl/regs/tern_registers.h"

namespace firstlight {

namespace {

constexpr const char* kIdentity = "chip.id";

void build(const DriverPlan& plan, DriverEnvironment& environment) {
  const auto timeout = quantity_param(plan.params, "timeout");
  const std::string identity = text_param(plan.params, "identity").value_or(kIdentity);
  const auto access = std::make_shared<RegisterAccess>(
      plan.name, environment.registers(plan.uses.at(0)), tern_registers(), identity == "none" ? "" : identity,
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
  ParamSpec identity;
  identity.name = "identity";
  identity.type = ParamType::text;
  identity.fallback = kIdentity;
  identity.doc =
      "A register of constant value that is read when an answer is all ones, to tell a dead bus from data; `none` "
      "where "
      "the port has none.";
  spec.params = {chip, timeout, identity};
  spec.offers = {"registers"};
  return {{spec, build}};
}

}  // namespace firstlight
