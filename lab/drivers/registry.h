#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <typeindex>
#include <utility>
#include <vector>

#include "lab/bench/plan.h"
#include "lab/capabilities/bench.h"
#include "lab/core/diagnostic.h"
#include "lab/core/failure.h"
#include "lab/core/vocabulary.h"
#include "lab/transports/provider.h"

namespace firstlight {

/// What a driver is built into: the bench that it offers its capabilities to, and the resources below it. A resource is
/// opened when the first driver asks for it and shared with those that ask later.
class DriverEnvironment {
 public:
  DriverEnvironment(Bench& bench, TransportProvider& provider) : bench_(bench), provider_(provider) {}
  DriverEnvironment(const DriverEnvironment&) = delete;
  DriverEnvironment& operator=(const DriverEnvironment&) = delete;
  ~DriverEnvironment() = default;

  Bench& bench() { return bench_; }
  BenchTime& time() { return bench_.time(); }
  /// The bench's rails that name this driver.
  std::vector<RailPlan> rails_of(const std::string& driver) const;
  const ResourcePlan& resource(const std::string& name) const;

  std::shared_ptr<I2cBus> i2c(const std::string& resource);
  std::shared_ptr<ByteStream> stream(const std::string& resource);
  std::shared_ptr<RegisterBus> registers(const std::string& resource);
  std::shared_ptr<DmaMemory> dma_memory(const std::string& resource);
  std::shared_ptr<Gpio> gpio(const std::string& resource);
  std::shared_ptr<Hwmon> hwmon(const std::string& resource);
  std::shared_ptr<IpmiLink> ipmi(const std::string& resource);
  std::shared_ptr<HttpClient> http(const std::string& resource);
  std::shared_ptr<ModbusBus> modbus(const std::string& resource);

  /// What several drivers of one resource have in common: made for the first that asks.
  template <class Thing, class Make>
  std::shared_ptr<Thing> common(const std::string& resource, Make make) {
    std::shared_ptr<void>& slot = common_[{typeid(Thing), resource}];
    if (!slot) slot = make();
    return std::static_pointer_cast<Thing>(slot);
  }

 private:
  Bench& bench_;
  TransportProvider& provider_;
  std::map<std::string, std::shared_ptr<I2cBus>> i2c_;
  std::map<std::string, std::shared_ptr<ByteStream>> streams_;
  std::map<std::string, std::shared_ptr<RegisterBus>> registers_;
  std::map<std::string, std::shared_ptr<DmaMemory>> memories_;
  std::map<std::string, std::shared_ptr<Gpio>> gpios_;
  std::map<std::string, std::shared_ptr<Hwmon>> hwmons_;
  std::map<std::string, std::shared_ptr<IpmiLink>> ipmi_;
  std::map<std::string, std::shared_ptr<HttpClient>> http_;
  std::map<std::string, std::shared_ptr<ModbusBus>> modbus_;
  std::map<std::pair<std::type_index, std::string>, std::shared_ptr<void>> common_;
};

/// A kind of driver: what a bench file may say of it, and how one is made. Building does no I/O beyond opening the
/// resources and changes nothing on the bench.
struct DriverType {
  DriverTypeSpec spec;
  std::function<void(const DriverPlan&, DriverEnvironment&)> build;
};

/// Every driver type there is.
const std::vector<DriverType>& all_driver_types();

/// Builds every driver of the bench's plan, in its order. Throws FailureError.
void build_drivers(Bench& bench, TransportProvider& provider);

/// The same as far as it goes: a driver that cannot be built is left out. For whoever makes the bench safe, who must
/// not leave a rail on because a meter is gone. @return what was left out, and why
std::vector<Failure> build_reachable_drivers(Bench& bench, TransportProvider& provider);

/// Tells what only drivers find wrong in a bench file (a personality's name, a channel that it does not have, an
/// address of no known form), as far as that is seen without opening anything.
void check_drivers(const BenchPlan& plan, Diagnostics& diagnostics);

/// The vocabulary's tables of what drivers and resources a bench may have and what each rail measures.
std::vector<DriverTypeSpec> driver_type_specs();
std::vector<ResourceTypeSpec> resource_type_specs();
std::vector<MeasurableSpec> rail_measure_specs();

// One table a file.
std::vector<DriverType> pmbus_drivers();
std::vector<DriverType> scpi_drivers();
std::vector<DriverType> eeprom_drivers();
std::vector<DriverType> lm75_drivers();
std::vector<DriverType> gpio_drivers();
std::vector<DriverType> register_drivers();
std::vector<DriverType> tern_drivers();
std::vector<DriverType> ipmi_drivers();
std::vector<DriverType> redfish_drivers();
std::vector<DriverType> modbus_drivers();
std::vector<DriverType> exec_drivers();
std::vector<DriverType> hwmon_drivers();

}  // namespace firstlight
