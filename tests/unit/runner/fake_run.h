#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lab/capabilities/rail.h"
#include "lab/runner/recorder.h"
#include "lab/runner/runner.h"
#include "tests/unit/runner/fake_time.h"

namespace firstlight::test {

/// A rail that is a variable.
class FakeRail final : public Rail {
 public:
  explicit FakeRail(RailPlan plan) : plan_(std::move(plan)) {}
  const RailPlan& plan() const override { return plan_; }
  std::string part() const override { return "vr of " + plan_.name; }
  void set_voltage(Voltage) override {}
  Voltage target_voltage() override { return plan_.nominal; }
  void enable() override { on = true; }
  void disable() override {
    if (!stuck_on) on = false;
  }
  void set_margin(Margin) override {}
  Voltage margin_voltage(Margin) override { return plan_.nominal; }
  Voltage voltage() override { return on ? plan_.nominal : Voltage(0); }
  Current current() override { return Current(0); }
  Temperature temperature() override { return Temperature(25); }
  RailStatus status() override { return {on, on && good, faults, ""}; }
  void clear_faults() override {}
  Duration rise_time() override { return ms(1); }
  Duration fall_time() override { return ms(1); }
  std::optional<bool> power_good_pin() override { return on; }

  bool on = false;
  bool good = true;
  bool stuck_on = false;
  std::vector<std::string> faults;

 private:
  RailPlan plan_;
};

/// A folder of its own that goes away.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "firstlight-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
    path_ = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }
  std::vector<std::string> lines(const std::string& name) const {
    std::ifstream in(path_ + "/" + name);
    std::vector<std::string> all;
    for (std::string line; std::getline(in, line);) all.push_back(line);
    return all;
  }

 private:
  std::string path_;
};

/// Keeps what a run tells, in the shape that tests ask for.
class Notes final : public RunListener {
 public:
  void step_started(const StepStarted& e) override { order.push_back("+" + e.step); }
  void step_ended(const StepEnded& e) override {
    ends[e.step] = e;
    order.push_back("-" + e.step);
    said.push_back(e.step + " " + std::string(name_of(e.verdict)));
  }
  void attempt_failed(const AttemptFailed& e) override { attempts.push_back(e); }
  void measured(const Measured& e) override { measurements.push_back(e); }
  void ledger(const LedgerEvent& e) override { ledger_events.push_back(e.event + " " + e.key); }
  void monitor(const MonitorEvent& e) override { monitor_events.push_back(e); }
  void interlock(const InterlockEvent& e) override { interlock_events.push_back(e); }
  void made_safe(const MadeSafe& e) override { safe = e; }
  void logged(const Logged& e) override { logs.push_back(e.message); }

  std::string verdict(const std::string& step) const {
    const auto at = ends.find(step);
    return at == ends.end() ? "not there" : std::string(name_of(at->second.verdict));
  }
  std::string symptom(const std::string& step) const {
    const auto at = ends.find(step);
    return at == ends.end() || !at->second.failure ? "none" : at->second.failure->failure.symptom;
  }
  std::vector<std::string> interlock_names() const {
    std::vector<std::string> names;
    for (const auto& e : interlock_events) names.push_back(e.event);
    return names;
  }

  std::map<std::string, StepEnded> ends;
  std::vector<std::string> order;
  std::vector<std::string> said;
  std::vector<AttemptFailed> attempts;
  std::vector<Measured> measurements;
  std::vector<std::string> ledger_events;
  std::vector<MonitorEvent> monitor_events;
  std::vector<InterlockEvent> interlock_events;
  std::optional<MadeSafe> safe;
  std::vector<std::string> logs;
};

/// A runner on a bench of variables: steps are lambdas, time is free.
class FakeRun {
 public:
  FakeRun() {
    plan.name = "fake";
    plan.dut.name = "tern";
    sequence.name = "test";
    sequence.version = "1";
    verb("pass", [](StepContext&) {});
    verb("fail", [](StepContext& c) {
      c.fail({ErrorClass::dut, "broken", "it is broken", "u1", "tx", "rx", "solder"});
    });
    verb("error", [](StepContext& c) { c.fail({ErrorClass::infrastructure, "io", "no answer", "i2c0", "", "", ""}); });
    verb("slow", [](StepContext& c) {
      c.log(Severity::info, "waiting for lock");
      c.time().sleep(ms(100));
    });
    verb("tick", [](StepContext& c) { c.time().sleep(ms(1)); });
  }

