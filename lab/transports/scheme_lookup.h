#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "lab/core/failure.h"
#include "lab/core/suggest.h"
#include "lab/transports/schemes.h"

namespace firstlight {

/// The way to reach a resource, by the scheme of its address. Throws FailureError (bench, "bad_address") with every
/// form that its type of resource knows.
template <class Transport>
const Scheme<Transport>& scheme_of(const ResourcePlan& resource, const std::vector<Scheme<Transport>>& schemes) {
  const std::string scheme = parse_address(resource.address).scheme;
  std::vector<std::string> forms;
  std::vector<std::string> names;
  for (const auto& one : schemes) {
    if (one.type != resource.type) continue;
    if (one.scheme == scheme) return one;
    forms.push_back(one.form);
    names.push_back(one.scheme);
  }
  const std::string near = nearest_name(scheme, names);
  throw FailureError(
      {ErrorClass::bench, "bad_address",
       fmt::format("{}:{}: resource \"{}\" of type {} is at \"{}\"; an address of that type is one of {}{}",
                   resource.where.file, resource.where.line, resource.name, resource.type, resource.address,
                   fmt::join(forms, ", "), near.empty() ? "" : fmt::format(" (did you mean {}:?)", near)),
       resource.name, "", "", "the address has a scheme that this type of resource does not know"});
}

}  // namespace firstlight
