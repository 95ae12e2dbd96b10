#include "lab/transports/host/sysfs.h"
#include "lab/transports/host/uio_bus.h"
#include "lab/transports/schemes.h"

namespace firstlight {

void add_uio_schemes(SchemeTable& table) {
  table.registers.push_back({"registers", "uio", "uio:NAME/MAP",
                             "A memory region of a Linux UIO device, by the device's own name and the map's number.",
                             "", false,
                             [](const ResourcePlan& resource, const std::string& rest, OpenContext& context) {
                               return host::open_uio_registers(resource, rest, context.time, host::Root{});
                             }});
}

}  // namespace firstlight
