#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace firstlight::host {

/// Where the kernel shows the machine. Tests put folders of their own in its place.
struct Root {
  std::filesystem::path sys = "/sys";
  std::filesystem::path dev = "/dev";
  std::filesystem::path proc = "/proc";
};

/// The text of an attribute without the newline at its end; nothing when it cannot be read.
std::optional<std::string> read_text(const std::filesystem::path& file);
/// Decimal, or hexadecimal with 0x.
std::optional<std::uint64_t> read_number(const std::filesystem::path& file);
/// Names in a folder, sorted; none when there is no folder.
std::vector<std::string> names_in(const std::filesystem::path& folder);
/// The last name of what a link points to ("vfio-pci" for `driver`); empty when there is no link.
std::string link_target(const std::filesystem::path& link);
/// "Permission denied"
std::string error_text(int error);

}  // namespace firstlight::host
