#include "lab/replay/write.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace firstlight::replay {

namespace {

using Json = nlohmann::ordered_json;

std::string counts_text(const Counts& counts) {
  std::string text = fmt::format("{} exact, {} polled, {} within tolerance, {} ignored", counts.exact, counts.late,
                                 counts.near, counts.ignored);
  if (counts.cut_off > 0) text += fmt::format(", {} without an answer in the record", counts.cut_off);
  return text;
}

std::string difference_text(const Difference& one) {
  std::string out = fmt::format("first difference: transaction {}, at {} of the record\n", one.recorded.number,
                                time_text(one.recorded.start));
  const auto line = [&](const char* name, const std::string& text) { out += fmt::format("  {:<9}{}\n", name, text); };
  line("by", one.recorded.by.empty() ? "no fiber" : one.recorded.by);
  line("on", one.recorded.resource);
  line("access", one.what);
  std::size_t widest = 4;
  std::size_t expected = 8;
  for (const Deviation& deviation : one.finding.deviations) {
    widest = std::max(widest, deviation.part.size());
    expected = std::max(expected, deviation.expected.size());
  }
  out += fmt::format("\n  {:<{}}  {:<{}}  found\n", "part", widest, "recorded", expected);
  for (const Deviation& deviation : one.finding.deviations)
    out += fmt::format("  {:<{}}  {:<{}}  {}\n", deviation.part, widest, deviation.expected, expected, deviation.found);
  out += fmt::format("\n  asked at {} of bench time here", time_text(one.asked));
  if (one.repeats > 0)
    out += fmt::format(", and {} more time{} until {}", one.repeats, one.repeats == 1 ? "" : "s", time_text(one.found));
  return out + "\n";
}

Json difference_json(const Difference& one) {
  Json deviations = Json::array();
  for (const Deviation& deviation : one.finding.deviations)
    deviations.push_back({{"part", deviation.part}, {"recorded", deviation.expected}, {"found", deviation.found}});
  return {{"transaction", one.recorded.number},
          {"t", seconds(one.recorded.start)},
          {"by", one.recorded.by},
          {"resource", one.recorded.resource},
          {"access", one.what},
          {"deviations", std::move(deviations)},
          {"began_t", seconds(one.began)},
          {"asked_t", seconds(one.asked)},
          {"found_t", seconds(one.found)},
          {"repeats", one.repeats}};
}

}  // namespace

std::string time_text(Instant at) { return fmt::format("{:.6f} s", seconds(at)); }

std::string to_text(const Outcome& outcome, const Subject& subject) {
  std::string out =
      fmt::format("replay of {} ({}) into {}, seed {}\n\n", subject.record, subject.run, subject.bench, subject.seed);
  const int played = outcome.counts.all() - outcome.counts.absent;
  if (outcome.difference)
    out += difference_text(*outcome.difference) + "\n";
  else if (outcome.whole)
    out += "no difference\n";
  else
    out += fmt::format("no difference until {}\n", time_text(outcome.end));
  out += fmt::format("{} of {} transactions agree: {}\n", played, subject.transactions, counts_text(outcome.counts));
  for (const auto& [resource, count] : outcome.absent)
    out += fmt::format("not on this bench: {} ({} transactions)\n", resource, count);
  if (outcome.lag > Duration::zero())
    out += fmt::format("the replay fell {:.6f} s behind the record\n", seconds(outcome.lag));
  if (!subject.waves.empty())
    out += fmt::format("waves: {} ({})\n", subject.waves, subject.waves_window);
  else if (!subject.waves_window.empty())
    out += fmt::format("no waves: the chip has no power from {}\n", subject.waves_window);
  return out;
}

std::string to_json(const Outcome& outcome, const Subject& subject) {
  Json all = {{"record", subject.record},
              {"bench", subject.bench},
              {"seed", subject.seed},
              {"transactions", subject.transactions},
              {"whole", outcome.whole},
              {"equal", !outcome.difference},
              {"exact", outcome.counts.exact},
              {"polled", outcome.counts.late},
              {"within_tolerance", outcome.counts.near},
              {"ignored", outcome.counts.ignored},
              {"without_answer", outcome.counts.cut_off},
              {"absent", outcome.absent},
              {"lag_s", seconds(outcome.lag)},
              {"bench_time_s", seconds(outcome.end)}};
  if (outcome.difference) all["difference"] = difference_json(*outcome.difference);
  if (!subject.waves.empty()) all["waves"] = subject.waves;
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace firstlight::replay
