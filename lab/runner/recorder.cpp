#include "lab/runner/recorder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <tuple>

#include "lab/document/document.h"
#include "lab/runner/json_text.h"
#include "lab/runner/line_file.h"
#include "lab/runner/ocp_lines.h"
#include "lab/runner/value_text.h"

namespace firstlight {

namespace {

using SteadyClock = std::chrono::steady_clock;

double wall_since(SteadyClock::time_point start) {
  return std::chrono::duration<double>(SteadyClock::now() - start).count();
}

const char* ocp_result(Verdict verdict) {
  if (verdict <= Verdict::marginal) return "PASS";
  return verdict == Verdict::fail ? "FAIL" : "NOT_APPLICABLE";
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

}  // namespace

class Recorder::Impl final : public OcpLines {
 public:
  Impl(std::string folder, std::unique_ptr<LineFile> file, std::uint64_t next, OcpLines::Trouble trouble)
      : OcpLines(std::move(file), next, trouble), folder_(std::move(folder)) {}

  void end_step(const std::string& step, Verdict verdict, Json content) {
    end_series(step);
    last_progress_.erase(step);
    OcpLines::end_step(step, verdict, std::move(content));
  }
  void sample(const Sampled& event);
  void end_series(const std::string& step);
  std::string add_file(const std::string& name, const std::string& content);
  bool progress_is_due(const std::string& step, Instant at) {
    const auto [last, first] = last_progress_.try_emplace(step, at);
    if (!first && at - last->second < std::chrono::milliseconds(100)) return false;
    last->second = at;
    return true;
  }

  std::map<Verdict, int> measurements;
  int checks_held = 0;
  int checks_broken = 0;
  SteadyClock::time_point start = SteadyClock::now();

 private:
  using SeriesKey = std::tuple<std::string, std::string, std::string, std::string, int>;
  struct Series {
    std::string id;
    std::uint64_t count = 0;
  };

