#include "tests/report/sample_run.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <list>
#include <vector>

#include "lab/runner/recorder.h"

namespace firstlight::test {
namespace {

Instant at(double s) { return Instant(from_seconds(s)); }

StepPlan verb(const std::string& id, const std::string& verb_name, int line) {
  StepPlan plan;
  plan.id = id;
  plan.verb = verb_name;
  plan.where = {"lab/sequences/sample.yaml", line, 1};
  return plan;
}

/// Tells a recorder of a run, step by step.
class Teller {
 public:
  Teller(const std::string& folder, Sample sample) : sample_(sample), recorder_(folder) {}

  void tell() {
    start();
    rails();
    chip();
    link();
    if (sample_ != Sample::killed) finish();
  }

 private:
  void start() {
    RunInfo info;
    info.name = "sample-model-20260102-030405";
    info.command_line = "firstlight run lab/sequences/sample.yaml --bench lab/benches/model.yaml --seed 7";
    info.typed_command_line = info.command_line;
    info.version = "0.1.0";
    info.seed = 7;
    info.simulated = true;
    sequence_.name = "sample";
    sequence_.version = "1";
    sequence_.doc = "What every view must be able to show.";
    bench_.name = "model";
    bench_.dut = {"tern", "TERN-A0", "SIM-0001"};
    bench_.time_scale = 5000;
    bench_.faults.push_back({"lane_dead", "2", {}});
    recorder_.run_started(info, sequence_, bench_);
  }

  void begin(const std::string& step, StepKind kind, const StepPlan* plan, const PhasePlan* phase,
             const std::string& title, const std::string& parent, double t) {
    StepStarted event;
    event.step = step;
    event.kind = kind;
    event.plan = plan;
    event.phase_plan = phase;
    event.title = title;
    event.parent = parent;
    event.phase = step.substr(0, step.find('/'));
    event.section = phase == nullptr ? "steps" : "";
    event.at = at(t);
    started_[step] = t;
    recorder_.step_started(event);
  }
  void end(const std::string& step, StepKind kind, Verdict verdict, double t,
           std::optional<FailureEvent> failure = std::nullopt, int attempts = 1, bool intermittent = false) {
    StepEnded event;
    event.step = step;
    event.kind = kind;
    event.verdict = verdict;
    event.attempts = verdict == Verdict::skip ? 0 : attempts;
    event.intermittent = intermittent;
    event.failure = std::move(failure);
    event.failure_is_told = kind != StepKind::verb;
    if (verdict == Verdict::skip) event.skip_reason = "after the failure of link/prbs";
    event.duration = from_seconds(t - started_[step]);
    event.at = at(t);
    if (kind == StepKind::verb) ++counts_[verdict];
    recorder_.step_ended(event);
  }
  void measure(const std::string& step, const std::string& subject, Quantity value, std::optional<Limit> limit,
               double t, int attempt = 1) {
    Measured event;
    event.step = step;
    event.subject = subject;
    event.part = "dmm0 channel 2";
    event.value = value;
    event.limit = limit;
    event.verdict = limit ? judge(value.value, *limit) : Verdict::pass;
    event.attempt = attempt;
    event.at = at(t);
    recorder_.measured(event);
  }
  void sample(const std::string& step, const std::string& series, Quantity value, const std::string& source, double t) {
    Sampled event;
    event.step = step;
    event.series = series;
    event.value = value;
    event.source = source;
    event.owner = source == "step" ? step : "watch";
    event.at = at(t);
    recorder_.sampled(event);
  }
  void ledger(const std::string& step, const std::string& what, int entry, double t) {
    recorder_.ledger(
        {step, what, entry, 0, "rail vdd_core", "enable vdd_core at 850 mV", "disable vdd_core", {}, {}, at(t)});
  }