  /// An action that is undone by a function.
  EnergisingAction action(const std::string& key, std::function<void()> undo) {
    undos_[key] = std::move(undo);
    return {"do " + key, "undo " + key, key, {"fake", key, ""}};
  }
  void verb(const std::string& name, std::function<void(StepContext&)> run) {
    Step step;
    step.spec.verb = name;
    step.run = std::move(run);
    steps_[name] = std::move(step);
  }
  FakeRail& rail(const std::string& name, RailPlan rail_plan = {}) {
    rail_plan.name = name;
    rail_plan.nominal = Voltage(1);
    if (rail_plan.max == Voltage(0)) rail_plan.max = Voltage(1.1);
    plan.rails.push_back(rail_plan);
    auto made = std::make_unique<FakeRail>(rail_plan);
    FakeRail& it = *made;
    rails_.push_back(std::move(made));
    return it;
  }
  void measurable(const std::string& name, Dimension dimension, std::function<Quantity()> read) {
    measurables_.push_back({name, dimension, "", "sensor of " + name, std::move(read)});
  }
  PhasePlan& phase(const std::string& name) {
    sequence.phases.emplace_back();
    sequence.phases.back().name = name;
    return sequence.phases.back();
  }
  static StepPlan step(const std::string& id, const std::string& verb) {
    StepPlan step;
    step.id = id;
    step.verb = verb;
    return step;
  }
  static StepPlan group(const std::string& id, StepPlan::Kind kind, std::vector<StepPlan> children) {
    StepPlan step;
    step.id = id;
    step.kind = kind;
    step.children = std::move(children);
    return step;
  }

  RunEnded run() {
    Listeners listeners;
    listeners.add(notes);
    recorder = std::make_unique<Recorder>(folder.path());
    listeners.add(*recorder);
    RunRequest request;
    request.sequence = sequence;
    request.bench = plan;
    request.info.seed = 7;
    request.info.name = "fake-run";
    request.info.version = "0";
    request.folder = folder.path();
    request.standby = standby;
    request.undo = {[this](Bench& bench, const Undo& undo) { perform(bench, undo); },
                    [](const Undo& undo) { return undo.target.rfind("load", 0) == 0; },
                    [this](const Bench&, const std::string& driver) { return turn_off(driver); }};
    request.person = person;
    request.connect = [this](BenchTime& bench_time) { return connect(bench_time); };
    request.find_step = [this](std::string_view name) {
      const auto at = steps_.find(std::string(name));
      return at == steps_.end() ? nullptr : &at->second;
    };
    runner = std::make_unique<Runner>(scheduler, listeners, std::move(request));
    const RunEnded ended = runner->run();
    runner.reset();
    return ended;
  }

  FakeTime time;
  Scheduler scheduler{time, {false, ms(1)}};
  Folder folder;
  Notes notes;
  BenchPlan plan;
  SequencePlan sequence;
  Operator* person = nullptr;
  Standby* standby = nullptr;
  std::function<void()> on_connect;
  std::unique_ptr<Recorder> recorder;
  std::unique_ptr<Runner> runner;

 private:
  std::unique_ptr<Bench> connect(BenchTime& bench_time) {
    if (on_connect) on_connect();
    auto bench = std::make_unique<Bench>(plan, bench_time);
    for (auto& one : rails_) bench->add(std::move(one));
    for (auto& one : measurables_) bench->add(one);
    return bench;
  }

  void perform(Bench& bench, const Undo& undo) {
    if (undo.kind == "fake") return undos_.at(undo.target)();
    if (undo.kind == "rail_off") return bench.rail(undo.target).disable();
    throw FailureError({ErrorClass::bench, "bad_undo", undo.kind, "", "", "", ""});
  }
  std::optional<Undo> turn_off(const std::string& driver) const {
    if (undos_.count(driver) == 0) return {};
    return Undo{"fake", driver, ""};
  }

  std::map<std::string, std::function<void()>> undos_;
  std::map<std::string, Step> steps_;
  std::vector<std::unique_ptr<Rail>> rails_;
  std::vector<Measurable> measurables_;
};

/// Turns the rail on by the ledger, as rail.on does.
inline std::function<void(StepContext&)> power_on(const std::string& name) {
  return [name](StepContext& c) {
    Rail& rail = c.bench().rail(name);
    c.energise({"enable " + name, "disable " + name, "rail " + name, {"rail_off", name, ""}});
    rail.enable();
  };
}

}  // namespace firstlight::test