  std::string folder_;
  std::uint64_t series_made_ = 0;
  int files_ = 0;
  std::map<std::string, Instant> last_progress_;
  std::map<SeriesKey, Series> series_;
};

void Recorder::Impl::sample(const Sampled& event) {
  const SeriesKey key{event.step, event.source, event.owner, event.series, event.attempt};
  const auto [at, fresh] = series_.try_emplace(key);
  Series& series = at->second;
  if (fresh) {
    series.id = std::to_string(++series_made_);
    Json content = {{"name", event.series}, {"measurementSeriesId", series.id}};
    put(content, "unit", std::string(base_unit(event.value.dimension)));
    Json metadata = {{"t", t_of(event.at)}, {"source", event.source}};
    if (event.source != "step") metadata[event.source] = event.owner;
    put(metadata, "step", event.owner_step);
    if (event.source == "step") metadata["attempt"] = event.attempt;
    if (event.limit) {
      content["validators"] = validators_of(*event.limit);
      metadata["limit"] = to_text(*event.limit);
    }
    content["metadata"] = std::move(metadata);
    artifact(event.step, "measurementSeriesStart", std::move(content));
  }
  artifact(event.step, "measurementSeriesElement",
           {{"index", series.count++},
            {"value", json_of(event.value.value)},
            {"timestamp", wall_timestamp()},
            {"measurementSeriesId", series.id},
            {"metadata", {{"t", t_of(event.at)}}}});
}

void Recorder::Impl::end_series(const std::string& step) {
  for (auto at = series_.begin(); at != series_.end();) {
    if (std::get<0>(at->first) != step) {
      ++at;
      continue;
    }
    artifact(step, "measurementSeriesEnd", {{"measurementSeriesId", at->second.id}, {"totalCount", at->second.count}});
    at = series_.erase(at);
  }
}

std::string Recorder::Impl::add_file(const std::string& name, const std::string& content) {
  std::string safe = name;
  for (char& c : safe) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
    if (!plain) c = '_';
  }
  const std::string uri = fmt::format("files/{}-{}", ++files_, safe);
  std::error_code error;
  std::filesystem::create_directories(folder_ + "/files", error);
  std::ofstream out(folder_ + "/" + uri, std::ios::binary);
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
  out.flush();
  if (!out) {
    throw FailureError({ErrorClass::infrastructure, "record_write_failed", "cannot write " + folder_ + "/" + uri,
                        "disk", "", "", "a full disk or missing permissions"});
  }
  return uri;
}

Recorder::Recorder(const std::string& folder)
    : impl_(std::make_unique<Impl>(folder, std::make_unique<LineFile>(folder + "/events.jsonl"), 0,
                                   OcpLines::Trouble::throws)) {}
Recorder::Recorder(const std::string& folder, std::uint64_t next)
    : impl_(std::make_unique<Impl>(folder, std::make_unique<LineFile>(folder + "/events.jsonl", LineFile::Open::go_on),
                                   next, OcpLines::Trouble::remembered)) {}
Recorder::~Recorder() = default;

const std::string& Recorder::trouble() const { return impl_->trouble(); }

void Recorder::abandoned(const RecordTail& tail, const std::string& why, Instant at) {
  for (const auto& [verdict, count] : tail.measurements) impl_->measurements[verdict] += count;
  impl_->checks_held += tail.checks_held;
  impl_->checks_broken += tail.checks_broken;
  for (const auto& series : tail.series) {
    impl_->artifact(series.step, "measurementSeriesEnd",
                    {{"measurementSeriesId", series.id}, {"totalCount", series.count}});
  }
  for (auto step = tail.open.rbegin(); step != tail.open.rend(); ++step) {
    impl_->go_on_with(step->id);
    if (step->id == kBenchStep) continue;
    impl_->end_step(step->id, Verdict::aborted,
                    {{"t", t_of(at)},
                     {"duration_s", seconds(at - step->start)},
                     {"verdict", name_of(Verdict::aborted)},
                     {"attempts", 1},
                     {"skip_reason", why}});
  }
}

void Recorder::run_started(const RunInfo& info, const SequencePlan& sequence, const BenchPlan& bench) {
  impl_->schema_version();
  Json faults = Json::array();
  for (const auto& fault : bench.faults) {
    Json one = {{"name", fault.name}};
    put(one, "value", fault.value);
    faults.push_back(std::move(one));
  }
  Json set = Json::object();
  for (const auto& [name, value] : sequence.parameters) set[name] = to_text(value);
  Json parameters = {{"seed", std::to_string(info.seed)},
                     {"sequence", sequence.name},
                     {"sequence_file", sequence.file},
                     {"sequence_sha256", sequence.sha256},
                     {"bench", bench.name},
                     {"bench_file", bench.file},
                     {"bench_sha256", bench.sha256},
                     {"binary_sha256", info.binary_sha256},
                     {"firstlight_version", info.version},
                     {"time_scale", bench.time_scale},
                     {"simulated", info.simulated},
                     {"faults", std::move(faults)},
                     {"set", std::move(set)}};
  if (!info.bench_variables.empty()) {
    Json& variables = parameters["bench_variables"] = Json::object();
    for (const auto& [name, value] : info.bench_variables) variables[name] = value;
  }
  Json hardware = {{"hardwareInfoId", "dut"}, {"name", bench.dut.name}};
  put(hardware, "partNumber", bench.dut.part_number);
  put(hardware, "serialNumber", bench.dut.serial_number);
  Json software = {{"softwareInfoId", "firstlight"},
                   {"name", "firstlight"},
                   {"version", info.version},
                   {"softwareType", "APPLICATION"}};
  Json dut = {{"dutInfoId", "dut"},
              {"name", bench.dut.name},
              {"hardwareInfos", Json::array({std::move(hardware)})},
              {"softwareInfos", Json::array({std::move(software)})}};
  Json metadata = {{"wall_run", info.name},
                   {"wall_start", wall_timestamp()},
                   {"wall_command_line", info.typed_command_line},
                   {"wall_host", host_name()},
                   {"wall_pid", ::getpid()}};
  put(metadata, "doc", sequence.doc);
  impl_->run_artifact("testRunStart", {{"name", sequence.name},
                                       {"version", sequence.version},
                                       {"commandLine", info.command_line},
                                       {"parameters", std::move(parameters)},
                                       {"dutInfo", std::move(dut)},
                                       {"metadata", std::move(metadata)}});
  impl_->start_step(kBenchStep, "bench", {}, {{"t", 0.0}, {"kind", "pseudo"}, {"id", kBenchStep}, {"title", "bench"}});
}

void Recorder::step_started(const StepStarted& event) {
  Json content = {{"t", t_of(event.at)}, {"kind", name_of(event.kind)}};
  const StepPlan* plan = event.plan;
  const PhasePlan* phase = event.phase_plan;
  content["id"] = plan != nullptr ? plan->id : phase != nullptr ? phase->name : event.step;
  content["title"] = event.title;
  put(content, "parent", event.parent);
  put(content, "phase", event.phase);
  put(content, "section", event.section);
  content["index"] = event.index;
  if (event.timeout) content["timeout_s"] = seconds(*event.timeout);
  const auto on_fail = [](OnFail rule) { return rule == OnFail::stop ? "stop" : "continue"; };
  SourceLocation where;
  if (phase != nullptr) {
    content["on_fail"] = on_fail(phase->on_fail);
    where = phase->where;
  }
  if (plan != nullptr) {
    where = plan->where;
    if (plan->kind == StepPlan::Kind::verb) {
      content["verb"] = plan->verb;
      Json with = Json::object();
      for (const auto& [name, value] : plan->with) with[name] = json_of(value);
      content["with"] = std::move(with);
    }
    if (!plan->limits.empty()) {
      Json limits = Json::object();
      for (const auto& [name, limit] : plan->limits) limits[name] = json_of(limit);
      content["limits"] = std::move(limits);
    }
    if (plan->retry.times > 0) {
      content["retry_times"] = plan->retry.times;
      content["retry_delay_s"] = seconds(plan->retry.delay);
    }
    if (plan->when) content["when"] = plan->when->text;
    content["on_fail"] = on_fail(plan->on_fail);
  }
  if (!where.file.empty()) content["where"] = json_of(where);
  impl_->start_step(event.step, event.title, where, std::move(content));
}

void Recorder::attempt_failed(const AttemptFailed& event) {
  Json content = {{"t", t_of(event.at)}, {"attempt", event.attempt}, {"verdict", name_of(event.verdict)}};
  if (event.failure) content["failure"] = json_of(*event.failure);
  content["next_in_s"] = seconds(event.next_in);
  impl_->extension(event.step, "firstlight.attempt", std::move(content));
}

void Recorder::step_ended(const StepEnded& event) {
  Json content = {{"t", t_of(event.at)},
                  {"duration_s", seconds(event.duration)},
                  {"verdict", name_of(event.verdict)},
                  {"attempts", event.attempts}};
  if (event.intermittent) content["intermittent"] = true;
  put(content, "skip_reason", event.skip_reason);
  if (event.failure) {
    if (!event.failure_is_told) impl_->tell_failure(event.step, *event.failure);
    content["failure"] = json_of(*event.failure);
  } else if (event.kind == StepKind::verb && event.verdict <= Verdict::marginal) {
    impl_->artifact(event.step, "diagnosis", {{"verdict", name_of(event.verdict)}, {"type", "PASS"}});
  }
  impl_->end_step(event.step, event.verdict, std::move(content));
}

void Recorder::measured(const Measured& event) {
  ++impl_->measurements[event.verdict];
  Json content = {{"name", name_of(event)}, {"value", json_of(event.value.value)}};
  put(content, "unit", std::string(base_unit(event.value.dimension)));
  if (event.limit) content["validators"] = validators_of(*event.limit);
  if (!event.part.empty()) content["subcomponent"] = {{"name", event.part}};
  Json metadata = {{"t", t_of(event.at)}, {"verdict", name_of(event.verdict)}, {"measure", event.measure}};
  put(metadata, "subject", event.subject);
  put(metadata, "part", event.part);
  metadata["attempt"] = event.attempt;
  metadata["text"] = to_text(event.value);
  if (event.limit) {
    metadata["limit"] = to_text(*event.limit);
    metadata["margin"] = json_of(margin_of(event.value.value, *event.limit));
  }
  content["metadata"] = std::move(metadata);
  impl_->artifact(event.step, "measurement", std::move(content));
}

void Recorder::checked(const Checked& event) {
  ++(event.holds ? impl_->checks_held : impl_->checks_broken);
  Json content = {{"name", event.name.empty() ? "check" : event.name}, {"value", event.found}};
  if (!event.part.empty()) content["subcomponent"] = {{"name", event.part}};
  Json metadata = {{"t", t_of(event.at)},
                   {"check", true},
                   {"holds", event.holds},
                   {"expected", event.expected},
                   {"verdict", event.holds ? "pass" : "fail"}};
  put(metadata, "part", event.part);
  metadata["attempt"] = event.attempt;
  content["metadata"] = std::move(metadata);
  impl_->artifact(event.step, "measurement", std::move(content));
}

void Recorder::failure_noted(const std::string& step, const FailureEvent& event) {
  impl_->extension(step, "firstlight.failure", json_of(event));
}

void Recorder::sampled(const Sampled& event) { impl_->sample(event); }

void Recorder::logged(const Logged& event) {
  static constexpr std::array<const char*, 4> kSeverities = {"DEBUG", "INFO", "WARNING", "ERROR"};
  Json content = {{"severity", kSeverities.at(static_cast<std::size_t>(event.severity))},
                  {"message", fmt::format("[{:.9f} s] {}", t_of(event.at), event.message)}};
  if (event.step.empty()) {
    impl_->run_artifact("log", std::move(content));
  } else {
    impl_->artifact(event.step, "log", std::move(content));
  }
}

void Recorder::progressed(const std::string& step, Instant at, double share, const std::string& text) {
  if (!impl_->progress_is_due(step, at)) return;
  impl_->extension(step, "firstlight.progress", {{"t", t_of(at)}, {"share", json_of(share)}, {"text", text}});
}

void Recorder::data(const std::string& step, Instant at, int attempt, const std::string& kind,
                    const std::string& json) {
  Json value = Json::parse(json, nullptr, false);
  if (value.is_discarded()) {
    throw FailureError({ErrorClass::bug, "data_not_json", "the data of kind \"" + kind + "\" is not JSON: " + json, "",
                        "", "", "a step wrote text where one JSON value belongs"});
  }
  impl_->extension(step, "firstlight.data",
                   {{"t", t_of(at)}, {"kind", kind}, {"attempt", attempt}, {"value", std::move(value)}});
}

void Recorder::attached(const std::string& step, Instant at, int attempt, const std::string& name,
                        const std::string& media_type, const std::string& content) {
  Json metadata = {{"t", t_of(at)}, {"attempt", attempt}, {"sha256", sha256_of(content)}, {"bytes", content.size()}};
  Json file = {{"displayName", name}, {"uri", impl_->add_file(name, content)}};
  put(file, "contentType", media_type);
  file["isSnapshot"] = true;
  file["metadata"] = std::move(metadata);
  impl_->artifact(step, "file", std::move(file));
}

void Recorder::monitor(const MonitorEvent& event) {
  Json content = {{"t", t_of(event.at)}, {"name", event.name}, {"event", event.event}};
  if (event.event == "started" && event.request != nullptr) {
    content["step"] = event.step;
    content["measurables"] = event.request->measurables;
    content["period_s"] = seconds(event.request->period);
    if (event.request->has_limit) content["limit"] = json_of(event.request->limit);
  }
  Json value = Json::object();
  if (event.value) {
    value = {{"subject", event.subject}, {"value", json_of(event.value->value)}};
    put(value, "unit", std::string(base_unit(event.value->dimension)));
  }
  if (event.event == "stopped") {
    content["verdict"] = name_of(event.verdict.value_or(Verdict::pass));
    content["samples"] = event.samples;
    content["unreadable"] = event.unreadable;
    if (event.value) {
      value["t"] = t_of(event.worst_at);
      value["margin"] = json_of(event.worst_margin);
      content["worst"] = std::move(value);
    }
  } else {
    content.update(value);
    if (event.verdict) content["verdict"] = name_of(*event.verdict);
    if (event.failure) content["failure"] = json_of(*event.failure);
  }
  impl_->extension(kBenchStep, "firstlight.monitor", std::move(content));
}

void Recorder::interlock(const InterlockEvent& event) {
  static constexpr std::array<const char*, 3> kActions = {"warn", "suspend", "trip"};
  Json content = {{"t", t_of(event.at)},
                  {"name", event.plan->name},
                  {"event", event.event},
                  {"watch", event.plan->watch},
                  {"action", kActions.at(static_cast<std::size_t>(event.plan->action))},
                  {"limit", to_text(event.limit)},
                  {"dwell_s", seconds(event.plan->dwell)}};
  const bool summary = event.event == "summary";
  if (event.value) content[summary ? "worst" : "value"] = json_of(event.value->value);
  put(content, "unit", std::string(base_unit(event.limit.dimension)));
  if (summary) content["samples_taken"] = event.samples_taken;
  if (summary && event.value) content["worst_t"] = t_of(event.worst_at);
  if (!event.samples.empty()) {
    Json samples = Json::array();
    for (const auto& [at, value] : event.samples) samples.push_back(Json::array({t_of(at), json_of(value)}));
    content["samples"] = std::move(samples);
  }
  if (event.failure) content["failure"] = json_of(*event.failure);
  impl_->extension(kBenchStep, "firstlight.interlock", std::move(content));
}

void Recorder::ledger(const LedgerEvent& event) {
  Json content = {{"t", t_of(event.at)}, {"event", event.event}};
  if (event.entry > 0) content["entry"] = event.entry;
  content["key"] = event.key;
  put(content, "what", event.what);
  put(content, "undo", event.undo);
  if (event.replaces > 0) content["replaces"] = event.replaces;
  if (event.event != "energise" && event.event != "released" && event.event != "undo")
    content["duration_s"] = seconds(event.duration);
  if (event.failure) content["failure"] = json_of(*event.failure);
  impl_->extension(event.step, "firstlight.ledger", std::move(content));
}

void Recorder::made_safe(const MadeSafe& event) {
  Json failed = Json::array();
  for (const auto& [key, failure] : event.failed) failed.push_back({{"key", key}, {"failure", json_of(failure)}});
  impl_->extension(event.step, "firstlight.safe_state",
                   {{"t", t_of(event.at)},
                    {"reason", event.reason},
                    {"undone", event.undone},
                    {"failed", std::move(failed)},
                    {"verified", json_of(event.verified)},
                    {"safe", event.safe}});
}

void Recorder::prompted(const Prompted& event) {
  Json content = {{"t", t_of(event.at)}, {"question", event.question}, {"choices", event.choices}};
  if (event.answer) content["answer"] = *event.answer;
  impl_->extension(event.step, "firstlight.prompt", std::move(content));
}

void Recorder::run_ended(const RunEnded& event) {
  impl_->end_series(kBenchStep);
  Json counts = Json::object();
  Json measurements = Json::object();
  for (std::size_t i = 0; i < kVerdictNames.size(); ++i) {
    const auto verdict = static_cast<Verdict>(i);
    const auto found = event.counts.find(verdict);
    counts[std::string(name_of(verdict))] = found == event.counts.end() ? 0 : found->second;
    if (verdict != Verdict::pass && verdict != Verdict::marginal && verdict != Verdict::fail) continue;
    measurements[std::string(name_of(verdict))] = impl_->measurements[verdict];
  }
  Json content = {{"t", t_of(event.at)},
                  {"verdict", name_of(event.verdict)},
                  {"exit_status", event.exit_status},
                  {"counts", std::move(counts)},
                  {"measurements", std::move(measurements)},
                  {"checks", {{"pass", impl_->checks_held}, {"fail", impl_->checks_broken}}}};
  Verdict own = Verdict::pass;
  if (event.first_failure) {
    const FirstFailure& first = *event.first_failure;
    Json json = Json::object();
    put(json, "phase", first.phase);
    put(json, "section", first.section);
    json["step"] = first.step;
    json["id"] = first.id;
    put(json, "title", first.title);
    put(json, "verb", first.verb);
    if (!first.where.file.empty()) json["where"] = json_of(first.where);
    if (!first.during.empty()) json["during"] = first.during;
    json.update(json_of(first.event));
    content["first_failure"] = std::move(json);
    if (first.step == kBenchStep) {
      own = event.verdict;
      impl_->tell_failure(kBenchStep, first.event);
    }
  }
  content["safe"] = event.safe;
  put(content, "made_safe_by", event.made_safe_by);
  content["bench_time_s"] = seconds(event.bench_time);
  content["seed"] = std::to_string(event.seed);
  put(content, "reproduce", event.reproduce);
  content["wall_time_s"] = wall_since(impl_->start);
  content["wall_end"] = wall_timestamp();
  impl_->extension(kBenchStep, "firstlight.run_end", std::move(content));
  impl_->end_step(
      kBenchStep, own,
      {{"t", t_of(event.at)}, {"duration_s", seconds(event.bench_time)}, {"verdict", name_of(own)}, {"attempts", 1}});
  impl_->run_artifact("testRunEnd", {{"status", ocp_status(event.verdict)}, {"result", ocp_result(event.verdict)}});
}

}  // namespace firstlight
