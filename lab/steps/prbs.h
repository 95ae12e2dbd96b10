#pragma once

#include <cstdint>
#include <vector>

#include "lab/capabilities/link.h"
#include "lab/steps/step.h"

namespace firstlight::steps {

/// Bits that a checker may need to lock; start_prbs() takes twice as many.
inline constexpr double kLockBits = 20000;

inline constexpr const char* kClosedEye = "a closed eye: loss, crosstalk, equalisation or a noisy supply of the SerDes";

/// `pattern`: a sequence of ITU-T O.150.
ParamSpec pattern_param();
/// What start_prbs() measures.
MeasurableSpec injected_measure();

/// Sleeps for as long as a lane takes for so many bits, but not beyond `limit` or the step's deadline.
void wait_bits(StepContext& step, const Link& link, double bits, Instant limit = Instant::max());

/// PRBS at both ends, with what undoes it in the ledger. Then proves the checkers of `lanes`: each must lock and count
/// errors that are injected at the far end. Ends with all counters cleared. Returns how many of the injected errors
/// each lane counted, by lane. Throws FailureError (dut) when a checker does not lock.
std::vector<std::uint64_t> start_prbs(StepContext& step, Link& link, const std::vector<int>& lanes);
void stop_prbs(StepContext& step, Link& link);

/// Errors in a bit; 1 without bits, since nothing is known then.
double error_ratio(const PrbsResult& result);

/// Whether the checker was locked since the counters were cleared. If it was not, what it missed may have been errors.
bool kept_lock(const PrbsResult& result);
/// Records the check of it, for the lane's part.
void expect_lock(StepContext& step, const Link& link, const PrbsResult& result);

/// What a lane counted, and the upper bound that follows from it.
struct LaneBer {
  PrbsResult counted;
  double bound = 1;
};

/// Data "lane_ber", which the report draws. `injected_seen` as start_prbs() gave it.
void record_lane_ber(StepContext& step, const Link& link, const std::vector<LaneBer>& lanes,
                     const std::vector<std::uint64_t>& injected_seen);

}  // namespace firstlight::steps
