#include "lab/parity/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

namespace firstlight::parity {

namespace {

using report::FailureRecord;
using report::MeasurementRecord;
using report::RunRecord;
using report::StepRecord;

constexpr const char* kNoCapability = "capability_missing";

/// Verdicts that mean the same to who compares.
Verdict class_of(Verdict verdict) { return verdict == Verdict::marginal ? Verdict::pass : verdict; }

bool is_verb(const StepRecord& step) { return step.kind == "verb"; }

/// Skipped because of what happened before, and not by its own `when`.
bool not_reached(const StepRecord& step) {
  return (step.verdict == Verdict::skip && step.skip_reason.rfind("when", 0) != 0) || step.verdict == Verdict::aborted;
}

std::string text_of(const std::optional<FailureRecord>& failure) {
  if (!failure) return {};
  std::string text = failure->symptom;
  if (!failure->part.empty()) text += " (" + failure->part + ")";
  return text + ": " + failure->message;
}

using Measurements = std::map<std::pair<std::string, int>, const MeasurementRecord*>;

/// Of the last attempt, by name and by how often the name came before. `order` gets the keys as they came.
Measurements measurements_of(const StepRecord& step, std::vector<Measurements::key_type>& order) {
  Measurements all;
  std::map<std::string, int> seen;
  for (const auto& one : step.measurements) {
    if (one.attempt != std::max(step.attempts, 1)) continue;
    const Measurements::key_type key{one.name, seen[one.name]++};
    all.emplace(key, &one);
    if (std::find(order.begin(), order.end(), key) == order.end()) order.push_back(key);
  }
  return all;
}

std::string subject_of(const Measurements::key_type& key) {
  return key.second == 0 ? key.first : fmt::format("{} ({})", key.first, key.second + 1);
}

class Comparer {
 public:
  Comparer(const RunRecord& a, const RunRecord& b) : a_(a), b_(b) {}

  Comparison compare() {
    std::map<std::string, const StepRecord*> of_b;
    for (const auto& step : b_.steps)
      if (is_verb(step) && !step.superseded) of_b.emplace(base_id(step), &step);
    std::set<std::string> seen;
    for (const auto& step : a_.steps) {
      if (!is_verb(step) || step.superseded) continue;
      seen.insert(base_id(step));
      const auto other = of_b.find(base_id(step));
      if (other == of_b.end())
        only_one(step, true);
      else
        both(step, *other->second);
    }
    for (const auto& step : b_.steps)
      if (is_verb(step) && !step.superseded && seen.count(base_id(step)) == 0) only_one(step, false);
    runs();
    std::stable_sort(out_.distances.begin(), out_.distances.end(),
                     [](const Distance& x, const Distance& y) { return x.share > y.share; });
    return std::move(out_);
  }

 private:
  /// A further attempt of a group gives the steps in it ids of their own.
  static std::string base_id(const StepRecord& step) { return step.id.substr(0, step.id.find('#')); }

  void differ(Difference::Kind kind, const std::string& step, const std::string& subject, const std::string& a,
              const std::string& b, const std::string& note = {}) {
    out_.differences.push_back({kind, step, subject, a, b, note});
  }

  void only_one(const StepRecord& step, bool on_a) {
    const std::string verdict(name_of(step.verdict));
    differ(Difference::Kind::step, base_id(step), "", on_a ? verdict : "not there", on_a ? "not there" : verdict,
           "the sequence, or a parameter of it, is not the same on both sides");
  }

  void both(const StepRecord& a, const StepRecord& b) {
    if (lacks_capability(a, b)) return;
    if (not_reached(a) != not_reached(b)) {
      const StepRecord& missed = not_reached(a) ? a : b;
      add_not_reached(not_reached(a), missed.skip_reason);
      return;
    }
    if (class_of(a.verdict) != class_of(b.verdict)) {
      std::string note = text_of(is_good(a.verdict) ? b.failure : a.failure);
      if (note.empty()) note = text_of(a.failure ? a.failure : b.failure);
      if (note.empty()) note = a.skip_reason.empty() ? b.skip_reason : a.skip_reason;
      differ(Difference::Kind::verdict, base_id(a), "", std::string(name_of(a.verdict)),
             std::string(name_of(b.verdict)), note);
    } else if (!is_good(a.verdict) && a.failure && b.failure && a.failure->symptom != b.failure->symptom) {
      differ(Difference::Kind::verdict, base_id(a), "", fmt::format("{} ({})", name_of(a.verdict), a.failure->symptom),
             fmt::format("{} ({})", name_of(b.verdict), b.failure->symptom), "they fail for different reasons");
    }
    if (a.verdict == Verdict::skip || b.verdict == Verdict::skip) return;
    ++out_.steps;
    measured(a, b);
  }

