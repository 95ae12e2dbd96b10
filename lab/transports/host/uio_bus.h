#pragma once

#include <memory>
#include <string>

#include "lab/bench/plan.h"
#include "lab/transports/host/sysfs.h"
#include "lab/transports/register_bus.h"

namespace firstlight::host {

/// A memory region of a UIO device (Documentation/driver-api/uio-howto.rst). Opening changes nothing on the device.
/// Throws FailureError.
/// @param rest "NAME/MAP": the device's own name, which one device has, and number or name of its map
std::unique_ptr<RegisterBus> open_uio_registers(const ResourcePlan& resource, const std::string& rest, BenchTime& time,
                                                const Root& root);

}  // namespace firstlight::host
