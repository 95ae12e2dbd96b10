#include "lab/drivers/tern/tensor/diagnose.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "lab/drivers/tern/tensor/chain.h"

namespace firstlight::tern::tensor {

namespace {

using arithmetic::GemmOperands;
using arithmetic::GemmOptions;
using arithmetic::GemmShape;

constexpr std::size_t kMostLookedAt = 32;         // wrong elements
constexpr std::uint64_t kMostSteps = 20'000'000;  // of chains that are worked out again
constexpr std::size_t kWordBytes = 8;             // of the scratchpad

using Elements = std::vector<GemmWrong>;

template <class Key>
std::set<std::size_t> each(const Elements& wrong, Key key) {
  std::set<std::size_t> keys;
  for (const GemmWrong& element : wrong) keys.insert(key(element));
  return keys;
}

/// "bit 3 is wrong in all of them", "bit 0 always comes as 1"; empty when there is no such bit.
std::string bit_text(const Elements& wrong) {
  const std::uint32_t difference = wrong.front().expected ^ wrong.front().found;
  if (difference == 0 || (difference & (difference - 1)) != 0) return {};
  bool ones = true;
  bool zeros = true;
  for (const GemmWrong& element : wrong) {
    if ((element.expected ^ element.found) != difference) return {};
    ones = ones && (element.found & difference) != 0;
    zeros = zeros && (element.found & difference) == 0;
  }
  unsigned bit = 0;
  while ((difference >> bit) != 1) ++bit;
  if (ones || zeros) return fmt::format("; bit {} always comes as {}", bit, ones ? 1 : 0);
  return fmt::format("; bit {} is wrong in all of them", bit);
}

/// Elements from all over the list, so that one tile does not speak for all.
Elements some_of(const Elements& wrong, std::size_t count) {
  if (wrong.size() <= count) return wrong;
  Elements some;
  for (std::size_t i = 0; i < count; ++i) some.push_back(wrong[i * wrong.size() / count]);
  return some;
}

/// A place in the array: behind the same row the same bit.
struct Place {
  unsigned row = 0;
  unsigned bit = 0;
  friend bool operator<(const Place& a, const Place& b) { return std::pair(a.row, a.bit) < std::pair(b.row, b.bit); }
};

/// The place that most elements name (some have met two changes), when no other one is named so often. One wrong bit
/// can often be explained by other bits in rows near by, but not in all elements by the same one.
std::optional<Place> agreed(const Elements& elements,
                            const std::function<std::set<Place>(const GemmWrong&)>& places_of) {
  std::map<Place, std::size_t> votes;
  for (const GemmWrong& element : elements)
    for (const Place& place : places_of(element)) ++votes[place];
  std::optional<Place> best;
  std::size_t most = 0;
  std::size_t second = 0;
  for (const auto& [place, count] : votes) {
    if (count > most) {
      second = most;
      most = count;
      best = place;
    } else {
      second = std::max(second, count);
    }
  }
  const bool most_do = 8 * most >= 5 * elements.size();
  return most_do && second < most ? best : std::nullopt;
}

class Suspect {
 public:
  Suspect(const Engine& engine, const GemmShape& shape, const GemmOptions& options, const GemmOperands& operands,
          const Elements& wrong)
      : engine_(engine), options_(options), chain_(shape, options, operands), wrong_(wrong) {
    const std::uint64_t steps = std::uint64_t{shape.k} * shape.k * Chain::kBits / 2;
    const std::size_t affordable = static_cast<std::size_t>(kMostSteps / (steps + 1));
    if (!options.stochastic) some_ = some_of(wrong, std::min(kMostLookedAt, affordable));
  }

