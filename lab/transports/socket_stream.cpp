#include "lab/transports/schemes.h"

namespace firstlight {

void add_socket_schemes(SchemeTable&) {}

}  // namespace firstlight
