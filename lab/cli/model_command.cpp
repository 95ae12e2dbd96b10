#include "lab/cli/commands.h"
#include "lab/core/failure.h"

namespace firstlight::cli {

int model_command(const Options&, const Surroundings&) {
  throw FailureError({ErrorClass::sequence, "no_command", "model is not there yet", "", "", "", ""});
}

}  // namespace firstlight::cli
