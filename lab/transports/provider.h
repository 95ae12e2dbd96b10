#pragma once

#include <memory>
#include <string>

#include "lab/bench/plan.h"
#include "lab/core/bench_time.h"
#include "lab/transports/byte_stream.h"
#include "lab/transports/dma_memory.h"
#include "lab/transports/gpio.h"
#include "lab/transports/http_client.h"
#include "lab/transports/hwmon.h"
#include "lab/transports/i2c_bus.h"
#include "lab/transports/ipmi_link.h"
#include "lab/transports/modbus_bus.h"
#include "lab/transports/register_bus.h"

namespace firstlight {

/// Opens the resources that a bench file names. The lab's provider and the virtual bench are two of them; nothing above
/// can tell which. Opening changes nothing on the bench. Throws FailureError (infrastructure) when a resource cannot be
/// had.
class TransportProvider {
 public:
  TransportProvider() = default;
  TransportProvider(const TransportProvider&) = delete;
  TransportProvider& operator=(const TransportProvider&) = delete;
  virtual ~TransportProvider() = default;

  virtual std::unique_ptr<I2cBus> open_i2c(const ResourcePlan& resource) { refuse_resource(resource); }
  virtual std::unique_ptr<ByteStream> open_stream(const ResourcePlan& resource) { refuse_resource(resource); }
  virtual std::unique_ptr<RegisterBus> open_registers(const ResourcePlan& resource) { refuse_resource(resource); }
  virtual std::unique_ptr<DmaMemory> open_dma_memory(const ResourcePlan& resource) { refuse_resource(resource); }
  virtual std::unique_ptr<Gpio> open_gpio(const ResourcePlan& resource) { refuse_resource(resource); }
  virtual std::unique_ptr<Hwmon> open_hwmon(const ResourcePlan& resource) { refuse_resource(resource); }
  virtual std::unique_ptr<IpmiLink> open_ipmi(const ResourcePlan& resource) { refuse_resource(resource); }
  virtual std::unique_ptr<HttpClient> open_http(const ResourcePlan& resource) { refuse_resource(resource); }
  virtual std::unique_ptr<ModbusBus> open_modbus(const ResourcePlan& resource) { refuse_resource(resource); }

 protected:
  /// For the kinds of resources that a provider does not have.
  [[noreturn]] static void refuse_resource(const ResourcePlan& resource);
};

}  // namespace firstlight