  void rails() {
    rails_.name = "rails";
    begin("rails", StepKind::phase, nullptr, &rails_, "Rails in order", "", 0);
    begin("rails/rails.steps[0]", StepKind::sequential, &group_, nullptr, "rails.steps[0]", "rails", 0);
    double t = 0;
    for (const char* rail : {"vdd_core", "vdd_sram"}) {
      const StepPlan& plan = plans_.emplace_back(verb(fmt::format("on[{}]", rail), "rail.on", 12));
      const std::string step = "rails/" + plan.id;
      begin(step, StepKind::verb, &plan, nullptr, fmt::format("{} on", rail), "rails/rails.steps[0]", t);
      ledger(step, "energise", 1, t);
      std::string points;
      for (int i = 0; i < 20; ++i) {
        const double volts = 0.85 * (1 - std::exp(-i / 5.0));
        points += fmt::format("{}[{},{}]", i == 0 ? "" : ",", t + i * 1e-4, volts);
        sample(step, std::string(rail) + ".voltage", {volts, Dimension::voltage}, "step", t + i * 1e-4);
      }
      recorder_.data(
          step, at(t + 2e-3), 1, "rail_ramp",
          fmt::format(R"({{"rail":"{}","direction":"up","target":0.85,"rise_s":0.0018,"unit":"V","points":[{}]}})",
                      rail, points));
      measure(step, std::string(rail) + ".voltage", {0.851, Dimension::voltage},
              Limit::around({0.85, Dimension::voltage}, 0.017), t + 2e-3);
      t += 0.01;
      end(step, StepKind::verb, Verdict::pass, t);
    }
    for (const bool ramp : {true, false})
      recorder_.data("rails/rails.steps[0]", at(t), 1, "burst_droop",
                     fmt::format(R"({{"rail":"vdd_core","ramp":{},"rest":0.847,"unit":"V",)"
                                 R"("points":[[0.0,0.847],[4e-9,{}],[1.2e-8,{}],[4.8e-8,{}]]}})",
                                 ramp, ramp ? 0.835 : 0.829, ramp ? 0.822 : 0.806, ramp ? 0.821 : 0.806));
    end("rails/rails.steps[0]", StepKind::sequential, Verdict::pass, t);
    retried(t);
    end("rails", StepKind::phase, Verdict::marginal, 0.1);
  }

  /// A step that passes only when tried again is marginal.
  void retried(double t) {
    const StepPlan& plan = plans_.emplace_back(verb("settle", "measure", 15));
    const std::string step = "rails/settle";
    begin(step, StepKind::verb, &plan, nullptr, "The core rail settles", "rails", t);
    const Limit limit = Limit::between({0.84, Dimension::voltage}, {0.86, Dimension::voltage});
    measure(step, "vdd_core.voltage", {0.87, Dimension::voltage}, limit, t + 0.01);
    const FailureEvent failure{{ErrorClass::dut, "limit_exceeded",
                                "vdd_core.voltage: 870 mV is outside 840 mV .. 860 mV", "vdd_core", "", "", ""},
                               at(t + 0.01),
                               1};
    recorder_.attempt_failed({step, 1, Verdict::fail, failure, from_seconds(0.01), at(t + 0.01)});
    measure(step, "vdd_core.voltage", {0.85, Dimension::voltage}, limit, t + 0.03, 2);
    end(step, StepKind::verb, Verdict::marginal, 0.1, std::nullopt, 2, true);
  }

