#include "lab/transports/schemes.h"

namespace firstlight {

void add_vxi11_schemes(SchemeTable&) {}

}  // namespace firstlight
