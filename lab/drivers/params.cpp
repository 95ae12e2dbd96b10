#include "lab/drivers/params.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <system_error>

#include "lab/core/failure.h"

namespace firstlight {

const Value* find_param(const Value::Map& params, const std::string& name) {
  const auto found = params.find(name);
  return found == params.end() || !found->second.is_set() ? nullptr : &found->second;
}

std::optional<std::string> text_param(const Value::Map& params, const std::string& name) {
  const Value* value = find_param(params, name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value->text());
}
std::optional<std::int64_t> integer_param(const Value::Map& params, const std::string& name) {
  const Value* value = find_param(params, name);
  return value == nullptr ? std::nullopt : std::optional<std::int64_t>(value->integer());
}
std::optional<Quantity> quantity_param(const Value::Map& params, const std::string& name) {
  const Value* value = find_param(params, name);
  return value == nullptr ? std::nullopt : std::optional<Quantity>(value->quantity());
}
std::vector<std::string> text_list_param(const Value::Map& params, const std::string& name) {
  std::vector<std::string> texts;
  if (const Value* value = find_param(params, name))
    for (const Value& entry : value->list()) texts.push_back(entry.text());
  return texts;
}

std::optional<std::string> file_param(const DriverPlan& driver, const std::string& name) {
  namespace fs = std::filesystem;
  auto given = text_param(driver.params, name);
  if (!given || fs::path(*given).extension() != ".yaml" || fs::path(*given).is_absolute()) return given;
  const fs::path beside = fs::path(driver.where.file).parent_path() / *given;
  std::error_code ignored;
  if (fs::exists(beside, ignored)) given = beside.string();
  return given;
}

void throw_bad_param(const SourceLocation& where, const std::string& what, const std::string& suggestion) {
  std::string message = fmt::format("{}:{}:{}: {}", where.file, where.line, where.column, what);
  if (!suggestion.empty()) message += fmt::format("; did you mean \"{}\"?", suggestion);
  throw FailureError(
      {ErrorClass::bench, "bad_bench", std::move(message), where.file, {}, {}, "the bench file needs mending"});
}

Duration duration_in(const Value& value, const std::string& what) {
  std::optional<Quantity> quantity;
  if (const auto* given = std::get_if<Quantity>(&value.data)) quantity = *given;
  if (const auto* text = std::get_if<std::string>(&value.data)) quantity = parse_quantity(*text, Dimension::time);
  if (quantity && quantity->dimension == Dimension::time && quantity->value >= 0) return to_duration(*quantity);
  throw_bad_param(value.where, fmt::format("{} must be a time with its unit, such as 500 us", what));
}

bool boolean_in(const Value& value, const std::string& what) {
  if (const auto* given = std::get_if<bool>(&value.data)) return *given;
  if (const auto* text = std::get_if<std::string>(&value.data)) {
    if (*text == "true") return true;
    if (*text == "false") return false;
  }
  throw_bad_param(value.where, fmt::format("{} must be true or false", what));
}

std::int64_t integer_in(const Value& value, const std::string& what) {
  if (const auto* given = std::get_if<std::int64_t>(&value.data)) return *given;
  std::optional<Quantity> quantity;
  if (const auto* given = std::get_if<Quantity>(&value.data)) quantity = *given;
  if (const auto* text = std::get_if<std::string>(&value.data)) quantity = parse_quantity(*text, Dimension::none);
  if (quantity && quantity->dimension == Dimension::none && quantity->value == std::floor(quantity->value) &&
      std::fabs(quantity->value) < 1e9)
    return static_cast<std::int64_t>(quantity->value);
  throw_bad_param(value.where, fmt::format("{} must be a whole number", what));
}

}  // namespace firstlight
