#pragma once

#include "tests/bench/results.h"

namespace bench {

// Each throws std::runtime_error when what it measures does not work. SystemC elaborates once, so one a process.
// quick: sizes that show that it works, not how fast it is.

/// Core cycles a second of the whole model, against the bare chip in the same process, taken in turns.
void measure_cycles(const Results& results, bool quick);
/// What the runner costs: an empty step with and without a record, and a fiber's wait on simple and on SystemC time.
void measure_runner(const Results& results, bool quick);
/// What each transport's wire costs: wall time of one operation, against the bench time that it takes on the board.
void measure_transports(const Results& results, bool quick);
/// The bring-up: wall time and processor time, by phase, and by model and runner.
void measure_bringup(const Results& results, bool quick);
/// How much of the time the array of the tensor engine works, beside the cycles of the ideal schedule.
void measure_tensor(const Results& results, bool quick);

}  // namespace bench
