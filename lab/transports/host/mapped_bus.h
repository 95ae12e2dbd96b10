#pragma once

#include <functional>
#include <memory>
#include <string>

#include "lab/transports/blocking_worker.h"
#include "lab/transports/host/mapping.h"
#include "lab/transports/register_bus.h"

namespace firstlight::host {

/// Registers in the mapped memory of a device.
///
/// A write is posted: whether it arrived shows only in what is read afterwards. And a read that nobody answers is all
/// ones, or zero behind some bridges. So before a write, and after such a read, the device is asked by another way
/// whether it listens.
///
/// An access takes a microsecond and is made on the spot. Once one took long (a device that no longer completes holds
/// the processor until the root port gives up), the following are made on a thread, so that nothing waits behind them,
/// until one is quick again.
class MappedBus final : public RegisterBus {
 public:
  /// Why the device does not hear accesses, in words; empty when it does. Called from any thread.
  using Deafness = std::function<std::string()>;
  /// @param offset of address 0 in the mapping  @param size of the registers, in bytes
  MappedBus(std::string name, std::shared_ptr<Mapping> mapping, std::size_t offset, std::size_t size, Deafness deafness,
            BenchTime& time);

  BusResult read(std::uint64_t address, Instant deadline) override;
  BusResult write(std::uint64_t address, std::uint32_t value, Instant deadline) override;
  std::string name() const override { return name_; }

 private:
  struct Device;

  std::string refusal(std::uint64_t address) const;
  BusResult run(Instant deadline, const std::function<BusResult(const Device&)>& access);

  std::string name_;
  std::size_t size_;
  std::shared_ptr<const Device> device_;
  BlockingWorker worker_;
  bool slow_ = false;
};

}  // namespace firstlight::host
