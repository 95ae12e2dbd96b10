#include "lab/transports/schemes.h"

namespace firstlight {

void add_pci_schemes(SchemeTable&) {}

}  // namespace firstlight
