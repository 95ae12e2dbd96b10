#pragma once

#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rtl/regs/generator/diagnostics.h"

namespace regtool {

Mark mark_of(const YAML::Node& node);

/// Typed, strict access to one YAML mapping. Unknown and doubled keys are reported at once; each getter reports a
/// missing or malformed value and then answers its fallback, so that reading goes on and finds the next error too.
class YamlMap {
 public:
  YamlMap(const YAML::Node& node, std::string what, const std::vector<std::string>& keys, const std::string& file,
          Diagnostics& diagnostics);

  bool has(const std::string& key) const;
  YAML::Node at(const std::string& key) const;
  Mark mark() const { return mark_of(node_); }
  Mark mark(const std::string& key) const;

  std::string text(const std::string& key, bool required);
  /// A lower-case identifier that is no keyword of SystemVerilog.
  std::string name(const std::string& key);
  std::uint32_t number(const std::string& key, std::optional<std::uint32_t> fallback);
  /// The same up to 40 bits, an address or a size on the data bus.
  std::uint64_t wide_number(const std::string& key);
  std::optional<std::int64_t> integer(const std::string& key);
  double real(const std::string& key, double fallback);
  bool flag(const std::string& key, bool fallback);
  /// The items of a sequence, none when the key is absent.
  std::vector<YAML::Node> items(const std::string& key, bool required);

  void error(Mark mark, std::string message);

 private:
  std::optional<std::string> scalar(const std::string& key, bool required);

  void lacks(const std::string& key);

  YAML::Node node_;
  bool is_map_ = true;  // when it is not, that is the one thing to say
  std::string what_;
  std::string file_;
  Diagnostics& diagnostics_;
};

/// Decimal or 0x hexadecimal, with an optional minus; nothing when `text` is anything else or does not fit.
std::optional<std::int64_t> parse_integer(const std::string& text);
/// Why `name` cannot be used as an identifier in all generated languages; nothing when it can.
std::optional<std::string> name_problem(const std::string& name);

}  // namespace regtool
