#include "lab/drivers/pmbus/part.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <regex>
#include <sstream>
#include <utility>

#include "lab/core/failure.h"
#include "lab/core/suggest.h"
#include "lab/document/document.h"
#include "lab/document/reader.h"
#include "lab/drivers/params.h"
#include "lab/drivers/pmbus/built_in_pmbus_parts.h"

namespace firstlight::pmbus {

namespace {

double number_in(const Value& value, const std::string& what) {
  if (const auto* integer = std::get_if<std::int64_t>(&value.data)) return static_cast<double>(*integer);
  if (const auto* quantity = std::get_if<Quantity>(&value.data))
    if (quantity->dimension == Dimension::none && std::isfinite(quantity->value)) return quantity->value;
  throw_bad_param(value.where, fmt::format("{} must be a plain number", what));
}

DirectCoefficients coefficients_in(const Value& value) {
  const auto* list = std::get_if<Value::List>(&value.data);
  if (list == nullptr || list->size() != 3) throw_bad_param(value.where, "direct must be [m, b, R]");
  DirectCoefficients direct;
  direct.m = number_in((*list)[0], "m");
  direct.b = number_in((*list)[1], "b");
  direct.r = static_cast<int>(integer_in((*list)[2], "R"));
  if (direct.m == 0) throw_bad_param(value.where, "direct: m must not be 0");
  if (direct.r < -128 || direct.r > 127) throw_bad_param(value.where, "direct: R must be -128 to 127");
  return direct;
}

const VidTable* vid_in(const Value& value) {
  const auto* text = std::get_if<std::string>(&value.data);
  const VidTable* table = text == nullptr ? nullptr : find_vid_table(*text);
  if (table != nullptr) return table;
  throw_bad_param(value.where, fmt::format("vid must be one of {}", fmt::join(vid_table_names(), ", ")),
                  text == nullptr ? "" : nearest_name(*text, vid_table_names()));
}

NumberFormat format_from_word(const std::string& word, const SourceLocation& where) {
  NumberFormat format;
  if (word == "linear11") return format;
  if (word == "half") {
    format.kind = NumberFormat::Kind::half;
    return format;
  }
  if (word == "coefficients") {
    format.kind = NumberFormat::Kind::direct;
    format.ask_part = true;
    return format;
  }
  throw_bad_param(
      where,
      fmt::format("a format is linear11, half, coefficients, {{direct: [m, b, R]}} or {{vid: TABLE}}, not \"{}\"",
                  word),
      nearest_name(word, {"linear11", "half", "coefficients"}));
}

class PartReader {
 public:
  explicit PartReader(const Value& root) : root_(root) {}

  Part read() {
    for (const auto& [key, value] : root_.map()) read_key(key, value);
    if (part_.name.empty()) throw_bad_param(root_.where, "a part's file must begin with `part: NAME`");
    Quirks checked;
    if (part_.quirks.is_set()) apply_quirks(checked, part_.quirks);
    for (const RevisionQuirks& revision : part_.revisions) apply_quirks(checked, revision.quirks);
    return std::move(part_);
  }

 private:
  void read_key(const std::string& key, const Value& value) {
    static const std::vector<std::string> known = {"part",     "doc",    "formats",  "commands",
                                                   "identity", "quirks", "revisions"};
    if (key == "part")
      part_.name = text_in(value, key);
    else if (key == "doc")
      part_.doc = text_in(value, key);
    else if (key == "formats")
      read_formats(value);
    else if (key == "commands")
      read_commands(value);
    else if (key == "identity")
      read_identity(value);
    else if (key == "quirks")
      part_.quirks = value;
    else if (key == "revisions")
      read_revisions(value);
    else
      throw_bad_param(value.where, fmt::format("a part's file has no key \"{}\"", key), nearest_name(key, known));
  }

  static std::string text_in(const Value& value, const std::string& what) {
    if (const auto* text = std::get_if<std::string>(&value.data)) return *text;
    throw_bad_param(value.where, fmt::format("{} must be text", what));
  }
  static const Value::Map& map_in(const Value& value, const std::string& what) {
    if (const auto* map = std::get_if<Value::Map>(&value.data)) return *map;
    throw_bad_param(value.where, fmt::format("{} must be a map", what));
  }
  static Command command_in(const std::string& name, const SourceLocation& where) {
    if (const auto command = command_of(name)) return *command;
    throw_bad_param(where, fmt::format("there is no PMBus command \"{}\"; one without a name is written 0xd0", name),
                    nearest_name(name, command_names()));
  }
  static std::string pattern_in(const Value& value, const std::string& what) {
    std::string pattern = text_in(value, what);
    try {
      const std::regex checked(pattern);
    } catch (const std::regex_error& error) {
      throw_bad_param(value.where, fmt::format("{} is no regular expression: {}", what, error.what()));
    }
    return pattern;
  }

