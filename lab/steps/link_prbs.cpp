#include <fmt/format.h>

#include <cmath>

#include "lab/capabilities/link.h"
#include "lab/steps/error_bound.h"
#include "lab/steps/families.h"
#include "lab/steps/link_lanes.h"
#include "lab/steps/prbs.h"
#include "lab/steps/support.h"

namespace firstlight {

namespace {

using namespace steps;  // NOLINT(google-build-using-namespace): the helpers of this folder

void judge_lane(StepContext& step, const Link& link, const LaneBer& lane, double confidence, double target) {
  const PrbsResult& counted = lane.counted;
  const std::string part = lane_part(link, counted.lane);
  expect_lock(step, link, counted);
  if (lane.bound > target)
    step.note_failure(dut_failure(
        "ber_too_high",
        fmt::format("lane {}: {} errors in {:.3g} bits; the ratio may be as high as {:.2g} at {:.4g} % confidence",
                    counted.lane, counted.errors, static_cast<double>(counted.bits), lane.bound, confidence * 100),
        part, {}, kClosedEye));
  step.measure("", {lane.bound, Dimension::bit_error_ratio}, Limit::at_most({target, Dimension::bit_error_ratio}),
               fmt::format("link.lane{}.ber", counted.lane), part);
}

void link_prbs(StepContext& step) {
  Link& link = step.bench().get<Link>();
  const double confidence = step.with("confidence").quantity().value;
  const double target = step.with("target").quantity().value;
  // A tenth more than what zero errors need, so that the bound lies below the target and not on it.
  const double bits = 1.1 * -std::log(1 - confidence) / target;
  const std::vector<std::uint64_t> seen = start_prbs(step, link, all_lanes(link));
  constexpr int kSlices = 10;
  for (int slice = 0; slice < kSlices; ++slice) {
    wait_bits(step, link, bits / kSlices);
    step.progress((slice + 1.0) / kSlices, fmt::format("{:.2g} bits a lane", bits * (slice + 1) / kSlices));
  }
  std::vector<LaneBer> lanes;
  for (const PrbsResult& result : link.prbs()) {
    lanes.push_back({result, upper_error_bound(result.errors, result.bits, confidence)});
    judge_lane(step, link, lanes.back(), confidence, target);
  }
  record_lane_ber(step, link, lanes, seen);
  stop_prbs(step, link);
}

StepSpec prbs_spec() {
  StepSpec spec;
  spec.verb = "link.prbs";
  spec.doc =
      "Bit error ratio of every lane by PRBS, with a confidence bound. First proves each checker: it must be locked "
      "and count errors that were injected at the "
      "far end; a lane without traffic never passes. Runs as many bits as zero errors need for the target.";
  spec.needs = "links";
  spec.params = {pattern_param(), target_param("The bound that every lane must stay below.", "1e-6", 1e-15),
                 confidence_param()};
  spec.measures = {{"", Dimension::bit_error_ratio, "Upper bound of each lane's bit error ratio."}, injected_measure()};
  spec.example = "{id: prbs, do: link.prbs, with: {pattern: prbs31, target: 1e-6}, timeout: 10 s}";
  return spec;
}

}  // namespace

std::vector<Step> link_prbs_steps() { return {{prbs_spec(), link_prbs}}; }

}  // namespace firstlight
