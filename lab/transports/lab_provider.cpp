#include "lab/transports/lab_provider.h"

#include <fmt/format.h>

#include <algorithm>

#include "lab/core/failure.h"
#include "lab/core/suggest.h"

namespace firstlight {

namespace {

template <class Transport>
[[noreturn]] void refuse_scheme(const ResourcePlan& resource, const std::string& scheme,
                                const std::vector<Scheme<Transport>>& schemes) {
  std::vector<std::string> forms;
  std::vector<std::string> names;
  for (const auto& one : schemes) {
    if (one.type != resource.type) continue;
    forms.push_back(one.form);
    names.push_back(one.scheme);
  }
  const std::string near = nearest_name(scheme, names);
  throw FailureError(
      {ErrorClass::bench, "bad_address",
       fmt::format("{}:{}: resource \"{}\" of type {} is at \"{}\"; an address of that type is one of {}{}",
                   resource.where.file, resource.where.line, resource.name, resource.type, resource.address,
                   fmt::join(forms, ", "), near.empty() ? "" : fmt::format(" (did you mean {}:?)", near)),
       resource.name, "", "", "the address has a scheme that this type of resource does not know"});
}

template <class Transport>
std::unique_ptr<Transport> open(const ResourcePlan& resource, const std::vector<Scheme<Transport>>& schemes,
                                OpenContext& context) {
  const Address address = parse_address(resource.address);
  const auto found = std::find_if(schemes.begin(), schemes.end(), [&](const auto& one) {
    return one.type == resource.type && one.scheme == address.scheme;
  });
  if (found == schemes.end()) refuse_scheme(resource, address.scheme, schemes);
  if (found->missing.empty()) return found->open(resource, address.rest, context);
  throw FailureError({ErrorClass::infrastructure, "no_transport",
                      fmt::format("resource \"{}\" ({} at {}) cannot be opened: {}", resource.name, resource.type,
                                  resource.address, found->missing),
                      resource.name, "", "", "`firstlight doctor` says what each transport needs"});
}

}  // namespace

LabProvider::LabProvider(BenchTime& time, const BenchPlan& bench) : context_{time, io_, bench, shared_} {}

std::unique_ptr<I2cBus> LabProvider::open_i2c(const ResourcePlan& r) { return open(r, all_schemes().i2c, context_); }
std::unique_ptr<ByteStream> LabProvider::open_stream(const ResourcePlan& r) {
  return open(r, all_schemes().streams, context_);
}
std::unique_ptr<RegisterBus> LabProvider::open_registers(const ResourcePlan& r) {
  return open(r, all_schemes().registers, context_);
}
std::unique_ptr<DmaMemory> LabProvider::open_dma_memory(const ResourcePlan& r) {
  return open(r, all_schemes().dma_memories, context_);
}
std::unique_ptr<Gpio> LabProvider::open_gpio(const ResourcePlan& r) { return open(r, all_schemes().gpios, context_); }
std::unique_ptr<Hwmon> LabProvider::open_hwmon(const ResourcePlan& r) {
  return open(r, all_schemes().hwmons, context_);
}
std::unique_ptr<IpmiLink> LabProvider::open_ipmi(const ResourcePlan& r) {
  return open(r, all_schemes().ipmi, context_);
}
std::unique_ptr<HttpClient> LabProvider::open_http(const ResourcePlan& r) {
  return open(r, all_schemes().http, context_);
}
std::unique_ptr<ModbusBus> LabProvider::open_modbus(const ResourcePlan& r) {
  return open(r, all_schemes().modbus, context_);
}

}  // namespace firstlight
