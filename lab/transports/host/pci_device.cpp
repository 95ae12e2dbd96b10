#include "lab/transports/host/pci_device.h"

#include <endian.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <regex>
#include <sstream>

#include "lab/transports/host/refusal.h"
#include "lab/transports/host/sysfs.h"

namespace firstlight::host {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kIoResource = 0x100;  // linux/ioport.h: IORESOURCE_IO, IORESOURCE_MEM
constexpr std::uint64_t kMemoryResource = 0x200;
constexpr int kBars = 6;
constexpr std::uint32_t kExtendedConfig = 0x100;
constexpr std::uint32_t kSerialCapability = 0x0003;  // PCI Express Base 4.0, 7.9.3
constexpr int kMostCapabilities = 960;               // as many as fit: a list that goes round ends

std::string id_text(std::uint32_t id) { return fmt::format("{:04x}:{:04x}", id & 0xffffU, id >> 16U); }

std::string id_of(const fs::path& folder) {
  const auto vendor = read_number(folder / "vendor");
  const auto device = read_number(folder / "device");
  return vendor && device ? fmt::format("{:04x}:{:04x}", *vendor, *device) : std::string();
}

std::optional<std::uint32_t> read_word(int descriptor, std::uint32_t offset) {
  std::uint32_t word = 0;
  if (::pread(descriptor, &word, sizeof word, offset) != ssize_t{sizeof word}) return std::nullopt;
  return le32toh(word);
}

/// Device Serial Number as lspci writes it; empty when the function has none or it cannot be read.
std::string serial_of(const fs::path& folder) {
  const FileDescriptor config(::open((folder / "config").c_str(), O_RDONLY | O_CLOEXEC));
  std::uint32_t at = kExtendedConfig;
  for (int i = 0; i < kMostCapabilities && at >= kExtendedConfig; ++i) {
    const auto header = read_word(config.get(), at);
    if (!header || *header == 0 || *header == ~0U) break;
    if ((*header & 0xffffU) == kSerialCapability) {
      const auto low = read_word(config.get(), at + 4);
      const auto high = read_word(config.get(), at + 8);
      if (!low || !high) break;
      std::vector<std::string> bytes;
      for (int shift = 56; shift >= 0; shift -= 8)
        bytes.push_back(fmt::format("{:02x}", (((std::uint64_t{*high} << 32U) | *low) >> shift) & 0xffU));
      return fmt::format("{}", fmt::join(bytes, "-"));
    }
    at = *header >> 20U;
  }
  return {};
}

fs::path by_address(const std::string& address, const std::string& part, const fs::path& devices) {
  if (fs::exists(devices / address)) return devices / address;
  const std::vector<std::string> there = names_in(devices);
  refuse(ErrorClass::infrastructure, "no_pci_device", fmt::format("no PCI device sits at {}", address), part,
         fmt::format("it has no power or did not train when the machine started (`echo 1 > /sys/bus/pci/rescan` looks "
                     "again), or sits elsewhere: {} devices are there{}",
                     there.size(), nearest_hint(address, there)));
}

fs::path by_id(const std::string& id, const std::string& serial, const std::string& part, const fs::path& devices) {
  std::vector<std::string> fitting;
  std::vector<std::string> described;
  for (const std::string& address : names_in(devices)) {
    if (id_of(devices / address) != id) continue;
    const std::string found = serial_of(devices / address);
    described.push_back(found.empty() ? address : fmt::format("{} (serial {})", address, found));
    if (serial.empty() || found == serial) fitting.push_back(address);
  }
  if (fitting.size() == 1) return devices / fitting.front();
  const std::string what = serial.empty() ? id : fmt::format("{} with serial {}", id, serial);
  if (fitting.empty())
    refuse(ErrorClass::infrastructure, "no_pci_device", fmt::format("no PCI device {} is there", what), part,
           described.empty() ? "it has no power or did not train when the machine started; `lspci -n` lists what did"
                             : fmt::format("of that kind: {}", fmt::join(described, ", ")));
  refuse(ErrorClass::bench, "ambiguous_pci_device",
         fmt::format("{} PCI devices are {}: {}", fitting.size(), what, fmt::join(described, ", ")), part,
         "name one by its address, or by its serial number: pci:VENDOR:DEVICE:SERIAL");
}

fs::path folder_of(const std::string& selector, const std::string& part, const fs::path& sys) {
  static const std::regex location("(?:([0-9a-f]{4,8}):)?([0-9a-f]{2}:[0-9a-f]{2}\\.[0-7])");
  static const std::regex identity("([0-9a-f]{4}:[0-9a-f]{4})(?::([0-9a-f]{2}(?:-[0-9a-f]{2}){7}))?");
  const fs::path devices = sys / "bus/pci/devices";
  std::smatch match;
  if (std::regex_match(selector, match, location))
    return by_address((match[1].matched ? match[1].str() : "0000") + ":" + match[2].str(), part, devices);
  if (std::regex_match(selector, match, identity)) return by_id(match[1], match[2], part, devices);
  refuse(ErrorClass::bench, "bad_address", fmt::format("\"{}\" names no PCI device", selector), part,
         "an address 0000:03:00.0, or VENDOR:DEVICE[:SERIAL], in lower-case hexadecimal as lspci writes them");
}

}  // namespace

