#include "lab/cli/commands.h"
#include "lab/core/failure.h"

namespace firstlight::cli {

int recover_command(const Options&, const Surroundings&) {
  throw FailureError({ErrorClass::sequence, "no_command", "recover is not there yet", "", "", "", ""});
}

}  // namespace firstlight::cli
