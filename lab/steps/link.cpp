#include "lab/capabilities/link.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "lab/steps/error_bound.h"
#include "lab/steps/families.h"
#include "lab/steps/support.h"
#include "lab/steps/undo.h"

namespace firstlight {

namespace {

using namespace steps;  // NOLINT(google-build-using-namespace): the helpers of this folder

constexpr Duration kPoll{2'000'000'000};
constexpr int kInjected = 3;
constexpr double kLockBits = 20000;  // what a checker may need to lock
const char* const kKey = "link";

Link& link_of(StepContext& step) { return step.bench().get<Link>(); }
std::string lane_part(const Link& link, int lane) { return fmt::format("{} lane {}", link.part(), lane); }

std::string states(const std::vector<LinkTransition>& trace) {
  std::string out;
  const std::size_t first = trace.size() > 8 ? trace.size() - 8 : 0;
  for (std::size_t i = first; i < trace.size(); ++i)
    out += (out.empty() ? trace[i].from + " > " : " > ") + trace[i].to + " (" + trace[i].reason + ")";
  return out;
}

void record_trace(StepContext& step, Link& link, const std::vector<LinkTransition>& trace) {
  nlohmann::json entries = nlohmann::json::array();
  if (!trace.empty()) entries.push_back({{"t", trace.front().time}, {"state", trace.front().from}, {"cause", ""}});
  for (const LinkTransition& transition : trace)
    entries.push_back({{"t", transition.time}, {"state", transition.to}, {"cause", transition.reason}});
  step.data("ltssm_trace", nlohmann::json({{"link", link.part()}, {"entries", entries}}).dump());
}

/// Who is to blame when the link does not come up: one lane if only one is bad, else what all lanes share.
std::string blame(const Link& link, const LinkStatus& status) {
  std::vector<int> bad;
  for (const LaneStatus& lane : status.lanes)
    if (!lane.present || !lane.locked) bad.push_back(lane.lane);
  if (bad.size() == 1) return lane_part(link, bad.front());
  if (bad.size() == status.lanes.size()) return link.part() + " partner";
  return link.part();
}

/// The lanes whose number is not that of the wire they arrive on.
std::string wiring(const LinkStatus& status) {
  std::string out;
  for (const LaneStatus& lane : status.lanes)
    if (lane.mapped_from >= 0 && lane.mapped_from != lane.lane)
      out += fmt::format("{}{} arrives on {}", out.empty() ? "" : ", ", lane.mapped_from, lane.lane);
  return out;
}

[[noreturn]] void fail_training(StepContext& step, const Link& link, const LinkStatus& status,
                                const std::vector<LinkTransition>& trace) {
  const std::string crossed = wiring(status);
  const std::string part =
      crossed.empty() ? blame(link, status) : fmt::format("{} lane wiring ({})", link.part(), crossed);
  step.fail({ErrorClass::dut, crossed.empty() ? "link_not_trained" : "link_lane_map",
             fmt::format("{} is in {} and did not reach L0", link.part(), status.state), part, "link.ctrl.enable = 1",
             status.text + "; " + states(trace), crossed.empty() ? status.reason : "lanes are crossed: " + crossed});
}

struct LaneCheck {
  std::string name;
  bool holds = true;
  std::string expected;
  std::string found;
  std::string part;
  Failure failure;  // when it does not hold
};

void judge(StepContext& step, const LaneCheck& check) {
  if (!check.holds) step.note_failure(check.failure);
  step.expect(check.name, check.holds, check.expected, check.found, check.part);
}

void check_order(StepContext& step, const Link& link, const LinkStatus& status, bool reversed) {
  const std::string part = link.part() + " lane wiring";
  judge(step,
        {"link.reversed", status.reversed == reversed, reversed ? "reversed" : "straight",
         status.reversed ? "reversed" : "straight", part,
         dut_failure("link_reversed",
                     fmt::format("the lanes of {} arrive {}", link.part(), status.reversed ? "reversed" : "straight"),
                     part, status.text,
                     "the connector or cable is the other way round than the board's design; the receiver undid it")});
}

void check_lane(StepContext& step, const Link& link, const LaneStatus& lane, int wired) {
  const std::string name = fmt::format("link.lane{}", lane.lane);
  const std::string part = lane_part(link, lane.lane);
  const std::string state = lane.active    ? "active"
                            : lane.locked  ? "locked, not used"
                            : lane.present ? "no lock"
                                           : "no signal";
  judge(step, {name + ".active", lane.active, "active", state, part,
               dut_failure("lane_not_active",
                           fmt::format("lane {} of {} is not in use: {}", lane.lane, link.part(), state), part, state,
                           lane.present ? "too many bit errors, or another lane's partner is missing"
                                        : "an open pair, a dead driver or a bad solder joint")});
  if (!lane.active) return;
  judge(step, {name + ".wired_to", lane.mapped_from == wired, fmt::format("lane {}", wired),
               fmt::format("lane {}", lane.mapped_from), part,
               dut_failure("link_lane_map",
                           fmt::format("lane {} of the other end arrives on lane {}", lane.mapped_from, lane.lane),
                           part, {}, "swapped pairs")});
  judge(step, {name + ".polarity", !lane.inverted, "straight", lane.inverted ? "inverted" : "straight", part,
               dut_failure("lane_inverted", fmt::format("lane {} of {} arrives inverted", lane.lane, link.part()), part,
                           {}, "P and N of the lane are swapped")});
}

void check_skew(StepContext& step, const LinkStatus& status, const Link& link) {
  // A lane waits for the latest one: who waits least is the late one.
  const auto late = std::min_element(status.lanes.begin(), status.lanes.end(),
                                     [](const auto& a, const auto& b) { return a.skew < b.skew; });
  const auto early = std::max_element(status.lanes.begin(), status.lanes.end(),
                                      [](const auto& a, const auto& b) { return a.skew < b.skew; });
  const int skew = early->skew - late->skew;
  const Quantity allowed = step.with("max_skew").quantity();
  const std::string part = lane_part(link, late->lane);
  if (skew > allowed.value)
    step.note_failure(dut_failure(
        "lane_skew",
        fmt::format("lane {} of {} is {} core cycles later than lane {}", late->lane, link.part(), skew, early->lane),
        part, {}, "a trace or cable pair that is longer than the others; deskew undid it, but its reserve is used"));
  step.measure("skew", {static_cast<double>(skew), Dimension::none}, Limit::at_most(allowed), "link", part);
}

void check_lanes(StepContext& step, const Link& link, const LinkStatus& status) {
  const bool reversed = step.with("reversed").boolean();
  check_order(step, link, status, reversed);
  for (const LaneStatus& lane : status.lanes)
    check_lane(step, link, lane, status.reversed ? static_cast<int>(status.lanes.size()) - 1 - lane.lane : lane.lane);
  check_skew(step, status, link);
}

void link_train(StepContext& step) {
  Link& link = link_of(step);
  step.energise({"enable the link's transmitters", "disable the link", kKey, undo_link()});
  const Instant begin = step.time().now();
  const Duration limit = link.training_limit();
  link.enable();
  LinkStatus status;
  const bool up = poll(step, kPoll, begin + limit, [&] {
    status = link.status();
    return status.up;
  });
  const std::vector<LinkTransition> trace = link.trace();
  record_trace(step, link, trace);
  if (!up) fail_training(step, link, status, trace);
  const double expected = static_cast<double>(step.with("width").integer());
  check_lanes(step, link, status);
  step.measure("", {static_cast<double>(status.width), Dimension::none},
               Limit::between({expected, Dimension::none}, {expected, Dimension::none}), "link.width",
               status.width < static_cast<int>(expected) ? blame(link, status) : link.part());
  const double trained = trace.empty() ? 0 : trace.back().time - trace.front().time;
  step.measure("train_time", {trained, Dimension::time}, "link.train_time", link.part());
  step.measure("recoveries", {static_cast<double>(status.recoveries), Dimension::none},
               Limit::at_most({0, Dimension::none}), "link.recoveries", link.part());
}

PrbsPattern pattern_of(const std::string& name) {
  return name == "prbs7" ? PrbsPattern::prbs7 : name == "prbs15" ? PrbsPattern::prbs15 : PrbsPattern::prbs31;
}

void wait_bits(StepContext& step, const Link& link, double bits) {
  // Beyond any deadline, and below what bench time can hold.
  constexpr double kLongest = 1e6;
  const Duration wait = from_seconds(std::min(bits / link.lane_rate(), kLongest));
  step.time().sleep_until(std::min(step.deadline(), step.time().now() + wait));
}

/// Why a checker does not lock, the most specific cause first.
[[noreturn]] void fail_unlocked(StepContext& step, const Link& link, const std::vector<PrbsResult>& results) {
  const auto first = std::find_if(results.begin(), results.end(), [](const PrbsResult& r) { return !r.locked; });
  const bool all = std::none_of(results.begin(), results.end(), [](const PrbsResult& r) { return r.locked; });
  Failure failure{ErrorClass::dut,
                  "prbs_no_lock",
                  fmt::format("the PRBS checker of lane {} is not locked: it checks nothing", first->lane),
                  lane_part(link, first->lane),
                  "PRBS at both ends",
                  fmt::format("lane {}: locked 0, inverted {:d}, signal {:d}, {} bits", first->lane, first->inverted,
                              first->present, first->bits),
                  "errors beyond what a checker can follow, or a wrong pattern"};
  if (first->inverted) {
    failure.symptom = "lane_inverted";
    failure.message = fmt::format("lane {} carries the complement of the PRBS: its pair is swapped", first->lane);
    failure.likely_cause = "P and N of the lane are swapped on the board or in the cable";
  } else if (!first->present) {
    failure.symptom = all ? "no_signal" : "lane_no_signal";
    failure.message = all ? "no lane has a signal" : fmt::format("lane {} has no signal", first->lane);
    failure.part = all ? link.part() + " partner" : lane_part(link, first->lane);
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
std::vector<std::uint64_t> prove_checkers(StepContext& step, Link& link) {
  for (int lane = 0; lane < link.lane_count(); ++lane) link.inject_prbs_errors(lane, kInjected);
  wait_bits(step, link, kLockBits);
  const std::vector<PrbsResult> results = link.prbs();
  if (std::any_of(results.begin(), results.end(), [](const PrbsResult& r) { return !r.locked; }))
    fail_unlocked(step, link, results);
  std::vector<std::uint64_t> seen;
  for (const PrbsResult& result : results) {
    seen.push_back(result.errors);
    step.measure("injected", {static_cast<double>(result.errors), Dimension::none},
                 Limit::at_least({kInjected, Dimension::none}), fmt::format("link.lane{}.injected", result.lane),
                 lane_part(link, result.lane));
  }
  return seen;
}

void judge_prbs(StepContext& step, Link& link, const std::vector<std::uint64_t>& seen, double confidence,
                double target) {
  nlohmann::json lanes = nlohmann::json::array();
  for (const PrbsResult& result : link.prbs()) {
    const double ratio = result.bits == 0 ? 1.0 : static_cast<double>(result.errors) / static_cast<double>(result.bits);
    const double bound = upper_error_bound(result.errors, result.bits, confidence);
    lanes.push_back({{"lane", result.lane},
                     {"bits", result.bits},
                     {"errors", result.errors},
                     {"ber", ratio},
                     {"bound", bound},
                     {"injected", kInjected},
                     {"injected_seen", seen.at(static_cast<std::size_t>(result.lane))}});
    const std::string name = fmt::format("link.lane{}", result.lane);
    step.expect(name + ".prbs_locked", result.locked, "locked", result.locked ? "locked" : "lock lost",
                lane_part(link, result.lane));
    if (bound > target)
      step.note_failure(dut_failure(
          "ber_too_high",
          fmt::format("lane {}: {} errors in {:.3g} bits; the ratio may be as high as {:.2g} at {:.4g} % confidence",
                      result.lane, result.errors, static_cast<double>(result.bits), bound, confidence * 100),
          lane_part(link, result.lane), {},
          "a closed eye: loss, crosstalk, equalisation or a noisy supply of the SerDes"));
    step.measure("", {bound, Dimension::bit_error_ratio}, Limit::at_most({target, Dimension::bit_error_ratio}),
                 name + ".ber", lane_part(link, result.lane));
  }
  step.data("lane_ber", nlohmann::json({{"link", link.part()},
                                        {"pattern", step.with("pattern").text()},
                                        {"confidence", confidence},
                                        {"lanes", lanes}})
                            .dump());
}

void link_prbs(StepContext& step) {
  Link& link = link_of(step);
  const double confidence = step.with("confidence").quantity().value;
  const double target = step.with("target").quantity().value;
  // A tenth more than what zero errors need, so that the bound lies below the target and not on it.
  const double bits = 1.1 * -std::log(1 - confidence) / target;
  step.energise({"PRBS on the link's transmitters", "stop PRBS", "link prbs", undo_prbs()});
  link.start_prbs(pattern_of(step.with("pattern").text()));
  wait_bits(step, link, kLockBits);
  link.clear_prbs();
  const std::vector<std::uint64_t> seen = prove_checkers(step, link);
  link.clear_prbs();
  constexpr int kSlices = 10;
  for (int slice = 0; slice < kSlices; ++slice) {
    wait_bits(step, link, bits / kSlices);
    step.progress((slice + 1.0) / kSlices, fmt::format("{:.2g} bits a lane", bits * (slice + 1) / kSlices));
  }
  judge_prbs(step, link, seen, confidence, target);
  link.stop_prbs();
  step.de_energised("link prbs");
}

void link_health(StepContext& step) {
  Link& link = link_of(step);
  const LinkStatus status = link.status();
  step.expect("link.state", status.up, "L0", status.state, link.part());
  for (const auto& [name, count] : link.counters()) {
    if (name == "tx_flits" || name == "rx_flits") continue;
    step.measure("errors", {static_cast<double>(count), Dimension::none}, Limit::at_most({0, Dimension::none}),
                 "link." + name, link.part());
  }
}

StepSpec train_spec() {
  StepSpec spec;
  spec.verb = "link.train";
  spec.doc =
      "Enables both ends of the link and waits for L0, no longer than the link's own timers allow. Then compares what "
      "training found with what the board "
      "should be: width, order of the lanes, polarity, skew. Keeps the state trace.";
  spec.needs = "links";
  ParamSpec skew =
      quantity_param("max_skew", Dimension::none, "Core cycles between the earliest and the latest lane.", "1");
  spec.params = {integer_param("width", "Lanes that must be in use.", "4"),
                 flag_param("reversed", "The board reverses the lanes.", "false"), skew};
  spec.measures = {{"", Dimension::none, "Width."},
                   {"train_time", Dimension::time, "From DETECT to L0 by the chip's clock, nominal."},
                   {"skew", Dimension::none, "Core cycles between the earliest and the latest lane."},
                   {"recoveries", Dimension::none, "Entries to RECOVERY."}};
  spec.example = "{id: train, do: link.train, with: {width: 4}, timeout: 2 s}";
  return spec;
}

StepSpec prbs_spec() {
  StepSpec spec;
  spec.verb = "link.prbs";
  spec.doc =
      "Bit error ratio of every lane by PRBS, with a confidence bound. First proves each checker: it must be locked "
      "and count errors that were injected at the "
      "far end; a lane without traffic never passes. Runs as many bits as zero errors need for the target.";
  spec.needs = "links";
  ParamSpec confidence = quantity_param("confidence", Dimension::ratio, "Of the bound.", "95 %");
  confidence.min = 0.5;
  confidence.max = 0.9999;
  ParamSpec target =
      quantity_param("target", Dimension::bit_error_ratio, "The bound that every lane must stay below.", "1e-6");
  target.min = 1e-15;
  target.max = 0.1;
  spec.params = {choice_param("pattern", {"prbs7", "prbs15", "prbs31"}, "ITU-T O.150 sequence.", "prbs31"), target,
                 confidence};
  spec.measures = {{"", Dimension::bit_error_ratio, "Upper bound of each lane's bit error ratio."},
                   {"injected", Dimension::none, "Errors counted of those that were injected on purpose."}};
  spec.example = "{id: prbs, do: link.prbs, with: {pattern: prbs31, target: 1e-6}, timeout: 10 s}";
  return spec;
}

StepSpec health_spec() {
  StepSpec spec;
  spec.verb = "link.health";
  spec.doc = "Checks that the link is in L0 and that none of its error counters has moved since they were cleared.";
  spec.needs = "links";
  spec.measures = {{"errors", Dimension::none, "Each error counter."}};
  spec.example = "{id: link_ok, do: link.health}";
  return spec;
}

}  // namespace

std::vector<Step> link_steps() {
  return {{train_spec(), link_train}, {prbs_spec(), link_prbs}, {health_spec(), link_health}};
}

}  // namespace firstlight
