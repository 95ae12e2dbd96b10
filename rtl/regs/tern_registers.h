#pragma once

#include "lab/core/register_map.h"

namespace firstlight {

/// Every register of Tern, from the descriptions in rtl/regs.
const RegisterMap& tern_registers();

}  // namespace firstlight
