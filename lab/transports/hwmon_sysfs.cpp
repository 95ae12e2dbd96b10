#include "lab/transports/host/hwmon_chip.h"
#include "lab/transports/schemes.h"

namespace firstlight {

void add_hwmon_schemes(SchemeTable& table) {
  const auto open = [](const ResourcePlan& resource, const std::string& rest, OpenContext& context) {
    return host::open_hwmon_chip(resource, rest, context.time, host::Root{});
  };
  table.hwmons.push_back({"hwmon", "hwmon", "hwmon:NAME",
                          "A chip of this machine's hwmon class by its name; `@DEVICE` after it tells several apart.",
                          "", false, open});
  table.hwmons.push_back({"hwmon", "file", "/sys/bus/i2c/devices/4-0040",
                          "The hwmon chip of a device, by the device's path in sysfs.", "", false, open});
}

}  // namespace firstlight
