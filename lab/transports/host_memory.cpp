#include "lab/transports/schemes.h"

namespace firstlight {

void add_host_memory_schemes(SchemeTable&) {}

}  // namespace firstlight
