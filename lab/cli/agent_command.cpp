#include "lab/cli/commands.h"
#include "lab/core/failure.h"

namespace firstlight::cli {

int agent_command(const Options&, const Surroundings&) {
  throw FailureError({ErrorClass::sequence, "no_command", "agent is not there yet", "", "", "", ""});
}

}  // namespace firstlight::cli
