#pragma once

#include <memory>
#include <string>

#include "lab/bench/plan.h"
#include "lab/transports/dma_memory.h"
#include "lab/transports/host/sysfs.h"

namespace firstlight::host {

/// Memory that the IOMMU shows one PCI device, and nothing else, at a bus address of our choice (parameter `iova`), for
/// as long as it is open (Documentation/driver-api/vfio.rst, type 1 IOMMU). The device itself is not opened, since that
/// would reset it; its group must belong to vfio-pci. Throws FailureError that says what is missing.
/// @param rest "PCI-ADDRESS,SIZE"; the device as in PciDevice::find
std::unique_ptr<DmaMemory> open_vfio_memory(const ResourcePlan& resource, const std::string& rest, const Root& root);

}  // namespace firstlight::host
