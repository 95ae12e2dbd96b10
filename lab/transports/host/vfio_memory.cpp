#include "lab/transports/host/vfio_memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <linux/vfio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "lab/core/failure.h"
#include "lab/transports/file_descriptor.h"
#include "lab/transports/host/huge_pages.h"
#include "lab/transports/host/mapped_memory.h"
#include "lab/transports/host/pci_device.h"

namespace firstlight::host {

namespace {

constexpr std::uint64_t kDefaultIova = 0x0100'0000;  // above what firmware uses, below every chip's limit

[[noreturn]] void refuse(std::string symptom, std::string message, const ResourcePlan& resource, std::string cause,
                         int error = 0) {
  throw FailureError({ErrorClass::infrastructure, std::move(symptom), std::move(message), resource.name, "",
                      error == 0 ? "" : error_text(error), std::move(cause)});
}

/// A container with one group in it. What is mapped is unmapped by closing it.
struct Container {
  FileDescriptor container;
  FileDescriptor group;  // closed first
};

std::string group_of(const PciDevice& device, const ResourcePlan& resource) {
  const std::string group = link_target(device.folder() / "iommu_group");
  if (group.empty())
    refuse("no_iommu", fmt::format("no IOMMU stands before PCI device {}", device.address()), resource,
           "switch it on in the firmware (VT-d, AMD-Vi) and with intel_iommu=on on the kernel's command line; without "
           "one, use hugepages:");
  if (device.driver() != "vfio-pci")
    refuse("not_vfio",
           device.driver().empty()
               ? fmt::format("PCI device {} has no kernel driver; it needs vfio-pci", device.address())
               : fmt::format("PCI device {} belongs to the kernel driver \"{}\"", device.address(), device.driver()),
           resource,
           fmt::format("`driverctl set-override {} vfio-pci`, or by its driver_override in sysfs", device.address()));
  return group;
}

/// Devices of the group that keep it from being used.
std::string foreign_members(const PciDevice& device) {
  const auto members = device.folder() / "iommu_group/devices";
  std::vector<std::string> foreign;
  for (const std::string& address : names_in(members)) {
    const std::string driver = link_target(members / address / "driver");
    if (driver != "vfio-pci" && !driver.empty()) foreign.push_back(fmt::format("{} ({})", address, driver));
  }
  return fmt::format("{}", fmt::join(foreign, ", "));
}

FileDescriptor open_group(const PciDevice& device, const std::string& group, const ResourcePlan& resource,
                          const Root& root) {
  const auto file = root.dev / "vfio" / group;
  FileDescriptor opened(::open(file.c_str(), O_RDWR | O_CLOEXEC));
  if (!opened) {
    const int error = errno;
    refuse("vfio_group", fmt::format("{} cannot be opened: {}", file.string(), error_text(error)), resource,
           error == EBUSY ? "another program holds the group" : "give this user the group by a udev rule", error);
  }
  vfio_group_status status{};
  status.argsz = sizeof status;
  if (::ioctl(opened.get(), VFIO_GROUP_GET_STATUS, &status) != 0 || (status.flags & VFIO_GROUP_FLAGS_VIABLE) == 0)
    refuse("vfio_group_not_viable",
           fmt::format("IOMMU group {} of PCI device {} is not wholly vfio-pci's", group, device.address()), resource,
           fmt::format("the IOMMU cannot tell its devices apart; unbind {}", foreign_members(device)));
  return opened;
}

std::shared_ptr<Container> open_container(const PciDevice& device, const ResourcePlan& resource, const Root& root) {
  const std::string group = group_of(device, resource);
  const auto file = root.dev / "vfio/vfio";
  auto opened = std::make_shared<Container>();
  opened->container.reset(::open(file.c_str(), O_RDWR | O_CLOEXEC));
  if (!opened->container)
    refuse("no_vfio", fmt::format("{} cannot be opened: {}", file.string(), error_text(errno)), resource,
           "`modprobe vfio-pci` loads it");
  if (::ioctl(opened->container.get(), VFIO_GET_API_VERSION) != VFIO_API_VERSION ||
      ::ioctl(opened->container.get(), VFIO_CHECK_EXTENSION, VFIO_TYPE1v2_IOMMU) != 1)
    refuse("no_vfio", "this kernel's VFIO has no type 1 IOMMU", resource, "`modprobe vfio_iommu_type1` loads it");
  opened->group = open_group(device, group, resource, root);
  int container = opened->container.get();
  if (::ioctl(opened->group.get(), VFIO_GROUP_SET_CONTAINER, &container) != 0 ||
      ::ioctl(container, VFIO_SET_IOMMU, VFIO_TYPE1v2_IOMMU) != 0) {
    const int error = errno;
    refuse("vfio_iommu",
           fmt::format("the IOMMU cannot be had for PCI device {}: {}", device.address(), error_text(error)), resource,
           error == EPERM
               ? "the platform cannot isolate interrupts (vfio_iommu_type1.allow_unsafe_interrupts=1 permits "
                 "it where that does no harm)"
               : "see the kernel's log",
           error);
  }
  return opened;
}

std::shared_ptr<Mapping> anonymous_memory(std::size_t size) {
  void* const memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : std::make_shared<Mapping>(memory, size);
}

void map_for_device(const Container& container, const Mapping& memory, std::uint64_t iova,
                    const ResourcePlan& resource) {
  vfio_iommu_type1_dma_map map{};
  map.argsz = sizeof map;
  map.flags = VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE;
  map.vaddr = reinterpret_cast<std::uintptr_t>(memory.bytes());
  map.iova = iova;
  map.size = memory.size();
  if (::ioctl(container.container.get(), VFIO_IOMMU_MAP_DMA, &map) == 0) return;
  const int error = errno;
  refuse("vfio_map",
         fmt::format("{} bytes cannot be shown to the device at 0x{:x}: {}", memory.size(), iova, error_text(error)),
         resource,
         error == ENOMEM ? "they have to stay in memory: raise the limit of locked memory (`ulimit -l`)"
                         : "the bus address is not for use (x86 keeps 0xfee00000 for interrupts), or is beyond the "
                           "IOMMU: choose another `iova`",
         error);
}

std::uint64_t iova_of(const ResourcePlan& resource, std::uint64_t size, std::uint64_t page) {
  const auto given = resource.params.find("iova");
  const bool set = given != resource.params.end() && given->second.is_set();
  const std::uint64_t iova = set ? static_cast<std::uint64_t>(given->second.integer()) : kDefaultIova;
  const std::uint64_t limit = address_limit(resource);
  if (iova % page != 0 || iova > limit || limit - iova < size)
    throw FailureError(
        {ErrorClass::bench, "bad_iova",
         fmt::format("resource \"{}\": {} bytes at bus address 0x{:x} do not fit below 0x{:x}, or do not "
                     "begin at a page",
                     resource.name, size, iova, limit),
         resource.name, "", "", "choose another `iova`"});
  return iova;
}

}  // namespace

std::unique_ptr<DmaMemory> open_vfio_memory(const ResourcePlan& resource, const std::string& rest, const Root& root) {
  const auto comma = rest.rfind(',');
  const auto size = comma == std::string::npos ? std::nullopt : parse_size(rest.substr(comma + 1));
  if (!size)
    throw FailureError({ErrorClass::bench, "bad_address",
                        fmt::format("resource \"{}\": \"{}\" is no PCI device and size", resource.name, rest),
                        resource.name, "", "", "write vfio:0000:03:00.0,16 MiB"});
  const PciDevice device = PciDevice::find(rest.substr(0, comma), resource.name, root.sys);
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const std::uint64_t rounded = (*size + page - 1) / page * page;
  const std::uint64_t iova = iova_of(resource, rounded, page);
  auto container = open_container(device, resource, root);
  auto memory = anonymous_memory(rounded);
  if (!memory)
    refuse("no_memory", fmt::format("resource \"{}\": no {} bytes of memory", resource.name, rounded), resource,
           "this machine has not so much left");
  map_for_device(*container, *memory, iova, resource);
  return std::make_unique<MappedMemory>(fmt::format("vfio:{}", rest), std::move(memory), iova, *size,
                                        std::move(container));
}

}  // namespace firstlight::host
