#include "lab/transports/schemes.h"

namespace firstlight {

void add_usbtmc_schemes(SchemeTable&) {}

}  // namespace firstlight
