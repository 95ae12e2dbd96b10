#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "lab/bench/plan.h"
#include "lab/transports/host/pci_device.h"
#include "lab/transports/register_bus.h"

namespace firstlight::host {

/// A BAR or the configuration space of a PCI function. Opening changes nothing on the device: one that does not decode
/// memory accesses is refused with what to do. Throws FailureError.
/// @param rest "SELECTOR/bar0" or "SELECTOR/config", see PciDevice::find
std::unique_ptr<RegisterBus> open_pci_registers(const ResourcePlan& resource, const std::string& rest, BenchTime& time,
                                                const std::filesystem::path& sys);

}  // namespace firstlight::host
