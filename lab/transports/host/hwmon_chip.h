#pragma once

#include <memory>
#include <string>

#include "lab/bench/plan.h"
#include "lab/transports/host/sysfs.h"
#include "lab/transports/hwmon.h"

namespace firstlight::host {

/// A chip of the hwmon class by what stays: its name, where one chip has it; "NAME@DEVICE" with the name of its device
/// ("4-0040", "0000:03:00.0"); or the path of its device in sysfs. Its number (hwmon3) follows the order of probing and
/// is refused. Throws FailureError.
std::unique_ptr<Hwmon> open_hwmon_chip(const ResourcePlan& resource, const std::string& rest, BenchTime& time,
                                       const Root& root);

}  // namespace firstlight::host
