#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lab/core/bench_time.h"
#include "lab/core/diagnostic.h"
#include "lab/core/limit.h"
#include "lab/core/value.h"

namespace firstlight {

enum class OnFail : std::uint8_t { stop, continue_ };

/// When a step runs: all that are set must hold.
struct Condition {
  std::string step;                   // id of an earlier step ...
  std::vector<std::string> verdicts;  // ... whose verdict is one of these ("pass", "fail", ...)
  std::string measurable;             // or a measurable ...
  std::optional<Quantity> above;      // ... that is above
  std::optional<Quantity> below;      // ... or below
  std::optional<bool> constant;       // or a comparison of parameters, already decided
  std::string text;                   // as written, for the record
};

struct RetryPlan {
  int times = 0;  // further attempts after the first
  Duration delay{};
};

/// A step, or a group of steps. `for_each` and parameters are expanded by the parser: ids of expanded steps end in
/// "[value]".
struct StepPlan {
  enum class Kind : std::uint8_t { verb, sequential, parallel } kind = Kind::verb;
  std::string id;     // unique within the sequence
  std::string title;  // for people; empty: made from verb and parameters
  std::string verb;
  Value::Map with;                      // typed by StepSpec::params, defaults filled in
  std::map<std::string, Limit> limits;  // by StepSpec::measures name; "" for the main one
  std::optional<Duration> timeout;
  RetryPlan retry;
  std::optional<Condition> when;
  OnFail on_fail = OnFail::stop;
  std::vector<StepPlan> children;  // of groups
  SourceLocation where;
};

struct PhasePlan {
  std::string name;
  std::string title;
  std::vector<StepPlan> setup;
  std::vector<StepPlan> steps;
  std::vector<StepPlan> teardown;  // runs whatever happened
  std::optional<Duration> timeout;
  OnFail on_fail = OnFail::stop;
  SourceLocation where;
};

struct SequencePlan {
  std::string name;
  std::string version;
  std::string doc;
  std::string file;
  std::string sha256;
  std::vector<std::string> requires_;  // capabilities
  Value::Map parameters;               // values in force
  std::vector<PhasePlan> phases;
  std::optional<Duration> timeout;
};

}  // namespace firstlight
