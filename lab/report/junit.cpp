#include <fmt/format.h>

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <map>
#include <set>
#include <sstream>

#include "lab/report/views.h"

namespace firstlight::report {
namespace {

using Tree = boost::property_tree::ptree;

struct Suite {
  Tree cases;
  int tests = 0;
  int failures = 0;
  int errors = 0;
  int skipped = 0;
  double time = 0;
};

/// XML 1.0 has no way to write most control characters.
std::string printable(const std::string& text) {
  std::string out;
  for (const char c : text) out += (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t') ? c : '?';
  for (const char* never : {"\xef\xbf\xbe", "\xef\xbf\xbf"})  // U+FFFE and U+FFFF are no characters of XML
    for (std::size_t at = out.find(never); at != std::string::npos; at = out.find(never, at)) out.replace(at, 3, "?");
  return out;
}

std::string details(const FailureRecord& failure) {
  std::string out = failure.message + "\n";
  const auto add = [&](const char* label, const std::string& value) {
    if (!value.empty()) out += fmt::format("{}: {}\n", label, value);
  };
  add("class", failure.error_class);
  add("part", failure.part);
  add("sent", failure.sent);
  add("received", failure.received);
  add("likely cause", failure.likely_cause);
  return printable(out);
}

void add_outcome(Tree& entry, Suite& suite, Verdict verdict, const FailureRecord& failure) {
  const char* element = verdict == Verdict::fail ? "failure" : "error";
  ++(verdict == Verdict::fail ? suite.failures : suite.errors);
  Tree outcome;
  outcome.put("<xmlattr>.message", printable(failure.message));
  outcome.put("<xmlattr>.type", printable(failure.symptom));
  outcome.put_value(details(failure));
  entry.add_child(element, outcome);
}

std::string output_of(const StepRecord& step) {
  std::string out;
  if (step.verdict == Verdict::marginal)
    out += step.intermittent ? "marginal: passed only after a retry\n" : "marginal\n";
  for (const MeasurementRecord& m : step.measurements)
    out += fmt::format("{} {} = {}{}\n", name_of(m.verdict), m.name, m.text,
                       m.limit.empty() ? "" : fmt::format(" (limit {})", m.limit));
  for (const std::string& log : step.logs) out += log + "\n";
  return printable(out);
}

void add_step(Suite& suite, const StepRecord& step) {
  Tree entry;
  entry.put("<xmlattr>.name", printable(step.own_id));
  entry.put("<xmlattr>.classname", printable(step.phase + "." + step.section));
  entry.put("<xmlattr>.time", fmt::format("{:.6f}", step.wall_duration_s));
  entry.put("<xmlattr>.file", printable(step.file));
  entry.put("<xmlattr>.line", step.line);
  ++suite.tests;
  suite.time += step.wall_duration_s;
  if (step.verdict == Verdict::skip) {
    ++suite.skipped;
    entry.put("skipped.<xmlattr>.message", printable(step.skip_reason));
  } else if (!is_good(step.verdict)) {
    FailureRecord failure = step.failure.value_or(FailureRecord{});
    if (failure.message.empty())
      failure.message = step.ended ? std::string(name_of(step.verdict)) : "the record ends while this step was running";
    add_outcome(entry, suite, step.verdict, failure);
  }
  if (const std::string out = output_of(step); !out.empty()) entry.put("system-out", out);
  suite.cases.add_child("testcase", entry);
}

/// What failed without being a verb's doing must still turn the JUnit view red.
void add_outside(Suite& suite, const RunRecord& run, const std::set<std::string>& verbs) {
  if (is_good(run.verdict)) return;
  const bool told = run.first_failure && verbs.count(run.first_failure->step) != 0;
  if (told) return;
  Tree entry;
  FailureRecord failure = run.first_failure ? run.first_failure->failure : FailureRecord{};
  if (failure.message.empty()) failure.message = fmt::format("the run ended with the verdict {}", name_of(run.verdict));
  entry.put("<xmlattr>.name",
            printable(run.first_failure && !run.first_failure->id.empty() ? run.first_failure->id : "run"));
  entry.put("<xmlattr>.classname", "bench");
  entry.put("<xmlattr>.time", "0");
  ++suite.tests;
  add_outcome(entry, suite, run.verdict, failure);
  suite.cases.add_child("testcase", entry);
}

Tree suite_tree(const std::string& name, const Suite& suite, const RunRecord& run) {
  Tree out;
  out.put("<xmlattr>.name", printable(name));
  out.put("<xmlattr>.tests", suite.tests);
  out.put("<xmlattr>.failures", suite.failures);
  out.put("<xmlattr>.errors", suite.errors);
  out.put("<xmlattr>.skipped", suite.skipped);
  out.put("<xmlattr>.time", fmt::format("{:.6f}", suite.time));
  out.put("<xmlattr>.timestamp", printable(run.wall_start.substr(0, 19)));
  for (const auto& [tag, entry] : suite.cases) out.add_child(tag, entry);
  return out;
}

}  // namespace

std::string junit_xml(const RunRecord& run) {
  std::vector<std::pair<std::string, Suite>> suites;
  std::map<std::string, std::size_t> index;
  std::set<std::string> bad_verbs;
  const auto suite_of = [&](const std::string& phase) -> Suite& {
    const auto [it, fresh] = index.emplace(phase, suites.size());
    if (fresh) suites.emplace_back(phase, Suite{});
    return suites[it->second].second;
  };
  for (const StepRecord& step : run.steps) {
    if (step.kind != "verb" || step.superseded) continue;
    add_step(suite_of(step.phase), step);
    if (!is_good(step.verdict)) bad_verbs.insert(step.id);
  }
  add_outside(suite_of("bench"), run, bad_verbs);

  Tree root;
  Suite total;
  Tree& all = root.add_child("testsuites", Tree());
  for (const auto& [name, suite] : suites) {
    if (suite.tests == 0) continue;
    total.tests += suite.tests;
    total.failures += suite.failures;
    total.errors += suite.errors;
    total.skipped += suite.skipped;
    all.add_child("testsuite", suite_tree(name, suite, run));
  }
  all.put("<xmlattr>.name", printable(run.name + " on " + run.bench));
  all.put("<xmlattr>.tests", total.tests);
  all.put("<xmlattr>.failures", total.failures);
  all.put("<xmlattr>.errors", total.errors);
  all.put("<xmlattr>.skipped", total.skipped);
  all.put("<xmlattr>.time", fmt::format("{:.6f}", run.wall_time_s));
  std::ostringstream out;
  boost::property_tree::write_xml(out, root, boost::property_tree::xml_writer_make_settings<std::string>(' ', 2));
  return out.str();
}

}  // namespace firstlight::report
