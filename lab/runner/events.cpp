#include "lab/runner/events.h"

#include <array>

namespace firstlight {

std::string_view name_of(StepKind kind) {
  static constexpr std::array<std::string_view, 5> kNames = {"phase", "sequential", "parallel", "verb", "pseudo"};
  return kNames.at(static_cast<std::size_t>(kind));
}

std::string name_of(const Measured& measured) {
  const std::string& subject = measured.subject;
  const std::string& measure = measured.measure;
  if (subject.empty()) return measure.empty() ? measured.verb : measure;
  const std::string tail = "." + measure;
  const bool says_it =
      subject.size() >= tail.size() && subject.compare(subject.size() - tail.size(), tail.size(), tail) == 0;
  return measure.empty() || says_it ? subject : subject + ": " + measure;
}

}  // namespace firstlight
