#include "rtl/regs/generator/yaml_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <set>
#include <sstream>

namespace regtool {
namespace {

bool is_reserved(const std::string& name) {
  // Words of IEEE 1800-2017 annex B that are spelt like a register or field might be. C sees names in capitals only.
  static const std::set<std::string> words{
      "alias",    "always",    "and",      "assert",      "assign",   "assume",    "automatic", "before",   "begin",
      "bind",     "bit",       "break",    "buf",         "byte",     "case",      "cell",      "checker",  "class",
      "clocking", "config",    "const",    "context",     "continue", "cover",     "cross",     "default",  "design",
      "disable",  "dist",      "do",       "edge",        "else",     "end",       "enum",      "event",    "expect",
      "export",   "extern",    "final",    "first_match", "for",      "force",     "forever",   "fork",     "function",
      "generate", "genvar",    "global",   "if",          "iff",      "implies",   "import",    "include",  "initial",
      "inout",    "input",     "inside",   "instance",    "int",      "integer",   "interface", "join",     "large",
      "let",      "library",   "local",    "logic",       "medium",   "modport",   "module",    "nand",     "negedge",
      "new",      "nor",       "not",      "null",        "or",       "output",    "package",   "packed",   "parameter",
      "posedge",  "primitive", "priority", "program",     "property", "protected", "pull0",     "pull1",    "pure",
      "rand",     "real",      "ref",      "reg",         "release",  "repeat",    "return",    "scalared", "sequence",
      "signed",   "small",     "solve",    "static",      "string",   "strong",    "struct",    "super",    "supply0",
      "table",    "tagged",    "task",     "this",        "time",     "tri",       "type",      "typedef",  "union",
      "unique",   "unsigned",  "until",    "use",         "var",      "vectored",  "virtual",   "void",     "wait",
      "wand",     "weak",      "while",    "wildcard",    "wire",     "with",      "within",    "wor",      "xnor",
      "xor"};
  return words.count(name) != 0;
}

}  // namespace

Mark mark_of(const YAML::Node& node) {
  const YAML::Mark mark = node.Mark();
  return mark.is_null() ? Mark{} : Mark{mark.line + 1, mark.column + 1};
}

std::optional<std::int64_t> parse_integer(const std::string& text) {
  const bool negative = !text.empty() && text[0] == '-';
  const std::string digits = text.substr(negative ? 1 : 0);
  const bool hexadecimal = digits.rfind("0x", 0) == 0;
  const std::string body = hexadecimal ? digits.substr(2) : digits;
  if (body.empty() || body.size() > 10) return std::nullopt;
  if (body.find_first_not_of(hexadecimal ? "0123456789abcdefABCDEF" : "0123456789") != std::string::npos)
    return std::nullopt;
  const auto value = static_cast<std::int64_t>(std::strtoll(body.c_str(), nullptr, hexadecimal ? 16 : 10));
  return negative ? -value : value;
}

std::optional<std::string> name_problem(const std::string& name) {
  if (name.empty()) return "a name must not be empty";
  const bool lower_start = name[0] >= 'a' && name[0] <= 'z';
  if (!lower_start || name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") != std::string::npos)
    return fmt::format("name `{}` must be lower case letters, digits and `_`, and begin with a letter", name);
  if (is_reserved(name)) return fmt::format("name `{}` is a keyword of SystemVerilog", name);
  return std::nullopt;
}

YamlMap::YamlMap(const YAML::Node& node, std::string what, const std::vector<std::string>& keys,
                 const std::string& file, Diagnostics& diagnostics)
    : node_(node), what_(std::move(what)), file_(file), diagnostics_(diagnostics) {
  if (!node_.IsMap()) {
    error(mark(), fmt::format("{} must be a mapping", what_));
    node_.reset(YAML::Node(YAML::NodeType::Map));
    is_map_ = false;
    return;
  }
  std::set<std::string> seen;
  for (const auto& entry : node_) {
    const auto& key = entry.first.Scalar();
    if (std::find(keys.begin(), keys.end(), key) == keys.end())
      error(mark_of(entry.first), fmt::format("unknown key `{}` in {}{}", key, what_, suggestion(key, keys)));
    else if (!seen.insert(key).second)
      error(mark_of(entry.first), fmt::format("key `{}` appears twice in {}", key, what_));
  }
}

bool YamlMap::has(const std::string& key) const { return at(key).IsDefined(); }

YAML::Node YamlMap::at(const std::string& key) const {
  const YAML::Node& node = node_;
  return node[key];
}

Mark YamlMap::mark(const std::string& key) const {
  const YAML::Node value = at(key);
  return value.IsDefined() ? mark_of(value) : mark();
}

void YamlMap::error(Mark mark, std::string message) { diagnostics_.error(file_, mark, std::move(message)); }

void YamlMap::lacks(const std::string& key) {
  if (is_map_) error(mark(), fmt::format("{} lacks `{}`", what_, key));
}

std::optional<std::string> YamlMap::scalar(const std::string& key, bool required) {
  const YAML::Node value = at(key);
  if (!value.IsDefined()) {
    if (required) lacks(key);
    return std::nullopt;
  }
  if (!value.IsScalar()) {
    error(mark_of(value), fmt::format("`{}` of {} must be a single value", key, what_));
    return std::nullopt;
  }
  return value.Scalar();
}

std::string YamlMap::text(const std::string& key, bool required) {
  const auto value = scalar(key, required);
  if (required && value && value->empty()) error(mark(key), fmt::format("`{}` of {} is empty", key, what_));
  return value.value_or("");
}

std::string YamlMap::name(const std::string& key) {
  const auto value = scalar(key, true);
  if (!value) return "";
  if (const auto problem = name_problem(*value)) error(mark(key), *problem);
  return *value;
}

std::optional<std::int64_t> YamlMap::integer(const std::string& key) {
  const auto value = scalar(key, false);
  if (!value) return std::nullopt;
  const auto parsed = parse_integer(*value);
  if (!parsed) error(mark(key), fmt::format("`{}` must be a whole number (decimal or 0x...), not `{}`", key, *value));
  return parsed;
}

std::uint32_t YamlMap::number(const std::string& key, std::optional<std::uint32_t> fallback) {
  if (!has(key)) {
    if (!fallback) lacks(key);
    return fallback.value_or(0);
  }
  const auto value = integer(key);
  if (!value) return fallback.value_or(0);
  if (*value < 0 || *value > 0xffffffffLL) {
    error(mark(key), fmt::format("`{}` must be between 0 and 0xffffffff, not {}", key, *value));
    return fallback.value_or(0);
  }
  return static_cast<std::uint32_t>(*value);
}

std::uint64_t YamlMap::wide_number(const std::string& key) {
  constexpr std::int64_t most = 0xffffffffffLL;
  if (!has(key)) {
    lacks(key);
    return 0;
  }
  const auto value = integer(key);
  if (!value) return 0;
  if (*value >= 0 && *value <= most) return static_cast<std::uint64_t>(*value);
  error(mark(key), fmt::format("`{}` must be between 0 and {:#x}, not {}", key, most, *value));
  return 0;
}

double YamlMap::real(const std::string& key, double fallback) {
  const auto value = scalar(key, false);
  if (!value) return fallback;
  char* end = nullptr;
  const double parsed = std::strtod(value->c_str(), &end);
  if (value->empty() || *end != '\0' || !std::isfinite(parsed) || parsed <= 0.0) {
    error(mark(key), fmt::format("`{}` must be a positive number, not `{}`", key, *value));
    return fallback;
  }
  return parsed;
}

bool YamlMap::flag(const std::string& key, bool fallback) {
  const auto value = scalar(key, false);
  if (!value) return fallback;
  if (*value != "true" && *value != "false")
    error(mark(key), fmt::format("`{}` must be `true` or `false`, not `{}`", key, *value));
  return *value == "true";
}

std::vector<YAML::Node> YamlMap::items(const std::string& key, bool required) {
  const YAML::Node value = at(key);
  if (!value.IsDefined()) {
    if (required) lacks(key);
    return {};
  }
  if (!value.IsSequence()) {
    error(mark_of(value), fmt::format("`{}` of {} must be a list", key, what_));
    return {};
  }
  std::vector<YAML::Node> out;
  for (const auto& item : value) out.push_back(item);
  return out;
}

}  // namespace regtool
