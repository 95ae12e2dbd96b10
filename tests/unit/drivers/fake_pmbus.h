#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lab/transports/i2c_bus.h"
#include "tests/unit/drivers/fake_time.h"

namespace firstlight::test {

/// One I2C transfer as a logic analyser would note it.
struct WireRecord {
  std::uint8_t address = 0;
  std::vector<std::uint8_t> written;
  std::vector<std::uint8_t> read;
  Instant begin{};
  Instant end{};
};

/// A PMBus part on a bus of its own, byte for byte, with the ways in which such parts go wrong. Its CRC is its own.
class FakePmbus final : public I2cBus {
 public:
  FakePmbus(FakeTime& time, std::uint8_t address) : time_(time), address_(address) {}

  // ---- what the part holds
  std::map<std::pair<int, int>, std::vector<std::uint8_t>> registers;  // by page and command, little-endian
  int page = 0;
  void put_byte(int on_page, int command, unsigned value) {
    registers[{on_page, command}] = {static_cast<std::uint8_t>(value)};
  }
  void put_word(int on_page, int command, unsigned value) {
    registers[{on_page, command}] = {static_cast<std::uint8_t>(value & 0xffU), static_cast<std::uint8_t>(value >> 8U)};
  }
  unsigned word(int on_page, int command) const {
    const auto& bytes = registers.at({on_page, command});
    return bytes[0] | (bytes.size() > 1 ? static_cast<unsigned>(bytes[1]) << 8U : 0U);
  }

  // ---- how it goes wrong
  bool pec = true;
  bool page_stuck = false;
  bool refuse_pec = false;  // of writes
  std::function<bool(int transfer)> nack_address = [](int) { return false; };
  std::function<bool(int transfer)> nack_data = [](int) { return false; };
  std::function<bool(int transfer)> corrupt_pec = [](int) { return false; };
  std::function<void(int command)> written = [](int) {};  // after a write took effect
  std::function<void(int command)> read = [](int) {};     // before a read is answered
  unsigned capability_bits = 0;                           // of CAPABILITY, beside PEC
  std::map<int, bool> ignores;                            // commands that are acknowledged and dropped
  bool stuck = false;
  int recoveries = 0;

  std::vector<WireRecord> log;

  I2cResult transfer(std::uint8_t address, const std::vector<I2cMessage>& messages, Instant deadline) override {
    (void)deadline;
    const int number = static_cast<int>(log.size());
    WireRecord record;
    record.address = address;
    record.begin = time_.now();
    record.written = messages.at(0).write;
    I2cResult result = answer(number, address, messages);
    time_.pass(Duration{25'000'000} * static_cast<int>(1 + record.written.size() + result.data.size()));
    record.read = result.data;
    record.end = time_.now();
    log.push_back(record);
    return result;
  }
  bool recover(Instant deadline) override {
    (void)deadline;
    ++recoveries;
    stuck = false;
    return true;
  }
  std::string name() const override { return "i2c0"; }

  static std::uint8_t crc8(const std::vector<std::uint8_t>& bytes) {
    std::uint8_t crc = 0;
    for (const std::uint8_t byte : bytes)
      for (int bit = 7; bit >= 0; --bit) {
        const bool feedback = (((crc >> 7) ^ (byte >> bit)) & 1) != 0;
        crc = static_cast<std::uint8_t>(crc << 1);
        if (feedback) crc = static_cast<std::uint8_t>(crc ^ 0x07);
      }
    return crc;
  }

 private:
  I2cResult failed(I2cStatus status, std::size_t acknowledged) { return {status, {}, acknowledged, {}}; }

  I2cResult answer(int number, std::uint8_t address, const std::vector<I2cMessage>& messages) {
    if (stuck) return failed(I2cStatus::bus_stuck, 0);
    if (address != address_ || nack_address(number)) return failed(I2cStatus::address_nack, 0);
    std::vector<std::uint8_t> bytes = messages.at(0).write;
    if (nack_data(number)) return failed(I2cStatus::data_nack, 1);
    if (messages.size() == 1) return take(address, bytes);
    return give(number, address, bytes, messages.at(1));
  }

  I2cResult take(std::uint8_t address, std::vector<std::uint8_t> bytes) {
    const int command = bytes.at(0);
    const std::size_t width = command == 0x03 ? 0 : command == 0x00 || command == 0x01 ? 1 : 2;
    if (bytes.size() == width + 2) {  // with PEC
      std::vector<std::uint8_t> wire = {static_cast<std::uint8_t>(address << 1)};
      wire.insert(wire.end(), bytes.begin(), bytes.end() - 1);
      if (refuse_pec || crc8(wire) != bytes.back()) return failed(I2cStatus::data_nack, bytes.size() - 1);
      bytes.pop_back();
    }
    if (bytes.size() != width + 1) return failed(I2cStatus::data_nack, bytes.size());
    if (command == 0x00) {
      if (!page_stuck) page = bytes[1];
    } else if (width > 0 && !ignores[command]) {
      registers[{page, command}] = std::vector<std::uint8_t>(bytes.begin() + 1, bytes.end());
    }
    written(command);
    return {};
  }

  I2cResult give(int number, std::uint8_t address, const std::vector<std::uint8_t>& bytes, const I2cMessage& ask) {
    const int command = bytes.at(0);
    read(command);
    std::vector<std::uint8_t> data;
    if (command == 0x00)
      data = {static_cast<std::uint8_t>(page)};
    else if (command == 0x19)
      data = {static_cast<std::uint8_t>((pec ? 0x80U : 0x00U) | capability_bits)};
    else if (const auto held = registers.find({page, command}); held != registers.end())
      data = held->second;
    else
      return failed(I2cStatus::data_nack, 0);
    if (ask.block) data.insert(data.begin(), static_cast<std::uint8_t>(data.size()));
    const std::size_t due = ask.block ? data.size() + ask.extra : ask.read;
    if (due == data.size() + 1) {
      std::vector<std::uint8_t> wire = {static_cast<std::uint8_t>(address << 1)};
      wire.insert(wire.end(), bytes.begin(), bytes.end());
      wire.push_back(static_cast<std::uint8_t>((address << 1) | 1));
      wire.insert(wire.end(), data.begin(), data.end());
      data.push_back(static_cast<std::uint8_t>(crc8(wire) ^ (corrupt_pec(number) ? 0x5a : 0x00)));
    }
    return {I2cStatus::ok, data, bytes.size(), {}};
  }

  FakeTime& time_;
  std::uint8_t address_;
};

}  // namespace firstlight::test
