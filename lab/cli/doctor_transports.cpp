#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "lab/cli/doctor_findings.h"
#include "lab/transports/schemes.h"
#include "lab/transports/usbtmc_device.h"

namespace firstlight::cli {

namespace {

namespace fs = std::filesystem;

template <class Transport>
void add(std::vector<Finding>& all, const std::vector<Scheme<Transport>>& schemes) {
  for (const auto& one : schemes) {
    const bool there = one.missing.empty();
    all.push_back({one.type, there ? Health::good : Health::note, fmt::format("{:<30} {}", one.form, one.doc),
                   there ? "" : one.missing});
  }
}

std::vector<std::string> entries(const std::string& folder, const std::string& prefix) {
  std::vector<std::string> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (entry.path().filename().string().rfind(prefix, 0) == 0) found.push_back(entry.path().string());
  std::sort(found.begin(), found.end());
  return found;
}

bool usable(const std::string& node) { return ::access(node.c_str(), R_OK | W_OK) == 0; }

/// Device nodes: good when there are some and this user may use them all.
Finding nodes(const std::string& what, const std::vector<std::string>& there, const std::string& when_none,
              const std::string& when_forbidden) {
  if (there.empty()) return {what, Health::note, "none", when_none};
  std::vector<std::string> forbidden;
  std::copy_if(there.begin(), there.end(), std::back_inserter(forbidden), [](const auto& one) { return !usable(one); });
  if (forbidden.empty()) return {what, Health::good, fmt::format("{}", fmt::join(there, ", ")), ""};
  return {what, Health::note, fmt::format("{}", fmt::join(there, ", ")),
          fmt::format("not usable by this user: {}; {}", fmt::join(forbidden, ", "), when_forbidden)};
}

Finding usb() {
  const auto instruments = usb_instruments();
  if (instruments.empty())
    return {"USB instruments", Health::note, "none", "plug one in; the kernel's driver is usbtmc"};
  std::vector<std::string> addresses;
  bool all = true;
  for (const UsbInstrument& one : instruments) {
    addresses.push_back(one.address());
    all = all && usable(one.node);
  }
  return {"USB instruments", all ? Health::good : Health::note, fmt::format("{}", fmt::join(addresses, ", ")),
          all ? "" : "a udev rule must give /dev/usbtmc* to a group that this user is in"};
}

Finding sensors() {
  std::vector<std::string> names;
  for (const std::string& folder : entries("/sys/class/hwmon", "hwmon")) {
    std::ifstream file(folder + "/name");
    std::string name;
    if (std::getline(file, name)) names.push_back(name);
  }
  if (names.empty()) return {"hwmon chips", Health::note, "none", "this machine's kernel has no sensors"};
  return {"hwmon chips", Health::good, fmt::format("{}", fmt::join(names, ", ")), ""};
}

}  // namespace

std::vector<Finding> transport_findings() {
  std::vector<Finding> all;
  const SchemeTable& table = all_schemes();
  add(all, table.streams);
  add(all, table.i2c);
  add(all, table.registers);
  add(all, table.dma_memories);
  add(all, table.gpios);
  add(all, table.hwmons);
  add(all, table.ipmi);
  add(all, table.http);
  add(all, table.modbus);
  return all;
}

std::vector<Finding> hardware_findings() {
  std::vector<Finding> all;
  all.push_back(
      nodes("I2C adapters", entries("/dev", "i2c-"), "modprobe i2c-dev makes /dev/i2c-*", "join the group i2c"));
  all.push_back(nodes("serial adapters", entries("/dev/serial/by-id", ""),
                      "USB adapters appear below /dev/serial/by-id", "join the group dialout"));
  all.push_back(usb());
  all.push_back(nodes("GPIO chips", entries("/dev", "gpiochip"), "boards and USB adapters make /dev/gpiochip*",
                      "join the group gpio"));
  all.push_back(nodes("UIO devices", entries("/dev", "uio"), "the DUT's driver makes /dev/uio*",
                      "a udev rule must give them to a group"));
  all.push_back(sensors());
  return all;
}

}  // namespace firstlight::cli
