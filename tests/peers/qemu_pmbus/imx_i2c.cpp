#include "tests/peers/qemu_pmbus/imx_i2c.h"

#include <fmt/format.h>

#include <string>

namespace firstlight::peers {

namespace {

constexpr std::uint64_t kControl = 0x08;  // I2CR
constexpr std::uint64_t kStatus = 0x0c;   // I2SR
constexpr std::uint64_t kData = 0x10;     // I2DR

constexpr unsigned kEnable = 0x80;
constexpr unsigned kMaster = 0x20;
constexpr unsigned kTransmit = 0x10;
constexpr unsigned kNoAcknowledge = 0x08;  // TXAK
constexpr unsigned kRepeatedStart = 0x04;
constexpr unsigned kNotAcknowledged = 0x01;  // RXAK

}  // namespace

ImxI2cBus::ImxI2cBus(QtestMachine& machine, std::uint64_t base) : machine_(machine), base_(base) {
  put(kControl, kEnable);
}

void ImxI2cBus::put(std::uint64_t offset, unsigned value) {
  ++accesses_;
  machine_.ask(fmt::format("writew 0x{:x} 0x{:x}", base_ + offset, value));
}

unsigned ImxI2cBus::get(std::uint64_t offset) {
  ++accesses_;
  return static_cast<unsigned>(std::stoul(machine_.ask(fmt::format("readw 0x{:x}", base_ + offset)), nullptr, 16));
}

bool ImxI2cBus::send(unsigned byte) {
  put(kData, byte);
  return (get(kStatus) & kNotAcknowledged) == 0;
}

bool ImxI2cBus::write(const std::vector<std::uint8_t>& bytes, I2cResult& result) {
  for (const std::uint8_t byte : bytes) {
    if (!send(byte)) {
      result.status = I2cStatus::data_nack;
      return false;
    }
    ++result.acknowledged;
  }
  return true;
}

void ImxI2cBus::read(const I2cMessage& message, I2cResult& result) {
  put(kControl, kEnable | kMaster);
  get(kData);  // begins the first byte; each read gives one and begins the next
  std::size_t count = message.block ? 1 : message.read;
  for (std::size_t i = 0; i < count; ++i) {
    const bool last = i + 1 == count && !(message.block && i == 0);
    if (last) put(kControl, kEnable | kNoAcknowledge);  // STOP before the last byte is taken, or another one begins
    const unsigned byte = get(kData) & 0xffU;
    result.data.push_back(static_cast<std::uint8_t>(byte));
    if (message.block && i == 0) count += byte + message.extra;
  }
}

I2cResult ImxI2cBus::transfer(std::uint8_t address, const std::vector<I2cMessage>& messages, Instant) {
  I2cResult result;
  bool first = true;
  for (const I2cMessage& message : messages) {
    const bool reads = message.block || message.read != 0;
    put(kControl, kEnable | kMaster | kTransmit | (first ? 0U : kRepeatedStart));
    first = false;
    if (!send((static_cast<unsigned>(address) << 1U) | (reads ? 1U : 0U))) {
      result.status = I2cStatus::address_nack;
      break;
    }
    if (reads)
      read(message, result);
    else if (!write(message.write, result))
      break;
  }
  put(kControl, kEnable);  // STOP
  return result;
}

}  // namespace firstlight::peers
