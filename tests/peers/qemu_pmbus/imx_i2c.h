#pragma once

#include <cstdint>
#include <string>

#include "lab/transports/i2c_bus.h"
#include "tests/peers/support/qtest.h"

namespace firstlight::peers {

/// An I2C bus by the registers of an i.MX I2C controller (i.MX25 reference manual, chapter I2C) of a QEMU machine. What
/// a Linux driver does in an interrupt handler is done here by qtest, one register access after the other.
class ImxI2cBus final : public I2cBus {
 public:
  /// @param base of the controller's registers
  ImxI2cBus(QtestMachine& machine, std::uint64_t base);

  I2cResult transfer(std::uint8_t address, const std::vector<I2cMessage>& messages, Instant deadline) override;
  bool recover(Instant) override { return true; }
  std::string name() const override { return "qemu i2c-bus.0"; }
  std::uint64_t register_accesses() const { return accesses_; }

 private:
  void put(std::uint64_t offset, unsigned value);
  unsigned get(std::uint64_t offset);
  /// Sends a byte. @return whether it was acknowledged
  bool send(unsigned byte);
  bool write(const std::vector<std::uint8_t>& bytes, I2cResult& result);
  void read(const I2cMessage& message, I2cResult& result);

  QtestMachine& machine_;
  std::uint64_t base_;
  std::uint64_t accesses_ = 0;
};

}  // namespace firstlight::peers
