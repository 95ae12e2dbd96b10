#include "lab/cli/commands.h"
#include "lab/core/failure.h"

namespace firstlight::cli {

int lock_command(const Options&, const Surroundings&) {
  throw FailureError({ErrorClass::sequence, "no_command", "lock is not there yet", "", "", "", ""});
}
int unlock_command(const Options&, const Surroundings&) {
  throw FailureError({ErrorClass::sequence, "no_command", "unlock is not there yet", "", "", "", ""});
}
int who_command(const Options&, const Surroundings&) {
  throw FailureError({ErrorClass::sequence, "no_command", "who is not there yet", "", "", "", ""});
}

}  // namespace firstlight::cli
