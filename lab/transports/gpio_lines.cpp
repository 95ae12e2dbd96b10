#include "lab/transports/schemes.h"

namespace firstlight {

void add_gpio_schemes(SchemeTable&) {}

}  // namespace firstlight
