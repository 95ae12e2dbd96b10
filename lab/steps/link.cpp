#include "lab/capabilities/link.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lab/steps/families.h"
#include "lab/steps/link_lanes.h"
#include "lab/steps/support.h"
#include "lab/steps/undo.h"

namespace firstlight {

namespace {

using namespace steps;  // NOLINT(google-build-using-namespace): the helpers of this folder

constexpr Duration kPoll{2'000'000'000};
const char* const kKey = "link";

Link& link_of(StepContext& step) { return step.bench().get<Link>(); }

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

std::vector<Step> link_steps() { return {{train_spec(), link_train}, {health_spec(), link_health}}; }

}  // namespace firstlight
