#include "lab/core/suggest.h"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace firstlight {
namespace {

char fold(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

bool same_but_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return fold(x) == fold(y); });
}

/// Damerau-Levenshtein distance (adjacent transpositions count as one) over folded characters; a change of case alone
/// counts as half.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = 2 * i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = 2 * j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : fold(a[i - 1]) == fold(b[j - 1]) ? 1 : 2;
      cost[i][j] = std::min({cost[i - 1][j] + 2, cost[i][j - 1] + 2, cost[i - 1][j - 1] + change});
      if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) && fold(a[i - 2]) == fold(b[j - 1]))
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 2);
    }
  }
  return cost[a.size()][b.size()];
}

/// A known name that begins with what was found ("temp" for "temperature"), or with which it begins ("maximum" for
/// "max"); the shortest of them.
std::string abbreviated_name(std::string_view found, const std::vector<std::string>& known) {
  constexpr std::size_t kLeast = 3;  // letters that have to agree
  std::string best;
  for (const std::string& name : known) {
    const std::size_t shared = std::min(name.size(), found.size());
    const bool agrees = shared >= kLeast && found.substr(0, shared) == std::string_view(name).substr(0, shared);
    if (agrees && (best.empty() || name.size() < best.size())) best = name;
  }
  return best;
}

}  // namespace

std::string nearest_name(std::string_view found, const std::vector<std::string>& known) {
  if (found.empty() || found.size() > 200) return {};
  std::string best;
  // A name is near when at most a third of it (one letter at least) has to change.
  std::size_t best_cost = 2 * std::max<std::size_t>(1, found.size() / 3) + 1;
  for (const std::string& name : known) {
    if (name.size() > 200) continue;
    const std::size_t cost = same_but_case(found, name) ? 1 : distance(found, name);
    if (cost < best_cost) {
      best_cost = cost;
      best = name;
    }
  }
  return best.empty() ? abbreviated_name(found, known) : best;
}

}  // namespace firstlight
