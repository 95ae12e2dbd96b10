#include "lab/transports/schemes.h"

namespace firstlight {

void add_uio_schemes(SchemeTable&) {}

}  // namespace firstlight