  GemmSuspect name() const {
    const auto columns = each(wrong_, [&](const GemmWrong& e) { return column(e); });
    const auto ms = each(wrong_, [](const GemmWrong& e) { return e.m; });
    const auto ns = each(wrong_, [](const GemmWrong& e) { return e.n; });
    if (ms.size() == 1 && ns.size() > 1) return moving(*ms.begin());
    if (ns.size() == 1 && ms.size() > 1)
      if (auto operand = stationary(*ns.begin())) return *operand;
    if (columns.size() == 1) return one_column(static_cast<unsigned>(*columns.begin()), ms, ns);
    if (auto place = agreed(some_, [&](const GemmWrong& e) { return places(chain_.behind_steps(e)); }))
      return {fmt::format("row {} of the array", place->row),
              fmt::format("{} elements in {} columns are what one wrong bit behind that row gives", wrong_.size(),
                          columns.size())};
    return {"the tensor engine", fmt::format("{} elements in {} of {} columns are wrong, in no pattern of one place",
                                             wrong_.size(), columns.size(), engine_.columns)};
  }

 private:
  unsigned column(const GemmWrong& e) const { return static_cast<unsigned>(e.n % engine_.columns); }
  unsigned row(std::size_t step) const {
    return static_cast<unsigned>(step / (options_.double_row ? 2 : 1) % engine_.rows);
  }
  std::set<Place> places(const std::vector<Chain::Change>& changes) const {
    std::set<Place> all;
    for (const Chain::Change& change : changes) all.insert({row(change.step), change.bit});
    return all;
  }

  /// All of a row of C: the operand that moved. One word of it at most, since one vector is wrong.
  GemmSuspect moving(std::size_t m) const {
    const std::string what = fmt::format("row {} of C is wrong, in {} columns of it", m, wrong_.size());
    if (const auto place = agreed(some_, [&](const GemmWrong& e) { return places(chain_.in_a(e)); }))
      return {fmt::format("partition {} of the scratchpad", place->row),
              what + fmt::format(": one wrong bit in what row {} of the array read from there", place->row)};
    return {"the moving operand", what + ": what moved through the array was wrong on its way or in the scratchpad"};
  }

  std::optional<GemmSuspect> stationary(std::size_t n) const {
    const auto place = agreed(some_, [&](const GemmWrong& e) { return places(chain_.in_b(e)); });
    if (!place) return std::nullopt;
    return GemmSuspect{
        fmt::format("partition {} of the scratchpad", place->row),
        fmt::format("column {} of C is wrong in {} rows: one wrong bit in the element that row {} of the "
                    "array holds for it, which was loaded from there",
                    n, wrong_.size(), place->row)};
  }

  GemmSuspect one_column(unsigned column, const std::set<std::size_t>& ms, const std::set<std::size_t>& ns) const {
    const std::string what =
        fmt::format("all {} wrong elements went through column {}{}", wrong_.size(), column, bit_text(wrong_));
    if (const auto place = agreed(some_, [&](const GemmWrong& e) { return places(chain_.behind_steps(e)); }))
      return {fmt::format("PE row {} column {} of the array", place->row, column),
              what + fmt::format("; bit {} of the sum behind the PE of row {}, changed at times, gives what was found",
                                 place->bit, place->row)};
    const std::size_t steps = engine_.rows * std::size_t{options_.double_row ? 2U : 1U};
    if (const auto place = agreed(some_, [&](const GemmWrong& e) { return places(chain_.behind_each(e, steps)); }))
      return {fmt::format("PE row {} column {} of the array", place->row, column),
              what + fmt::format("; bit {} of the sum behind the PE of row {}, wrong each time, gives what was found",
                                 place->bit, place->row)};
    const std::size_t a_word = kWordBytes / bytes_of(options_.c);
    const std::set<std::size_t> words = each(wrong_, [&](const GemmWrong& e) { return e.m / a_word; });
    if (ns.size() == 1 && ms.size() > 1 && words.size() == 1)
      return {fmt::format("partition {} of the scratchpad", column),
              what + fmt::format(", and they share one word of the result, which lies in partition {}", column)};
    return {fmt::format("column {} of the array", column), what};
  }

  const Engine& engine_;
  const GemmOptions& options_;
  Chain chain_;
  const Elements& wrong_;
  Elements some_;
};

}  // namespace

GemmSuspect suspect(const Engine& engine, const GemmShape& shape, const GemmOptions& options,
                    const GemmOperands& operands, const Elements& wrong) {
  if (wrong.empty()) return {"nothing", "no element is wrong"};
  return Suspect(engine, shape, options, operands, wrong).name();
}

}  // namespace firstlight::tern::tensor
