#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/peers/support/peer_process.h"

namespace firstlight::host {

/// Folders that look like the kernel's, in a folder of the test's own.
class FakeSysfs {
 public:
  std::filesystem::path path(const std::string& relative) const { return folder_.path() / relative; }

  void write(const std::string& relative, const std::string& text) const {
    std::filesystem::create_directories(path(relative).parent_path());
    std::ofstream(path(relative), std::ios::binary) << text;
  }
  void link(const std::string& relative, const std::string& target) const {
    std::filesystem::create_directories(path(relative).parent_path());
    std::filesystem::create_symlink(target, path(relative));
  }

 private:
  peers::TemporaryFolder folder_;
};

/// A PCI device with a 64-bit memory BAR at 0 and an I/O BAR at 2.
class FakePci {
 public:
  static constexpr std::size_t kBarSize = 0x2000;

  FakePci(const FakeSysfs& sysfs, std::string address, std::uint32_t vendor = 0x1e0f, std::uint32_t device = 0x0011)
      : sysfs_(sysfs), folder_("bus/pci/devices/" + std::move(address)), config_(4096, '\0') {
    const auto text = [](std::uint32_t id) {
      const char* digits = "0123456789abcdef";
      std::string hex = "0x";
      for (int shift = 12; shift >= 0; shift -= 4) hex += digits[(id >> shift) & 0xfU];
      return hex + "\n";
    };
    file("vendor", text(vendor));
    file("device", text(device));
    file("resource",
         "0x00000000fe000000 0x00000000fe001fff 0x0000000000140204\n"
         "0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
         "0x000000000000c000 0x000000000000c01f 0x0000000000040101\n");
    file("resource0", std::string(kBarSize, '\0'));
    config(0, vendor | (device << 16U));
    config(4, 0x0002);
  }

  void file(const std::string& name, const std::string& text) const { sysfs_.write(folder_ + "/" + name, text); }
  std::filesystem::path path(const std::string& name) const { return sysfs_.path(folder_ + "/" + name); }

  /// Written in place, so that what has it open sees it.
  void config(std::size_t offset, std::uint32_t word) {
    for (std::size_t i = 0; i < 4; ++i) config_[offset + i] = static_cast<char>(word >> (8 * i));
    if (!std::filesystem::exists(path("config"))) file("config", config_);
    std::fstream(path("config"), std::ios::in | std::ios::out | std::ios::binary) << config_;
  }
  void serial(std::uint32_t high, std::uint32_t low) {
    config(0x100, 0x14810001);  // an unrelated capability first, the next at 0x148
    config(0x148, 0x00010003);
    config(0x14c, low);
    config(0x150, high);
  }
  /// All of its configuration space reads ones, as when nobody answers.
  void vanish() {
    config_.assign(config_.size(), '\xff');
    config(0, 0xffffffff);
  }

 private:
  const FakeSysfs& sysfs_;
  std::string folder_;
  std::string config_;
};

}  // namespace firstlight::host
