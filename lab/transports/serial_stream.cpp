#include "lab/transports/schemes.h"
#include "lab/transports/serial_line.h"

namespace firstlight {

void add_serial_schemes(SchemeTable& table) {
  table.streams.push_back({"scpi", "serial", "serial:/dev/serial/by-id/...",
                           "A serial line or a pseudo-terminal; a USB adapter by its identity, not by its number.", "",
                           true, open_serial_stream});
}

}  // namespace firstlight
