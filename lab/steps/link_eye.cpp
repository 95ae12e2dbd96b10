#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "lab/capabilities/link.h"
#include "lab/steps/error_bound.h"
#include "lab/steps/families.h"
#include "lab/steps/link_lanes.h"
#include "lab/steps/support.h"

namespace firstlight {

namespace {

using namespace steps;  // NOLINT(google-build-using-namespace): the helpers of this folder

constexpr Duration kAsk{200'000};
constexpr double kLowestTarget = 1e-7;  // of a bathtub: what one look can show at any confidence

/// `count` places from `first` to `last`, 0 always among them, in order.
std::vector<int> places(int first, int last, std::int64_t count) {
  const double step = static_cast<double>(last - first) / static_cast<double>(count - 1);
  std::vector<int> out;
  for (const int side : {-1, 1})
    for (int i = side < 0 ? 0 : 1;; ++i) {
      const int place = static_cast<int>(std::lround(side * i * step));
      if (place < first || place > last) break;
      out.push_back(place);
    }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

EyeCount look(StepContext& step, Link& link, int lane, int phase, int offset, std::uint64_t bits) {
  link.start_eye(lane, phase, offset, bits);
  step.time().sleep_until(
      std::min(step.deadline(), step.time().now() + from_seconds(static_cast<double>(bits) / link.lane_rate())));
  std::optional<EyeCount> count;
  if (!poll(step, kAsk, step.deadline() - kDiagnosis, [&] { return (count = link.eye()).has_value(); }))
    step.fail({ErrorClass::dut, "eye_not_done", fmt::format("the error sampler of {} does not finish", link.part()),
               link.part(), "link.eye_command.go = 1", "link.eye_status.done = 0", "the core clock stands still"});
  if (count->bits == 0)
    step.fail({ErrorClass::dut, "lane_no_signal",
               fmt::format("lane {} of {} has no signal to look at", lane, link.part()), lane_part(link, lane),
               "link.eye_command.go = 1", "0 bits",
               "the other end does not send: train the link or start PRBS first; or an open pair"});
  return *count;
}

/// Places around 0 for which `open` holds without a gap: last - first, in places.
template <class Open>
int opening(const std::vector<int>& at, const Open& open) {
  const auto zero = std::find(at.begin(), at.end(), 0);
  const auto middle = static_cast<std::size_t>(zero - at.begin());
  if (!open(middle)) return 0;
  std::size_t first = middle;
  std::size_t last = middle;
  while (first > 0 && open(first - 1)) --first;
  while (last + 1 < at.size() && open(last + 1)) ++last;
  return at[last] - at[first];
}

void judge_opening(StepContext& step, const Link& link, int lane, const std::string& name, double value,
                   Dimension dimension, const std::string& param, const std::string& text) {
  const Quantity least = step.with(param).quantity();
  if (value < least.value)
    step.note_failure(
        dut_failure("eye_closed", fmt::format("the eye of lane {} of {} is only {} open", lane, link.part(), text),
                    lane_part(link, lane), text,
                    "loss, reflections or crosstalk on the pair, equalisation, or a noisy supply of the SerDes"));
  step.measure(name, {value, dimension}, Limit::at_least({least.value, dimension}),
               fmt::format("link.lane{}.{}", lane, name), lane_part(link, lane));
}

void scan(StepContext& step, Link& link, int lane, double done, double share) {
  const EyeGrid grid = link.eye_grid();
  const std::vector<int> phases = places(grid.first_phase, grid.last_phase, step.with("phases").integer());
  const std::vector<int> offsets = places(grid.first_offset, grid.last_offset, step.with("offsets").integer());
  const auto bits = static_cast<std::uint64_t>(step.with("bits").integer());
  std::vector<std::vector<EyeCount>> counts;
  for (const int offset : offsets) {
    auto& row = counts.emplace_back();
    for (const int phase : phases) row.push_back(look(step, link, lane, phase, offset, bits));
    step.progress(done + share * static_cast<double>(counts.size()) / static_cast<double>(offsets.size()),
                  fmt::format("lane {}", lane));
  }
  const auto row = static_cast<std::size_t>(std::find(offsets.begin(), offsets.end(), 0) - offsets.begin());
  const auto column = static_cast<std::size_t>(std::find(phases.begin(), phases.end(), 0) - phases.begin());
  const double width = grid.phase_step * opening(phases, [&](std::size_t i) { return counts[row][i].errors == 0; });
  const double height =
      grid.offset_step * opening(offsets, [&](std::size_t i) { return counts[i][column].errors == 0; });
  nlohmann::json errors = nlohmann::json::array();
  for (const auto& line : counts) {
    nlohmann::json numbers = nlohmann::json::array();
    for (const EyeCount& count : line) numbers.push_back(count.errors);
    errors.push_back(numbers);
  }
  nlohmann::json at_phases = nlohmann::json::array();
  for (const int phase : phases) at_phases.push_back(phase * grid.phase_step);
  nlohmann::json at_offsets = nlohmann::json::array();
  for (const int offset : offsets) at_offsets.push_back(offset * grid.offset_step);
  step.data("link_eye", nlohmann::json({{"link", link.part()},
                                        {"lane", lane},
                                        {"bits", counts.front().front().bits},
                                        {"phases", at_phases},
                                        {"offsets", at_offsets},
                                        {"errors", errors}})
                            .dump());
  judge_opening(step, link, lane, "width", width, Dimension::ratio, "min_width",
                fmt::format("{:.0f} % of a bit", width * 100));
  judge_opening(step, link, lane, "height", height, Dimension::voltage, "min_height",
                fmt::format("{:.0f} mV", height * 1e3));
}

void link_eye(StepContext& step) {
  Link& link = step.bench().get<Link>();
  const std::vector<int> lanes = lanes_of(step, link);
  const double share = 1.0 / static_cast<double>(lanes.size());
  double done = 0;
  for (const int lane : lanes) {
    scan(step, link, lane, done, share);
    done += share;
  }
}

void link_bathtub(StepContext& step) {
  Link& link = step.bench().get<Link>();
  const EyeGrid grid = link.eye_grid();
  const double confidence = step.with("confidence").quantity().value;
  const double target = step.with("target").quantity().value;
  // A tenth more than what zero errors need, so that an open place lies below the target and not on it.
  const auto bits = static_cast<std::uint64_t>(1.1 * -std::log(1 - confidence) / target);
  const std::vector<int> phases = places(grid.first_phase, grid.last_phase, step.with("phases").integer());
  nlohmann::json lanes = nlohmann::json::array();
  for (const int lane : lanes_of(step, link)) {
    std::vector<EyeCount> counts;
    nlohmann::json points = nlohmann::json::array();
    for (const int phase : phases) {
      counts.push_back(look(step, link, lane, phase, 0, bits));
      points.push_back({phase * grid.phase_step, counts.back().errors, counts.back().bits,
                        upper_error_bound(counts.back().errors, counts.back().bits, confidence)});
    }
    lanes.push_back({{"lane", lane}, {"points", points}});
    const double width = grid.phase_step * opening(phases, [&](std::size_t i) {
                           return upper_error_bound(counts[i].errors, counts[i].bits, confidence) <= target;
                         });
    judge_opening(step, link, lane, "opening", width, Dimension::ratio, "min_opening",
                  fmt::format("{:.0f} % of a bit at {:.2g}", width * 100, target));
  }
  step.data(
      "link_bathtub",
      nlohmann::json({{"link", link.part()}, {"target", target}, {"confidence", confidence}, {"lanes", lanes}}).dump());
}

StepSpec eye_spec() {
  StepSpec spec;
  spec.verb = "link.eye";
  spec.doc =
      "Draws the eye of each lane: a second sampler looks at another phase and threshold, and what differs from the "
      "data is counted. The lanes must carry something: a link in L0, or PRBS. Data goes on undisturbed.";
  spec.needs = "links";
  spec.params = {lane_param(),
                 integer_param("phases", "Places across a bit.", "17", 3, 64),
                 integer_param("offsets", "Thresholds.", "17", 3, 128),
                 integer_param("bits", "Bits at each place, at least.", "2048", 16, 1 << 28),
                 quantity_param("min_width", Dimension::ratio, "Of a bit, open at the middle threshold.", "40 %"),
                 quantity_param("min_height", Dimension::voltage, "Open at the middle of the bit.", "80 mV")};
  spec.measures = {{"width", Dimension::ratio, "Of a bit, without an error at the middle threshold."},
                   {"height", Dimension::voltage, "Without an error at the middle of the bit."}};
  spec.example = "{id: eye, do: link.eye, with: {lane: 0}, timeout: 60 s}";
  return spec;
}

StepSpec bathtub_spec() {
  StepSpec spec;
  spec.verb = "link.bathtub";
  spec.doc =
      "Bit error ratio of each lane across a bit at the middle threshold, with a confidence bound at every place; and "
      "how much of the bit is open at the target. The lanes must carry something: a link in L0, or PRBS.";
  spec.needs = "links";
  spec.params = {lane_param(), integer_param("phases", "Places across a bit.", "33", 3, 64),
                 target_param("What counts as open.", "1e-4", kLowestTarget), confidence_param(),
                 quantity_param("min_opening", Dimension::ratio, "Of a bit.", "40 %")};
  spec.measures = {{"opening", Dimension::ratio, "Of a bit, below the target."}};
  spec.example = "{id: bathtub, do: link.bathtub, with: {target: 1e-4}, timeout: 60 s}";
  return spec;
}

}  // namespace

std::vector<Step> link_eye_steps() { return {{eye_spec(), link_eye}, {bathtub_spec(), link_bathtub}}; }

}  // namespace firstlight
