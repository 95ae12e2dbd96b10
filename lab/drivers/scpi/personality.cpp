#include "lab/drivers/scpi/personality.h"

#include <fmt/format.h>

#include <algorithm>

#include "lab/core/failure.h"
#include "lab/core/suggest.h"
#include "lab/document/document.h"
#include "lab/drivers/scpi/built_in_personalities.h"
#include "lab/drivers/scpi/personality_reader.h"

namespace firstlight::scpi {

namespace {

constexpr std::string_view kExtension = ".yaml";

bool is_file(const std::string& name) {
  return name.size() > kExtension.size() &&
         name.compare(name.size() - kExtension.size(), kExtension.size(), kExtension) == 0;
}

Personality made_of(const std::string& file, const std::optional<Document>& document, Diagnostics& diagnostics) {
  if (document)
    if (auto personality = read_personality(*document, diagnostics)) return std::move(*personality);
  diagnostics.sort();
  std::string all;
  const std::string text = document ? document->text : std::string();
  for (const Diagnostic& one : diagnostics.list()) all += "\n" + to_text(one, text);
  throw FailureError({ErrorClass::bench,
                      "bad_personality",
                      fmt::format("{} is not a usable personality:{}", file, all),
                      file,
                      {},
                      {},
                      "the file that describes the instrument's commands"});
}

}  // namespace

Range Personality::range(const std::string& setting, std::size_t channel) const {
  if (channel < channels.size()) {
    const auto own = channels[channel].ranges.find(setting);
    if (own != channels[channel].ranges.end()) return own->second;
  }
  const auto common = ranges.find(setting);
  return common == ranges.end() ? Range{} : common->second;
}

Personality parse_personality(const std::string& file, const std::string& text) {
  Diagnostics diagnostics;
  return made_of(file, parse_document(file, text, diagnostics), diagnostics);
}

std::vector<std::string> known_personalities() {
  std::vector<std::string> names;
  for (const auto& [name, text] : built_in_personalities()) names.emplace_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

Personality load_personality(const std::string& name) {
  if (is_file(name)) {
    Diagnostics diagnostics;
    return made_of(name, load_document(name, diagnostics), diagnostics);
  }
  for (const auto& [known, text] : built_in_personalities())
    if (known == name) return parse_personality(fmt::format("{}.yaml", name), std::string(text));
  const std::string near = nearest_name(name, known_personalities());
  throw FailureError({ErrorClass::bench,
                      "no_personality",
                      fmt::format("there is no personality \"{}\"{}", name,
                                  near.empty() ? std::string() : fmt::format("; did you mean \"{}\"?", near)),
                      name,
                      {},
                      {},
                      fmt::format("known are: {}; a file's name ends in .yaml and is relative to the bench file",
                                  fmt::join(known_personalities(), ", "))});
}

}  // namespace firstlight::scpi
