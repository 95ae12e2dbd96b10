#include "lab/document/reader.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cmath>

#include "lab/core/suggest.h"

namespace firstlight {
namespace {

constexpr double kLongestSeconds = 30.0 * 24 * 3600;  // far inside of what a Duration holds

bool is_word(const std::string& text, bool dots) {
  if (text.empty() || text.size() > 100 || std::isalpha(static_cast<unsigned char>(text.front())) == 0) return false;
  for (const char c : text) {
    const bool ok = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || (dots && c == '.');
    if (!ok) return false;
  }
  return true;
}

std::string as_word(const std::string& text, bool dots) {
  std::string out;
  for (const char c : text.substr(0, 40)) {
    const bool ok = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || (dots && c == '.');
    out += ok ? c : '_';
  }
  return is_word(out, dots) ? out : std::string();
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  const bool negative = !text.empty() && text.front() == '-';
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  const bool hexadecimal = text.substr(0, 2) == "0x" || text.substr(0, 2) == "0X";
  if (hexadecimal) text.remove_prefix(2);
  std::int64_t out = 0;
  if (text.empty() || std::isxdigit(static_cast<unsigned char>(text.front())) == 0) return std::nullopt;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), out, hexadecimal ? 16 : 10);
  if (status != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return negative ? -out : out;
}

std::string an(std::string_view what) {
  const bool vowel = !what.empty() && std::string_view("aeiou").find(what.front()) != std::string_view::npos;
  return fmt::format("{} {}", vowel ? "an" : "a", what);
}

std::string describe(Dimension dimension) {
  const auto units = units_of(dimension);
  if (units.empty()) return dimension == Dimension::none ? "a number" : an(name_of(dimension));
  return fmt::format("{} ({})", an(name_of(dimension)), fmt::join(units, ", "));
}

}  // namespace

void Reader::error(const SourceLocation& where, const std::string& path, std::string message,
                   std::string suggestion) const {
  diagnostics_.add(where, std::move(message), std::move(suggestion), path);
}

std::optional<std::string> Reader::text(const Place& place) const {
  if (place->is_scalar()) return place->text;
  error(place, fmt::format("expected a text, found {}", firstlight::describe(*place)));
  return std::nullopt;
}

std::optional<std::string> Reader::identifier(const Place& place, bool dots) const {
  if (place->is_scalar() && is_word(place->text, dots)) return place->text;
  error(place,
        fmt::format("expected a name (letters, digits, `_`, `-`{}; a letter first), found {}", dots ? ", `.`" : "",
                    firstlight::describe(*place)),
        place->is_scalar() ? as_word(place->text, dots) : "");
  return std::nullopt;
}

std::optional<bool> Reader::boolean(const Place& place) const {
  if (place->is_scalar() && place->text == "true") return true;
  if (place->is_scalar() && place->text == "false") return false;
  std::string folded;
  for (const char c : place->text.substr(0, 8))
    folded += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const bool yes = folded == "yes" || folded == "on" || folded == "true" || folded == "1";
  const bool no = folded == "no" || folded == "off" || folded == "false" || folded == "0";
  error(place, fmt::format("expected true or false, found {}", firstlight::describe(*place)),
        yes  ? "true"
        : no ? "false"
             : "");
  return std::nullopt;
}

std::optional<std::int64_t> Reader::integer(const Place& place) const {
  if (place->is_scalar())
    if (const auto value = parse_integer(place->text)) return value;
  const auto number = place->is_scalar() ? parse_any_quantity(place->text) : std::nullopt;
  const bool whole = number && std::trunc(number->value) == number->value && std::abs(number->value) < 1e15;
  error(place,
        fmt::format("expected a whole number (decimal or 0x hexadecimal), found {}", firstlight::describe(*place)),
        whole ? fmt::format("{:.0f}", number->value) : "");
  return std::nullopt;
}

std::optional<Quantity> Reader::quantity(const Place& place, Dimension dimension) const {
  if (!place->is_scalar()) {
    error(place, fmt::format("expected {}, found {}", describe(dimension), firstlight::describe(*place)));
    return std::nullopt;
  }
  QuantityError problem;
  auto quantity = parse_quantity(place->text, dimension, &problem);
  if (quantity && dimension == Dimension::time && std::abs(quantity->value) > kLongestSeconds) {
    error(place, fmt::format("\"{}\" is longer than 30 days (720 h)", place->text));
    return std::nullopt;
  }
  if (quantity) return quantity;
  if (problem.kind == QuantityError::Kind::not_a_number)
    problem.message += fmt::format(": expected {}", describe(dimension));
  error(place, problem.message, problem.suggestion);
  return std::nullopt;
}

std::optional<Quantity> Reader::any_quantity(const Place& place) const {
  if (!place->is_scalar()) {
    error(place, fmt::format("expected a number with its unit, found {}", firstlight::describe(*place)));
    return std::nullopt;
  }
  QuantityError problem;
  auto quantity = parse_any_quantity(place->text, &problem);
  if (!quantity) error(place, problem.message, problem.suggestion);
  return quantity;
}

std::optional<Duration> Reader::duration(const Place& place, bool positive) const {
  const auto time = quantity(place, Dimension::time);
  if (!time) return std::nullopt;
  if (time->value < 0 || (positive && time->value == 0)) {
    error(place, fmt::format("expected a time {} 0, found \"{}\"", positive ? "above" : "of at least", place->text));
    return std::nullopt;
  }
  return to_duration(*time);
}

