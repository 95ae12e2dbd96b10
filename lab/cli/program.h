#pragma once

#include "lab/cli/application.h"

namespace firstlight::cli {

/// The whole program: every driver, step, transport and report that this build has, the chip and its model, on the
/// standard streams.
Surroundings whole_program();

}  // namespace firstlight::cli
