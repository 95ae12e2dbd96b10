#include "lab/runner/recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <thread>

#include "tests/unit/runner/fake_run.h"

namespace firstlight {
namespace {

using nlohmann::json;
using test::FakeRun;
using test::ms;
using ::testing::HasSubstr;
using Kind = StepPlan::Kind;

/// A run that makes every kind of line there is.
void fill(FakeRun& run) {
  run.plan.file = "bench.yaml";
  run.plan.faults = {{"lane_dead", "2", {}}, {"no_flow", "", {}}};
  run.plan.dut = {"tern", "TERN-A0", "SIM-0001"};
  run.sequence.doc = "All of it, with a \"quote\" and \xff, which is no UTF-8.";
  run.sequence.parameters["soak"] = Value{Quantity{60, Dimension::temperature}, {}};
  run.rail("vdd");
  InterlockPlan interlock;
  interlock.name = "hot";
  interlock.watch = "die";
  interlock.above = Quantity{100, Dimension::temperature};
  interlock.action = InterlockAction::warn;
  interlock.period = ms(1);
  run.plan.interlocks = {interlock};
  run.measurable("die", Dimension::temperature, [&run] {
    const Instant now = run.scheduler.now();
    if (now > test::at_ms(60)) throw FailureError({ErrorClass::infrastructure, "nack", "no answer", "", "", "", ""});
    return Quantity{now > test::at_ms(30) ? 120.0 : 60.0, Dimension::temperature};
  });
  run.verb("all", [](StepContext& c) {
    test::power_on("vdd")(c);
    MonitorRequest monitor;
    monitor.name = "m";
    monitor.measurables = {"die"};
    monitor.limit = Limit::at_most({100, Dimension::temperature});
    monitor.has_limit = true;
    c.start_monitor(monitor);
    c.measure("a", {1.0, Dimension::voltage}, Limit::between({0.9, Dimension::voltage}, {1.1, Dimension::voltage}),
              "vdd.voltage", "dmm0");
    c.measure("equal", {3, Dimension::none}, Limit::between({3, Dimension::none}, {3, Dimension::none}), "");
    c.measure("", {std::nan(""), Dimension::none}, "");
    c.measure("inf", {INFINITY, Dimension::none}, "");
    c.expect("id", true, "1", "1", "u1");
    c.expect("", true, "1", "1");
    for (int i = 0; i < 10; ++i) {
      c.sample("vdd.voltage", {1.0 + i, Dimension::voltage});
      c.time().sleep(ms(10));
    }
    c.log(Severity::warning, "warm");
    c.data("ltssm_trace", R"({"link":"link0","entries":[]})");
    c.attach("a/../b c.txt", "text/plain", "hello");
    c.progress(0.5, "half");
    c.note_failure({ErrorClass::infrastructure, "retry", "PEC", "vr", "W", "R", "noise"});
  });
  int calls = 0;
  run.verb("flaky", [calls](StepContext& c) mutable {
    if (++calls < 2) c.fail({ErrorClass::dut, "s", "m", "p", "", "", ""});
  });
  run.verb("ask", [](StepContext& c) { c.ask("?", {"yes"}); });
  const auto goes_on = [](StepPlan plan) {
    plan.on_fail = OnFail::continue_;
    return plan;
  };
  StepPlan flaky = FakeRun::step("flaky", "flaky");
  flaky.retry = {1, ms(1)};
  flaky.where = {"seq.yaml", 12, 3};
  StepPlan limited = goes_on(FakeRun::step("all", "all"));
  limited.with["rail"] = Value{std::string("vdd"), {}};
  limited.with["list"] = Value{Value::List{Value{std::int64_t{1}, {}}, Value{true, {}}}, {}};
  limited.limits["other"] = Limit::at_least({1, Dimension::current});
  StepPlan never = FakeRun::step("never", "pass");
  never.when = Condition{};
  never.when->constant = false;
  never.when->text = "1 == 2";
  StepPlan group =
      goes_on(FakeRun::group("g", Kind::parallel, {FakeRun::step("s1", "slow"), FakeRun::step("s2", "slow")}));
  group.timeout = ms(10);
  auto& phase = run.phase("p");
  phase.setup = {FakeRun::step("setup", "pass")};
  phase.steps = {limited,
                 flaky,
                 never,
                 group,
                 goes_on(FakeRun::step("f", "fail")),
                 goes_on(FakeRun::step("e", "error")),
                 goes_on(FakeRun::step("ask", "ask"))};
  phase.teardown = {FakeRun::step("down", "pass")};
  phase.where = {"seq.yaml", 4, 3};
  run.phase("q").steps = {FakeRun::step("skipped", "pass")};
}

std::string schema_folder() {
  if (const char* set = std::getenv("FIRSTLIGHT_OCP_SCHEMA")) return set;
  for (std::filesystem::path at = FIRSTLIGHT_SOURCE_DIR; at.has_relative_path(); at = at.parent_path()) {
    const auto folder = at.parent_path() / "shared/data/ocp-schema";
    if (std::filesystem::exists(folder / "root.json")) return folder.string();
  }
  return {};
}

TEST(Record, EveryLineIsValidAgainstTheOcpSchemas) {
  const std::string schemas = schema_folder();
  if (schemas.empty()) GTEST_SKIP() << "no OCP schemas here (set FIRSTLIGHT_OCP_SCHEMA to their folder)";
  FakeRun run;
  fill(run);
  run.run();
  const auto validate = [&](const std::string& file) {
    const std::string command = "python3 " FIRSTLIGHT_SOURCE_DIR "/tests/unit/runner/validate_ocp.py " + schemas + " " +
                                run.folder.path() + "/" + file;
    return WEXITSTATUS(std::system(command.c_str()));
  };
  const int status = validate("events.jsonl");
  if (status == 77) GTEST_SKIP() << "python3-jsonschema is not installed";
  EXPECT_EQ(status, 0);
  std::ofstream(run.folder.path() + "/bad.jsonl")
      << R"({"testRunArtifact":{"testRunEnd":{"status":"COMPLETE","result":"PASS","extra":1}},"sequenceNumber":1,"timestamp":"x"})"
      << "\n";
  EXPECT_EQ(validate("bad.jsonl"), 1) << "the validator must be able to say no";
}

std::vector<json> parsed(const test::Folder& folder) {
  std::vector<json> all;
  for (const auto& line : folder.lines("events.jsonl")) all.push_back(json::parse(line));
  return all;
}

TEST(Record, HoldsWhatTheSpecificationPromises) {
  FakeRun run;
  fill(run);
  const RunEnded end = run.run();
  const auto lines = parsed(run.folder);
  ASSERT_GT(lines.size(), 60U);
  EXPECT_TRUE(lines[0].contains("schemaVersion"));
  const json& start = lines[1].at("testRunArtifact").at("testRunStart");
  EXPECT_EQ(start.at("parameters").at("seed"), "7");
  EXPECT_EQ(start.at("parameters").at("set").at("soak"), "60 degC");
  EXPECT_EQ(start.at("parameters").at("faults").at(0).at("value"), "2");
  std::set<std::string> extensions;
  std::set<std::string> open;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i].at("sequenceNumber"), i);
    if (!lines[i].contains("testStepArtifact")) continue;
    const json& artifact = lines[i].at("testStepArtifact");
    const std::string step = artifact.at("testStepId");
    if (artifact.contains("testStepStart")) {
      EXPECT_TRUE(open.insert(step).second) << step;
      EXPECT_EQ(lines[i + 1].at("testStepArtifact").at("extension").at("name"), "firstlight.step");
    }
    EXPECT_EQ(open.count(step), 1U) << "an artifact of a step that is not open: " << lines[i];
    if (artifact.contains("testStepEnd")) open.erase(step);
    if (artifact.contains("extension")) extensions.insert(artifact.at("extension").at("name"));
  }
  EXPECT_TRUE(open.empty());
  EXPECT_THAT(extensions, ::testing::ElementsAre("firstlight.attempt", "firstlight.data", "firstlight.failure",
                                                 "firstlight.interlock", "firstlight.ledger", "firstlight.monitor",
                                                 "firstlight.progress", "firstlight.prompt", "firstlight.run_end",
                                                 "firstlight.safe_state", "firstlight.step", "firstlight.step_end"));
  const json& last = lines.back().at("testRunArtifact").at("testRunEnd");
  EXPECT_EQ(last.at("status"), end.verdict == Verdict::error ? "ERROR" : "COMPLETE");
  const json& run_end = lines[lines.size() - 4].at("testStepArtifact").at("extension").at("content");
  EXPECT_EQ(run_end.at("verdict"), name_of(end.verdict));
  EXPECT_EQ(run_end.at("first_failure").at("step"), end.first_failure->step);
}

