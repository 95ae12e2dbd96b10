#include "lab/report/page_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

namespace firstlight::report {
namespace {

using Json = nlohmann::ordered_json;

// A screen is some thousand pixels wide; a page should open in a second.
constexpr std::size_t kPointsOfSeries = 2000;
constexpr std::size_t kPointsOfPage = 60000;
constexpr std::size_t kFewestPoints = 40;
constexpr std::size_t kMeasurementsOfStep = 500;
constexpr std::size_t kLogLinesOfStep = 200;
constexpr std::size_t kEventsOfPage = 2000;

Json parsed(const std::string& text) {
  Json value = Json::parse(text, nullptr, false);
  return value.is_discarded() ? Json(text) : value;
}

/// Shorter text, and no difference on a screen.
Json rounded(double value, int digits) {
  if (!std::isfinite(value)) return nullptr;
  return std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr);
}

void put(Json& object, const char* key, const std::string& value) {
  if (!value.empty()) object[key] = value;
}

Json failure_json(const FailureRecord& f) {
  Json out = {{"message", f.message}};
  put(out, "class", f.error_class);
  put(out, "symptom", f.symptom);
  put(out, "part", f.part);
  put(out, "sent", f.sent);
  put(out, "received", f.received);
  put(out, "likely_cause", f.likely_cause);
  return out;
}

Json measurement_json(const MeasurementRecord& m) {
  Json out = {{"name", m.name}, {"verdict", name_of(m.verdict)}, {"text", m.text}};
  put(out, "limit", m.limit);
  if (m.attempt != 1) out["attempt"] = m.attempt;
  if (m.value && m.min && m.max) {
    out["value"] = rounded(*m.value, 9);
    out["min"] = rounded(*m.min, 9);
    out["max"] = rounded(*m.max, 9);
  }
  return out;
}

/// All that are not plainly good, and the rest in order while there is room.
Json measurements_json(const StepRecord& step) {
  Json out = Json::array();
  const auto plain = [](const MeasurementRecord& m) { return m.verdict == Verdict::pass; };
  const auto good = static_cast<std::size_t>(std::count_if(step.measurements.begin(), step.measurements.end(), plain));
  const std::size_t notable = step.measurements.size() - good;
  std::size_t room_for_good = kMeasurementsOfStep - std::min(notable, kMeasurementsOfStep);
  std::size_t room_for_notable = kMeasurementsOfStep;
  for (const MeasurementRecord& m : step.measurements) {
    std::size_t& room = plain(m) ? room_for_good : room_for_notable;
    if (room == 0) continue;
    --room;
    out.push_back(measurement_json(m));
  }
  return out;
}

Json step_json(const StepRecord& s) {
  Json out = {{"id", s.id},
              {"own_id", s.own_id},
              {"title", s.title},
              {"kind", s.kind},
              {"phase", s.phase},
              {"section", s.section},
              {"t", rounded(s.t, 12)},
              {"duration_s", rounded(s.duration_s, 9)},
              {"attempts", s.attempts},
              {"ended", s.ended},
              {"verdict", name_of(s.verdict)}};
  put(out, "parent", s.parent);
  put(out, "verb", s.verb);
  put(out, "with", s.with == "{}" ? "" : s.with);
  put(out, "skip_reason", s.skip_reason);
  if (!s.file.empty()) out["where"] = fmt::format("{}:{}", s.file, s.line);
  if (s.intermittent) out["intermittent"] = true;
  if (s.superseded) out["superseded"] = true;
  if (s.failure) out["failure"] = failure_json(*s.failure);
  out["measurements"] = measurements_json(s);
  if (out["measurements"].size() < s.measurements.size()) out["measured"] = s.measurements.size();
  const auto lines = static_cast<std::ptrdiff_t>(std::min(s.logs.size(), kLogLinesOfStep));
  // The last ones: what was said before it went wrong.
  out["logs"] = std::vector<std::string>(s.logs.end() - lines, s.logs.end());
  if (s.logs.size() > kLogLinesOfStep) out["logged"] = s.logs.size();
  return out;
}

Json series_json(const RunRecord& run) {
  std::size_t total = 0;
  for (const SeriesRecord& s : run.series) total += std::min(s.points.size(), kPointsOfSeries);
  const std::size_t share =
      total <= kPointsOfPage ? kPointsOfSeries : std::max(kFewestPoints, kPointsOfPage / run.series.size());
  Json out = Json::array();
  for (const SeriesRecord& s : run.series) {
    Json points = Json::array();
    for (const auto& [t, value] : thinned(s.points, share)) points.push_back({rounded(t, 9), rounded(value, 6)});
    out.push_back({{"name", s.name}, {"unit", s.unit}, {"source", s.source}, {"points", std::move(points)}});
    if (s.points.size() > share) out.back()["sampled"] = s.points.size();
  }
  return out;
}

bool is_notable(const Json& content) {
  static constexpr std::string_view kQuiet[] = {"armed",    "disarmed", "started", "summary", "energise",
                                                "released", "undo",     "undone",  "pending", "cleared"};
  const auto it = content.find("event");
  if (it == content.end() || !it->is_string()) return true;
  return std::find(std::begin(kQuiet), std::end(kQuiet), it->get<std::string>()) == std::end(kQuiet);
}

void add_events(Json& out, const RunRecord& run) {
  Json& events = out["events"] = Json::array();
  std::size_t quiet = 0;
  std::size_t notable = 0;
  for (const EventRecord& e : run.events) {
    Json content = parsed(e.content);
    std::size_t& count = is_notable(content) ? notable : quiet;
    if (++count > kEventsOfPage / 2) continue;
    events.push_back({{"kind", e.kind}, {"step", e.step}, {"t", rounded(e.t, 12)}, {"content", std::move(content)}});
  }
  if (events.size() < run.events.size()) out["events_in_record"] = run.events.size();
}

}  // namespace

