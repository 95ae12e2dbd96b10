#include "rtl/regs/generator/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

namespace regtool {
namespace {

std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitute = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
    }
  }
  return row.back();
}

}  // namespace

void Diagnostics::error(const std::string& file, Mark mark, std::string message) {
  items_.push_back({file, mark, std::move(message)});
}

std::string Diagnostics::text() const {
  std::vector<Item> sorted = items_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Item& a, const Item& b) {
    return std::tie(a.file, a.mark.line, a.mark.column) < std::tie(b.file, b.mark.line, b.mark.column);
  });
  std::string out;
  for (const Item& item : sorted) {
    if (item.mark.line > 0)
      out += fmt::format("{}:{}:{}: error: {}\n", item.file, item.mark.line, item.mark.column, item.message);
    else
      out += fmt::format("{}: error: {}\n", item.file, item.message);
  }
  return out;
}

std::string suggestion(const std::string& name, const std::vector<std::string>& candidates) {
  const std::string* best = nullptr;
  std::size_t best_distance = name.size() / 3 + 2;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best_distance) {
      best = &candidate;
      best_distance = distance;
    }
  }
  return best ? fmt::format(", did you mean `{}`?", *best) : "";
}

}  // namespace regtool