  void read_formats(const Value& value) {
    for (const auto& [name, format] : map_in(value, "formats")) {
      const auto number_class = number_class_of(name);
      if (!number_class)
        throw_bad_param(format.where,
                        fmt::format("formats: \"{}\" is no class of numbers (voltage_in, voltage_out, voltage_rate, "
                                    "current_in, current_out, power, temperature, time)",
                                    name));
      part_.formats[*number_class] = format_from(format);
    }
  }
  void read_commands(const Value& value) {
    for (const auto& [name, format] : map_in(value, "commands"))
      part_.commands[command_in(name, format.where)] = format_from(format);
  }
  void read_identity(const Value& value) {
    for (const auto& [name, pattern] : map_in(value, "identity")) {
      command_in(name, pattern.where);
      part_.identity[name] = pattern_in(pattern, "identity: " + name);
    }
  }
  void read_revisions(const Value& value) {
    const auto* list = std::get_if<Value::List>(&value.data);
    if (list == nullptr) throw_bad_param(value.where, "revisions must be a list");
    for (const Value& entry : *list) {
      RevisionQuirks revision;
      for (const auto& [key, given] : map_in(entry, "a revision")) {
        if (key == "command")
          revision.command = command_in(text_in(given, key), given.where);
        else if (key == "matches")
          revision.matches = pattern_in(given, key);
        else if (key == "quirks")
          revision.quirks = given;
        else
          throw_bad_param(given.where, fmt::format("a revision has no key \"{}\"", key),
                          nearest_name(key, {"command", "matches", "quirks"}));
      }
      if (revision.matches.empty() || !revision.quirks.is_set())
        throw_bad_param(entry.where, "a revision needs `matches` and `quirks`");
      part_.revisions.push_back(std::move(revision));
    }
  }

  const Value& root_;
  Part part_;
};

}  // namespace

NumberFormat format_from(const Value& value) {
  if (const auto* word = std::get_if<std::string>(&value.data)) return format_from_word(*word, value.where);
  const auto* map = std::get_if<Value::Map>(&value.data);
  if (map == nullptr || (map->count("direct") == 0 && map->count("vid") == 0))
    throw_bad_param(value.where, "a format is linear11, half, coefficients, {direct: [m, b, R]} or {vid: TABLE}");
  NumberFormat format;
  for (const auto& [key, given] : *map) {
    if (key == "direct") {
      format.kind = NumberFormat::Kind::direct;
      format.direct = coefficients_in(given);
    } else if (key == "vid") {
      format.kind = NumberFormat::Kind::vid;
      format.vid = vid_in(given);
    } else if (key == "per_milliohm") {
      format.per_milliohm = boolean_in(given, key);
    } else {
      throw_bad_param(given.where, fmt::format("a format has no key \"{}\"", key),
                      nearest_name(key, {"direct", "vid", "per_milliohm"}));
    }
  }
  return format;
}

Part parse_part(const std::string& file, const std::string& text) {
  Diagnostics diagnostics;
  const auto document = parse_document(file, text, diagnostics);
  if (!document)
    throw FailureError({ErrorClass::bench,
                        "bad_part",
                        firstlight::to_text(diagnostics),
                        file,
                        {},
                        {},
                        "the file that describes a PMBus part"});
  const Value root = Reader(diagnostics, NameTable{}).free_value(document->root);
  if (!std::holds_alternative<Value::Map>(root.data)) throw_bad_param(root.where, "a part's file must be a map");
  return PartReader(root).read();
}

Part load_part(const std::string& name) {
  for (const auto& [known, text] : built_in_pmbus_parts())
    if (known == name) return parse_part(fmt::format("{}.yaml (built in)", name), std::string(text));
  const bool is_file = name.size() > 5 && name.compare(name.size() - 5, 5, ".yaml") == 0;
  std::ifstream in(name);
  if (is_file && in) {
    std::ostringstream text;
    text << in.rdbuf();
    return parse_part(name, text.str());
  }
  const std::string near = nearest_name(name, known_parts());
  throw FailureError(
      {ErrorClass::bench,
       "no_part",
       fmt::format("there is no PMBus part \"{}\"{}; those that come with the program are {}", name,
                   near.empty() ? "" : fmt::format(" (did you mean {}?)", near), fmt::join(known_parts(), ", ")),
       name,
       {},
       {},
       is_file ? "the file cannot be read" : "a file of your own ends in .yaml"});
}

std::vector<std::string> known_parts() {
  std::vector<std::string> names;
  for (const auto& [name, text] : built_in_pmbus_parts()) names.emplace_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace firstlight::pmbus
