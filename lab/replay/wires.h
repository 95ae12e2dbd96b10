#pragma once

#include <map>
#include <memory>
#include <string>

#include "lab/bench/plan.h"
#include "lab/trace/transaction.h"
#include "lab/transports/provider.h"

namespace firstlight::replay {

/// The resources of a bench, by name, to make recorded accesses on.
class Wires {
 public:
  Wires(TransportProvider& provider, const BenchPlan& bench) : provider_(provider), bench_(bench) {}

  /// False when the bench has no resource of that name. Throws FailureError when it cannot be opened as that kind.
  bool open(const std::string& resource, trace::Kind kind);
  bool has(const std::string& resource) const;
  /// The same access again. @return it with the answer of now
  trace::Access make(const std::string& resource, const trace::Access& access, Instant deadline);

 private:
  TransportProvider& provider_;
  const BenchPlan& bench_;
  std::map<std::string, std::unique_ptr<I2cBus>> i2c_;
  std::map<std::string, std::unique_ptr<ByteStream>> streams_;
  std::map<std::string, std::unique_ptr<RegisterBus>> registers_;
  std::map<std::string, std::unique_ptr<DmaMemory>> memories_;
  std::map<std::string, std::unique_ptr<Gpio>> gpios_;
  std::map<std::string, std::unique_ptr<Hwmon>> hwmons_;
  std::map<std::string, std::unique_ptr<IpmiLink>> ipmi_;
  std::map<std::string, std::unique_ptr<HttpClient>> http_;
  std::map<std::string, std::unique_ptr<ModbusBus>> modbus_;

  struct Maker;
};

}  // namespace firstlight::replay
