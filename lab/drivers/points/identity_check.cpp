#include "lab/drivers/points/identity_check.h"

#include <fmt/format.h>

#include <regex>

#include "lab/core/failure.h"
#include "lab/drivers/params.h"

namespace firstlight {

std::map<std::string, std::string> declared_identity(const DriverPlan& plan, const std::vector<std::string>& fields) {
  std::map<std::string, std::string> declared;
  for (const std::string& field : fields) {
    const auto pattern = text_param(plan.params, field);
    if (!pattern) continue;
    try {
      const std::regex compiled(*pattern);
    } catch (const std::regex_error& error) {
      throw_bad_param(plan.where, fmt::format("`{}` is no regular expression: {}", field, error.what()));
    }
    declared[field] = *pattern;
  }
  return declared;
}

void check_identity(Identity& part) {
  const std::map<std::string, std::string> expected = part.expected();
  if (expected.empty()) return;
  const std::map<std::string, std::string> found = part.identity();
  for (const auto& [field, pattern] : expected) {
    const auto value = found.find(field);
    const std::string text = value == found.end() ? std::string() : value->second;
    if (std::regex_match(text, std::regex(pattern))) continue;
    throw FailureError({ErrorClass::bench, "wrong_instrument",
                        fmt::format("the {} of {} is \"{}\" where the bench declares \"{}\"; nothing was sent to it",
                                    field, part.part(), text, pattern),
                        part.part(), "its identity", text,
                        "another device has this address, or the bench file declares the one before it was replaced"});
  }
}

}  // namespace firstlight
