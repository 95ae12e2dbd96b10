#include "lab/drivers/scpi/personality.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>
#include <utility>

#include "lab/core/suggest.h"
#include "lab/drivers/scpi/built_in_personalities.h"

namespace firstlight::scpi {

namespace {

/// What an instrument of a kind must be able to do, and the quantities that it has ranges for.
struct Kind {
  std::vector<std::string> commands;
  std::map<std::string, Dimension> maxima;
  std::vector<std::string> counts;
};

const std::map<std::string, Kind>& kinds() {
  static const std::map<std::string, Kind> table = {
      {"supply",
       {{"set_voltage", "get_voltage", "set_current", "get_current", "set_over_voltage", "get_over_voltage",
         "output_on", "output_off", "get_output", "measure_voltage", "measure_current", "measure_power",
         "over_voltage_tripped", "over_current_tripped"},
        {{"voltage", Dimension::voltage}, {"current", Dimension::current}, {"over_voltage", Dimension::voltage}},
        {}}},
      {"meter", {{"measure_voltage"}, {{"voltage", Dimension::voltage}}, {"channels"}}},
      {"clock",
       {{"set_frequency", "get_frequency", "output_on", "output_off", "get_output", "measure_frequency"},
        {{"frequency", Dimension::frequency}},
        {"inputs"}}},
      {"coolant",
       {{"set_temperature", "get_temperature", "set_flow", "get_flow", "output_on", "output_off", "get_output",
         "measure_inlet", "measure_outlet", "measure_flow", "measure_pressure", "leak"},
        {{"temperature", Dimension::temperature}, {"flow", Dimension::flow}},
        {}}},
  };
  return table;
}

bool takes_channel(const std::string& kind, const std::string& purpose) {
  return (kind == "meter" && purpose == "measure_voltage") || (kind == "clock" && purpose == "measure_frequency");
}

template <class Map>
std::vector<std::string> keys_of(const Map& map) {
  std::vector<std::string> keys;
  keys.reserve(map.size());
  for (const auto& [key, value] : map) keys.push_back(key);
  return keys;
}

class Reader {
 public:
  Reader(std::string file, const std::string& text) : file_(std::move(file)) {
    try {
      read(YAML::Load(text));
    } catch (const YAML::Exception& error) {
      complain(error.mark, error.msg);
    }
  }

  Personality finish() {
    if (problems_.empty()) return std::move(result_);
    throw FailureError({ErrorClass::bench,
                        "bad_personality",
                        fmt::format("{} is not a usable personality:\n  {}", file_, fmt::join(problems_, "\n  ")),
                        file_,
                        {},
                        {},
                        "the file that describes the instrument's commands"});
  }

 private:
  void complain(const YAML::Mark& mark, const std::string& what) {
    problems_.push_back(fmt::format("{}:{}:{}: {}", file_, mark.line + 1, mark.column + 1, what));
  }
  void unknown(const YAML::Node& key, const std::vector<std::string>& known) {
    const std::string near = nearest_name(key.Scalar(), known);
    complain(key.Mark(), fmt::format("unknown key \"{}\"{}", key.Scalar(),
                                     near.empty() ? std::string() : fmt::format("; did you mean \"{}\"?", near)));
  }

  void read(const YAML::Node& root) {
    if (!root.IsMap()) return complain(root.Mark(), "a personality is a map");
    static const std::vector<std::string> known = {"personality", "kind",          "doc",           "idn",
                                                   "timeout",     "first_timeout", "pacing",        "commands",
                                                   "maxima",      "counts",        "opc_after_set", "check_errors"};
    for (const auto& entry : root)
      if (std::find(known.begin(), known.end(), entry.first.Scalar()) == known.end()) unknown(entry.first, known);
    result_.name = text(root, "personality");
    result_.kind = text(root, "kind");
    result_.doc = text(root, "doc");
    if (root["idn"]) result_.session.idn = text(root, "idn");
    duration(root["timeout"], result_.session.timeout);
    duration(root["first_timeout"], result_.session.first_timeout);
    duration(root["pacing"], result_.session.pacing);
    flag(root["opc_after_set"], result_.session.opc_after_set);
    flag(root["check_errors"], result_.session.check_errors);
    const auto kind = kinds().find(result_.kind);
    if (kind == kinds().end())
      return complain(root.Mark(), fmt::format("kind must be one of {}", fmt::join(keys_of(kinds()), ", ")));
    commands(root["commands"], kind->second.commands, root.Mark());
    maxima(root["maxima"], kind->second.maxima);
    counts(root["counts"], kind->second.counts, root.Mark());
  }

