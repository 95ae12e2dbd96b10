#include "lab/transports/schemes.h"

namespace firstlight {

void add_hwmon_schemes(SchemeTable&) {}

}  // namespace firstlight
