#include "lab/transports/host/pci_bus.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <regex>
#include <utility>

#include "lab/core/failure.h"
#include "lab/transports/host/mapped_bus.h"
#include "lab/transports/host/sysfs.h"

namespace firstlight::host {

namespace {

/// Configuration space, by the kernel: accesses are serialised with its own.
class PciConfigBus final : public RegisterBus {
 public:
  explicit PciConfigBus(PciDevice device) : device_(std::move(device)) {}

  BusResult read(std::uint64_t address, Instant) override {
    const std::string refused = refusal(address);
    if (!refused.empty()) return {BusStatus::decode_error, 0, refused};
    const auto word = device_.read_config(static_cast<std::uint32_t>(address));
    if (!word) return {BusStatus::io_error, 0, unreadable(address)};
    const std::string absence = *word == ~0U ? device_.absence() : std::string();
    if (!absence.empty()) return {BusStatus::io_error, 0, absence};
    return {BusStatus::ok, *word, {}};
  }

  BusResult write(std::uint64_t address, std::uint32_t value, Instant) override {
    std::string refused = refusal(address);
    if (!refused.empty()) return {BusStatus::decode_error, 0, refused};
    refused = device_.absence();
    if (!refused.empty()) return {BusStatus::io_error, 0, "not written: " + refused};
    const int error = device_.write_config(static_cast<std::uint32_t>(address), value);
    if (error == 0) return {};
    return {
        BusStatus::io_error, 0,
        fmt::format("not written: {} (writing configuration space needs root, and a kernel that is not locked down)",
                    error_text(error))};
  }

  std::string name() const override { return fmt::format("pci:{}/config", device_.address()); }

 private:
  std::string refusal(std::uint64_t address) const {
    if (address % sizeof(std::uint32_t) != 0) return fmt::format("address 0x{:x} is not a multiple of 4", address);
    if (address >= device_.config_size())
      return fmt::format("address 0x{:x} is beyond the {} bytes of configuration space", address,
                         device_.config_size());
    return {};
  }

  std::string unreadable(std::uint64_t address) const {
    const std::string absence = device_.absence();
    if (!absence.empty()) return absence;
    return fmt::format("the kernel does not give 0x{:x}: beyond the first 64 bytes that needs root", address);
  }

  PciDevice device_;
};

void check_identity(const ResourcePlan& resource, const PciDevice& device) {
  const auto expected = resource.params.find("pci_id");
  if (expected == resource.params.end() || !expected->second.is_set() || expected->second.text() == device.id()) return;
  throw FailureError(
      {ErrorClass::bench, "wrong_pci_device",
       fmt::format("PCI device {} is {}, not the declared {}", device.address(), device.id(), expected->second.text()),
       resource.name, "vendor and device of its configuration space", device.id(),
       "cards changed places, or the bus was numbered anew: name it by VENDOR:DEVICE"});
}

PciBar find_bar(const ResourcePlan& resource, const PciDevice& device, int index) {
  const std::vector<PciBar> bars = device.bars();
  const auto found = std::find_if(bars.begin(), bars.end(), [index](const PciBar& bar) { return bar.index == index; });
  if (found != bars.end() && found->memory) return *found;
  std::vector<std::string> there;
  for (const PciBar& bar : bars)
    there.push_back(fmt::format("bar{} ({} of {} bytes)", bar.index, bar.memory ? "memory" : "I/O ports", bar.size));
  throw FailureError(
      {ErrorClass::bench, "no_pci_bar",
       fmt::format("PCI device {} has no memory at bar{}; it has: {}", device.address(), index,
                   there.empty() ? "no BAR at all" : fmt::format("{}", fmt::join(there, ", "))),
       resource.name, "", "",
       "a 64-bit BAR takes two numbers and is named by the lower; a BAR without an address got none from "
       "the firmware"});
}

void check_hears(const ResourcePlan& resource, const PciDevice& device) {
  const std::string deafness = device.deafness();
  if (deafness.empty()) return;
  throw FailureError(
      {ErrorClass::infrastructure, "pci_device_deaf",
       fmt::format("resource \"{}\" cannot be opened: {}", resource.name, deafness), resource.name, "", deafness,
       fmt::format("opening does not switch it on, since that changes the device: do so with `setpci -s {0} "
                   "COMMAND=2:2`, by its kernel driver, or from the bench by pci:{0}/config",
                   device.address())});
}

[[noreturn]] void refuse_mapping(const ResourcePlan& resource, const PciDevice& device, int index, int error) {
  std::string cause = "see the kernel's log";
  if (error == EACCES || error == EPERM)
    cause = "it needs root, and a kernel that is not locked down (secure boot locks it)";
  else if (error == EINVAL || error == EBUSY)
    cause = fmt::format("the kernel driver \"{}\" keeps the BAR to itself: unbind it", device.driver());
  throw FailureError({ErrorClass::infrastructure, "pci_bar_unmappable",
                      fmt::format("bar{} of {} cannot be mapped: {}", index, device.address(), error_text(error)),
                      resource.name, fmt::format("mmap of {}/resource{}", device.folder().string(), index),
                      error_text(error), cause});
}

std::unique_ptr<RegisterBus> open_bar(const ResourcePlan& resource, PciDevice found, int index, BenchTime& time) {
  const auto device = std::make_shared<const PciDevice>(std::move(found));
  const PciBar bar = find_bar(resource, *device, index);
  check_hears(resource, *device);
  auto mapping = Mapping::of_file(device->folder() / fmt::format("resource{}", index), 0, bar.size);
  if (!mapping) refuse_mapping(resource, *device, index, errno);
  return std::make_unique<MappedBus>(
      fmt::format("pci:{}/bar{}", device->address(), index), std::move(mapping), 0, bar.size,
      [device] { return device->deafness(); }, time);
}

}  // namespace

std::unique_ptr<RegisterBus> open_pci_registers(const ResourcePlan& resource, const std::string& rest, BenchTime& time,
                                                const std::filesystem::path& sys) {
  static const std::regex form("([^/]+)/(?:bar([0-5])|config)");
  std::smatch match;
  if (!std::regex_match(rest, match, form))
    throw FailureError({ErrorClass::bench, "bad_address",
                        fmt::format("resource \"{}\": \"{}\" is no part of a PCI device", resource.name, rest),
                        resource.name, "", "",
                        "write pci:0000:03:00.0/bar0 or pci:VENDOR:DEVICE/bar0; `config` instead of a BAR is its "
                        "configuration space"});
  PciDevice device = PciDevice::find(match[1], resource.name, sys);
  check_identity(resource, device);
  if (!match[2].matched) return std::make_unique<PciConfigBus>(std::move(device));
  return open_bar(resource, std::move(device), std::stoi(match[2]), time);
}

}  // namespace firstlight::host
