#pragma once

#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "lab/transports/i2c/device_file.h"
#include "lab/transports/i2c_bus.h"

namespace firstlight::i2c {

/// One Linux I2C adapter, called from one thread at a time; its calls block. With plain I2C a transfer is one I2C_RDWR;
/// without, the SMBus call that puts the same bits on the wire.
class Adapter {
 public:
  /// Asks the adapter what it can do. Throws FailureError (infrastructure) when it does not say.
  /// @param name for messages
  Adapter(std::unique_ptr<DeviceFile> file, std::string name);

  /// @param limit how long the adapter may take; Linux counts in steps of 10 ms, and keeps it for the whole adapter
  I2cResult transfer(std::uint8_t address, const std::vector<I2cMessage>& messages, std::chrono::milliseconds limit);

  DeviceFile& file() { return *file_; }
  const std::string& name() const { return name_; }
  unsigned long functionality() const { return functionality_; }

 private:
  I2cResult combined(std::uint8_t address, const std::vector<I2cMessage>& messages);
  I2cResult block_in_two(std::uint8_t address, std::vector<I2cMessage> messages);
  I2cResult smbus(std::uint8_t address, const std::vector<I2cMessage>& messages);
  /// Refuses an address that a driver of the kernel has bound: it would turn PAGE under our feet.
  bool claim(std::uint8_t address, I2cResult& result);
  void limit_to(std::chrono::milliseconds limit);

  std::unique_ptr<DeviceFile> file_;
  std::string name_;
  unsigned long functionality_ = 0;
  int claimed_ = -1;           // the address that I2C_SLAVE was last called with
  std::set<int> free_;         // addresses that no driver of the kernel has
  unsigned long timeout_ = 0;  // as last set, in units of 10 ms
  bool adapter_pec_ = false;   // as last set
};

}  // namespace firstlight::i2c