std::optional<std::string> Reader::choice(const Place& place, const std::vector<std::string>& choices,
                                          const std::string& what) const {
  if (place->is_scalar())
    for (const std::string& choice : choices)
      if (choice == place->text) return choice;
  error(place, fmt::format("expected {} ({}), found {}", what, list_text(choices), firstlight::describe(*place)),
        place->is_scalar() ? nearest_name(place->text, choices) : "");
  return std::nullopt;
}

std::optional<std::string> Reader::name(const Place& place, NameKind kind) const {
  const std::string_view what = name_of(kind);
  if (!place->is_scalar() || place->text.empty()) {
    error(place, fmt::format("expected the name of {}, found {}", an(what), firstlight::describe(*place)));
    return std::nullopt;
  }
  if (names_.knows(kind, place->text)) return place->text;
  error(place, fmt::format("no {} \"{}\"; there are: {}", what, place->text, list_text(names_.of(kind))),
        names_.nearest(kind, place->text));
  return std::nullopt;
}

std::vector<Place> Reader::items(const Place& place) const {
  std::vector<Place> out;
  if (place->is_list()) {
    for (std::size_t i = 0; i < place->items.size(); ++i) out.push_back(place.item(i));
  } else if (place->is_scalar()) {
    out.push_back(place);
  } else {
    error(place, fmt::format("expected a list, found {}", firstlight::describe(*place)));
  }
  return out;
}

void Reader::check_bounds(const Place& place, const ParamSpec& spec, double value, Dimension dimension) const {
  const bool hexadecimal = place->text.find("0x") != std::string::npos;
  const auto shown = [&](double bound) {
    return hexadecimal ? fmt::format("{:#x}", static_cast<std::int64_t>(bound))
                       : to_text(Quantity{bound, dimension}, 6);
  };
  if (spec.min && value < *spec.min)
    error(place, fmt::format("\"{}\" is below the least value of `{}`, {}", place->text, spec.name, shown(*spec.min)));
  if (spec.max && value > *spec.max)
    error(place,
          fmt::format("\"{}\" is above the greatest value of `{}`, {}", place->text, spec.name, shown(*spec.max)));
}

Value Reader::scalar_value(const Place& place, const ParamSpec& spec, ParamType type,
                           std::optional<Dimension> floating) const {
  Value out;
  out.where = place->where;
  const auto keep = [&](auto value) {
    if (value) out.data = std::move(*value);
  };
  switch (type) {
    case ParamType::quantity: {
      const bool open = floating && spec.dimension == Dimension::none;
      const Dimension dimension = open ? *floating : spec.dimension;
      auto value = open && dimension == Dimension::none ? any_quantity(place) : quantity(place, dimension);
      if (value) check_bounds(place, spec, value->value, value->dimension);
      keep(value);
      break;
    }
    case ParamType::integer: {
      auto value = integer(place);
      if (value) check_bounds(place, spec, static_cast<double>(*value), Dimension::none);
      keep(value);
      break;
    }
    case ParamType::boolean:
      keep(boolean(place));
      break;
    case ParamType::enumeration:
      keep(choice(place, spec.choices, "one of"));
      break;
    case ParamType::name:
      keep(spec.choices.empty() ? name(place, spec.names) : choice(place, spec.choices, an(name_of(spec.names))));
      break;
    case ParamType::text:
      keep(spec.choices.empty() ? text(place) : choice(place, spec.choices, "one of"));
      break;
    case ParamType::list:
    case ParamType::map:
      out = free_value(*place);
      break;
  }
  return out;
}

Value Reader::value(const Place& place, const ParamSpec& spec, std::optional<Dimension> floating) const {
  if (spec.type == ParamType::list) {
    Value::List list;
    for (const Place& item : items(place)) {
      Value element = scalar_value(item, spec, spec.element, floating);
      if (element.is_set()) list.push_back(std::move(element));
    }
    return {std::move(list), place->where};
  }
  if (spec.type == ParamType::map && !place->is_map()) {
    error(place, fmt::format("expected a map, found {}", firstlight::describe(*place)));
    return {};
  }
  return scalar_value(place, spec, spec.type, floating);
}

Value Reader::free_value(const Node& node) const {
  Value out;
  out.where = node.where;
  if (node.is_map()) {
    Value::Map map;
    for (const Entry& entry : node.entries) map[entry.key] = free_value(entry.value);
    out.data = std::move(map);
  } else if (node.is_list()) {
    Value::List list;
    for (const Node& item : node.items) list.push_back(free_value(item));
    out.data = std::move(list);
  } else if (node.is_scalar()) {
    out.data = node.text;
    if (node.quoted) return out;
    if (node.text == "true" || node.text == "false") {
      out.data = node.text == "true";
    } else if (const auto integer = parse_integer(node.text)) {
      out.data = *integer;
    } else if (const auto quantity = parse_any_quantity(node.text)) {
      out.data = *quantity;
    }
  }
  return out;
}

std::string describe(const ParamSpec& spec) {
  const ParamType type = spec.type == ParamType::list ? spec.element : spec.type;
  std::string text;
  switch (type) {
    case ParamType::quantity:
      text = describe(spec.dimension);
      break;
    case ParamType::integer:
      text = "a whole number";
      break;
    case ParamType::boolean:
      text = "true or false";
      break;
    case ParamType::enumeration:
      text = fmt::format("one of {}", fmt::join(spec.choices, ", "));
      break;
    case ParamType::name:
      text = fmt::format("the name of {}", an(name_of(spec.names)));
      break;
    case ParamType::text:
      text = "a text";
      break;
    case ParamType::list:
      text = "a list";
      break;
    case ParamType::map:
      text = "a map";
      break;
  }
  return spec.type == ParamType::list ? "a list, each " + text : text;
}

}  // namespace firstlight
