#include "lab/report/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

namespace firstlight::report {
namespace {

using Json = nlohmann::json;

std::string text(const Json& object, const char* key) {
  const auto it = object.find(key);
  if (it == object.end() || it->is_null()) return {};
  return it->is_string() ? it->get<std::string>() : it->dump();
}

/// NaN and the infinities travel as strings.
double number(const Json& value) {
  if (value.is_number()) return value.get<double>();
  const std::string name = value.is_string() ? value.get<std::string>() : std::string();
  if (name == "Infinity") return std::numeric_limits<double>::infinity();
  if (name == "-Infinity") return -std::numeric_limits<double>::infinity();
  return std::numeric_limits<double>::quiet_NaN();
}

double number(const Json& object, const char* key, double fallback) {
  const auto it = object.find(key);
  return it == object.end() ? fallback : number(*it);
}

bool flag(const Json& object, const char* key) {
  const auto it = object.find(key);
  return it != object.end() && it->is_boolean() && it->get<bool>();
}

int integer(const Json& object, const char* key, int fallback) {
  const auto it = object.find(key);
  return it != object.end() && it->is_number_integer() ? it->get<int>() : fallback;
}

const Json& child(const Json& object, const char* key) {
  static const Json nothing = Json::object();
  const auto it = object.find(key);
  return it == object.end() ? nothing : *it;
}

Verdict verdict_of(const std::string& name) {
  const auto it = std::find(kVerdictNames.begin(), kVerdictNames.end(), name);
  return it == kVerdictNames.end() ? Verdict::error : static_cast<Verdict>(it - kVerdictNames.begin());
}

FailureRecord failure_of(const Json& object) {
  return {text(object, "class"), text(object, "symptom"),  text(object, "message"),     text(object, "part"),
          text(object, "sent"),  text(object, "received"), text(object, "likely_cause")};
}

class Reader {
 public:
  explicit Reader(RunRecord& run) : run_(run) {}

  void take(const Json& line) {
    if (const auto it = line.find("testRunArtifact"); it != line.end()) take_run(*it);
    if (const auto it = line.find("testStepArtifact"); it != line.end()) take_step(*it, text(*it, "testStepId"));
  }

  void finish() {
    for (StepRecord& step : run_.steps)
      if (step.kind.empty()) name_from_id(step);
    mark_superseded();
    if (!run_.complete || !ended_) mark_incomplete();
  }

 private:
  void take_run(const Json& artifact) {
    if (const auto it = artifact.find("testRunStart"); it != artifact.end()) start(*it);
    if (artifact.contains("testRunEnd")) run_.complete = true;
  }

  void start(const Json& start) {
    const Json& parameters = child(start, "parameters");
    const Json& metadata = child(start, "metadata");
    run_.name = text(start, "name");
    run_.version = text(start, "version");
    run_.command_line = text(start, "commandLine");
    run_.reproduce = run_.command_line;
    run_.seed = text(parameters, "seed");
    run_.bench = text(parameters, "bench");
    run_.time_scale = number(parameters, "time_scale", 1);
    run_.parameters = parameters.dump();
    run_.dut = child(start, "dutInfo").dump();
    run_.doc = text(metadata, "doc");
    run_.run = text(metadata, "wall_run");
    run_.wall_start = text(metadata, "wall_start");
  }

  StepRecord& step(const std::string& id) {
    const auto it = index_.find(id);
    if (it != index_.end()) return run_.steps[it->second];
    index_[id] = run_.steps.size();
    run_.steps.emplace_back();
    run_.steps.back().id = id;
    return run_.steps.back();
  }

  void take_step(const Json& artifact, const std::string& id) {
    if (const auto it = artifact.find("testStepStart"); it != artifact.end()) step(id).title = text(*it, "name");
    if (const auto it = artifact.find("measurement"); it != artifact.end())
      step(id).measurements.push_back(measurement(*it));
    if (const auto it = artifact.find("measurementSeriesStart"); it != artifact.end()) start_series(*it, id);
    if (const auto it = artifact.find("measurementSeriesElement"); it != artifact.end()) add_point(*it);
    if (const auto it = artifact.find("log"); it != artifact.end())
      step(id).logs.push_back(text(*it, "severity") + " " + text(*it, "message"));
    if (const auto it = artifact.find("file"); it != artifact.end())
      run_.files.push_back({id, text(*it, "displayName"), text(*it, "uri"), text(*it, "contentType")});
    if (const auto it = artifact.find("extension"); it != artifact.end())
      extension(text(*it, "name"), child(*it, "content"), id);
  }

