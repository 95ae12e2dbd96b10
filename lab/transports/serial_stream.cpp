#include "lab/transports/schemes.h"

namespace firstlight {

void add_serial_schemes(SchemeTable&) {}

}  // namespace firstlight
