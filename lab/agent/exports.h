#pragma once

#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "lab/core/turns.h"
#include "lab/transports/provider.h"

namespace firstlight::agent {

/// What the agent does not do, and why, for the client.
class Refusal : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The byte streams that one client has opened. They are its own: an instrument with several sockets answers to the
/// one that asked.
using Streams = std::map<std::string, std::unique_ptr<ByteStream>>;

/// The resources that an agent serves: those that its bench file names, and nothing else of its host. Each is opened
/// when the first client asks for it, and again when that failed: a PCI device may be there only once the chip has
/// power.
class Exports {
 public:
  /// @param provider outlives it
  Exports(TransportProvider& provider, BenchTime& time, std::vector<ResourcePlan> resources);

  /// {"name": ..., "type": ...} of each.
  nlohmann::json list() const;
  /// Opens it, and says what a client needs to know of it. Throws Refusal.
  nlohmann::json open(const std::string& name, const std::string& type, Streams& streams);

  // Each throws Refusal when there is none of that name and type, or it has not been opened.
  I2cBus& i2c(const std::string& name) const;
  RegisterBus& registers(const std::string& name) const;
  DmaMemory& dma_memory(const std::string& name) const;
  Gpio& gpio(const std::string& name) const;
  Hwmon& hwmon(const std::string& name) const;

 private:
  const ResourcePlan& plan(const std::string& name, const std::string& type) const;
  nlohmann::json describe(const ResourcePlan& resource, Streams& streams);

  TransportProvider& provider_;
  Turns opening_;
  std::vector<ResourcePlan> resources_;
  std::map<std::string, std::unique_ptr<I2cBus>> i2c_;
  std::map<std::string, std::unique_ptr<RegisterBus>> registers_;
  std::map<std::string, std::unique_ptr<DmaMemory>> memories_;
  std::map<std::string, std::unique_ptr<Gpio>> gpios_;
  std::map<std::string, std::unique_ptr<Hwmon>> hwmons_;
};

}  // namespace firstlight::agent