  static MeasurementRecord measurement(const Json& object) {
    const Json& metadata = child(object, "metadata");
    MeasurementRecord out;
    out.name = text(object, "name");
    out.unit = text(object, "unit");
    out.subject = text(metadata, "subject");
    out.part = text(metadata, "part");
    out.verdict = verdict_of(text(metadata, "verdict"));
    out.check = flag(metadata, "check");
    out.attempt = integer(metadata, "attempt", 1);
    out.t = number(metadata, "t", 0);
    out.limit = out.check ? text(metadata, "expected") : text(metadata, "limit");
    out.text = out.check ? text(object, "value") : text(metadata, "text");
    if (!out.check && object.contains("value")) out.value = number(object.at("value"));
    if (metadata.contains("margin")) out.margin = number(metadata.at("margin"));
    for (const Json& validator : child(object, "validators")) {
      const std::string type = text(validator, "type");
      const double bound = number(validator, "value", 0);
      if (type == "GREATER_THAN_OR_EQUAL" || type == "EQUAL") out.min = bound;
      if (type == "LESS_THAN_OR_EQUAL" || type == "EQUAL") out.max = bound;
    }
    return out;
  }

  void start_series(const Json& object, const std::string& id) {
    const Json& metadata = child(object, "metadata");
    series_[text(object, "measurementSeriesId")] = run_.series.size();
    run_.series.push_back(
        {text(object, "name"), text(object, "unit"), id, text(metadata, "source"), text(metadata, "limit"), {}});
  }

  void add_point(const Json& object) {
    const auto it = series_.find(text(object, "measurementSeriesId"));
    if (it != series_.end())
      run_.series[it->second].points.emplace_back(number(child(object, "metadata"), "t", 0),
                                                  number(object, "value", 0));
  }

  void extension(const std::string& name, const Json& content, const std::string& id) {
    const double t = number(content, "t", 0);
    if (name == "firstlight.step") return begin_step(step(id), content);
    if (name == "firstlight.step_end") return end_step(step(id), content);
    if (name == "firstlight.run_end") return end_run(content);
    if (name == "firstlight.data") {
      run_.data.push_back({id, text(content, "kind"), t, child(content, "value").dump()});
      return;
    }
    if (name != "firstlight.progress") run_.events.push_back({name, id, t, content.dump()});
  }

  static void begin_step(StepRecord& step, const Json& content) {
    step.t = number(content, "t", 0);
    step.kind = text(content, "kind");
    step.own_id = text(content, "id");
    step.parent = text(content, "parent");
    step.phase = text(content, "phase");
    step.section = text(content, "section");
    step.verb = text(content, "verb");
    step.with = child(content, "with").dump();
    step.file = text(child(content, "where"), "file");
    step.line = integer(child(content, "where"), "line", 0);
    if (step.phase.empty()) step.phase = step.own_id;
  }

  static void end_step(StepRecord& step, const Json& content) {
    step.ended = true;
    step.duration_s = number(content, "duration_s", 0);
    step.wall_duration_s = number(content, "wall_duration_s", 0);
    step.attempts = integer(content, "attempts", 0);
    step.intermittent = flag(content, "intermittent");
    step.verdict = verdict_of(text(content, "verdict"));
    step.skip_reason = text(content, "skip_reason");
    if (content.contains("failure")) step.failure = failure_of(content.at("failure"));
  }

  void end_run(const Json& content) {
    ended_ = true;
    run_.verdict = verdict_of(text(content, "verdict"));
    run_.exit_status = integer(content, "exit_status", 3);
    run_.safe = flag(content, "safe");
    run_.made_safe_by = text(content, "made_safe_by");
    run_.bench_time_s = number(content, "bench_time_s", 0);
    run_.wall_time_s = number(content, "wall_time_s", 0);
    run_.wall_end = text(content, "wall_end");
    if (content.contains("reproduce")) run_.reproduce = text(content, "reproduce");
    add_counts(run_.counts, child(content, "counts"));
    for (const char* key : {"measurements", "checks"}) add_counts(run_.measurement_counts, child(content, key));
    if (content.contains("first_failure")) run_.first_failure = first_failure(content.at("first_failure"));
  }

  static void add_counts(std::map<std::string, int>& counts, const Json& more) {
    for (const auto& [verdict, count] : more.items())
      if (count.is_number_integer()) counts[verdict] += count.get<int>();
  }

  static FirstFailure first_failure(const Json& object) {
    FirstFailure out;
    out.failure = failure_of(object);
    out.phase = text(object, "phase");
    out.section = text(object, "section");
    out.step = text(object, "step");
    out.id = text(object, "id");
    out.title = text(object, "title");
    out.verb = text(object, "verb");
    out.file = text(child(object, "where"), "file");
    out.line = integer(child(object, "where"), "line", 0);
    out.t = number(object, "t", 0);
    for (const Json& step : child(object, "during"))
      if (step.is_string()) out.during.push_back(step.get<std::string>());
    return out;
  }

