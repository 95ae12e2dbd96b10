#pragma once

#include <string>
#include <vector>

namespace firstlight::i2c {

/// An adapter that Linux has.
struct AdapterEntry {
  int number = 0;
  std::string name;    // what its driver calls it: "i801 SMBus at efa0"
  std::string folder;  // in sysfs, resolved: "/sys/devices/pci0000:00/0000:00:1f.4/i2c-4"
};

/// Every adapter, by number.
/// @param sysfs its root, "/sys"
std::vector<AdapterEntry> list_adapters(const std::string& sysfs);

/// Finds the device file of an adapter by what it is: its whole name, "*"-patterns in it allowed, or a path below which
/// it lies in sysfs ("/sys/devices/.../0000:00:1f.4", or a kernel mux's "channel-2"). Throws FailureError (bench) when
/// none or several fit, and lists those that there are.
/// @param resource the bench's name of it, for messages
std::string find_device_file(const std::string& wanted, const std::string& resource, const std::string& sysfs);

}  // namespace firstlight::i2c
