#pragma once

#include <map>
#include <string>

#include "lab/bench/plan.h"
#include "lab/capabilities/identity.h"

namespace firstlight {

/// What the bench declares of a part's identity: the driver's parameters of these names, as regular expressions. Throws
/// FailureError (bench) for one that is none.
std::map<std::string, std::string> declared_identity(const DriverPlan& plan, const std::vector<std::string>& fields);

/// Throws FailureError (bench, "wrong_instrument") when a field is not as declared: nothing is switched on that is not
/// what the bench means. Asks only when something is declared.
void check_identity(Identity& part);

}  // namespace firstlight