  bool lacks_capability(const StepRecord& a, const StepRecord& b) {
    const auto lacks = [](const StepRecord& step) { return step.failure && step.failure->symptom == kNoCapability; };
    if (lacks(a) == lacks(b)) return false;
    auto& list = lacks(a) ? out_.missing_on_a : out_.missing_on_b;
    list.push_back(fmt::format("{}: {}", base_id(a), (lacks(a) ? a : b).failure->message));
    return true;
  }

  void add_not_reached(bool on_a, const std::string& why) {
    for (auto& known : out_.not_reached) {
      if (known.on_a != on_a || known.why != why) continue;
      ++known.steps;
      return;
    }
    out_.not_reached.push_back({on_a, why, 1});
  }

  void measured(const StepRecord& a, const StepRecord& b) {
    std::vector<Measurements::key_type> order;
    const Measurements of_a = measurements_of(a, order);
    const Measurements of_b = measurements_of(b, order);
    // A step that went wrong measures no more: its verdict says it already.
    const bool same_end = class_of(a.verdict) == class_of(b.verdict);
    for (const auto& key : order) {
      const auto in_a = of_a.find(key);
      const auto in_b = of_b.find(key);
      if (in_a != of_a.end() && in_b != of_b.end()) {
        one(base_id(a), subject_of(key), *in_a->second, *in_b->second);
      } else if (same_end) {
        const bool on_a = in_a != of_a.end();
        const std::string text = (on_a ? in_a : in_b)->second->text;
        differ(Difference::Kind::measurement, base_id(a), subject_of(key), on_a ? text : "not measured",
               on_a ? "not measured" : text);
      }
    }
  }

  void one(const std::string& step, const std::string& subject, const MeasurementRecord& a,
           const MeasurementRecord& b) {
    ++(a.check ? out_.checks : out_.measurements);
    if (class_of(a.verdict) != class_of(b.verdict)) {
      differ(a.check ? Difference::Kind::check : Difference::Kind::value, step, subject, a.text, b.text,
             fmt::format("{} {}", a.check ? "expected" : "limit", a.limit));
      return;
    }
    if (a.check && a.text != b.text) ++out_.other_texts;
    if (!a.value || !b.value || !a.min || !a.max || !(*a.max > *a.min)) return;
    const double share = std::abs(*a.value - *b.value) / (*a.max - *a.min);
    if (std::isfinite(share)) out_.distances.push_back({step, subject, a.text, b.text, a.limit, share});
  }

  /// What no step shows: an interlock, a bench that would not become safe, a run that was killed.
  void runs() {
    if (class_of(a_.verdict) == class_of(b_.verdict) && a_.safe == b_.safe) return;
    const auto word = [](const RunRecord& run) {
      return fmt::format("{}{}", name_of(run.verdict), run.safe ? "" : ", bench not safe");
    };
    const RunRecord& worse = class_of(a_.verdict) > class_of(b_.verdict) || !a_.safe ? a_ : b_;
    differ(Difference::Kind::run, "", "", word(a_), word(b_),
           worse.first_failure ? text_of(worse.first_failure->failure) : "");
  }

  const RunRecord& a_;
  const RunRecord& b_;
  Comparison out_;
};

}  // namespace

std::string_view name_of(Difference::Kind kind) {
  static constexpr std::array<std::string_view, 6> kNames = {"verdict", "value", "check", "measurement", "step", "run"};
  return kNames.at(static_cast<std::size_t>(kind));
}

Comparison compare(const RunRecord& a, const RunRecord& b) { return Comparer(a, b).compare(); }

}  // namespace firstlight::parity
