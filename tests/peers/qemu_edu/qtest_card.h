#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "lab/transports/dma_memory.h"
#include "lab/transports/register_bus.h"
#include "tests/peers/support/qtest.h"

namespace firstlight::peers {

/// Configuration space of a function of a PC's bus 0, by the ports of configuration mechanism #1.
class QtestPciConfig final : public RegisterBus {
 public:
  QtestPciConfig(QtestMachine& machine, unsigned slot) : machine_(machine), slot_(slot) {}

  BusResult read(std::uint64_t address, Instant) override {
    machine_.out32(kAddressPort, select(address));
    return {BusStatus::ok, machine_.in32(kDataPort), {}};
  }
  BusResult write(std::uint64_t address, std::uint32_t value, Instant) override {
    machine_.out32(kAddressPort, select(address));
    machine_.out32(kDataPort, value);
    return {};
  }
  std::string name() const override { return "qtest PCI configuration"; }

 private:
  static constexpr std::uint16_t kAddressPort = 0xcf8;
  static constexpr std::uint16_t kDataPort = 0xcfc;
  std::uint32_t select(std::uint64_t address) const {
    return 0x80000000U | (slot_ << 11U) | (static_cast<std::uint32_t>(address) & 0xfcU);
  }

  QtestMachine& machine_;
  unsigned slot_;
};

/// A BAR where the test put it.
class QtestBar final : public RegisterBus {
 public:
  QtestBar(QtestMachine& machine, std::uint64_t base, std::uint64_t size)
      : machine_(machine), base_(base), size_(size) {}

  BusResult read(std::uint64_t address, Instant) override {
    if (address + sizeof(std::uint32_t) > size_) return {BusStatus::decode_error, 0, "beyond the BAR"};
    return {BusStatus::ok, machine_.read32(base_ + address), {}};
  }
  BusResult write(std::uint64_t address, std::uint32_t value, Instant) override {
    if (address + sizeof(std::uint32_t) > size_) return {BusStatus::decode_error, 0, "beyond the BAR"};
    machine_.write32(base_ + address, value);
    return {};
  }
  std::string name() const override { return "qtest BAR"; }

 private:
  QtestMachine& machine_;
  std::uint64_t base_;
  std::uint64_t size_;
};

/// A part of the machine's memory.
class QtestMemory final : public DmaMemory {
 public:
  QtestMemory(QtestMachine& machine, std::uint64_t base, std::uint64_t size)
      : machine_(machine), base_(base), size_(size) {}

  std::uint64_t base() const override { return base_; }
  std::uint64_t size() const override { return size_; }
  void read(std::uint64_t offset, std::uint8_t* data, std::size_t count) const override {
    check(offset, count);
    const std::vector<std::uint8_t> bytes = machine_.read(base_ + offset, count);
    std::copy(bytes.begin(), bytes.end(), data);
  }
  void write(std::uint64_t offset, const std::uint8_t* data, std::size_t count) override {
    check(offset, count);
    machine_.write(base_ + offset, data, count);
  }
  void barrier() override {}  // each access has been answered
  std::string name() const override { return "qtest memory"; }

 private:
  void check(std::uint64_t offset, std::size_t count) const {
    if (offset > size_ || size_ - offset < count) throw std::out_of_range("beyond the memory");
  }

  QtestMachine& machine_;
  std::uint64_t base_;
  std::uint64_t size_;
};

}  // namespace firstlight::peers
