#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "lab/core/failure.h"
#include "lab/transports/i2c/adapter_names.h"
#include "lab/transports/i2c/dev_bus.h"
#include "lab/transports/i2c/mux_tree.h"
#include "lab/transports/i2c/resource_params.h"
#include "lab/transports/schemes.h"

namespace firstlight {

namespace {

constexpr const char* kSysfs = "/sys";

/// What the resources that name one adapter share.
struct SharedAdapter {
  std::shared_ptr<i2c::DevBus> bus;
  std::shared_ptr<i2c::MuxTree> tree;
};

/// The device file of an address: a file itself, or what fits a name or a path in sysfs.
std::string device_file(const ResourcePlan& resource, const std::string& rest) {
  if (rest.compare(0, 5, "/dev/") == 0) return rest;
  return i2c::find_device_file(rest, resource.name, kSysfs);
}

std::string folder_of(const std::string& file) {
  for (const i2c::AdapterEntry& one : i2c::list_adapters(kSysfs))
    if (file == fmt::format("/dev/i2c-{}", one.number)) return one.folder;
  return {};
}

std::shared_ptr<Gpio> open_gpio(const ResourcePlan& resource, OpenContext& context) {
  const Address address = parse_address(resource.address);
  for (const auto& scheme : all_schemes().gpios)
    if (scheme.type == resource.type && scheme.scheme == address.scheme && scheme.missing.empty())
      return scheme.open(resource, address.rest, context);
  throw FailureError({ErrorClass::bench, "bad_address",
                      fmt::format("the gpio resource \"{}\" at \"{}\" cannot be opened for the recovery of a bus",
                                  resource.name, resource.address),
                      resource.name, "", "", "no transport of this build takes its address"});
}

i2c::RecoveryLine recovery_line(const ResourcePlan& resource, const char* param, OpenContext& context) {
  const auto found = resource.params.find(param);
  if (found == resource.params.end() || !found->second.is_set()) return {};
  const i2c::LineName name = i2c::line_name(found->second.text(), resource, context.bench);
  auto& shared = context.shared["i2c-recovery:" + name.resource->name];
  if (!shared) shared = open_gpio(*name.resource, context);
  return {std::static_pointer_cast<Gpio>(shared), name.line};
}

std::unique_ptr<i2c::Recovery> recovery_of(const ResourcePlan& resource, const std::string& file,
                                           OpenContext& context) {
  const auto steps = resource.params.find("recovery");
  if (steps == resource.params.end() || !steps->second.is_set()) return nullptr;
  i2c::RecoveryPlan plan;
  for (const Value& step : steps->second.list()) plan.steps.push_back(step.text());
  plan.scl = recovery_line(resource, "scl_line", context);
  plan.sda = recovery_line(resource, "sda_line", context);
  plan.reset = recovery_line(resource, "reset_line", context);
  const auto hold = resource.params.find("recovery_hold");
  if (hold != resource.params.end() && hold->second.is_set()) plan.hold = to_duration(hold->second.quantity());
  plan.adapter_folder = folder_of(file);
  return std::make_unique<i2c::Recovery>(std::move(plan), context.time);
}

std::shared_ptr<SharedAdapter> share(const ResourcePlan& resource, const std::string& rest, const std::string& file,
                                     OpenContext& context) {
  auto& slot = context.shared["i2c-dev:" + file];
  if (slot) return std::static_pointer_cast<SharedAdapter>(slot);
  const auto adapter = std::make_shared<SharedAdapter>();
  const auto open = [name = resource.name, plan = resource, rest] {
    const std::string now = device_file(plan, rest);  // its number may have changed
    return std::make_shared<i2c::Adapter>(i2c::open_device_file(now, name), now);
  };
  adapter->bus = std::make_shared<i2c::DevBus>(file, open, context.time);
  adapter->tree = std::make_shared<i2c::MuxTree>(adapter->bus, context.time);
  slot = adapter;
  return adapter;
}

std::string bus_name(const ResourcePlan& resource, const std::string& file, const std::vector<i2c::MuxHop>& way) {
  std::string name = fmt::format("{} ({}", resource.name, file);
  for (const i2c::MuxHop& hop : way) name += fmt::format(", mux 0x{:02x} channel {}", hop.address, hop.channel);
  return name + ")";
}

std::unique_ptr<I2cBus> open(const ResourcePlan& resource, const std::string& rest, OpenContext& context) {
  std::vector<i2c::MuxHop> way = i2c::mux_way(resource);
  const std::string file = device_file(resource, rest);
  const std::shared_ptr<SharedAdapter> adapter = share(resource, rest, file, context);
  if (!adapter->bus->has_recovery()) adapter->bus->set_recovery(recovery_of(resource, file, context));
  std::string name = bus_name(resource, file, way);
  return std::make_unique<i2c::MuxedBus>(adapter->tree, std::move(way), std::move(name));
}

}  // namespace

void add_i2c_dev_schemes(SchemeTable& table) {
  table.i2c.push_back({"i2c", "file", "/dev/i2c-N", "An I2C adapter of Linux by its device file.", {}, false, open});
  table.i2c.push_back({"i2c",
                       "i2c",
                       "i2c:ADAPTER",
                       "An I2C adapter of Linux by what it is: its name (`i2c:i801 SMBus at *`) or its place in sysfs, "
                       "which do not change from boot to boot.",
                       {},
                       false,
                       open});
}

}  // namespace firstlight
