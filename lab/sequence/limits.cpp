#include "lab/sequence/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "lab/sequence/tables.h"

namespace firstlight {
namespace {

/// The dimension of a difference of two such values.
Dimension difference_of(Dimension dimension) {
  return dimension == Dimension::temperature ? Dimension::temperature_change : dimension;
}

bool is_limit_key(const std::string& key) {
  const auto specs = limit_params();
  return std::any_of(specs.begin(), specs.end(), [&](const ParamSpec& spec) { return spec.name == key; });
}

class LimitReader {
 public:
  LimitReader(const Reader& reader, const Place& place, std::optional<Dimension> dimension)
      : reader_(reader), map_(reader, place, "a limit"), dimension_(dimension) {}

  std::optional<Limit> read();

 private:
  std::optional<double> value(const std::string& key);
  /// An absolute difference, or a share of `whole`.
  std::optional<double> band(const std::string& key, std::optional<double> whole);
  void read_ends();
  void read_marginal();
  void check_keys();
  void fail(const std::string& key, std::string message) {
    const Entry* entry = map_.place()->find(key);
    ok_ = false;
    reader_.error(entry != nullptr ? entry->value.where : map_.place()->where, map_.place().path + '.' + key,
                  std::move(message));
  }
  bool has(const std::string& key) { return map_.place()->find(key) != nullptr; }
  std::string shown(double value) const { return to_text(Quantity{value, limit_.dimension}); }

  const Reader& reader_;
  MapReader map_;
  std::optional<Dimension> dimension_;
  Limit limit_;
  bool ok_ = true;
};

std::optional<double> LimitReader::value(const std::string& key) {
  const auto place = map_.find(key);
  if (!place) return std::nullopt;
  const auto quantity = dimension_ ? reader_.quantity(*place, *dimension_) : reader_.any_quantity(*place);
  if (!quantity) {
    ok_ = false;
    return std::nullopt;
  }
  dimension_ = quantity->dimension;
  return quantity->value;
}

std::optional<double> LimitReader::band(const std::string& key, std::optional<double> whole) {
  const auto place = map_.find(key);
  if (!place) return std::nullopt;
  const Dimension dimension = dimension_.value_or(Dimension::none);
  const auto share = (*place)->is_scalar() ? parse_quantity((*place)->text, Dimension::ratio) : std::nullopt;
  std::optional<double> width;
  if (share && dimension != Dimension::ratio) {
    if (dimension == Dimension::temperature) {
      fail(key, fmt::format("\"{}\" of a temperature means nothing: write a difference in K", (*place)->text));
    } else if (!whole) {
      ok_ = false;  // what it would be a share of is missing or broken, and that was told
    } else {
      width = share->value * std::abs(*whole);
    }
  } else if (const auto absolute = reader_.quantity(*place, difference_of(dimension))) {
    width = absolute->value;
  }
  if (width && *width < 0) fail(key, fmt::format("`{}` cannot be negative", key));
  ok_ = ok_ && width.has_value();
  return width;
}

void LimitReader::check_keys() {
  const auto exclude = [&](const std::string& key, const std::string& other) {
    if (has(key) && has(other)) fail(key, fmt::format("`{}` and `{}` exclude each other", key, other));
  };
  for (const std::string other : {"min", "max", "nominal", "tolerance", "marginal"}) exclude("equals", other);
  exclude("nominal", "min");
  exclude("nominal", "max");
  if (has("nominal") && !has("tolerance")) fail("nominal", "`nominal` needs `tolerance`");
  if (has("tolerance") && !has("nominal")) fail("tolerance", "`tolerance` needs `nominal`");
  const auto& entries = map_.place()->entries;
  const bool unknown = std::any_of(entries.begin(), entries.end(), [](const Entry& e) { return !is_limit_key(e.key); });
  if (!unknown && !has("equals") && !has("nominal") && !has("tolerance") && !has("min") && !has("max"))
    fail("", "a limit needs `min`, `max`, `equals`, or `nominal` with `tolerance`");
}

void LimitReader::read_ends() {
  limit_.min = value("min");
  limit_.max = value("max");
  const auto nominal = value("nominal");
  const auto equals = value("equals");
  std::optional<double> tolerance;
  if (has("nominal")) {
    tolerance = band("tolerance", nominal);
  } else {
    map_.find("tolerance");  // that it stands alone was told already
  }
  limit_.dimension = dimension_.value_or(Dimension::none);
  if (nominal && tolerance) {
    limit_.nominal = nominal;
    limit_.min = *nominal - *tolerance;
    limit_.max = *nominal + *tolerance;
  }
  if (equals) limit_.min = limit_.max = equals;
  if (limit_.min && limit_.max && *limit_.min > *limit_.max)
    fail("min", fmt::format("no value can pass: the minimum {} is above the maximum {}", shown(*limit_.min),
                            shown(*limit_.max)));
}

void LimitReader::read_marginal() {
  std::optional<double> whole = limit_.nominal;
  if (!whole && limit_.min && limit_.max) whole = *limit_.max - *limit_.min;
  if (!whole) whole = limit_.min ? limit_.min : limit_.max;
  const auto marginal = band("marginal", whole);
  if (!marginal) return;
  limit_.marginal = *marginal;
  if (!limit_.min || !limit_.max || *limit_.min > *limit_.max) return;
  const double range = *limit_.max - *limit_.min;
  if (2 * *marginal < range) return;
  const Dimension difference = difference_of(limit_.dimension);
  fail("marginal", fmt::format("no value can pass: marginal bands of {} at both ends fill the range of {}",
                               to_text(Quantity{*marginal, difference}), to_text(Quantity{range, difference})));
}

std::optional<Limit> LimitReader::read() {
  if (!map_.valid()) return std::nullopt;
  check_keys();
  read_ends();
  read_marginal();
  map_.finish();
  return ok_ ? std::optional(limit_) : std::nullopt;
}

}  // namespace

std::optional<Limit> read_limit(const Reader& reader, const Place& place, std::optional<Dimension> dimension) {
  return LimitReader(reader, place, dimension).read();
}

}  // namespace firstlight
