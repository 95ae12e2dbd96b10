#include "lab/runner/ocp_lines.h"

#include <utility>

namespace firstlight {

namespace {

using SteadyClock = std::chrono::steady_clock;

double wall_since(SteadyClock::time_point start) {
  return std::chrono::duration<double>(SteadyClock::now() - start).count();
}

}  // namespace

const char* ocp_status(Verdict verdict) {
  if (verdict == Verdict::skip) return "SKIP";
  return verdict == Verdict::aborted || verdict == Verdict::error ? "ERROR" : "COMPLETE";
}

OcpLines::OcpLines(std::unique_ptr<LineFile> file, std::uint64_t next, Trouble trouble)
    : file_(std::move(file)), sequence_(next), trouble_(trouble) {}

void OcpLines::run_artifact(const char* kind, Json content) {
  Json artifact = Json::object();
  artifact[kind] = std::move(content);
  line("testRunArtifact", std::move(artifact));
}

void OcpLines::artifact(const std::string& step, const char* kind, Json content) {
  Json artifact = {{"testStepId", step}};
  artifact[kind] = std::move(content);
  line("testStepArtifact", std::move(artifact));
}

void OcpLines::extension(const std::string& step, const char* name, Json content) {
  artifact(step, "extension", {{"name", name}, {"content", std::move(content)}});
}

void OcpLines::schema_version() { line("schemaVersion", {{"major", 2}, {"minor", 0}}); }

void OcpLines::start_step(const std::string& step, const std::string& title, const SourceLocation& where,
                          Json content) {
  open_[step] = {SteadyClock::now(), where};
  artifact(step, "testStepStart", {{"name", title}});
  extension(step, "firstlight.step", std::move(content));
}

void OcpLines::go_on_with(const std::string& step) { open_[step] = {SteadyClock::now(), {}}; }

void OcpLines::end_step(const std::string& step, Verdict verdict, Json content) {
  content["wall_duration_s"] = wall_since(open_[step].start);
  open_.erase(step);
  extension(step, "firstlight.step_end", std::move(content));
  artifact(step, "testStepEnd", {{"status", ocp_status(verdict)}});
}

void OcpLines::tell_failure(const std::string& step, const FailureEvent& event) {
  const Failure& failure = event.failure;
  Json content = Json::object();
  const bool diagnosis = failure.error_class == ErrorClass::dut || failure.error_class == ErrorClass::interlock;
  content[diagnosis ? "verdict" : "symptom"] = failure.symptom;
  if (diagnosis) content["type"] = "FAIL";
  content["message"] = failure.message;
  if (diagnosis && !failure.part.empty()) content["subcomponent"] = {{"name", failure.part}};
  const auto where = open_.find(step);
  if (where != open_.end() && !where->second.where.file.empty())
    content["sourceLocation"] = json_of(where->second.where);
  artifact(step, diagnosis ? "diagnosis" : "error", std::move(content));
}

void OcpLines::line(const char* kind, Json content) {
  Json root = Json::object();
  root[kind] = std::move(content);
  root["sequenceNumber"] = sequence_++;
  root["timestamp"] = wall_timestamp();
  if (!told_trouble_.empty()) return;
  try {
    file_->write(line_of(root));
  } catch (const FailureError& error) {
    // Told once: what follows is the way to the safe state, which must not fail for want of a disk.
    told_trouble_ = error.failure().message;
    if (trouble_ == Trouble::throws) throw;
  }
}

}  // namespace firstlight
