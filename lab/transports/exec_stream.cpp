#include "lab/transports/schemes.h"

namespace firstlight {

void add_exec_schemes(SchemeTable&) {}

}  // namespace firstlight
