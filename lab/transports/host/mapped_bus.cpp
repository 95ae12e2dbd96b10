#include "lab/transports/host/mapped_bus.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "lab/transports/host/guarded_access.h"

namespace firstlight::host {

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kSlow = std::chrono::milliseconds(1);

/// What a read looks like that nobody answered.
bool may_be_nobody(std::uint32_t value) { return value == 0xffffffff || value == 0; }

BusResult failed(std::string detail) { return {BusStatus::io_error, 0, std::move(detail)}; }

}  // namespace

struct MappedBus::Device {
  std::shared_ptr<Mapping> mapping;
  std::size_t offset = 0;
  Deafness deafness;

  volatile std::uint32_t* at(std::uint64_t address) const {
    return reinterpret_cast<volatile std::uint32_t*>(mapping->bytes() + offset + address);
  }
  std::string bus_error() const {
    const std::string why = deafness();
    return why.empty() ? "the processor got a bus error for the access" : why + "; the access ended in a bus error";
  }
};

MappedBus::MappedBus(std::string name, std::shared_ptr<Mapping> mapping, std::size_t offset, std::size_t size,
                     Deafness deafness, BenchTime& time)
    : name_(std::move(name)),
      size_(size),
      device_(std::make_shared<const Device>(Device{std::move(mapping), offset, std::move(deafness)})),
      worker_(time) {}

std::string MappedBus::refusal(std::uint64_t address) const {
  if (address % sizeof(std::uint32_t) != 0) return fmt::format("address 0x{:x} is not a multiple of 4", address);
  if (address >= size_ || size_ - address < sizeof(std::uint32_t))
    return fmt::format("address 0x{:x} is beyond the 0x{:x} bytes of {}", address, size_, name_);
  return {};
}

BusResult MappedBus::run(Instant deadline, const std::function<BusResult(const Device&)>& access) {
  const auto begin = Clock::now();
  BusResult result;
  if (slow_) {
    // The call owns what it touches: it may outlive this object's caller.
    const auto device = device_;
    const auto done =
        worker_.run<BusResult>(deadline, [device, access](const BlockingWorker::Call&) { return access(*device); });
    if (!done) return {BusStatus::timeout, 0, "the device does not complete the access"};
    result = *done;
  } else {
    result = access(*device_);
  }
  slow_ = Clock::now() - begin > kSlow;
  return result;
}

BusResult MappedBus::read(std::uint64_t address, Instant deadline) {
  const std::string refused = refusal(address);
  if (!refused.empty()) return {BusStatus::decode_error, 0, refused};
  return run(deadline, [address](const Device& device) {
    const auto value = guarded_load(device.at(address));
    if (!value) return failed(device.bus_error());
    const std::string why = may_be_nobody(*value) ? device.deafness() : std::string();
    return why.empty() ? BusResult{BusStatus::ok, *value, {}} : failed(fmt::format("read 0x{:08x}: {}", *value, why));
  });
}

BusResult MappedBus::write(std::uint64_t address, std::uint32_t value, Instant deadline) {
  const std::string refused = refusal(address);
  if (!refused.empty()) return {BusStatus::decode_error, 0, refused};
  return run(deadline, [address, value](const Device& device) {
    const std::string why = device.deafness();
    if (!why.empty()) return failed("not written: " + why);
    return guarded_store(device.at(address), value) ? BusResult{} : failed(device.bus_error());
  });
}

}  // namespace firstlight::host
