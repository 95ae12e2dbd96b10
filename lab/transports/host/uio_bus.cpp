#include "lab/transports/host/uio_bus.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <utility>

#include "lab/transports/host/mapped_bus.h"
#include "lab/transports/host/pci_device.h"
#include "lab/transports/host/refusal.h"

namespace firstlight::host {

namespace {

namespace fs = std::filesystem;

struct UioMap {
  unsigned number = 0;
  std::string name;
  std::uint64_t size = 0;
  std::uint64_t offset = 0;  // of the region in its first page
};

fs::path find_device(const std::string& name, const ResourcePlan& resource, const fs::path& devices) {
  std::vector<std::string> fitting;
  std::vector<std::string> others;
  for (const std::string& entry : names_in(devices)) {
    const std::string found = read_text(devices / entry / "name").value_or("");
    if (found == name)
      fitting.push_back(entry);
    else if (!found.empty())
      others.push_back(found);
  }
  if (fitting.size() == 1) return devices / fitting.front();
  if (fitting.empty())
    refuse(ErrorClass::infrastructure, "no_uio_device", fmt::format("no UIO device is called \"{}\"", name),
           resource.name,
           others.empty() ? "there is no UIO device at all: its kernel module is not loaded or did not bind"
                          : fmt::format("there are: {}{}", fmt::join(others, ", "), nearest_hint(name, others)));
  refuse(ErrorClass::bench, "ambiguous_uio_device",
         fmt::format("{} UIO devices are called \"{}\" ({})", fitting.size(), name, fmt::join(fitting, ", ")),
         resource.name,
         "numbers change with the order of probing and cannot tell them apart; reach a PCI device by pci:");
}

std::vector<UioMap> maps_of(const fs::path& device) {
  std::vector<UioMap> maps;
  for (const std::string& entry : names_in(device / "maps")) {
    const fs::path folder = device / "maps" / entry;
    UioMap map;
    map.number = static_cast<unsigned>(std::stoul(entry.substr(sizeof "map" - 1)));
    map.name = read_text(folder / "name").value_or("");
    map.size = read_number(folder / "size").value_or(0);
    map.offset = read_number(folder / "offset").value_or(0);
    maps.push_back(std::move(map));
  }
  return maps;
}

UioMap find_map(const std::string& wanted, const fs::path& device, const std::string& name,
                const ResourcePlan& resource) {
  std::vector<std::string> there;
  for (const UioMap& map : maps_of(device)) {
    if (map.size != 0 && (wanted == std::to_string(map.number) || (!map.name.empty() && wanted == map.name)))
      return map;
    there.push_back(
        fmt::format("{}{} of {} bytes", map.number, map.name.empty() ? "" : fmt::format(" ({})", map.name), map.size));
  }
  refuse(ErrorClass::bench, "no_uio_map", fmt::format("UIO device \"{}\" has no map \"{}\"", name, wanted),
         resource.name,
         there.empty() ? "it has none: its kernel driver offers interrupts only (uio_pci_generic); use pci:"
                       : fmt::format("it has: {}", fmt::join(there, ", ")));
}

/// What a read of all ones may mean: the PCI device under it knows, or else only whether the UIO device is still there.
MappedBus::Deafness deafness_of(const fs::path& device, const std::string& name, const ResourcePlan& resource,
                                const fs::path& sys) {
  const std::string address = link_target(device / "device");
  if (fs::exists(sys / "bus/pci/devices" / address) && !address.empty()) {
    const auto pci = std::make_shared<const PciDevice>(PciDevice::find(address, resource.name, sys));
    return [pci] { return pci->deafness(); };
  }
  return [device, name] {
    return read_text(device / "name") == name ? std::string() : fmt::format("UIO device \"{}\" is gone", name);
  };
}

}  // namespace

std::unique_ptr<RegisterBus> open_uio_registers(const ResourcePlan& resource, const std::string& rest, BenchTime& time,
                                                const Root& root) {
  const auto slash = rest.rfind('/');
  if (slash == std::string::npos || slash == 0 || slash + 1 == rest.size())
    refuse(ErrorClass::bench, "bad_address", fmt::format("resource \"{}\": \"{}\" is no UIO map", resource.name, rest),
           resource.name, "write uio:NAME/0, with the name that /sys/class/uio/uio*/name gives");
  const std::string name = rest.substr(0, slash);
  const fs::path device = find_device(name, resource, root.sys / "class/uio");
  const UioMap map = find_map(rest.substr(slash + 1), device, name, resource);
  auto deafness = deafness_of(device, name, resource, root.sys);
  const std::string deaf = deafness();
  if (!deaf.empty())
    refuse(ErrorClass::infrastructure, "uio_device_deaf",
           fmt::format("resource \"{}\" cannot be opened: {}", resource.name, deaf), resource.name,
           "opening does not switch a device on: its kernel driver does");
  // The map is chosen by the file offset, in pages (uio-howto, "mmap").
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const fs::path file = root.dev / device.filename();
  auto mapping = Mapping::of_file(file, map.number * page, map.offset + map.size);
  if (!mapping)
    refuse(ErrorClass::infrastructure, "uio_unmappable",
           fmt::format("{} cannot be mapped: {}", file.string(), error_text(errno)), resource.name,
           errno == EACCES ? "give this user the device by a udev rule" : "see the kernel's log");
  return std::make_unique<MappedBus>(fmt::format("uio:{}/{}", name, map.number), std::move(mapping), map.offset,
                                     map.size, std::move(deafness), time);
}

}  // namespace firstlight::host
