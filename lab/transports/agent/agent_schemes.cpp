#include "lab/transports/schemes.h"

namespace firstlight {

void add_agent_schemes(SchemeTable&) {}

}  // namespace firstlight
