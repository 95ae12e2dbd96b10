#include <nlohmann/json.hpp>

#include "lab/report/views.h"

namespace firstlight::report {
namespace {

nlohmann::ordered_json first_failure(const FirstFailure& first) {
  nlohmann::ordered_json out;
  const auto put = [&](const char* key, const std::string& value) {
    if (!value.empty()) out[key] = value;
  };
  put("phase", first.phase);
  put("section", first.section);
  put("step", first.step);
  put("id", first.id);
  put("verb", first.verb);
  put("class", first.failure.error_class);
  put("symptom", first.failure.symptom);
  put("message", first.failure.message);
  put("part", first.failure.part);
  put("sent", first.failure.sent);
  put("received", first.failure.received);
  put("likely_cause", first.failure.likely_cause);
  if (!first.file.empty()) out["where"] = first.file + ":" + std::to_string(first.line);
  out["bench_time_s"] = first.t;
  return out;
}

nlohmann::ordered_json counts(const std::map<std::string, int>& by_verdict) {
  nlohmann::ordered_json out;
  for (const std::string_view verdict : kVerdictNames) {
    const auto it = by_verdict.find(std::string(verdict));
    out[std::string(verdict)] = it == by_verdict.end() ? 0 : it->second;
  }
  return out;
}

}  // namespace

std::string summary_json(const RunRecord& run) {
  nlohmann::ordered_json out;
  out["run"] = run.run;
  out["sequence"] = run.name;
  out["bench"] = run.bench;
  out["verdict"] = name_of(run.verdict);
  out["exit_status"] = run.exit_status;
  out["complete"] = run.complete;
  out["safe"] = run.safe;
  if (!run.made_safe_by.empty()) out["made_safe_by"] = run.made_safe_by;
  out["counts"] = counts(run.counts);
  out["measurements"] = counts(run.measurement_counts);
  out["seed"] = run.seed;
  out["bench_time_s"] = run.bench_time_s;
  out["wall_time_s"] = run.wall_time_s;
  out["time_scale"] = run.time_scale;
  out["wall_start"] = run.wall_start;
  out["reproduce"] = run.reproduce;
  out["first_failure"] = run.first_failure ? first_failure(*run.first_failure) : nlohmann::ordered_json(nullptr);
  return out.dump(2) + "\n";
}

}  // namespace firstlight::report
