#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lab/core/failure.h"
#include "lab/core/verdict.h"

namespace firstlight::report {

/// The record of a run as views need it; docs/record.md says what each field is. JSON that only a page draws stays
/// text.

struct MeasurementRecord {
  std::string name;
  std::string subject;
  std::string part;
  Verdict verdict = Verdict::pass;
  bool check = false;  // something that is no number
  std::string text;    // the value for people
  std::string limit;   // for people; of a check: what was expected
  std::optional<double> value;
  std::optional<double> min;
  std::optional<double> max;
  std::optional<double> margin;
  std::string unit;
  int attempt = 1;
  double t = 0;
};

struct FailureRecord {
  std::string error_class;
  std::string symptom;
  std::string message;
  std::string part;
  std::string sent;
  std::string received;
  std::string likely_cause;
};

struct StepRecord {
  std::string id;      // testStepId
  std::string own_id;  // as in the sequence
  std::string title;
  std::string kind;  // phase, sequential, parallel, verb, pseudo
  std::string parent;
  std::string phase;
  std::string section;
  std::string verb;
  std::string with;  // JSON
  std::string file;
  int line = 0;
  double t = 0;
  double duration_s = 0;
  double wall_duration_s = 0;
  int attempts = 0;
  bool ended = false;
  bool intermittent = false;
  bool superseded = false;  // of an attempt of its group that was made again: no longer counts
  Verdict verdict = Verdict::error;
  std::string skip_reason;
  std::optional<FailureRecord> failure;
  std::vector<MeasurementRecord> measurements;
  std::vector<std::string> logs;
};

struct SeriesRecord {
  std::string name;
  std::string unit;
  std::string step;
  std::string source;  // step, monitor, interlock
  std::string limit;
  std::vector<std::pair<double, double>> points;  // bench seconds, value
};

struct DataRecord {
  std::string step;
  std::string kind;
  double t = 0;
  std::string value;  // JSON
};

struct EventRecord {  // ledger, interlock, monitor and safe-state events, as they came
  std::string kind;   // "firstlight.ledger", ...
  std::string step;
  double t = 0;
  std::string content;  // JSON
};

struct FileRecord {
  std::string step;
  std::string name;
  std::string uri;
  std::string media_type;
};

struct FirstFailure {
  FailureRecord failure;
  std::string phase;
  std::string section;
  std::string step;
  std::string id;
  std::string title;
  std::string verb;
  std::string file;
  int line = 0;
  double t = 0;
  std::vector<std::string> during;  // of an interlock: the steps that were running
};

struct RunRecord {
  std::string name;
  std::string version;
  std::string doc;
  std::string command_line;
  std::string reproduce;
  std::string run;  // folder name
  std::string seed;
  std::string bench;
  std::string parameters;  // JSON, as recorded
  std::string dut;         // JSON, as recorded
  std::string wall_start;
  std::string wall_end;
  double wall_time_s = 0;
  double bench_time_s = 0;
  double time_scale = 1;
  bool complete = false;  // testRunEnd was there
  bool safe = false;
  std::string made_safe_by;  // when it was not the run itself
  Verdict verdict = Verdict::error;
  int exit_status = 3;
  std::optional<FirstFailure> first_failure;
  std::map<std::string, int> counts;              // verbs by verdict
  std::map<std::string, int> measurement_counts;  // measurements and checks by verdict
  std::vector<StepRecord> steps;                  // in the order in which they started
  std::vector<SeriesRecord> series;
  std::vector<DataRecord> data;
  std::vector<EventRecord> events;
  std::vector<FileRecord> files;
  int unreadable_lines = 0;  // at most the last, cut short by a kill
};

/// Reads `<folder>/events.jsonl`. A record that was cut off is completed as docs/record.md says: verdict error, symptom
/// run_incomplete. Throws FailureError (infrastructure) when there is no record or a line in its middle is not JSON.
RunRecord read_record(const std::string& folder);

}  // namespace firstlight::report
