#include "lab/transports/host/huge_pages.h"
#include "lab/transports/host/vfio_memory.h"
#include "lab/transports/schemes.h"

namespace firstlight {

void add_host_memory_schemes(SchemeTable& table) {
  table.dma_memories.push_back(
      {"dma_memory", "hugepages", "hugepages:SIZE",
       "Huge pages of this machine, contiguous and locked, at their physical address; where no IOMMU translates.", "",
       false, [](const ResourcePlan& resource, const std::string& rest, OpenContext&) {
         return host::open_huge_pages(resource, rest, host::Root{});
       }});
  table.dma_memories.push_back({"dma_memory", "vfio", "vfio:ADDRESS,SIZE",
                                "Memory that the IOMMU shows one PCI device at a bus address of the bench's choice.",
                                "", true, [](const ResourcePlan& resource, const std::string& rest, OpenContext&) {
                                  return host::open_vfio_memory(resource, rest, host::Root{});
                                }});
}

}  // namespace firstlight
