#include "lab/transports/address_check.h"

#include "lab/transports/agent/place.h"
#include "lab/transports/scheme_lookup.h"

namespace firstlight {

template <class Transport>
void AddressCheck::check(const ResourcePlan& resource, const std::vector<Scheme<Transport>>& schemes) const {
  const Address address = parse_address(resource.address);
  if (address.scheme != "model" && scheme_of(resource, schemes).scheme == "agent")
    agent::agent_of(agent::place_of(resource, address.rest).agent, resource, bench_);
  throw FailureError({ErrorClass::infrastructure, std::string(kNotOpened), "nothing is opened for a check",
                      resource.name, "", "", ""});
}

std::unique_ptr<I2cBus> AddressCheck::open_i2c(const ResourcePlan& r) { check(r, all_schemes().i2c); }
std::unique_ptr<ByteStream> AddressCheck::open_stream(const ResourcePlan& r) { check(r, all_schemes().streams); }
std::unique_ptr<RegisterBus> AddressCheck::open_registers(const ResourcePlan& r) { check(r, all_schemes().registers); }
std::unique_ptr<DmaMemory> AddressCheck::open_dma_memory(const ResourcePlan& r) {
  check(r, all_schemes().dma_memories);
}
std::unique_ptr<Gpio> AddressCheck::open_gpio(const ResourcePlan& r) { check(r, all_schemes().gpios); }
std::unique_ptr<Hwmon> AddressCheck::open_hwmon(const ResourcePlan& r) { check(r, all_schemes().hwmons); }
std::unique_ptr<IpmiLink> AddressCheck::open_ipmi(const ResourcePlan& r) { check(r, all_schemes().ipmi); }
std::unique_ptr<HttpClient> AddressCheck::open_http(const ResourcePlan& r) { check(r, all_schemes().http); }
std::unique_ptr<ModbusBus> AddressCheck::open_modbus(const ResourcePlan& r) { check(r, all_schemes().modbus); }

}  // namespace firstlight
