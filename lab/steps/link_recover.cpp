#include <fmt/format.h>

#include <algorithm>

#include "lab/capabilities/link.h"
#include "lab/steps/families.h"
#include "lab/steps/support.h"

namespace firstlight {

namespace {

using namespace steps;  // NOLINT(google-build-using-namespace): the helpers of this folder

constexpr Duration kPoll{200'000};

std::uint64_t counter(Link& link, std::string_view name) {
  for (const auto& [counted, value] : link.counters())
    if (counted == name) return value;
  throw FailureError({ErrorClass::bench,
                      "no_such_counter",
                      fmt::format("{} does not count {}", link.part(), name),
                      link.part(),
                      {},
                      {},
                      "link.recover needs a link that counts retrains and sessions_lost"});
}

/// From the last time that the link left L0 to when it was back, in nominal seconds.
double last_recovery(const std::vector<LinkTransition>& trace) {
  const auto left = std::find_if(trace.rbegin(), trace.rend(), [](const auto& t) { return t.from == "L0"; });
  const auto back = std::find_if(trace.rbegin(), trace.rend(), [](const auto& t) { return t.to == "L0"; });
  return left == trace.rend() || back == trace.rend() ? 0 : back->time - left->time;
}

void recover_once(StepContext& step, Link& link, std::uint64_t retrains) {
  link.retrain();
  LinkStatus status;
  const bool back = poll(step, kPoll, step.time().now() + link.training_limit(), [&] {
    status = link.status();
    return status.up && counter(link, "retrains") >= retrains;
  });
  if (back) return;
  step.fail({ErrorClass::dut, "link_not_recovered",
             fmt::format("{} is in {} and did not come back to L0 after a retraining", link.part(), status.state),
             link.part(), "link.command.retrain = 1", status.text, status.reason});
}

void link_recover(StepContext& step) {
  Link& link = step.bench().get<Link>();
  const std::int64_t times = step.with("times").integer();
  const LinkStatus before = link.status();
  if (!before.up)
    step.fail({ErrorClass::dut,
               "link_not_trained",
               fmt::format("{} is in {}: it must be in L0", link.part(), before.state),
               link.part(),
               {},
               before.text,
               before.reason});
  const std::uint64_t retrains = counter(link, "retrains");
  const std::uint64_t lost_before = counter(link, "sessions_lost");
  double longest = 0;
  for (std::int64_t i = 0; i < times; ++i) {
    recover_once(step, link, retrains + static_cast<std::uint64_t>(i) + 1);
    longest = std::max(longest, last_recovery(link.trace()));
    step.progress(static_cast<double>(i + 1) / static_cast<double>(times), fmt::format("{} of {}", i + 1, times));
  }
  const std::uint64_t lost = counter(link, "sessions_lost") - lost_before;
  if (lost > 0)
    step.note_failure(
        dut_failure("link_session_lost",
                    fmt::format("{} lost its session in {} of {} retrainings, and what was under way with it",
                                link.part(), lost, times),
                    link.part(), {}, "the other end was reset, or training failed: see the state trace"));
  step.measure("sessions_lost", {static_cast<double>(lost), Dimension::none}, Limit::at_most({0, Dimension::none}),
               "link.sessions_lost", link.part());
  const int width = link.status().width;
  step.measure("", {static_cast<double>(width), Dimension::none},
               Limit::at_least({static_cast<double>(before.width), Dimension::none}), "link.width", link.part());
  step.measure("recover_time", {longest, Dimension::time}, "link.recover_time", link.part());
  link.clear_counters();
}

StepSpec recover_spec() {
  StepSpec spec;
  spec.verb = "link.recover";
  spec.doc =
      "Retrains a link in L0, again and again: each time it must come back with its width and its session, so that "
      "nothing under way is lost. Clears the link's counters at the end, since retrainings count there.";
  spec.needs = "links";
  spec.params = {integer_param("times", "Retrainings.", "10", 1, 10000)};
  spec.measures = {{"", Dimension::none, "Width afterwards."},
                   {"recover_time", Dimension::time, "The longest from L0 to L0, by the chip's clock, nominal."},
                   {"sessions_lost", Dimension::none, "Sessions that did not survive."}};
  spec.example = "{id: recover, do: link.recover, with: {times: 10}, timeout: 2 s}";
  return spec;
}

}  // namespace

std::vector<Step> link_recover_steps() { return {{recover_spec(), link_recover}}; }

}  // namespace firstlight
