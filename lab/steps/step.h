#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/capabilities/bench.h"
#include "lab/core/bench_time.h"
#include "lab/core/failure.h"
#include "lab/core/limit.h"
#include "lab/core/value.h"
#include "lab/core/verdict.h"
#include "lab/core/vocabulary.h"

namespace firstlight {

enum class Severity : std::uint8_t { debug, info, warning, error };

/// How an energising action is undone, as data: another process can read it and do the same. lab/steps/undo.h has the
/// kinds.
struct Undo {
  std::string kind;    // "rail_off"
  std::string target;  // "vdd_core"
  std::string value;   // "0.85 V"; empty for most
};

/// An action that energises the bench, with how it is undone. Written down before it happens.
struct EnergisingAction {
  std::string what;       // "enable vdd_core at 850 mV"
  std::string undo_text;  // "disable vdd_core, ramp 10 ms, read back <= 100 mV"
  std::string key;        // one live entry per key: a later action with the key replaces the entry ("rail vdd_core")
  Undo undo;
};

/// Watches measurables while other steps run.
struct MonitorRequest {
  std::string name;
  std::vector<std::string> measurables;
  Duration period{};
  Limit limit;  // judged on every sample; the monitor's verdict is the worst
  bool has_limit = false;
};

/// What a running step may do besides driving capabilities. Made by the runner, one for each attempt; lives in the
/// step's fiber.
class StepContext {
 public:
  StepContext() = default;
  StepContext(const StepContext&) = delete;
  StepContext& operator=(const StepContext&) = delete;
  virtual ~StepContext() = default;

  virtual Bench& bench() = 0;
  BenchTime& time() { return bench().time(); }
  /// Parameters, typed and complete (defaults are filled in). `has` is false for an optional one that was not given.
  virtual bool has(std::string_view param) const = 0;
  virtual const Value& with(std::string_view param) const = 0;
  /// When the step's time is over; nothing in a step waits beyond it.
  virtual Instant deadline() const = 0;
  /// For this step, from the run's seed and the step's id.
  virtual std::uint64_t seed() const = 0;

  /// Records a measurement, judged by the sequence's limit of that name if there is one. The main measurement has the
  /// name "".
  /// @param subject what was measured, by its name on the bench ("vdd_core.voltage"); @param part who is to blame when
  /// it is bad
  virtual Verdict measure(const std::string& name, const Quantity& value, const std::string& subject,
                          const std::string& part = {}) = 0;
  /// The same with a limit of the step's own, which a limit of the sequence replaces.
  virtual Verdict measure(const std::string& name, const Quantity& value, const Limit& limit,
                          const std::string& subject, const std::string& part = {}) = 0;
  /// Records a check of something that is not a number.
  virtual Verdict expect(const std::string& name, bool holds, const std::string& expected, const std::string& found,
                         const std::string& part = {}) = 0;
  /// A failure that does not end the step by itself; the first one becomes the step's failure unless fail() is called.
  virtual void note_failure(Failure failure) = 0;
  [[noreturn]] void fail(Failure failure) { throw FailureError(std::move(failure)); }

  /// Adds a point, at the present bench time, to a series that the report draws.
  virtual void sample(const std::string& series, const Quantity& value) = 0;
  virtual void log(Severity severity, const std::string& message) = 0;
  /// Structured data that the report knows how to draw: "ltssm_trace", "lane_ber", "rail_ramp". `json` is one JSON
  /// value.
  virtual void data(const std::string& kind, const std::string& json) = 0;
  /// A file beside the record.
  virtual void attach(const std::string& name, const std::string& media_type, const std::string& content) = 0;
  virtual void progress(double share, const std::string& text) = 0;

  /// Writes the action down; the caller then does it. The envelope has been checked by the capability.
  virtual void energise(EnergisingAction action) = 0;
  /// The entry is undone already (the step itself turned it off).
  virtual void de_energised(const std::string& key) = 0;

  virtual void start_monitor(MonitorRequest request) = 0;
  /// Stops it and gives its verdict. An unknown name is a failure of class sequence.
  virtual Verdict stop_monitor(const std::string& name) = 0;
  /// Asks the operator; the answer is one of `choices`. With no one at the terminal it is a failure of class operator,
  /// never a guess.
  virtual std::string ask(const std::string& question, const std::vector<std::string>& choices) = 0;
};

/// A verb: its specification and what it does.
struct Step {
  StepSpec spec;
  std::function<void(StepContext&)> run;
};

/// Every verb there is, in the order in which `firstlight list steps` shows them.
const std::vector<Step>& all_steps();
const Step* find_step(std::string_view verb);

}  // namespace firstlight
