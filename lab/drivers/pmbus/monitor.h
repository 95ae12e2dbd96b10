#pragma once

#include "lab/drivers/registry.h"

namespace firstlight::pmbus {

/// The driver of parts that measure and make no rail of the bench.
DriverType monitor_driver();

}  // namespace firstlight::pmbus
