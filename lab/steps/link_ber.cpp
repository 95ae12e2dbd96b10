#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lab/capabilities/link.h"
#include "lab/steps/ber_looks.h"
#include "lab/steps/families.h"
#include "lab/steps/link_lanes.h"
#include "lab/steps/prbs.h"
#include "lab/steps/support.h"

namespace firstlight {

namespace {

using namespace steps;  // NOLINT(google-build-using-namespace): the helpers of this folder

constexpr double kFewestToWait = 1000;  // bits: asking more often than this takes brings nothing

std::string text(double bits) { return fmt::format("{:.3g}", bits); }
std::string seconds_text(double seconds) { return to_text(Quantity{seconds, Dimension::time}, 3); }

/// A lane, as of the last look that it took part in.
struct Lane {
  int number = 0;
  PrbsResult now;      // as of the last answer of the link
  PrbsResult counted;  // at the look
  BerBounds bounds;
  BerVerdict verdict = BerVerdict::open;
  double seconds = 0;  // from the first bit to the look
  bool lost = false;   // its checker lost the lock: no bound holds any more
  bool done() const { return lost || verdict != BerVerdict::open; }
};

/// One measurement: made and run once.
class BerRun {
 public:
  explicit BerRun(StepContext& step);
  void run();

 private:
  void plan();
  bool count_to(const BerLook& look);
  void ask();
  double fewest_bits() const;
  bool any_open() const;
  void tell(const BerLook& look, double have);
  void judge_at(const BerLook& look);
  void report(const Lane& lane);
  void note_why(const Lane& lane);
  std::string too_few(const Lane& lane) const;

