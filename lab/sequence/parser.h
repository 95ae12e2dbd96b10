#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lab/bench/envelope.h"
#include "lab/bench/parse.h"
#include "lab/document/document.h"
#include "lab/document/reader.h"
#include "lab/sequence/parameters.h"
#include "lab/sequence/plan.h"
#include "lab/sequence/scope.h"

namespace firstlight {

/// The list of steps that is being read, and what holds all of it.
struct Surroundings {
  const Scope* scope = nullptr;
  std::vector<std::string> suffixes;  // of the for_each groups around, outermost first
  std::string label;                  // "power.steps[2]": names groups without an id
  std::optional<Duration> timeout;    // the shortest of what holds the list ...
  std::string timeout_of;             // ... and whose it is: "the phase `power`"

  std::string suffix() const;
};

/// Makes a sequence plan of one document and what it includes.
class SequenceParser {
 public:
  SequenceParser(const Vocabulary& vocabulary, const BenchPlan* bench, Diagnostics& diagnostics);

  void parse(const Document& document, const ParameterOverrides& overrides);
  SequencePlan take() { return std::move(plan_); }

 private:
  // parse.cpp: the file, its header, what it includes, its phases
  void read_file(const Document& document, const Scope& set, bool top);
  void read_header(const Place& place, bool top);
  void check_requires(const Place& place);
  Parameters parameters_of(MapReader& map, const Scope& set);
  void read_phases(const Place& place, const Scope& scope, const std::string& file);
  void read_include(const Place& place, const Scope& scope, const std::string& file);
  void read_phase(const Place& place, const Scope& scope);

  // steps.cpp: steps and groups
  std::vector<StepPlan> read_steps(const Place& list, const Surroundings& around);
  void read_step(const Place& place, const Surroundings& around, std::vector<StepPlan>& out);
  StepPlan read_group(const Place& place, const Surroundings& around);
  StepPlan read_verb(const Place& place, const Surroundings& around);
  void read_children(const Place& place, const Surroundings& around, StepPlan& group);
  void read_branches(const Place& list, const Surroundings& around, std::vector<StepPlan>& out);
  void read_common(MapReader& map, const Surroundings& around, StepPlan& step);
  std::string read_id(MapReader& map, const Surroundings& around, bool required);
  void register_id(const std::string& id, const SourceLocation& where, const std::string& path);
  RetryPlan read_retry(const Place& place);
  void finish(const std::string& id);
  /// Takes back, out of what is over, the ids that came after the first `kept`: a branch does not wait for its
  /// siblings.
  std::vector<std::string> withhold(std::size_t kept);
  bool room_for_step(const Place& place);

  // verbs.cpp: what a verb takes and measures
  void read_verb_body(MapReader& map, const StepSpec& spec, StepPlan& step);
  void read_limits(MapReader& map, const StepSpec& spec, StepPlan& step);
  std::optional<Dimension> limit_dimension(const MeasurableSpec& measure, const StepSpec& spec, const StepPlan& step);
  std::optional<Dimension> floating_dimension(const StepSpec& spec, const Place* with);
  void check_needs(const StepSpec& spec, const Place& verb);

  // targets.cpp: what a step asks for, against what the bench allows
  void check_envelope(const StepSpec& spec, const StepPlan& step, const std::string& path);
  void check_rail(const std::string& rail, const StepSpec& spec, const StepPlan& step, const std::string& path);
  void check_driver(const std::string& driver, const StepSpec& spec, const StepPlan& step, const std::string& path);

  // conditions.cpp: `when`
  Condition read_when(const Place& place, const Surroundings& around);
  void read_when_map(const Place& place, const Surroundings& around, Condition& condition);
  void read_when_measure(MapReader& map, Condition& condition);
  std::string resolve_step(const Place& place, const Surroundings& around);
  void check_pending();

  struct PendingStep {
    std::vector<std::string> candidates;
    SourceLocation where;
    std::string path;
  };

  const Vocabulary& vocabulary_;
  const BenchPlan* bench_;
  std::optional<Envelope> envelope_;  // of the bench
  NameTable names_;
  Reader reader_;
  SequencePlan plan_;
  std::string hashed_;  // the text of every file, in the order of inclusion
  std::vector<std::string> including_;
  std::map<std::string, MeasurableSpec> measurables_;
  std::vector<std::string> capabilities_;
  std::map<std::string, SourceLocation> ids_;
  std::set<std::string> done_;     // ids of steps that are over when the one being read begins ...
  std::vector<std::string> over_;  // ... in the order in which they were read
  std::vector<PendingStep> pending_;
  std::size_t steps_ = 0;
  bool too_many_ = false;
};

}  // namespace firstlight
