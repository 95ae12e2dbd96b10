#include "lab/transports/host/refusal.h"

#include <fmt/format.h>

#include <utility>

#include "lab/core/suggest.h"

namespace firstlight::host {

void refuse(ErrorClass error_class, std::string symptom, std::string message, const std::string& resource,
            std::string cause) {
  throw FailureError({error_class, std::move(symptom), std::move(message), resource, "", "", std::move(cause)});
}

std::string nearest_hint(const std::string& wanted, const std::vector<std::string>& there) {
  const std::string near = nearest_name(wanted, there);
  return near.empty() ? near : fmt::format("; the nearest is \"{}\"", near);
}

}  // namespace firstlight::host
