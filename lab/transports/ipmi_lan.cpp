#include "lab/transports/schemes.h"

namespace firstlight {

void add_ipmi_schemes(SchemeTable&) {}

}  // namespace firstlight