  StepContext& step_;
  Link& link_;
  const double target_;
  const double confidence_;
  const double error_free_;  // bits
  std::vector<Lane> lanes_;
  std::vector<BerLook> looks_;
  Instant begin_{};
  Instant end_;
  bool over_ = false;  // time, before there were bits enough to prove a lane without errors
};

BerRun::BerRun(StepContext& step)
    : step_(step),
      link_(step.bench().get<Link>()),
      target_(step.with("target").quantity().value),
      confidence_(step.with("confidence").quantity().value),
      error_free_(error_free_bits(target_, confidence_)),
      end_(step.deadline() - kDiagnosis) {
  if (step.has("most")) end_ = std::min(end_, step.time().now() + duration_of(step, "most"));
  for (const int number : lanes_of(step, link_)) {
    Lane lane;
    lane.number = number;
    lanes_.push_back(lane);
  }
}

/// Before anything is energised: whether the time is enough when there is no error, and what it takes.
void BerRun::plan() {
  const double rate = link_.lane_rate();
  const double time = seconds(end_ - step_.time().now());
  const double most = time * rate - 2 * kLockBits;
  const std::string needs =
      fmt::format("{:.2g} at {:.4g} % confidence needs {} bits of each lane without an error, which take {} at {}bit/s",
                  target_, confidence_ * 100, text(error_free_), seconds_text(error_free_ / rate), text(rate));
  if (error_free_ > most)
    step_.fail({ErrorClass::sequence,
                "ber_takes_longer",
                fmt::format("{}; there are {}", needs, seconds_text(time)),
                link_.part(),
                {},
                {},
                "`most` or the step's timeout is too short, or the target too low"});
  looks_ = ber_looks(target_, confidence_, most);
  const double longest = looks_.back().bits;
  step_.log(Severity::info, fmt::format("{}; when errors come it goes on to {} bits, {}, at the most", needs,
                                        text(longest), seconds_text(longest / rate)));
  step_.measure("planned", {error_free_ / rate, Dimension::time}, "link.ber", link_.part());
}

void BerRun::ask() {
  const std::vector<PrbsResult> results = link_.prbs();
  for (Lane& lane : lanes_) {
    if (lane.done()) continue;
    lane.now = results.at(static_cast<std::size_t>(lane.number));
    lane.lost = !kept_lock(lane.now);
    if (!lane.lost) continue;
    lane.counted = lane.now;
    lane.seconds = seconds(step_.time().now() - begin_);
  }
}

bool BerRun::any_open() const {
  return std::any_of(lanes_.begin(), lanes_.end(), [](const Lane& lane) { return !lane.done(); });
}

/// Of the lanes that are still measured.
double BerRun::fewest_bits() const {
  double fewest = looks_.back().bits;
  for (const Lane& lane : lanes_)
    if (!lane.done()) fewest = std::min(fewest, static_cast<double>(lane.now.bits));
  return fewest;
}

void BerRun::tell(const BerLook& look, double have) {
  std::string errors;
  for (const Lane& lane : lanes_)
    errors += fmt::format("{}{}", errors.empty() ? "" : ", ", lane.done() ? lane.counted.errors : lane.now.errors);
  const double goal = std::max(error_free_, look.bits);
  step_.progress(std::min(1.0, have / goal),
                 fmt::format("{} of {} bits a lane; errors {}", text(have), text(goal), errors));
}

/// False when time is over before every lane has so many bits.
bool BerRun::count_to(const BerLook& look) {
  constexpr double kSlices = 10;
  while (true) {
    const bool last = step_.time().now() >= end_;
    ask();
    if (!any_open()) return true;
    const double have = fewest_bits();
    tell(look, have);
    if (have >= look.bits) return true;
    if (last) return false;
    wait_bits(step_, link_, std::max(kFewestToWait, std::min(look.bits - have, look.bits / kSlices)), end_);
  }
}

void BerRun::judge_at(const BerLook& look) {
  const double took = seconds(step_.time().now() - begin_);
  for (Lane& lane : lanes_) {
    if (lane.done()) continue;
    lane.counted = lane.now;
    lane.bounds = ber_bounds(look, lane.counted.errors, lane.counted.bits);
    lane.verdict = lane.bounds.verdict(target_);
    lane.seconds = took;
  }
}

std::string BerRun::too_few(const Lane& lane) const {
  const double took = seconds(step_.time().now() - begin_);
  return fmt::format("lane {} counted only {} bits in {}, where its rate brings {}", lane.number,
                     text(static_cast<double>(lane.now.bits)), seconds_text(took), text(took * link_.lane_rate()));
}

void BerRun::note_why(const Lane& lane) {
  const PrbsResult& counted = lane.counted;
  const std::string part = lane_part(link_, lane.number);
  const std::string errors = fmt::format("lane {}: {} errors in {} bits", lane.number, counted.errors,
                                         text(static_cast<double>(counted.bits)));
  const std::string high =
      fmt::format("may be as high as {:.2g} at {:.4g} % confidence", lane.bounds.upper, confidence_ * 100);
  if (lane.lost)
    step_.note_failure(dut_failure(
        "prbs_lock_lost",
        errors + " until its checker lost the lock: what came then was not counted, so nothing bounds it", part, {},
        "the signal went for a moment, or came with a burst of errors: a loose contact, or a far end that was reset"));
  else if (lane.verdict == BerVerdict::above)
    step_.note_failure(dut_failure(
        "ber_too_high", fmt::format("{}; the ratio is at least {:.2g} and {}", errors, lane.bounds.lower, high), part,
        {}, kClosedEye));
  else if (lane.verdict == BerVerdict::open && over_)
    step_.note_failure(
        {ErrorClass::dut,
         "ber_too_few_bits",
         too_few(lane),
         link_.part(),
         "link.prbs_command.snapshot = 1",
         {},
         "the core clock is slow or stands still; or reading the registers takes most of the time: allow more"});
  else if (lane.verdict == BerVerdict::open)
    step_.note_failure(dut_failure(
        "ber_not_proven",
        fmt::format("{} when the time was over; the ratio {}, which is not below {:.2g}", errors, high, target_), part,
        {}, fmt::format("the lane is near the target: more time (`most`, timeout) tells; or {}", kClosedEye)));
}

void BerRun::report(const Lane& lane) {
  const std::string name = fmt::format("link.lane{}", lane.number);
  const std::string part = lane_part(link_, lane.number);
  note_why(lane);
  expect_lock(step_, link_, lane.counted);
  const auto measure = [&](const char* what, double value, Dimension dimension) {
    step_.measure(what, {value, dimension}, name, part);
  };
  measure("bits", static_cast<double>(lane.counted.bits), Dimension::none);
  measure("errors", static_cast<double>(lane.counted.errors), Dimension::none);
  measure("ratio", error_ratio(lane.counted), Dimension::bit_error_ratio);
  measure("duration", lane.seconds, Dimension::time);
  step_.measure("", {lane.lost ? 1.0 : lane.bounds.upper, Dimension::bit_error_ratio},
                Limit::at_most({target_, Dimension::bit_error_ratio}), name + ".ber", part);
}

void BerRun::run() {
  plan();
  std::vector<int> numbers;
  for (const Lane& lane : lanes_) numbers.push_back(lane.number);
  const std::vector<std::uint64_t> seen = start_prbs(step_, link_, numbers);
  begin_ = step_.time().now();
  for (const BerLook& look : looks_) {
    if (!count_to(look)) {
      over_ = look.bits <= error_free_;
      break;
    }
    judge_at(look);
    if (!any_open()) break;
  }
  std::vector<LaneBer> bounds;
  for (const Lane& lane : lanes_) {
    report(lane);
    bounds.push_back({lane.counted, lane.lost ? 1.0 : lane.bounds.upper});
  }
  record_lane_ber(step_, link_, bounds, seen);
  stop_prbs(step_, link_);
}

void link_ber(StepContext& step) { BerRun(step).run(); }

StepSpec ber_spec() {
  StepSpec spec;
  spec.verb = "link.ber";
  spec.doc =
      "Counts PRBS bits of each lane until its bit error ratio is proven to be below the target or above it. Says "
      "first "
      "how many bits and how much time that takes without errors; goes on up to 64 times as long for lanes that show "
      "some, and gives up early on bad ones. The bounds hold at the confidence wherever it stops: docs/link.md. Proves "
      "each checker first, as link.prbs does.";
  spec.needs = "links";
  const ParamSpec most =
      quantity_param("most", Dimension::time, "The longest that it may take; without: what the step's timeout leaves.");
  spec.params = {target_param("What each lane's ratio is proven to be below.", "1e-6", 1e-15), confidence_param(),
                 pattern_param(), lane_param(), at_least(most, 1e-6)};
  spec.measures = {{"", Dimension::bit_error_ratio, "Upper bound of each lane's bit error ratio."},
                   {"ratio", Dimension::bit_error_ratio, "Errors in a bit."},
                   {"bits", Dimension::none, "Bits that a lane was judged by."},
                   {"errors", Dimension::none, "Errors among them."},
                   {"duration", Dimension::time, "What they took, in bench time."},
                   {"planned", Dimension::time, "What it takes without an error, in bench time."},
                   injected_measure()};
  spec.example = "{id: ber, do: link.ber, with: {target: 1e-9, most: 30 s}, timeout: 60 s}";
  return spec;
}

}  // namespace

std::vector<Step> link_ber_steps() { return {{ber_spec(), link_ber}}; }

}  // namespace firstlight