  /// A record that was cut after a step's testStepStart says no more of it than its id.
  static void name_from_id(StepRecord& step) {
    const std::size_t slash = step.id.find('/');
    step.kind = step.id.rfind('@', 0) == 0 ? "pseudo" : slash == std::string::npos ? "phase" : "verb";
    step.phase = step.id.substr(0, slash);
    step.section = "steps";
    step.own_id = slash == std::string::npos ? step.id : step.id.substr(slash + 1);
  }

  /// Ids of a group's further attempts end in "#2", "#3": only the last attempt's steps count.
  void mark_superseded() {
    std::map<std::string, StepRecord*> last;
    for (StepRecord& step : run_.steps) {
      StepRecord*& earlier = last[step.id.substr(0, step.id.find('#'))];
      if (earlier != nullptr) earlier->superseded = true;
      earlier = &step;
    }
  }

  /// What the ledger's events leave on, in words.
  std::string energised() const {
    std::map<int, std::string> on;
    for (const EventRecord& event : run_.events) {
      if (event.kind != "firstlight.ledger") continue;
      const Json content = Json::parse(event.content);
      const std::string what = text(content, "event");
      if (what == "energise") {
        on.erase(integer(content, "replaces", 0));
        on[integer(content, "entry", 0)] = text(content, "what");
      } else if (what == "released" || what == "undone") {
        on.erase(integer(content, "entry", 0));
      }
    }
    std::string out;
    for (const auto& [entry, what] : on) out += (out.empty() ? "" : ", ") + what;
    return out;
  }

  /// The run was killed: count what ended, and blame the step that was running.
  void mark_incomplete() {
    run_.complete = false;
    run_.verdict = Verdict::error;
    run_.exit_status = 3;
    run_.safe = false;
    run_.counts.clear();
    run_.measurement_counts.clear();
    FirstFailure failure;
    for (const SeriesRecord& series : run_.series)
      if (!series.points.empty()) run_.bench_time_s = std::max(run_.bench_time_s, series.points.back().first);
    for (const StepRecord& step : run_.steps) {
      run_.bench_time_s = std::max(run_.bench_time_s, step.t + step.duration_s);
      for (const MeasurementRecord& measurement : step.measurements) {
        ++run_.measurement_counts[std::string(name_of(measurement.verdict))];
        run_.bench_time_s = std::max(run_.bench_time_s, measurement.t);
      }
      if (step.kind != "verb" || step.superseded) continue;
      if (step.ended) {
        ++run_.counts[std::string(name_of(step.verdict))];
      } else {
        failure.phase = step.phase;
        failure.section = step.section;
        failure.step = step.id;
        failure.id = step.own_id;
        failure.title = step.title;
        failure.verb = step.verb;
        failure.file = step.file;
        failure.line = step.line;
        failure.t = step.t;
      }
    }
    failure.failure.error_class = "infrastructure";
    failure.failure.symptom = "run_incomplete";
    failure.failure.message = failure.id.empty() ? "The record ends before the run did"
                                                 : fmt::format("The record ends while {} was running", failure.id);
    failure.failure.likely_cause =
        "the runner was killed or its host went down; the bench may still be energised (ledger.jsonl says what was on)";
    if (const std::string on = energised(); !on.empty())
      failure.failure.likely_cause += fmt::format("; not undone when the record ends: {}", on);
    run_.first_failure = failure;
  }

  RunRecord& run_;
  bool ended_ = false;
  std::map<std::string, std::size_t> index_;
  std::map<std::string, std::size_t> series_;
};

constexpr const char* kDamaged = "the file was edited or the disk is damaged";

[[noreturn]] void refuse(const std::string& symptom, const std::string& message, const std::string& cause) {
  Failure failure;
  failure.error_class = ErrorClass::infrastructure;
  failure.symptom = symptom;
  failure.message = message;
  failure.likely_cause = cause;
  throw FailureError(failure);
}

}  // namespace

RunRecord read_record(const std::string& folder) {
  const std::string path = folder + "/events.jsonl";
  std::ifstream file(path);
  if (!file)
    refuse("no_record", fmt::format("{}: cannot be read", path),
           "not the folder of a run; `firstlight run` prints it at its end");
  RunRecord run;
  Reader reader(run);
  std::string line;
  int count = 0;
  while (std::getline(file, line)) {
    ++count;
    if (line.empty()) continue;
    const Json json = Json::parse(line, nullptr, false);
    if (!json.is_discarded()) {
      if (!json.is_object()) refuse("bad_record", fmt::format("{}:{}: not a JSON object", path, count), kDamaged);
      reader.take(json);
    } else if (file.peek() == std::char_traits<char>::eof()) {
      ++run.unreadable_lines;  // cut short by a kill
    } else {
      refuse("bad_record", fmt::format("{}:{}: not JSON", path, count), kDamaged);
    }
  }
  if (count == 0) refuse("no_record", fmt::format("{}: empty", path), "the run was killed before it began");
  reader.finish();
  if (run.run.empty()) run.run = folder.substr(folder.find_last_of('/') + 1);
  return run;
}

}  // namespace firstlight::report
