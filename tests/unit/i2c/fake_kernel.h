#pragma once

#include <linux/i2c-dev.h>
#include <linux/i2c.h>

#include <cerrno>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "lab/transports/i2c/device_file.h"

namespace firstlight::test {

/// i2c-dev as the kernel's source has it, as far as an adapter with plain I2C or SMBus calls goes: what it refuses, how
/// blocks come, what a PEC does. The parts are registers of bytes.
class FakeKernel final : public i2c::DeviceFile {
 public:
  struct State {
    unsigned long functionality = I2C_FUNC_I2C;
    std::map<std::uint8_t, std::map<std::uint8_t, std::vector<std::uint8_t>>> parts;  // by address, by command
    std::set<std::uint8_t> bound;                                                     // by drivers of the kernel
    int error = 0;                                                                    // of the next transfers
    bool other_program = false;                                                       // it has the lock
    int locks = 0;
    std::vector<unsigned long> timeouts;
    std::vector<std::string> calls;  // "rdwr 40: w8b r2", "smbus 40: read word 8b"
    bool pec = false;
  };
  explicit FakeKernel(State& state) : state_(state) {}

  int control(unsigned long request, void* argument) override {
    switch (request) {
      case I2C_FUNCS:
        *static_cast<unsigned long*>(argument) = state_.functionality;
        return 0;
      case I2C_RDWR:
        return combined(*static_cast<i2c_rdwr_ioctl_data*>(argument));
      case I2C_SMBUS:
        return smbus(*static_cast<i2c_smbus_ioctl_data*>(argument));
      default:
        return -ENOTTY;
    }
  }
  int control(unsigned long request, unsigned long argument) override {
    switch (request) {
      case I2C_SLAVE:
        if (state_.bound.count(static_cast<std::uint8_t>(argument)) != 0) return -EBUSY;
        address_ = static_cast<std::uint8_t>(argument);
        return 0;
      case I2C_TIMEOUT:
        state_.timeouts.push_back(argument);
        return 0;
      case I2C_PEC:
        state_.pec = argument != 0;
        return 0;
      default:
        return -ENOTTY;
    }
  }
  bool try_lock() override {
    if (state_.other_program) return false;
    ++state_.locks;
    return true;
  }
  void unlock() override { --state_.locks; }

 private:
  int combined(i2c_rdwr_ioctl_data& call) {
    if (state_.error != 0) return -state_.error;
    std::uint8_t command = 0;
    for (unsigned i = 0; i < call.nmsgs; ++i) {
      i2c_msg& message = call.msgs[i];
      const auto part = state_.parts.find(static_cast<std::uint8_t>(message.addr));
      if (part == state_.parts.end()) return -ENXIO;
      if ((message.flags & I2C_M_RD) == 0) {
        command = message.buf[0];
        if (message.len > 1) part->second[command] = {message.buf + 1, message.buf + message.len};
        continue;
      }
      const std::vector<std::uint8_t>& held = part->second[command];
      if ((message.flags & I2C_M_RECV_LEN) != 0) {
        if (message.len < message.buf[0] + I2C_SMBUS_BLOCK_MAX) return -EINVAL;
        const std::size_t extra = message.buf[0] - 1U;
        if (held.empty() || held[0] > I2C_SMBUS_BLOCK_MAX) return -EPROTO;
        for (std::size_t k = 0; k < 1U + held[0] + extra; ++k) message.buf[k] = k < held.size() ? held[k] : 0xff;
      } else {
        for (std::size_t k = 0; k < message.len; ++k) message.buf[k] = k < held.size() ? held[k] : 0xff;
      }
    }
    state_.calls.push_back("rdwr " + std::to_string(call.nmsgs));
    return static_cast<int>(call.nmsgs);
  }

  int smbus(i2c_smbus_ioctl_data& call) {
    if (state_.error != 0) return -state_.error;
    const auto part = state_.parts.find(address_);
    if (part == state_.parts.end()) return -ENXIO;
    std::vector<std::uint8_t>& held = part->second[call.command];
    const bool read = call.read_write == I2C_SMBUS_READ;
    const auto at = [&](std::size_t k) { return k < held.size() ? held[k] : std::uint8_t{0xff}; };
    state_.calls.push_back("smbus " + std::to_string(call.size) + (state_.pec ? " pec" : ""));
    switch (call.size) {
      case I2C_SMBUS_BYTE_DATA:
        if (read)
          call.data->byte = at(0);
        else
          held = {call.data->byte};
        return 0;
      case I2C_SMBUS_WORD_DATA:
        if (read)
          call.data->word = static_cast<__u16>(at(0) | (at(1) << 8));
        else
          held = {static_cast<std::uint8_t>(call.data->word & 0xff), static_cast<std::uint8_t>(call.data->word >> 8)};
        return 0;
      case I2C_SMBUS_BLOCK_DATA:
      case I2C_SMBUS_BLOCK_PROC_CALL:
        if (!read) held.assign(call.data->block, call.data->block + 1 + call.data->block[0]);
        for (std::size_t k = 0; read && k < held.size(); ++k) call.data->block[k] = held[k];
        return 0;
      case I2C_SMBUS_I2C_BLOCK_DATA:
        if (!read) held.assign(call.data->block + 1, call.data->block + 1 + call.data->block[0]);
        for (std::size_t k = 0; read && k < call.data->block[0]; ++k) call.data->block[1 + k] = at(k);
        return 0;
      default:
        return 0;
    }
  }

  State& state_;
  std::uint8_t address_ = 0;
};

}  // namespace firstlight::test
