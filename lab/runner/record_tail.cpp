#include "lab/runner/record_tail.h"

#include <algorithm>
#include <fstream>

#include "lab/core/failure.h"
#include "lab/runner/json_text.h"
#include "lab/runner/recorder.h"

namespace firstlight {

namespace {

std::string text(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

const Json& child(const Json& object, const char* key) {
  static const Json nothing = Json::object();
  const auto found = object.find(key);
  return found == object.end() || !found->is_object() ? nothing : *found;
}

Instant time_of(const Json& content) {
  const auto t = content.find("t");
  return t != content.end() && t->is_number() ? Instant(from_seconds(t->get<double>())) : Instant{};
}

Verdict verdict_of(const std::string& name) {
  const auto found = std::find(kVerdictNames.begin(), kVerdictNames.end(), name);
  return found == kVerdictNames.end() ? Verdict::error : static_cast<Verdict>(found - kVerdictNames.begin());
}

ErrorClass class_of(const std::string& name) {
  const auto found = std::find(kErrorClassNames.begin(), kErrorClassNames.end(), name);
  return found == kErrorClassNames.end() ? ErrorClass::bug : static_cast<ErrorClass>(found - kErrorClassNames.begin());
}

class TailReader {
 public:
  void take(const Json& line) {
    tail_.next_sequence = line.value("sequenceNumber", tail_.next_sequence) + 1;
    take_run(child(line, "testRunArtifact"));
    const Json& step = child(line, "testStepArtifact");
    if (!step.empty()) take_step(step, text(step, "testStepId"));
  }
  RecordTail result() { return std::move(tail_); }

 private:
  struct About {
    std::string phase;
    std::string section;
    std::string id;
    std::string title;
    std::string verb;
    SourceLocation where;
  };

  void take_run(const Json& run) {
    if (run.contains("testRunEnd")) tail_.ended = true;
    const Json& start = child(run, "testRunStart");
    if (start.empty()) return;
    tail_.started = true;
    tail_.sequence = text(start, "name");
    tail_.command_line = text(start, "commandLine");
    const Json& parameters = child(start, "parameters");
    tail_.bench_file = text(parameters, "bench_file");
    tail_.bench_sha256 = text(parameters, "bench_sha256");
    for (const auto& [name, value] : child(parameters, "bench_variables").items())
      if (value.is_string()) tail_.bench_variables.emplace_back(name, value.get<std::string>());
    const std::string seed = text(parameters, "seed");
    if (!seed.empty()) tail_.seed = std::stoull(seed);
  }

  void take_step(const Json& step, const std::string& id) {
    if (step.contains("testStepStart")) {
      tail_.open.push_back({id, "", tail_.last});
      if (id.rfind(kSafeStateStep, 0) == 0) ++tail_.safe_states;
    }
    if (step.contains("testStepEnd")) {
      auto& open = tail_.open;
      open.erase(std::remove_if(open.begin(), open.end(), [&](const auto& one) { return one.id == id; }), open.end());
    }
    take_series(step, id);
    if (const Json& measurement = child(step, "measurement"); !measurement.empty())
      take_measurement(child(measurement, "metadata"));
    const Json& extension = child(step, "extension");
    if (extension.empty()) return;
    const Json& content = child(extension, "content");
    tail_.last = std::max(tail_.last, time_of(content));
    const std::string name = text(extension, "name");
    if (name == "firstlight.step") begin(id, content);
    if (name == "firstlight.step_end") end(id, content);
  }

  void take_series(const Json& step, const std::string& id) {
    if (const Json& start = child(step, "measurementSeriesStart"); !start.empty())
      tail_.series.push_back({id, text(start, "measurementSeriesId"), 0});
    const Json& element = child(step, "measurementSeriesElement");
    const std::string series = text(element, "measurementSeriesId");
    for (auto& one : tail_.series)
      if (one.id == series) ++one.count;
    tail_.last = std::max(tail_.last, time_of(child(element, "metadata")));
    const std::string over = text(child(step, "measurementSeriesEnd"), "measurementSeriesId");
    auto& all = tail_.series;
    all.erase(std::remove_if(all.begin(), all.end(), [&](const auto& one) { return one.id == over; }), all.end());
  }

  void take_measurement(const Json& metadata) {
    tail_.last = std::max(tail_.last, time_of(metadata));
    if (!metadata.value("check", false)) {
      ++tail_.measurements[verdict_of(text(metadata, "verdict"))];
    } else {
      ++(metadata.value("holds", false) ? tail_.checks_held : tail_.checks_broken);
    }
  }

  void begin(const std::string& id, const Json& content) {
    for (auto& open : tail_.open) {
      if (open.id != id) continue;
      open.kind = text(content, "kind");
      open.start = time_of(content);
    }
    const Json& where = child(content, "where");
    about_[id] = {text(content, "phase"), text(content, "section"), text(content, "id"),
                  text(content, "title"), text(content, "verb"),    {text(where, "file"), where.value("line", 0), 0}};
  }

  void end(const std::string& id, const Json& content) {
    const About& about = about_[id];
    if (about.verb.empty()) return;
    const Verdict verdict = verdict_of(text(content, "verdict"));
    ++tail_.counts[verdict];
    const Json& failure = child(content, "failure");
    if (verdict < Verdict::fail || failure.empty() || tail_.first_failure) return;
    FirstFailure first;
    first.event = {
        {class_of(text(failure, "class")), text(failure, "symptom"), text(failure, "message"), text(failure, "part"),
         text(failure, "sent"), text(failure, "received"), text(failure, "likely_cause")},
        time_of(failure),
        failure.value("attempt", 0)};
    first.phase = about.phase;
    first.section = about.section;
    first.step = id;
    first.id = about.id;
    first.title = about.title;
    first.verb = about.verb;
    first.where = about.where;
    tail_.first_failure = std::move(first);
  }

  RecordTail tail_;
  std::map<std::string, About> about_;
};

std::ifstream open_record(const std::string& folder) {
  std::ifstream in(folder + "/events.jsonl", std::ios::binary);
  if (in) return in;
  throw FailureError({ErrorClass::infrastructure, "no_record", folder + "/events.jsonl cannot be read", "disk", "", "",
                      "not the folder of a run"});
}

}  // namespace

RecordTail read_record_tail(const std::string& folder) {
  std::ifstream in = open_record(folder);
  TailReader reader;
  for (std::string line; std::getline(in, line);) {
    const Json json = Json::parse(line, nullptr, false);
    if (json.is_discarded() || !json.is_object()) break;
    reader.take(json);
  }
  return reader.result();
}

std::uint64_t next_sequence_number(const std::string& folder) {
  constexpr std::streamoff kBlock = 1 << 16;
  std::ifstream in = open_record(folder);
  in.seekg(0, std::ios::end);
  const std::streamoff size = in.tellg();
  for (std::streamoff length = std::min(size, kBlock); length > 0; length = std::min(size, 4 * length)) {
    std::string text(static_cast<std::size_t>(length), '\0');
    in.seekg(size - length);
    in.read(text.data(), length);
    const auto end = text.rfind('\n');
    const auto begin = end == std::string::npos || end == 0 ? std::string::npos : text.rfind('\n', end - 1);
    if (begin != std::string::npos || (length == size && end != std::string::npos)) {
      const std::size_t from = begin == std::string::npos ? 0 : begin + 1;
      const Json json = Json::parse(text.substr(from, end - from), nullptr, false);
      if (!json.is_discarded() && json.is_object()) return json.value("sequenceNumber", std::uint64_t{0}) + 1;
    }
    if (length == size) break;
  }
  return 0;
}

}  // namespace firstlight
