#include "lab/sequence/comparison.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>

namespace firstlight {
namespace {

constexpr std::array<std::string_view, 6> kOperators = {"==", "!=", "<=", ">=", "<", ">"};

std::string side_of(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return {};
  text = text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
  const bool quoted = text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.front() == text.back();
  return std::string(quoted ? text.substr(1, text.size() - 2) : text);
}

template <class T>
bool compare(std::string_view op, const T& a, const T& b) {
  if (op == "==") return a == b;
  if (op == "!=") return !(a == b);
  if (op == "<=") return a <= b;
  if (op == ">=") return a >= b;
  return op == "<" ? a < b : b < a;
}

struct Comparison {
  std::string left;
  std::string_view op;
  std::string right;
};

std::optional<Comparison> split(const std::string& text) {
  for (std::size_t at = 0; at < text.size(); ++at)
    for (const std::string_view op : kOperators)
      if (std::string_view(text).substr(at, op.size()) == op)
        return Comparison{side_of(std::string_view(text).substr(0, at)), op,
                          side_of(std::string_view(text).substr(at + op.size()))};
  return std::nullopt;
}

}  // namespace

std::optional<bool> decide(const Reader& reader, const Place& place) {
  if (place->broken) return std::nullopt;
  const auto comparison = split(place->text);
  if (!comparison) {
    if (place->text == "true") return true;
    if (place->text == "false") return false;
    reader.error(place, fmt::format("expected true, false or a comparison such as \"${{name}} == value\", found {}",
                                    describe(*place)));
    return std::nullopt;
  }
  const auto& [left, op, right] = *comparison;
  if (left.empty() || right.empty()) {
    reader.error(
        place, fmt::format("nothing stands {} the `{}` of \"{}\"", left.empty() ? "before" : "after", op, place->text));
    return std::nullopt;
  }
  const auto a = parse_any_quantity(left);
  const auto b = parse_any_quantity(right);
  if (a && b && a->dimension == b->dimension) return compare(op, a->value, b->value);
  if (a && b) {
    reader.error(place, fmt::format("\"{}\" is a {} and \"{}\" a {}: they do not compare", left, name_of(a->dimension),
                                    right, name_of(b->dimension)));
    return std::nullopt;
  }
  if (op == "==" || op == "!=") return compare(op, left, right);
  reader.error(place, fmt::format("`{}` compares numbers with units; \"{}\" is none", op, a ? right : left));
  return std::nullopt;
}

}  // namespace firstlight
