#pragma once

#include <functional>
#include <string>

#include "lab/trace/trace_writer.h"
#include "lab/transports/provider.h"

namespace firstlight::trace {

/// Opens what another provider opens, and writes down each access to it. What is above and what is below see no
/// difference.
class RecordingProvider final : public TransportProvider {
 public:
  /// Who makes the access that is under way: the name of the running fiber.
  using Who = std::function<std::string()>;

  /// All of it outlives the provider and the transports that it opens.
  RecordingProvider(TransportProvider& inner, BenchTime& time, TraceWriter& writer, Who who)
      : inner_(inner), tape_{time, writer, std::move(who)} {}

  std::unique_ptr<I2cBus> open_i2c(const ResourcePlan& resource) override;
  std::unique_ptr<ByteStream> open_stream(const ResourcePlan& resource) override;
  std::unique_ptr<RegisterBus> open_registers(const ResourcePlan& resource) override;
  std::unique_ptr<DmaMemory> open_dma_memory(const ResourcePlan& resource) override;
  std::unique_ptr<Gpio> open_gpio(const ResourcePlan& resource) override;
  std::unique_ptr<Hwmon> open_hwmon(const ResourcePlan& resource) override;
  std::unique_ptr<IpmiLink> open_ipmi(const ResourcePlan& resource) override;
  std::unique_ptr<HttpClient> open_http(const ResourcePlan& resource) override;
  std::unique_ptr<ModbusBus> open_modbus(const ResourcePlan& resource) override;

  struct Tape {
    BenchTime& time;
    TraceWriter& writer;
    Who who;
  };

 private:
  TransportProvider& inner_;
  Tape tape_;
};

}  // namespace firstlight::trace
