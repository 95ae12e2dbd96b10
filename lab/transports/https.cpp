#include "lab/transports/schemes.h"

namespace firstlight {

void add_http_schemes(SchemeTable&) {}

}  // namespace firstlight
