#include "lab/runner/value_text.h"

#include <fmt/format.h>

namespace firstlight {

namespace {

struct Writer {
  std::string operator()(std::monostate) const { return "null"; }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(const Quantity& value) const { return to_text(value, 9); }
  std::string operator()(const std::string& value) const { return value; }
  std::string operator()(const Value::List& list) const {
    std::string text;
    for (const auto& element : list) text += (text.empty() ? "" : ", ") + to_text(element);
    return "[" + text + "]";
  }
  std::string operator()(const Value::Map& map) const {
    std::string text;
    for (const auto& [key, value] : map) text += (text.empty() ? "" : ", ") + key + ": " + to_text(value);
    return "{" + text + "}";
  }
};

}  // namespace

std::string to_text(const Value& value) { return std::visit(Writer{}, value.data); }

}  // namespace firstlight
