#pragma once

#include <cstdint>

namespace tb::instruments {

/// A device on the I2C bus, driven byte by byte in the order in which the bytes pass (NXP UM10204, 3.1).
class I2cTarget {
 public:
  I2cTarget() = default;
  I2cTarget(const I2cTarget&) = delete;
  I2cTarget& operator=(const I2cTarget&) = delete;
  virtual ~I2cTarget() = default;

  /// START or repeated START with the device's address. False: not acknowledged.
  virtual bool address(bool read) = 0;
  /// One byte to the device. False: not acknowledged.
  virtual bool write(std::uint8_t byte) = 0;
  /// One byte from the device.
  virtual std::uint8_t read() = 0;
  /// STOP.
  virtual void stop() = 0;
};

}  // namespace tb::instruments
