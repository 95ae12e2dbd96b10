#include "lab/transports/schemes.h"

namespace firstlight {

void add_modbus_schemes(SchemeTable&) {}

}  // namespace firstlight
