#include "lab/transports/i2c/errors.h"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>

namespace firstlight::i2c {

namespace {

struct Row {
  int error;
  const char* name;
  I2cStatus status;
  const char* meaning;
};

constexpr Row kRows[] = {
    {ENXIO, "ENXIO", I2cStatus::address_nack, "nobody acknowledged the address"},
    {ENODEV, "ENODEV", I2cStatus::address_nack, "nobody answers at the address"},
    {EREMOTEIO, "EREMOTEIO", I2cStatus::address_nack,
     "no acknowledge (this adapter does not tell the address from a data byte)"},
    {EAGAIN, "EAGAIN", I2cStatus::arbitration_lost, "another master took the bus"},
    {EBUSY, "EBUSY", I2cStatus::bus_stuck, "the bus stayed busy: a line is held low, or another master keeps it"},
    {ETIMEDOUT, "ETIMEDOUT", I2cStatus::timeout,
     "the adapter gave up waiting: a part stretches the clock, or a line is held low"},
    {EBADMSG, "EBADMSG", I2cStatus::io_error, "the adapter found a wrong PEC"},
    {EPROTO, "EPROTO", I2cStatus::io_error, "the part broke the protocol (a block count of 0 or above 32, mostly)"},
    {EOPNOTSUPP, "EOPNOTSUPP", I2cStatus::io_error, "the adapter cannot do such a transfer"},
    {EINVAL, "EINVAL", I2cStatus::io_error, "the adapter's driver refuses such a transfer"},
    {EIO, "EIO", I2cStatus::io_error, "the adapter failed without a reason; many mean a missing acknowledge by it"},
    {ESHUTDOWN, "ESHUTDOWN", I2cStatus::io_error, "the adapter is suspended"},
    {ENOMEM, "ENOMEM", I2cStatus::io_error, "the kernel has no memory"},
};

}  // namespace

Fault fault_of(int error) {
  for (const Row& row : kRows)
    if (row.error == error) return {row.status, fmt::format("{}: {}", row.name, row.meaning)};
  return {I2cStatus::io_error, fmt::format("errno {}: {}", error, std::generic_category().message(error))};
}

}  // namespace firstlight::i2c