  void chip() {
    chip_.name = "chip";
    begin("chip", StepKind::phase, nullptr, &chip_, "The chip", "", 0.1);
    const StepPlan& plan = plans_.emplace_back(verb("identify", "chip.identify", 20));
    const std::string step = "chip/identify";
    begin(step, StepKind::verb, &plan, nullptr, kHostile, "chip", 0.1);
    recorder_.checked({step, "identity", true, "0x5445524e", "0x5445524e", "regs0", 1, at(0.11)});
    measure(step, kHostile, {std::nan(""), Dimension::current}, std::nullopt, 0.11);
    recorder_.logged({step, Severity::warning, kHostile, at(0.11)});
    recorder_.attached(step, at(0.12), 1, "dump.txt", "text/plain", "registers");
    recorder_.data(
        step, at(0.12), 1, "identity",
        R"({"chip":{"name":"tern"},"board":{"name":"</script><b>x"},"instruments":[{"name":"dmm0","id":"m"}]})");
    for (int i = 0; i < 60; ++i)
      for (const char* zone : {"die.core", "die.serdes"})
        sample("@bench", zone, {30 + i * 0.2 + (zone[4] == 's' ? 2 : 0), Dimension::temperature}, "monitor",
               0.12 + i * 0.01);
    recorder_.data(
        step, at(0.7), 1, "thermal_resistance",
        R"({"zones":[{"zone":"core","k_per_w":0.41,"power":4.0,"rise":1.64},{"zone":"serdes","k_per_w":0.93,"power":4.0,"rise":3.7}]})");
    recorder_.data(
        step, at(0.72), 1, "roofline",
        R"({"engine":"tensor","bytes_per_cycle":8,"points":[{"dtype":"bf16","shape":"8x8x8","intensity":4,"ops_per_cycle":5.2,"utilisation":0.04,"cycles":197,"ideal_cycles":8,"peak":128},{"dtype":"bf16","shape":"128x128x128","intensity":64,"ops_per_cycle":124.1,"utilisation":0.97,"cycles":33780,"ideal_cycles":32768,"peak":128},{"dtype":"fp8_e4m3 double row","shape":"128x128x128","intensity":64,"ops_per_cycle":231,"utilisation":0.9,"cycles":18150,"ideal_cycles":16384,"peak":256}]})");
    recorder_.data(step, at(0.73), 1, "loss_curve",
                   R"({"network":"perceptron","points":[[0,0.9,0.9],[1,0.5,0.5],[2,0.31,0.3],[3,null,0.2]]})");
    end(step, StepKind::verb, Verdict::pass, 0.75);
    end("chip", StepKind::phase, Verdict::pass, 0.75);
  }

  void link() {
    link_.name = "link";
    begin("link", StepKind::phase, nullptr, &link_, "Link", "", 0.75);
    const StepPlan& prbs = plans_.emplace_back(verb("prbs", "link.prbs", 30));
    begin("link/prbs", StepKind::verb, &prbs, nullptr, "PRBS on every lane", "link", 0.75);
    if (sample_ == Sample::killed) return;
    recorder_.data(
        "link/prbs", at(0.78), 1, "ltssm_trace",
        R"({"link":"link0","entries":[{"t":0.76,"state":"DETECT"},{"t":0.7601,"state":"POLLING"},{"t":0.7604,"state":"CONFIG","cause":"lanes locked"},{"t":0.7605,"state":"L0"}]})");
    recorder_.data(
        "link/prbs", at(0.79), 1, "lane_ber",
        R"({"link":"link0","pattern":"prbs31","confidence":0.95,"lanes":[{"lane":0,"bits":1000000,"errors":0,"ber":0.0,"bound":3e-6},{"lane":2,"bits":1000000,"errors":900,"ber":9e-4,"bound":9.6e-4}]})");
    recorder_.data(
        "link/prbs", at(0.79), 1, "link_eye",
        R"({"link":"link0","lane":2,"bits":2048,"phases":[-0.5,0,0.5],"offsets":[-0.1,0,0.1],"errors":[[900,0,880],[400,0,410],[910,1,890]]})");
    recorder_.data(
        "link/prbs", at(0.79), 1, "link_bathtub",
        R"({"link":"link0","target":1e-4,"confidence":0.95,"lanes":[{"lane":0,"points":[[-0.5,8000,33000,0.25],[0,0,33000,9e-5],[0.5,8100,33000,0.25]]}]})");
    recorder_.data(
        "link/prbs", at(0.79), 1, "memory_windows",
        R"({"memory":"tern hbm","taps":64,"min_window":8,"lanes":[{"lane":0,"read":{"first":20,"last":40,"tap":30},"write":{"first":31,"last":35,"tap":33}},{"lane":1,"read":null,"write":null}]})");
    recorder_.data("link/prbs", at(0.79), 1, "memory_shmoo",
                   R"({"memory":"tern hbm","direction":"read","bits":256,"errors":[[128,130],[0,0],[0,127]]})");
    Verdict verdict = Verdict::pass;
    std::optional<FailureEvent> failure;
    if (sample_ == Sample::failed) {
      verdict = Verdict::fail;
      failure = FailureEvent{{ErrorClass::dut, "lane_dead", "lane 2 of link0 saw 900 errors in 1000000 bits",
                              "link0 lane 2", "PRBS31 <go>", "locked 0", "a lane that is dead, or a bad joint & more"},
                             at(0.8),
                             1};
    } else if (sample_ == Sample::tripped) {
      verdict = Verdict::aborted;
      trip();
    }
    end("link/prbs", StepKind::verb, verdict, 0.8, failure);
    const StepPlan& train = plans_.emplace_back(verb("train", "link.train", 31));
    begin("link/train", StepKind::verb, &train, nullptr, "Train to L0", "link", 0.8);
    end("link/train", StepKind::verb, is_good(verdict) ? Verdict::pass : Verdict::skip, 0.8);
    end("link", StepKind::phase, verdict, 0.8, failure);
    first_ = failure;
  }

