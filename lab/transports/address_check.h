#pragma once

#include <string_view>

#include "lab/bench/plan.h"
#include "lab/transports/provider.h"
#include "lab/transports/schemes.h"

namespace firstlight {

/// Opens nothing: looks only whether the addresses can be meant. What is asked for and could be opened throws
/// FailureError (infrastructure) of the symptom `kNotOpened`; what could not, as the lab's provider does.
class AddressCheck final : public TransportProvider {
 public:
  static constexpr std::string_view kNotOpened = "not_opened";

  explicit AddressCheck(const BenchPlan& bench) : bench_(bench) {}

  std::unique_ptr<I2cBus> open_i2c(const ResourcePlan& resource) override;
  std::unique_ptr<ByteStream> open_stream(const ResourcePlan& resource) override;
  std::unique_ptr<RegisterBus> open_registers(const ResourcePlan& resource) override;
  std::unique_ptr<DmaMemory> open_dma_memory(const ResourcePlan& resource) override;
  std::unique_ptr<Gpio> open_gpio(const ResourcePlan& resource) override;
  std::unique_ptr<Hwmon> open_hwmon(const ResourcePlan& resource) override;
  std::unique_ptr<IpmiLink> open_ipmi(const ResourcePlan& resource) override;
  std::unique_ptr<HttpClient> open_http(const ResourcePlan& resource) override;
  std::unique_ptr<ModbusBus> open_modbus(const ResourcePlan& resource) override;

 private:
  template <class Transport>
  [[noreturn]] void check(const ResourcePlan& resource, const std::vector<Scheme<Transport>>& schemes) const;

  const BenchPlan& bench_;
};

}  // namespace firstlight
