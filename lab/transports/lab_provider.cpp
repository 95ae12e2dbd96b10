#include "lab/transports/lab_provider.h"

#include <fmt/format.h>

#include "lab/core/failure.h"
#include "lab/transports/scheme_lookup.h"

namespace firstlight {

namespace {

template <class Transport>
std::unique_ptr<Transport> open(const ResourcePlan& resource, const std::vector<Scheme<Transport>>& schemes,
                                OpenContext& context) {
  const Scheme<Transport>& scheme = scheme_of(resource, schemes);
  if (scheme.missing.empty()) return scheme.open(resource, parse_address(resource.address).rest, context);
  throw FailureError({ErrorClass::infrastructure, "no_transport",
                      fmt::format("resource \"{}\" ({} at {}) cannot be opened: {}", resource.name, resource.type,
                                  resource.address, scheme.missing),
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