void drop_wall(json& value) {
  if (value.is_object()) {
    for (auto at = value.begin(); at != value.end();) {
      at = at.key() == "timestamp" || at.key().rfind("wall_", 0) == 0 ? value.erase(at) : std::next(at);
    }
  }
  if (value.is_structured()) {
    for (auto& child : value) drop_wall(child);
  }
}

TEST(Record, TwoRunsWithOneSeedDifferOnlyInWallClockFields) {
  FakeRun one;
  FakeRun two;
  fill(one);
  fill(two);
  one.run();
  two.run();
  auto first = parsed(one.folder);
  auto second = parsed(two.folder);
  ASSERT_EQ(first.size(), second.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    drop_wall(first[i]);
    drop_wall(second[i]);
    EXPECT_EQ(first[i], second[i]);
  }
}

TEST(Record, IsNeverOverwritten) {
  test::Folder folder;
  { const Recorder first(folder.path()); }
  EXPECT_THROW(Recorder second(folder.path()), FailureError);
}

TEST(Record, DataThatIsNotJsonIsABugOfTheStep) {
  FakeRun run;
  run.verb("bad", [](StepContext& c) { c.data("broken", "not json"); });
  run.phase("p").steps = {FakeRun::step("a", "bad")};
  const RunEnded end = run.run();
  EXPECT_EQ(end.first_failure->event.failure.symptom, "data_not_json");
  EXPECT_EQ(end.first_failure->event.failure.error_class, ErrorClass::bug);
}

