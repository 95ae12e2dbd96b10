#include "lab/steps/prbs.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lab/steps/link_lanes.h"
#include "lab/steps/support.h"
#include "lab/steps/undo.h"

namespace firstlight::steps {

namespace {

constexpr int kInjected = 3;
const char* const kKey = "link prbs";

PrbsPattern pattern_of(const std::string& name) {
  return name == "prbs7" ? PrbsPattern::prbs7 : name == "prbs15" ? PrbsPattern::prbs15 : PrbsPattern::prbs31;
}

/// Why a checker does not lock, the most specific cause first.
[[noreturn]] void fail_unlocked(StepContext& step, const Link& link, const std::vector<PrbsResult>& results,
                                const PrbsResult& first) {
  const bool all = std::none_of(results.begin(), results.end(), [](const PrbsResult& r) { return r.locked; });
  Failure failure{ErrorClass::dut,
                  "prbs_no_lock",
                  fmt::format("the PRBS checker of lane {} is not locked: it checks nothing", first.lane),
                  lane_part(link, first.lane),
                  "PRBS at both ends",
                  fmt::format("lane {}: locked 0, inverted {:d}, signal {:d}, {} bits", first.lane, first.inverted,
                              first.present, first.bits),
                  "errors beyond what a checker can follow, or a wrong pattern"};
  if (first.inverted) {
    failure.symptom = "lane_inverted";
    failure.message = fmt::format("lane {} carries the complement of the PRBS: its pair is swapped", first.lane);
    failure.likely_cause = "P and N of the lane are swapped on the board or in the cable";
  } else if (!first.present) {
    failure.symptom = all ? "no_signal" : "lane_no_signal";
    failure.message = all ? "no lane has a signal" : fmt::format("lane {} has no signal", first.lane);
    failure.part = all ? link.part() + " partner" : lane_part(link, first.lane);
    failure.likely_cause =
        all ? "the other end is off or not plugged in" : "an open pair, a dead driver or a bad solder joint";
  } else if (all) {
    failure.symptom = "prbs_no_traffic";
    failure.message = "no lane's PRBS checker locks although every lane has a signal: there is no PRBS on the lanes";
    failure.part = link.part() + " partner's transmitters";
    failure.likely_cause =
        "the far transmitters send a constant or idle instead of the sequence; 0 errors would have meant nothing";
  }
  step.fail(failure);
}

/// A checker that does not count what is known to be wrong is not checking.
std::vector<std::uint64_t> prove_checkers(StepContext& step, Link& link, const std::vector<int>& lanes) {
  for (const int lane : lanes) link.inject_prbs_errors(lane, kInjected);
  wait_bits(step, link, kLockBits);
  const std::vector<PrbsResult> results = link.prbs();
  std::vector<std::uint64_t> seen(results.size());
  for (const int lane : lanes) {
    const PrbsResult& result = results.at(static_cast<std::size_t>(lane));
    if (!result.locked) fail_unlocked(step, link, results, result);
    seen[static_cast<std::size_t>(lane)] = result.errors;
  }
  for (const int lane : lanes)
    step.measure("injected", {static_cast<double>(seen[static_cast<std::size_t>(lane)]), Dimension::none},
                 Limit::at_least({kInjected, Dimension::none}), fmt::format("link.lane{}.injected", lane),
                 lane_part(link, lane));
  return seen;
}

}  // namespace

ParamSpec pattern_param() {
  return choice_param("pattern", {"prbs7", "prbs15", "prbs31"}, "ITU-T O.150 sequence.", "prbs31");
}

MeasurableSpec injected_measure() {
  return {"injected", Dimension::none, "Errors counted of those that were injected on purpose."};
}

void wait_bits(StepContext& step, const Link& link, double bits, Instant limit) {
  // Beyond any deadline, and below what bench time can hold.
  constexpr double kLongest = 1e6;
  const Duration wait = from_seconds(std::min(bits / link.lane_rate(), kLongest));
  step.time().sleep_until(std::min({limit, step.deadline(), step.time().now() + wait}));
}

std::vector<std::uint64_t> start_prbs(StepContext& step, Link& link, const std::vector<int>& lanes) {
  step.energise({"PRBS on the link's transmitters", "stop PRBS", kKey, undo_prbs()});
  link.start_prbs(pattern_of(step.with("pattern").text()));
  wait_bits(step, link, kLockBits);
  link.clear_prbs();
  const std::vector<std::uint64_t> seen = prove_checkers(step, link, lanes);
  link.clear_prbs();
  return seen;
}

void stop_prbs(StepContext& step, Link& link) {
  link.stop_prbs();
  step.de_energised(kKey);
}

double error_ratio(const PrbsResult& result) {
  return result.bits == 0 ? 1.0 : static_cast<double>(result.errors) / static_cast<double>(result.bits);
}

bool kept_lock(const PrbsResult& result) { return result.locked && result.lock_losses == 0; }

void expect_lock(StepContext& step, const Link& link, const PrbsResult& result) {
  const std::string found = result.lock_losses > 0 ? fmt::format("lock lost {} times", result.lock_losses)
                            : result.locked        ? "locked"
                                                   : "lock lost";
  step.expect(fmt::format("link.lane{}.prbs_locked", result.lane), kept_lock(result), "locked", found,
              lane_part(link, result.lane));
}

void record_lane_ber(StepContext& step, const Link& link, const std::vector<LaneBer>& lanes,
                     const std::vector<std::uint64_t>& injected_seen) {
  nlohmann::json list = nlohmann::json::array();
  for (const auto& [counted, bound] : lanes)
    list.push_back({{"lane", counted.lane},
                    {"bits", counted.bits},
                    {"errors", counted.errors},
                    {"ber", error_ratio(counted)},
                    {"bound", bound},
                    {"injected", kInjected},
                    {"injected_seen", injected_seen.at(static_cast<std::size_t>(counted.lane))}});
  step.data("lane_ber", nlohmann::json({{"link", link.part()},
                                        {"pattern", step.with("pattern").text()},
                                        {"confidence", step.with("confidence").quantity().value},
                                        {"lanes", list}})
                            .dump());
}

}  // namespace firstlight::steps
