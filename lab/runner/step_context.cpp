#include "lab/runner/step_context.h"

#include <fmt/format.h>

#include <algorithm>

namespace firstlight {

namespace {

/// FNV-1a over the id, mixed with the seed by the finaliser of SplitMix64.
std::uint64_t derived_seed(std::uint64_t seed, const std::string& id) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : id) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  std::uint64_t z = seed + hash + 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

std::string joined(const std::vector<std::string>& list) {
  std::string text;
  for (const auto& one : list) text += (text.empty() ? "" : ", ") + one;
  return text;
}

}  // namespace

Verdict verdict_of(ErrorClass error_class) {
  return error_class == ErrorClass::dut || error_class == ErrorClass::interlock ? Verdict::fail : Verdict::error;
}

RunningStep::RunningStep(RunContext& run, std::string id, const StepPlan& plan, int attempt, Instant deadline)
    : run_(run), id_(std::move(id)), plan_(plan), attempt_(attempt), deadline_(deadline) {}

bool RunningStep::has(std::string_view param) const {
  const auto found = plan_.with.find(std::string(param));
  return found != plan_.with.end() && found->second.is_set();
}

const Value& RunningStep::with(std::string_view param) const {
  const auto found = plan_.with.find(std::string(param));
  if (found != plan_.with.end()) return found->second;
  throw FailureError(
      {ErrorClass::bug, "parameter_missing",
       fmt::format("step {} ({}) asks for its parameter \"{}\", which the plan lacks", id_, plan_.verb, param), "", "",
       "", "the step's specification and its code disagree"});
}

std::uint64_t RunningStep::seed() const { return derived_seed(run_.seed, plan_.id); }

Verdict RunningStep::measure(const std::string& name, const Quantity& value, const std::string& subject,
                             const std::string& part) {
  const auto limit = plan_.limits.find(name);
  return record(name, value, limit == plan_.limits.end() ? nullptr : &limit->second, subject, part);
}

Verdict RunningStep::measure(const std::string& name, const Quantity& value, const Limit& limit,
                             const std::string& subject, const std::string& part) {
  const auto own = plan_.limits.find(name);
  return record(name, value, own == plan_.limits.end() ? &limit : &own->second, subject, part);
}

Verdict RunningStep::record(const std::string& name, const Quantity& value, const Limit* limit,
                            const std::string& subject, const std::string& part) {
  run_.gate.pass();
  if (limit != nullptr && limit->dimension != value.dimension) {
    throw FailureError({ErrorClass::bug, "limit_dimension",
                        fmt::format("step {} measured a {} where its limit speaks of a {}", id_,
                                    name_of(value.dimension), name_of(limit->dimension)),
                        "", "", "", ""});
  }
  Measured event;
  event.step = id_;
  event.measure = name;
  event.subject = subject;
  event.part = part;
  event.verb = plan_.verb;
  event.value = value;
  if (limit != nullptr) event.limit = *limit;
  event.verdict = limit != nullptr ? judge(value.value, *limit) : Verdict::pass;
  event.attempt = attempt_;
  event.at = run_.scheduler.now();
  run_.listener.measured(event);
  const std::string what = firstlight::name_of(event);
  last_said_ = what + " = " + to_text(value);
  verdict_ = worst(verdict_, event.verdict);
  if (event.verdict == Verdict::fail) {
    blame({ErrorClass::dut, "limit_exceeded",
           fmt::format("{} is {}, outside {}", what, to_text(value), to_text(*limit)), part.empty() ? subject : part,
           "", "", ""});
  }
  return event.verdict;
}

Verdict RunningStep::expect(const std::string& name, bool holds, const std::string& expected, const std::string& found,
                            const std::string& part) {
  run_.gate.pass();
  run_.listener.checked({id_, name, holds, expected, found, part, attempt_, run_.scheduler.now()});
  last_said_ = name + ": " + found;
  if (holds) return Verdict::pass;
  blame({ErrorClass::dut, "check_failed", fmt::format("{}: expected {}, found {}", name, expected, found), part, "",
         found, ""});
  return Verdict::fail;
}

void RunningStep::note_failure(Failure failure) {
  run_.listener.failure_noted(id_, {failure, run_.scheduler.now(), attempt_});
  last_said_ = failure.message;
  blame(std::move(failure));
}

void RunningStep::blame(Failure failure) {
  verdict_ = worst(verdict_, verdict_of(failure.error_class));
  if (!failure_) failure_ = FailureEvent{std::move(failure), run_.scheduler.now(), attempt_};
}

void RunningStep::sample(const std::string& series, const Quantity& value) {
  Sampled event;
  event.step = id_;
  event.series = series;
  event.value = value;
  event.attempt = attempt_;
  event.at = run_.scheduler.now();
  run_.listener.sampled(event);
}

void RunningStep::log(Severity severity, const std::string& message) {
  run_.gate.pass();
  last_said_ = message;
  run_.listener.logged({id_, severity, message, run_.scheduler.now()});
}

void RunningStep::data(const std::string& kind, const std::string& json) {
  run_.listener.data(id_, run_.scheduler.now(), attempt_, kind, json);
}

void RunningStep::attach(const std::string& name, const std::string& media_type, const std::string& content) {
  run_.listener.attached(id_, run_.scheduler.now(), attempt_, name, media_type, content);
}

void RunningStep::progress(double share, const std::string& text) {
  run_.gate.pass();
  if (!text.empty()) last_said_ = text;
  run_.listener.progressed(id_, run_.scheduler.now(), share, text);
}

void RunningStep::energise(EnergisingAction action) {
  run_.gate.pass();
  last_said_ = action.what;
  run_.ledger.energise(id_, std::move(action));
}

void RunningStep::de_energised(const std::string& key) { run_.ledger.released(id_, key); }

void RunningStep::start_monitor(MonitorRequest request) { run_.monitors.start(std::move(request), id_); }

Verdict RunningStep::stop_monitor(const std::string& name) {
  const MonitorResult result = run_.monitors.stop(name);
  verdict_ = worst(verdict_, result.verdict);
  if (result.failure && !is_good(result.verdict) && !failure_) failure_ = result.failure;
  return result.verdict;
}

std::string RunningStep::ask(const std::string& question, const std::vector<std::string>& choices) {
  last_said_ = "asked: " + question;
  std::optional<std::string> answer;
  if (run_.person != nullptr) answer = run_.person->ask(run_.scheduler, question, choices, deadline_);
  run_.listener.prompted({id_, question, choices, answer, run_.scheduler.now()});
  if (answer && (choices.empty() || std::find(choices.begin(), choices.end(), *answer) != choices.end()))
    return *answer;
  throw FailureError({ErrorClass::operator_, "no_operator",
                      fmt::format("no one answered \"{}\" (choices: {})", question, joined(choices)), "operator",
                      question, answer ? *answer : "nothing",
                      "the run has no terminal, or the time for the answer is over"});
}

}  // namespace firstlight
