#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lab/transports/file_descriptor.h"

namespace firstlight::host {

/// Registers of every function's configuration space (PCI Local Bus 3.0, 6.1), and bits of COMMAND.
inline constexpr std::uint32_t kPciId = 0x00;       // vendor, device << 16
inline constexpr std::uint32_t kPciCommand = 0x04;  // COMMAND, STATUS << 16 (its error bits are cleared by writing 1)
inline constexpr std::uint32_t kPciCommandMemory = 1U << 1U;
inline constexpr std::uint32_t kPciCommandMaster = 1U << 2U;

struct PciBar {
  int index = 0;
  bool memory = false;  // otherwise I/O ports
  std::uint64_t size = 0;
};

/// A PCI function as the kernel shows it. Looking at it changes nothing.
class PciDevice {
 public:
  /// @param selector "0000:03:00.0", "03:00.0", "1e0f:0011" where one such is there, or "1e0f:0011:SERIAL" with the
  ///   Device Serial Number as lspci writes it ("00-11-22-ff-ff-33-44-55")
  /// @param part to be blamed. Throws FailureError.
  static PciDevice find(const std::string& selector, const std::string& part, const std::filesystem::path& sys);

  const std::string& address() const { return address_; }
  const std::filesystem::path& folder() const { return folder_; }
  /// "1e0f:0011" as it was when it was found.
  std::string id() const;
  /// Memory and I/O regions that it has.
  std::vector<PciBar> bars() const;
  /// Driver of the kernel that is bound, or empty.
  std::string driver() const;
  /// Bytes of its configuration space: 256 or 4096.
  std::uint64_t config_size() const;

  /// @param offset a multiple of 4. Nothing when the kernel does not give those bytes.
  std::optional<std::uint32_t> read_config(std::uint32_t offset) const;
  /// @return 0 or an errno
  int write_config(std::uint32_t offset, std::uint32_t value);

  /// Why it cannot be what was found, in words: gone, or another one. Empty when it is there.
  std::string absence() const;
  /// Why accesses to its memory would not reach it: absence, asleep, or not decoding. Empty when they would.
  std::string deafness() const;

 private:
  PciDevice(std::filesystem::path folder, const std::string& part);

  std::filesystem::path folder_;
  std::string address_;
  FileDescriptor config_;
  bool config_writable_ = false;
  std::uint32_t id_ = 0;
};

}  // namespace firstlight::host
