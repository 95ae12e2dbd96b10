#pragma once

#include <string>
#include <vector>

namespace firstlight::cli {

/// Runs this very program again, with other arguments, to its end: SystemC elaborates one model a process. Ctrl-C
/// reaches the child by the terminal; SIGTERM and SIGHUP are passed on. A child that is left behind by a parent that
/// was killed gets SIGTERM.
/// @param quiet its standard output is thrown away
/// @return its exit status, 128 and the signal's number when a signal ended it. Throws FailureError (infrastructure)
/// when it cannot be started.
int run_self(const std::vector<std::string>& arguments, bool quiet);

}  // namespace firstlight::cli
