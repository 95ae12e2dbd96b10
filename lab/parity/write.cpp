#include "lab/parity/write.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace firstlight::parity {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kShownDistances = 3;
constexpr std::size_t kWidestColumn = 44;

std::string side_line(const char* letter, const Side& side) {
  const auto& run = *side.run;
  return fmt::format("{}  {}  {} on {}, seed {}: {}, {:.3f} s of bench time{}\n", letter, side.folder, run.name,
                     run.bench, run.seed, name_of(run.verdict), run.bench_time_s,
                     run.complete ? "" : " (the record ends before the run did)");
}

struct Row {
  std::string what;
  std::string a;
  std::string b;
  std::string note;
};

std::vector<Row> rows_of(const Comparison& comparison) {
  std::vector<Row> rows;
  for (const auto& one : comparison.missing_on_a) rows.push_back({"capability", "missing", "there", one});
  for (const auto& one : comparison.missing_on_b) rows.push_back({"capability", "there", "missing", one});
  std::string last_step;
  for (const auto& one : comparison.differences) {
    std::string what = one.step.empty() ? "run" : one.step;
    if (!one.subject.empty()) what = one.step == last_step ? "  " + one.subject : what + ": " + one.subject;
    last_step = one.step;
    rows.push_back({what, one.a, one.b, one.note});
  }
  for (const auto& one : comparison.not_reached) {
    const std::string count = fmt::format("{} more step{}", one.steps, one.steps == 1 ? "" : "s");
    rows.push_back({count, one.on_a ? "not reached" : "ran", one.on_a ? "ran" : "not reached", one.why});
  }
  return rows;
}

std::string table(const std::vector<Row>& rows) {
  std::size_t what = 4;
  std::size_t a = 1;
  std::size_t b = 1;
  for (const Row& row : rows) {
    what = std::min(std::max(what, row.what.size()), kWidestColumn);
    a = std::min(std::max(a, row.a.size()), kWidestColumn);
    b = std::min(std::max(b, row.b.size()), kWidestColumn);
  }
  std::string out;
  const auto line = [&](const Row& row) {
    std::string text = fmt::format("{:<{}}  {:<{}}  {:<{}}  {}", row.what, what, row.a, a, row.b, b, row.note);
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  };
  line({"step", "A", "B", ""});
  for (const Row& row : rows) line(row);
  return out;
}

std::string plural(int count, const char* thing) { return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s"); }

std::string compared(const Comparison& comparison) {
  return fmt::format("{}, {}, {}", plural(comparison.steps, "step"), plural(comparison.measurements, "measurement"),
                     plural(comparison.checks, "check"));
}

Json side_json(const Side& side) {
  const auto& run = *side.run;
  return {{"folder", side.folder},           {"bench", run.bench}, {"seed", run.seed},
          {"verdict", name_of(run.verdict)}, {"safe", run.safe},   {"complete", run.complete},
          {"bench_time_s", run.bench_time_s}};
}

}  // namespace

std::string to_text(const Comparison& comparison, const Side& a, const Side& b) {
  std::string out = side_line("A", a) + side_line("B", b) + "\n";
  const auto rows = rows_of(comparison);
  if (rows.empty()) {
    out += fmt::format("equal: {} compared\n", compared(comparison));
  } else {
    out += table(rows);
    out +=
        fmt::format("\n{}; {} compared\n", plural(static_cast<int>(rows.size()), "difference"), compared(comparison));
  }
  if (comparison.other_texts > 0)
    out += fmt::format("{} found another text on each side, as expected on both\n",
                       plural(comparison.other_texts, "check"));
  if (comparison.distances.empty()) return out;
  out += "farthest apart, both within limits or both not:\n";
  for (std::size_t i = 0; i < std::min(kShownDistances, comparison.distances.size()); ++i) {
    const Distance& one = comparison.distances[i];
    out += fmt::format("  {}: {}: {} and {}, {:.1f} % of the limits' width ({})\n", one.step, one.subject, one.a, one.b,
                       100 * one.share, one.limit);
  }
  return out;
}

std::string to_json(const Comparison& comparison, const Side& a, const Side& b) {
  Json differences = Json::array();
  for (const auto& one : comparison.differences)
    differences.push_back({{"kind", name_of(one.kind)},
                           {"step", one.step},
                           {"subject", one.subject},
                           {"a", one.a},
                           {"b", one.b},
                           {"note", one.note}});
  Json missed = Json::array();
  for (const auto& one : comparison.not_reached)
    missed.push_back({{"side", one.on_a ? "a" : "b"}, {"steps", one.steps}, {"why", one.why}});
  Json distances = Json::array();
  for (const auto& one : comparison.distances)
    distances.push_back({{"step", one.step},
                         {"subject", one.subject},
                         {"a", one.a},
                         {"b", one.b},
                         {"limit", one.limit},
                         {"share", one.share}});
  const Json all = {{"equal", comparison.equal()},
                    {"a", side_json(a)},
                    {"b", side_json(b)},
                    {"steps", comparison.steps},
                    {"measurements", comparison.measurements},
                    {"checks", comparison.checks},
                    {"other_texts", comparison.other_texts},
                    {"differences", std::move(differences)},
                    {"not_reached", std::move(missed)},
                    {"missing_on_a", comparison.missing_on_a},
                    {"missing_on_b", comparison.missing_on_b},
                    {"distances", std::move(distances)}};
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace firstlight::parity
