#pragma once

#include <map>
#include <memory>
#include <string>

#include "lab/transports/io_thread.h"
#include "lab/transports/schemes.h"

namespace firstlight {

/// Opens resources of the table in the lab by the schemes of their addresses. Bench time is the wall clock.
class LabProvider final : public TransportProvider {
 public:
  /// @param bench outlives the provider
  LabProvider(BenchTime& time, const BenchPlan& bench);

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
  IoThread io_;
  std::map<std::string, std::shared_ptr<void>> shared_;
  OpenContext context_;
};

}  // namespace firstlight