/// While one lives, no file of this process grows beyond a few bytes: writes fail as on a full disk.
class FullDisk {
 public:
  FullDisk() {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    rlimit full = before_;
    full.rlim_cur = 1;
    ::setrlimit(RLIMIT_FSIZE, &full);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

TEST(Record, AFullDiskEndsTheRunWithTheBenchMadeSafe) {
  FakeRun run;
  std::vector<std::string> undone;
  std::optional<FullDisk> full;
  run.verb("on", [&](StepContext& c) {
    c.energise(run.action("psu", [&] { undone.emplace_back("psu"); }));
    full.emplace();
    c.log(Severity::info, "one line too many");
  });
  bool went_on = false;
  run.verb("later", [&](StepContext&) { went_on = true; });
  run.phase("p").steps = {FakeRun::step("a", "on"), FakeRun::step("b", "later")};
  std::string symptom;
  try {
    symptom = run.run().first_failure->event.failure.symptom;
  } catch (const FailureError& error) {
    symptom = error.failure().symptom;
  }
  full.reset();
  EXPECT_EQ(symptom, "record_write_failed");
  EXPECT_EQ(undone.size(), 1U) << "the bench is made safe without a record";
  EXPECT_FALSE(went_on);
}

TEST(Record, AFullDiskIsNotTriedAgain) {
  FakeRun run;
  std::optional<FullDisk> full;
  int attempts = 0;
  run.verb("log", [&](StepContext& c) {
    ++attempts;
    if (!full) full.emplace();
    c.log(Severity::info, "one line too many");
  });
  StepPlan step = FakeRun::step("a", "log");
  step.retry.times = 3;
  run.phase("p").steps = {step};
  int status = 3;
  try {
    status = run.run().exit_status;
  } catch (const FailureError& error) {
    EXPECT_EQ(error.failure().symptom, "record_write_failed");
  }
  full.reset();
  EXPECT_EQ(attempts, 1) << "the record is silent from here on: a second attempt would pass unseen";
  EXPECT_EQ(status, 3);
}

TEST(Record, AFullDiskThatOnlyAnInterlockMeetsEndsTheRun) {
  FakeRun run;
  std::optional<FullDisk> full;
  InterlockPlan plan;
  plan.name = "overtemp";
  plan.watch = "die";
  plan.above = Quantity{105, Dimension::temperature};
  plan.period = std::chrono::milliseconds(10);
  run.plan.interlocks = {plan};
  int samples = 0;
  run.measurable("die", Dimension::temperature, [&] {
    if (++samples == 3) full.emplace();
    return Quantity{60, Dimension::temperature};
  });
  run.verb("long", [](StepContext& c) { c.time().sleep(std::chrono::seconds(10)); });
  run.phase("p").steps = {FakeRun::step("a", "long")};
  std::string symptom;
  int status = 3;
  try {
    const RunEnded end = run.run();
    status = end.exit_status;
    symptom = end.first_failure->event.failure.symptom;
  } catch (const FailureError& error) {
    symptom = error.failure().symptom;
  }
  full.reset();
  EXPECT_EQ(symptom, "record_write_failed");
  EXPECT_EQ(status, 3);
  EXPECT_EQ(samples, 3);
}

TEST(Record, AnActionWhoseUndoCannotBeWrittenDownIsNotDone) {
  FakeRun run;
  bool done = false;
  std::optional<FullDisk> full;
  run.verb("on", [&](StepContext& c) {
    full.emplace();
    try {
      c.energise(run.action("psu", [] {}));
      done = true;
    } catch (const FailureError& error) {
      full.reset();
      EXPECT_EQ(error.failure().symptom, "ledger_write_failed");
      throw;
    }
  });
  run.phase("p").steps = {FakeRun::step("a", "on")};
  const RunEnded end = run.run();
  EXPECT_FALSE(done);
  EXPECT_EQ(end.exit_status, 3);
}

TEST(Record, IsReadableAfterKillNineAtAnyMoment) {
  for (int round = 0; round < 10; ++round) {
    const test::Folder folder;
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      try {
        Recorder recorder(folder.path());
        SequencePlan sequence;
        recorder.run_started({}, sequence, {});
        StepStarted started;
        started.step = "p";
        recorder.step_started(started);
        for (int i = 0;; ++i) {
          Sampled sample;
          sample.step = "p";
          sample.series = "s";
          sample.value = {static_cast<double>(i), Dimension::voltage};
          recorder.sampled(sample);
        }
      } catch (...) {
      }
      ::_exit(1);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5 + 7 * round));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    std::ifstream in(folder.path() + "/events.jsonl");
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    EXPECT_TRUE(text.empty() || text.back() == '\n');
    for (const auto& line : folder.lines("events.jsonl")) EXPECT_TRUE(json::accept(line)) << line;
  }
}

}  // namespace
}  // namespace firstlight
