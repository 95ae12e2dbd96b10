#include "lab/cli/final_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace firstlight::cli {

namespace {

std::string upper(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](unsigned char c) { return std::toupper(c); });
  return result;
}

std::string counts_text(const RunEnded& ended) {
  std::string text;
  for (const auto& [verdict, n] : ended.counts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", n, name_of(verdict));
  return text.empty() ? "no step ran" : text;
}

void add_field(std::string& text, const Style& style, const char* name, const std::string& value) {
  constexpr int kIndent = 12;
  if (value.empty()) return;
  const auto lines = wrapped(value, style.width - kIndent);
  for (std::size_t i = 0; i < lines.size(); ++i)
    text += "  " + style.paint(Colour::dim, padded(i == 0 ? name : "", kIndent - 2)) + lines[i] + "\n";
}

std::string first_failure_text(const FirstFailure& first, const Style& style) {
  const Failure& failure = first.event.failure;
  std::string where = first.phase.empty() ? first.id : first.phase + " / " + first.id;
  if (!first.verb.empty() && first.title != first.id) where += "  (" + first.title + ")";
  std::string text = style.paint(Colour::bold, "First failure") + "  " + cut(where, style.width - 16) + "\n";
  add_field(text, style, "class", fmt::format("{}, {}", name_of(failure.error_class), failure.symptom));
  add_field(text, style, "message", failure.message);
  add_field(text, style, "part", failure.part);
  add_field(text, style, "likely", failure.likely_cause);
  if (!first.where.file.empty()) add_field(text, style, "at", fmt::format("{}:{}", first.where.file, first.where.line));
  std::string during;
  for (const auto& step : first.during) during += (during.empty() ? "" : ", ") + step;
  add_field(text, style, "during", during);
  return text;
}

}  // namespace

std::string final_lines(const RunEnded& ended, const SequencePlan& sequence, const BenchPlan& bench,
                        const std::string& folder, const Style& style) {
  std::string text = "\n" + style.paint(ended.verdict, upper(name_of(ended.verdict))) + "  " +
                     cut(fmt::format("{} on {}: {}; {} of bench time", sequence.name, bench.name, counts_text(ended),
                                     to_text(to_quantity(ended.bench_time), 4)),
                         style.width - 10) +
                     "\n";
  if (ended.first_failure) text += first_failure_text(*ended.first_failure, style);
  if (!ended.safe)
    text +=
        style.paint(Colour::red, "The bench is NOT SAFE: turn it off by hand; ledger.jsonl says what is on.") + "\n";
  // Not wrapped: these two are to be copied.
  text += style.paint(Colour::bold, "Again ") + " " + ended.reproduce + "\n";
  text += style.paint(Colour::bold, "Report") + " " + folder + "/report.html\n";
  return text;
}

}  // namespace firstlight::cli