PciDevice::PciDevice(fs::path folder, const std::string& part)
    : folder_(std::move(folder)), address_(folder_.filename().string()) {
  config_.reset(::open((folder_ / "config").c_str(), O_RDWR | O_CLOEXEC));
  config_writable_ = static_cast<bool>(config_);
  if (!config_) config_.reset(::open((folder_ / "config").c_str(), O_RDONLY | O_CLOEXEC));
  const auto id = config_ ? read_config(kPciId) : std::nullopt;
  if (!id)
    refuse(ErrorClass::infrastructure, "pci_config_unreadable",
           fmt::format("the configuration space of {} cannot be read: {}", address_, error_text(errno)), part,
           "the device was removed, or this user may not read sysfs");
  id_ = *id;
  // The kernel's own memory of the device outlives it.
  if (id_text(id_) != id_of(folder_))
    refuse(ErrorClass::infrastructure, "pci_device_gone",
           fmt::format("PCI device {} ({}) is gone: its configuration space says {}", address_, id_of(folder_),
                       id_text(id_)),
           part, "it lost power, is held in reset, or its link is down");
}

PciDevice PciDevice::find(const std::string& selector, const std::string& part, const fs::path& sys) {
  return {folder_of(selector, part, sys), part};
}

std::string PciDevice::id() const { return id_text(id_); }

std::vector<PciBar> PciDevice::bars() const {
  std::istringstream lines(read_text(folder_ / "resource").value_or(""));
  std::vector<PciBar> bars;
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t flags = 0;
  for (int index = 0; index < kBars && lines >> std::hex >> start >> end >> flags; ++index)
    if ((flags & (kIoResource | kMemoryResource)) != 0 && end > start)
      bars.push_back({index, (flags & kMemoryResource) != 0, end - start + 1});
  return bars;
}

std::string PciDevice::driver() const { return link_target(folder_ / "driver"); }

std::uint64_t PciDevice::config_size() const {
  struct stat status {};
  return ::fstat(config_.get(), &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

std::optional<std::uint32_t> PciDevice::read_config(std::uint32_t offset) const {
  return read_word(config_.get(), offset);
}

int PciDevice::write_config(std::uint32_t offset, std::uint32_t value) {
  if (!config_writable_) return EACCES;
  const std::uint32_t word = htole32(value);
  const ssize_t written = ::pwrite(config_.get(), &word, sizeof word, offset);
  if (written == ssize_t{sizeof word}) return 0;
  return written < 0 ? errno : EIO;
}

std::string PciDevice::absence() const {
  const auto id = read_config(kPciId);
  if (id == id_) return {};
  if (!id || *id == ~0U)
    return fmt::format("{} ({}) is gone: its configuration space does not answer", address_, this->id());
  return fmt::format("another device, {}, sits at {} now; {} was opened", id_text(*id), address_, this->id());
}

std::string PciDevice::deafness() const {
  std::string why = absence();
  if (!why.empty()) return why;
  const std::uint32_t command = read_config(kPciCommand).value_or(0) & 0xffffU;
  if ((command & kPciCommandMemory) == 0)
    return fmt::format("{} does not decode memory accesses (COMMAND is 0x{:04x})", address_, command);
  const std::string power = read_text(folder_ / "power_state").value_or("D0");
  return power == "D1" || power == "D2" || power == "D3hot" || power == "D3cold"
             ? fmt::format("{} is asleep (power state {})", address_, power)
             : std::string();
}

}  // namespace firstlight::host