  void trip() {
    interlock_.name = "overtemp";
    interlock_.watch = "die.hottest";
    InterlockEvent event;
    event.plan = &interlock_;
    event.event = "tripped";
    event.limit = Limit::at_most({105, Dimension::temperature});
    event.value = Quantity{106.2, Dimension::temperature};
    for (int i = 0; i < 30; ++i) event.samples.emplace_back(at(0.5 + i * 0.01), 90 + i * 0.55);
    event.at = at(0.8);
    recorder_.interlock(event);
  }

  std::optional<FirstFailure> first_failure() const {
    FirstFailure first;
    if (first_) {
      first.event = *first_;
      first.phase = "link";
      first.section = "steps";
      first.step = "link/prbs";
      first.id = "prbs";
      first.title = "PRBS on every lane";
      first.verb = "link.prbs";
      first.where = {"lab/sequences/sample.yaml", 30, 1};
    } else if (sample_ == Sample::tripped) {
      first.event = {{ErrorClass::interlock, "interlock_tripped", "die.hottest is 106.2 degC, limit <= 105 degC",
                      "die.hottest", "", "", "no coolant, or a cold plate that does not sit"},
                     at(0.8),
                     0};
      first.step = "@bench";
      first.id = first.title = "interlock overtemp";
      first.during = {"link/prbs"};
    } else {
      return std::nullopt;
    }
    return first;
  }

  void finish() {
    begin("@safe_state", StepKind::pseudo, nullptr, nullptr, "safe state", "", 0.8);
    ledger("@safe_state", "undo", 1, 0.8);
    ledger("@safe_state", "undone", 1, 0.81);
    MadeSafe safe;
    safe.reason = "end of run";
    safe.undone = 1;
    VerifiedRail rail;
    rail.rail = "vdd_core";
    rail.on = false;
    rail.voltage = 0.003;
    safe.verified.push_back(rail);
    safe.at = at(0.85);
    recorder_.made_safe(safe);
    end("@safe_state", StepKind::pseudo, Verdict::pass, 0.85);
    RunEnded ended;
    ended.counts = counts_;
    ended.seed = 7;
    ended.bench_time = from_seconds(0.85);
    ended.at = at(0.85);
    ended.reproduce =
        "firstlight run lab/sequences/sample.yaml --bench lab/benches/model.yaml --fault lane_dead=2 --seed 7";
    ended.verdict = sample_ == Sample::passed ? Verdict::marginal : Verdict::fail;
    ended.exit_status = sample_ == Sample::passed ? 0 : sample_ == Sample::tripped ? 4 : 1;
    ended.first_failure = first_failure();
    recorder_.run_ended(ended);
  }

  Sample sample_;
  Recorder recorder_;
  SequencePlan sequence_;
  BenchPlan bench_;
  PhasePlan rails_, chip_, link_;
  InterlockPlan interlock_;
  StepPlan group_ = [] {
    StepPlan plan;
    plan.kind = StepPlan::Kind::sequential;
    plan.id = "rails.steps[0]";
    return plan;
  }();
  std::list<StepPlan> plans_;
  std::map<std::string, double> started_;
  std::map<Verdict, int> counts_;
  std::optional<FailureEvent> first_;
};

}  // namespace

void write_sample(const std::string& folder, Sample sample) {
  std::filesystem::create_directories(folder);
  Teller(folder, sample).tell();
  if (sample != Sample::killed) return;
  const std::string record = folder + "/events.jsonl";
  std::filesystem::resize_file(record, std::filesystem::file_size(record) - 30);
}

}  // namespace firstlight::test
