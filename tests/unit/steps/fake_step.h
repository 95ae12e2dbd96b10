#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lab/steps/step.h"
#include "lab/steps/undo.h"
#include "tests/unit/drivers/fake_time.h"

namespace firstlight::test {

/// Runs one step on a bench of fakes and keeps what it said.
class FakeStep final : public StepContext {
 public:
  struct Measured {
    std::string name;
    Quantity value;
    std::string subject;
    std::string part;
    Verdict verdict = Verdict::pass;
  };
  struct Checked {
    std::string name;
    bool holds = false;
    std::string expected;
    std::string found;
  };

  FakeStep(Bench& bench, const std::string& verb, const std::string& rail = {})
      : bench_(bench), step_(find_step(verb)) {
    if (step_ == nullptr) throw std::logic_error("no verb " + verb);
    for (const ParamSpec& param : step_->spec.params)
      if (!param.fallback.empty()) params_[param.name] = fallback(param);
    if (!rail.empty()) set("rail", rail);
    deadline_ = bench.time().now() + from_seconds(1000);
  }

  FakeStep& set(const std::string& name, decltype(Value::data) value) {
    params_[name] = Value{std::move(value), {}};
    return *this;
  }
  FakeStep& list(const std::string& name, const std::vector<std::string>& texts) {
    Value::List values;
    for (const std::string& text : texts) values.push_back(Value{text, {}});
    return set(name, std::move(values));
  }
  FakeStep& quantity(const std::string& name, double value, Dimension dimension) {
    return set(name, Quantity{value, dimension});
  }

  FakeStep& within(Duration time) {
    deadline_ = bench_.time().now() + time;
    return *this;
  }

  /// The failure that ended or blames the step; nothing when it went well.
  std::optional<Failure> run() {
    for (const ParamSpec& param : step_->spec.params)
      if (param.required && params_.count(param.name) == 0) throw std::logic_error("lacks " + param.name);
    try {
      step_->run(*this);
    } catch (const FailureError& error) {
      verdict = Verdict::fail;
      return error.failure();
    }
    return noted;
  }

  const Measured* measured_as(const std::string& name) const {
    for (const Measured& one : measures)
      if (one.name == name) return &one;
    return nullptr;
  }

  std::vector<Measured> measures;
  std::vector<Checked> checks;
  std::vector<std::pair<std::string, std::string>> datas;
  std::vector<std::pair<std::string, EnergisingAction>> ledger;  // live entries by key
  std::vector<std::string> events;                               // "energise rail vdd_core", "released ..."
  std::map<std::string, int> samples;
  std::vector<std::string> logs;
  std::map<std::string, std::string> files;
  std::optional<MonitorRequest> monitor;
  std::string answer;
  std::optional<Failure> noted;
  Verdict verdict = Verdict::pass;

  Bench& bench() override { return bench_; }
  bool has(std::string_view param) const override { return params_.count(std::string(param)) != 0; }
  const Value& with(std::string_view param) const override { return params_.at(std::string(param)); }
  Instant deadline() const override { return deadline_; }
  std::uint64_t seed() const override { return 1; }
  Verdict measure(const std::string& name, const Quantity& value, const std::string& subject,
                  const std::string& part) override {
    check_declared(name);
    measures.push_back({name, value, subject, part, Verdict::pass});
    return Verdict::pass;
  }
  Verdict measure(const std::string& name, const Quantity& value, const Limit& limit, const std::string& subject,
                  const std::string& part) override {
    check_declared(name);
    if (limit.dimension != value.dimension) throw std::logic_error("limit of another dimension for " + name);
    const Verdict judged = judge(value.value, limit);
    measures.push_back({name, value, subject, part, judged});
    if (judged == Verdict::fail)
      blame({ErrorClass::dut, "limit_exceeded", subject + " outside " + to_text(limit), part, {}, {}, {}});
    return judged;
  }
  Verdict expect(const std::string& name, bool holds, const std::string& expected, const std::string& found,
                 const std::string& part) override {
    checks.push_back({name, holds, expected, found});
    if (!holds)
      blame(
          {ErrorClass::dut, "check_failed", name + ": expected " + expected + ", found " + found, part, {}, found, {}});
    return holds ? Verdict::pass : Verdict::fail;
  }
  void note_failure(Failure failure) override { blame(std::move(failure)); }
  void sample(const std::string& series, const Quantity&) override { ++samples[series]; }
  void log(Severity, const std::string& message) override { logs.push_back(message); }
  void data(const std::string& kind, const std::string& json) override { datas.emplace_back(kind, json); }
  void attach(const std::string& name, const std::string&, const std::string& content) override {
    files[name] = content;
  }
  void progress(double, const std::string&) override {}
  /// What whoever makes the bench safe does with an entry.
  void undo(std::size_t entry) { perform_undo(bench_, ledger.at(entry).second.undo); }
  void energise(EnergisingAction action) override {
    events.push_back("energise " + action.key);
    erase(action.key);
    ledger.emplace_back(action.key, std::move(action));
  }
  void de_energised(const std::string& key) override {
    events.push_back("released " + key);
    erase(key);
  }
  void start_monitor(MonitorRequest request) override { monitor = std::move(request); }
  Verdict stop_monitor(const std::string&) override { return verdict; }
  std::string ask(const std::string&, const std::vector<std::string>&) override { return answer; }

 private:
  static Value fallback(const ParamSpec& param) {
    switch (param.type) {
      case ParamType::quantity:
        return {parse_quantity(param.fallback, param.dimension).value(), {}};
      case ParamType::integer:
        return {static_cast<std::int64_t>(parse_quantity(param.fallback, Dimension::none).value().value), {}};
      case ParamType::boolean:
        return {param.fallback == "true", {}};
      default:
        return {param.fallback, {}};
    }
  }
  void check_declared(const std::string& name) const {
    for (const MeasurableSpec& measure : step_->spec.measures)
      if (measure.name == name) return;
    throw std::logic_error(step_->spec.verb + " measures \"" + name + "\", which its table lacks");
  }
  void blame(Failure failure) {
    verdict = Verdict::fail;
    if (!noted) noted = std::move(failure);
  }
  void erase(const std::string& key) {
    for (auto entry = ledger.begin(); entry != ledger.end(); ++entry)
      if (entry->first == key) {
        ledger.erase(entry);
        return;
      }
  }

  Bench& bench_;
  const Step* step_;
  std::map<std::string, Value> params_;
  Instant deadline_;
};

}  // namespace firstlight::test