Points thinned(const Points& points, std::size_t most) {
  if (points.size() <= most) return points;
  const auto lower = [](const auto& a, const auto& b) {
    return std::isnan(a.second) != std::isnan(b.second) ? std::isnan(a.second) : a.second < b.second;
  };
  const std::size_t stretches = (std::max<std::size_t>(most, 4) - 2) / 2;
  const std::size_t inner = points.size() - 2;
  Points out{points.front()};
  for (std::size_t i = 0; i < stretches; ++i) {
    const auto begin = points.begin() + 1 + static_cast<std::ptrdiff_t>(inner * i / stretches);
    const auto end = points.begin() + 1 + static_cast<std::ptrdiff_t>(inner * (i + 1) / stretches);
    if (begin == end) continue;
    const auto [low, high] = std::minmax_element(begin, end, lower);
    out.push_back(*std::min(low, high));
    if (low != high) out.push_back(*std::max(low, high));
  }
  out.push_back(points.back());
  return out;
}

std::string page_data(const RunRecord& run) {
  Json out = {{"name", run.name},
              {"doc", run.doc},
              {"command_line", run.command_line},
              {"wall_start", run.wall_start},
              {"wall_end", run.wall_end},
              {"parameters", parsed(run.parameters)},
              {"dut", parsed(run.dut)}};
  if (run.first_failure) out["first_failure"] = {{"step", run.first_failure->step}, {"t", run.first_failure->t}};
  out["steps"] = Json::array();
  for (const StepRecord& s : run.steps) out["steps"].push_back(step_json(s));
  out["series"] = series_json(run);
  out["data"] = Json::array();
  for (const DataRecord& d : run.data)
    out["data"].push_back({{"step", d.step}, {"kind", d.kind}, {"value", parsed(d.value)}});
  add_events(out, run);
  out["files"] = Json::array();
  for (const FileRecord& f : run.files) out["files"].push_back({{"step", f.step}, {"name", f.name}, {"uri", f.uri}});
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace firstlight::report
