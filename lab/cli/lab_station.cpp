#include "lab/cli/lab_station.h"

#include "lab/core/failure.h"
#include "lab/runner/wall_time_source.h"

namespace firstlight::cli {

namespace {

/// Until the lab's transports are built in: says so, by name and address.
class NoTransports final : public TransportProvider {
 public:
  std::unique_ptr<I2cBus> open_i2c(const ResourcePlan& resource) override { refuse(resource); }
  std::unique_ptr<ByteStream> open_stream(const ResourcePlan& resource) override { refuse(resource); }
  std::unique_ptr<RegisterBus> open_registers(const ResourcePlan& resource) override { refuse(resource); }
  std::unique_ptr<DmaMemory> open_dma_memory(const ResourcePlan& resource) override { refuse(resource); }
  std::unique_ptr<Gpio> open_gpio(const ResourcePlan& resource) override { refuse(resource); }

 private:
  [[noreturn]] static void refuse(const ResourcePlan& resource) {
    throw FailureError({ErrorClass::infrastructure, "no_transport",
                        "resource \"" + resource.name + "\" (" + resource.type + " at " + resource.address +
                            ") cannot be opened: this build has no transport to hardware of that kind",
                        resource.name, "", "",
                        "use a bench whose addresses are `model`, or a build with the transport"});
  }
};

class LabStation final : public Station {
 public:
  TimeSource& time_source() override { return time_; }
  TransportProvider& connect(BenchTime&) override { return transports_; }
  bool simulated() const override { return false; }

 private:
  WallTimeSource time_;
  NoTransports transports_;
};

}  // namespace

std::unique_ptr<Station> make_lab_station(const BenchPlan&, std::uint64_t) { return std::make_unique<LabStation>(); }

}  // namespace firstlight::cli
