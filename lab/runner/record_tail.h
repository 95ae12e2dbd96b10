#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lab/core/bench_time.h"
#include "lab/core/verdict.h"
#include "lab/runner/events.h"

namespace firstlight {

/// What someone who goes on with the record of a run that was cut off must know of it (docs/record.md).
struct RecordTail {
  struct OpenStep {
    std::string id;
    std::string kind;
    Instant start{};
  };
  struct OpenSeries {
    std::string step;
    std::string id;
    std::uint64_t count = 0;
  };

  bool started = false;  // testRunStart is there
  bool ended = false;    // testRunEnd is there
  std::uint64_t next_sequence = 0;
  Instant last{};              // the latest bench time that it tells
  std::vector<OpenStep> open;  // in the order of their starts
  std::vector<OpenSeries> series;
  int safe_states = 0;  // times that the bench was made safe, or that was begun
  std::map<Verdict, int> counts;
  std::map<Verdict, int> measurements;
  int checks_held = 0;
  int checks_broken = 0;
  std::optional<FirstFailure> first_failure;  // of a verb that ended badly

  // Of the run's start.
  std::string bench_file;
  std::string bench_sha256;
  std::vector<std::pair<std::string, std::string>> bench_variables;
  std::string sequence;
  std::string command_line;
  std::uint64_t seed = 0;
};

/// Reads the record as far as it goes: a line that is cut short ends it. Throws FailureError (infrastructure) when
/// there is none.
RecordTail read_record_tail(const std::string& folder);

/// Only the number that the next line takes, from the end of the file: quick, however long the record is.
std::uint64_t next_sequence_number(const std::string& folder);

}  // namespace firstlight
