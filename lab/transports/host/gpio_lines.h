#pragma once

#include <memory>
#include <string>

#include "lab/bench/plan.h"
#include "lab/transports/gpio.h"
#include "lab/transports/host/sysfs.h"

namespace firstlight::host {

/// Lines of the GPIO controller with a label. Its number is no name: it follows the order of probing. Opening requests
/// no line. Throws FailureError.
/// @param rest "LABEL", or "LABEL@PLACE" with a name in the path of its device in sysfs ("1-4.2", "0000:00:1f.0")
std::unique_ptr<Gpio> open_gpio_lines(const ResourcePlan& resource, const std::string& rest, BenchTime& time,
                                      const Root& root);

/// Refuses a chip by number, and says how to name it.
[[noreturn]] void refuse_gpio_number(const ResourcePlan& resource, const std::string& file);

}  // namespace firstlight::host
