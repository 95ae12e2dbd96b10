#include "lab/capabilities/identity.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "lab/steps/families.h"
#include "lab/steps/support.h"

namespace firstlight {

namespace {

using namespace steps;  // NOLINT(google-build-using-namespace): the helpers of this folder

std::regex pattern_of(const std::string& field, const std::string& pattern) {
  try {
    return std::regex(pattern);
  } catch (const std::regex_error& error) {
    throw FailureError({ErrorClass::sequence,
                        "bad_pattern",
                        fmt::format("\"{}\" for {} is no regular expression: {}", pattern, field, error.what()),
                        field,
                        {},
                        {},
                        "brackets and dots have a meaning; escape them with a backslash"});
  }
}

std::map<std::string, std::string> wanted_of(const StepContext& step, const Identity& identity) {
  std::map<std::string, std::string> wanted = identity.expected();
  if (step.has("fields"))
    for (const auto& [field, pattern] : step.with("fields").map()) {
      const auto* text = std::get_if<std::string>(&pattern.data);
      if (text == nullptr)
        throw FailureError({ErrorClass::sequence,
                            "bad_pattern",
                            fmt::format("fields: \"{}\" must be a text; put it in quotes", field),
                            field,
                            {},
                            {},
                            {}});
      wanted[field] = *text;
    }
  return wanted;
}

void check(StepContext& step, const std::string& part, const std::string& field, const std::string& pattern,
           const std::string& found) {
  const std::regex wanted = pattern_of(field, pattern);
  const bool holds = std::regex_match(found, wanted);
  if (!holds) {
    const bool in_part = std::regex_search(found, wanted);
    step.note_failure({ErrorClass::bench, "wrong_identity",
                       fmt::format("{}: {} is \"{}\", the bench wants \"{}\"", part, field, found, pattern), part,
                       "read identity", found,
                       in_part ? fmt::format("it matches in part only, and must as a whole: \".*{}.*\" would", pattern)
                               : "another board or instrument is connected than the bench file says"});
  }
  step.expect(part + " " + field, holds, pattern, found, part);
}

void identity_expect(StepContext& step) {
  const std::string driver = step.with("of").text();
  Identity& identity = step.bench().get<Identity>(driver);
  const std::map<std::string, std::string> fields = identity.identity();
  nlohmann::json record = {{"of", driver}};
  for (const auto& [field, value] : fields) record[field] = value;
  step.data("identity", record.dump());
  const std::map<std::string, std::string> wanted = wanted_of(step, identity);
  if (wanted.empty())
    step.fail({ErrorClass::sequence,
               "nothing_expected",
               fmt::format("nothing says who {} should be", identity.part()),
               identity.part(),
               {},
               {},
               "say it in the bench file (`idn`, `serial_number`, ...) or in the step's `fields`"});
  for (const auto& [field, pattern] : wanted) {
    const auto found = fields.find(field);
    check(step, identity.part(), field, pattern, found == fields.end() ? "" : found->second);
  }
}

}  // namespace

std::vector<Step> identity_steps() {
  StepSpec spec;
  spec.verb = "identity.expect";
  spec.doc =
      "Asks a part who it is (an instrument, the board's EEPROM, the chip) and compares it with what the bench file "
      "says, and with `fields`. "
      "Every field is a regular expression that must match as a whole.";
  spec.needs = "identity";
  ParamSpec fields;
  fields.name = "fields";
  fields.type = ParamType::map;
  fields.doc = "Further expectations: {serial_number: \"FL-TERN-.*\"}.";
  spec.params = {required(name_param("of", NameKind::driver, "The driver of the part.")), fields};
  spec.example = "{id: board_id, do: identity.expect, with: {of: board, fields: {part_number: FL-BRD-A0}}}";
  return {{spec, identity_expect}};
}

}  // namespace firstlight
