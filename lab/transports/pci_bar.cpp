#include "lab/transports/host/pci_bus.h"
#include "lab/transports/host/sysfs.h"
#include "lab/transports/schemes.h"

namespace firstlight {

void add_pci_schemes(SchemeTable& table) {
  table.registers.push_back(
      {"registers", "pci", "pci:ADDRESS/bar0",
       "A memory BAR of a PCI device on this machine, or its configuration space (`/config`); the device by address, "
       "or by VENDOR:DEVICE[:SERIAL] in hexadecimal.",
       "", false, [](const ResourcePlan& resource, const std::string& rest, OpenContext& context) {
         return host::open_pci_registers(resource, rest, context.time, host::Root{}.sys);
       }});
}

}  // namespace firstlight
