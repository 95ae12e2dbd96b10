#include "lab/transports/schemes.h"

namespace firstlight {

void add_i2c_dev_schemes(SchemeTable&) {}

}  // namespace firstlight