  std::string text(const YAML::Node& root, const char* key) {
    const YAML::Node node = root[key];
    if (node && node.IsScalar() && !node.Scalar().empty()) return node.Scalar();
    complain(node ? node.Mark() : root.Mark(), fmt::format("\"{}\" must be a text", key));
    return {};
  }
  void duration(const YAML::Node& node, Duration& into) {
    if (!node) return;
    if (const auto value = quantity(node, Dimension::time)) into = to_duration(*value);
  }
  void flag(const YAML::Node& node, bool& into) {
    if (node && !YAML::convert<bool>::decode(node, into)) complain(node.Mark(), "must be true or false");
  }
  std::optional<Quantity> quantity(const YAML::Node& node, Dimension dimension) {
    if (!node.IsScalar()) {
      complain(node.Mark(), "must be a quantity with its unit");
      return std::nullopt;
    }
    QuantityError error;
    const auto value = parse_quantity(node.Scalar(), dimension, &error);
    if (!value) complain(node.Mark(), error.message);
    return value;
  }
  void commands(const YAML::Node& node, const std::vector<std::string>& needed, const YAML::Mark& mark) {
    for (const auto& entry : node) {
      const std::string purpose = entry.first.Scalar();
      if (std::find(needed.begin(), needed.end(), purpose) == needed.end()) {
        unknown(entry.first, needed);
        continue;
      }
      const bool takes_value = purpose.rfind("set_", 0) == 0 || takes_channel(result_.kind, purpose);
      if (takes_value && entry.second.Scalar().find("{}") == std::string::npos)
        complain(entry.second.Mark(),
                 fmt::format("the command for \"{}\" must hold {{}} where the value goes", purpose));
      result_.commands[purpose] = entry.second.Scalar();
    }
    for (const std::string& purpose : needed)
      if (result_.commands.count(purpose) == 0) complain(mark, fmt::format("commands: lacks \"{}\"", purpose));
  }
  void maxima(const YAML::Node& node, const std::map<std::string, Dimension>& known) {
    for (const auto& entry : node) {
      const auto found = known.find(entry.first.Scalar());
      if (found == known.end())
        unknown(entry.first, keys_of(known));
      else if (const auto value = quantity(entry.second, found->second))
        result_.maxima[found->first] = *value;
    }
  }
  void counts(const YAML::Node& node, const std::vector<std::string>& needed, const YAML::Mark& mark) {
    for (const auto& entry : node) {
      int value = 0;
      if (std::find(needed.begin(), needed.end(), entry.first.Scalar()) == needed.end())
        unknown(entry.first, needed);
      else if (!YAML::convert<int>::decode(entry.second, value) || value < 1)
        complain(entry.second.Mark(), "must be a whole number above 0");
      result_.counts[entry.first.Scalar()] = value;
    }
    for (const std::string& count : needed)
      if (result_.counts.count(count) == 0) complain(mark, fmt::format("counts: lacks \"{}\"", count));
  }

  std::string file_;
  Personality result_;
  std::vector<std::string> problems_;
};

}  // namespace

std::string Personality::command(const std::string& purpose) const { return commands.at(purpose); }

std::string Personality::command(const std::string& purpose, const std::string& argument) const {
  std::string text = commands.at(purpose);
  const std::size_t place = text.find("{}");
  if (place != std::string::npos) text.replace(place, 2, argument);
  return text;
}

Personality parse_personality(const std::string& file, const std::string& text) { return Reader(file, text).finish(); }

std::vector<std::string> known_personalities() {
  std::vector<std::string> names;
  for (const auto& [name, text] : built_in_personalities()) names.emplace_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

Personality load_personality(const std::string& name) {
  constexpr std::string_view kExtension = ".yaml";
  if (name.size() > kExtension.size() &&
      name.compare(name.size() - kExtension.size(), kExtension.size(), kExtension) == 0) {
    std::ifstream file(name);
    if (!file)
      throw FailureError({ErrorClass::bench,
                          "no_personality",
                          fmt::format("cannot read the personality file {}", name),
                          name,
                          {},
                          {},
                          "the path is relative to the directory where firstlight was started"});
    std::ostringstream text;
    text << file.rdbuf();
    return parse_personality(name, text.str());
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
                      fmt::format("known are: {}", fmt::join(known_personalities(), ", "))});
}

}  // namespace firstlight::scpi
