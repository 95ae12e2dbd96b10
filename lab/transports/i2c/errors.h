#pragma once

#include <string>

#include "lab/transports/i2c_bus.h"

namespace firstlight::i2c {

/// What an errno of an I2C or SMBus call says of the wires (Documentation/i2c/fault-codes, and what the adapters'
/// drivers make of it).
struct Fault {
  I2cStatus status = I2cStatus::io_error;
  std::string text;  // "ETIMEDOUT: the adapter gave up waiting ..."
};
/// @param error positive
Fault fault_of(int error);

}  // namespace firstlight::i2c
