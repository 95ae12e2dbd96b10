#include "lab/cli/run_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "lab/runner/recorder.h"

namespace firstlight::cli {

namespace {

constexpr auto kRedraw = std::chrono::milliseconds(80);
constexpr std::size_t kMostLive = 4;
constexpr std::size_t kMostReadings = 6;

std::string duration_text(Duration d) { return to_text(to_quantity(d), 3); }

}  // namespace

RunView::RunView(std::ostream& out, Style style, bool live) : out_(out), style_(style), live_(live) {}
RunView::~RunView() { clear(); }

void RunView::clear() {
  if (drawn_ == 0) return;
  out_ << "\x1b[" << drawn_ << "A\r\x1b[J" << std::flush;
  drawn_ = 0;
}

void RunView::line(const std::string& text) {
  clear();
  out_ << text << '\n' << std::flush;
}

void RunView::saw(Instant at) {
  now_ = std::max(now_, at);
  if (!live_) return;
  const auto wall = std::chrono::steady_clock::now();
  if (wall - last_draw_ < kRedraw) return;
  last_draw_ = wall;
  draw();
}

void RunView::draw() {
  clear();
  std::vector<std::string> lines;
  std::string values;
  for (const auto& [name, value] : last_values_) values += "  " + name + " " + value;
  lines.push_back(
      style_.paint(Colour::cyan, cut(fmt::format("  t = {:.3f} s{}", seconds(now_), values), style_.width - 1)));
  for (const auto& id : order_) {
    const Open& open = open_[id];
    if (open.started.kind != StepKind::verb || lines.size() > kMostLive) continue;
    std::string text = fmt::format("  run  {}  {}", open.started.plan->id, open.started.title);
    if (!open.now.empty()) text += "  " + open.now;
    lines.push_back(style_.paint(Colour::cyan, cut(text, style_.width - 1)));
  }
  for (const auto& text : lines) out_ << text << '\n';
  out_ << std::flush;
  drawn_ = static_cast<int>(lines.size());
}

void RunView::run_started(const RunInfo& info, const SequencePlan& sequence, const BenchPlan& bench) {
  std::string faults;
  for (const auto& fault : bench.faults) {
    faults += (faults.empty() ? "  faults " : ", ") + fault.name;
    if (!fault.value.empty()) faults += "=" + fault.value;
  }
  line(style_.paint(Colour::bold, cut(fmt::format("{} on {}", sequence.name, bench.name), style_.width)));
  line(style_.paint(Colour::dim,
                    cut(fmt::format("  seed {}  {}{}", info.seed,
                                    info.simulated ? fmt::format("model, chip clocks {}x slower", bench.time_scale)
                                                   : std::string("hardware"),
                                    faults),
                        style_.width)));
}

void RunView::step_started(const StepStarted& event) {
  open_[event.step].started = event;
  order_.push_back(event.step);
  if (event.kind == StepKind::phase) {
    std::string title = event.phase;
    if (event.title != event.phase) title += "  " + event.title;
    line("\n" + style_.paint(Colour::bold, cut(title, style_.width)));
  }
  saw(event.at);
}

void RunView::attempt_failed(const AttemptFailed& event) {
  const std::string why = event.failure ? event.failure->failure.message : std::string(name_of(event.verdict));
  notice(Colour::yellow, fmt::format("{}: attempt {} failed, again in {}: {}", event.step, event.attempt,
                                     duration_text(event.next_in), why));
}

void RunView::step_ended(const StepEnded& event) {
  const Open open = open_[event.step];
  open_.erase(event.step);
  order_.erase(std::remove(order_.begin(), order_.end(), event.step), order_.end());
  if (event.kind == StepKind::verb || event.kind == StepKind::pseudo) {
    tell_step(open, event);
  } else if (event.failure && !event.failure_is_told) {
    tell_step(open, event);
  } else if (event.kind == StepKind::phase && event.attempts == 0) {
    line(style_.paint(Colour::dim, cut("  skip  " + event.skip_reason, style_.width)));
  }
  saw(event.at);
}

void RunView::tell_step(const Open& open, const StepEnded& event) {
  const int indent = 2 * std::max(1, open.started.depth);
  const std::string id = open.started.plan != nullptr ? open.started.plan->id : event.step;
  if (event.verdict == Verdict::skip && event.skip_reason.rfind("when:", 0) != 0)
    return;  // the failure before it says enough
  const std::string blanks(static_cast<std::size_t>(indent), ' ');
  const std::string took = event.verdict == Verdict::skip ? event.skip_reason : duration_text(event.duration);
  const int room = style_.width - indent - 6;
  std::string tail = took;
  if (event.intermittent) tail += fmt::format("  after {} attempts", event.attempts);
  bool one = open.readings.size() == 1 && is_good(event.verdict);
  if (one) {
    const std::string value = open.readings[0].text.substr(open.readings[0].text.find('=') + 1) + "  ";
    one = display_width(value + tail) <= room / 2;  // else in a line of its own
    if (one) tail = value + tail;
  }
  const int id_width = std::min(18, room / 3);
  const int tail_width = std::min(display_width(tail), room / 2);
  const int title_width = std::max(0, room - id_width - tail_width - 2);
  line(blanks + style_.paint(event.verdict, short_name(event.verdict)) + "  " + padded(cut(id, id_width), id_width) +
       " " + padded(cut(open.started.title, title_width), title_width) + " " +
       style_.paint(Colour::dim, cut(tail, tail_width)));
  if (!one) tell_readings(open, indent + 6);
  if (event.failure && !is_good(event.verdict)) tell_failure(*event.failure, indent + 2);
}

void RunView::tell_readings(const Open& open, int indent) {
  std::size_t told = 0;
  std::size_t kept_back = 0;
  const std::string blanks(static_cast<std::size_t>(indent), ' ');
  for (const auto& reading : open.readings) {
    if (reading.verdict == Verdict::pass && told >= kMostReadings) {
      ++kept_back;
      continue;
    }
    ++told;
    std::string text = reading.text;
    if (!reading.limit.empty()) text += "   (" + reading.limit + ")";
    const Colour dim = Colour::dim;
    const std::string shown = cut(text, style_.width - indent);
    line(blanks + (reading.verdict == Verdict::pass ? style_.paint(dim, shown) : style_.paint(reading.verdict, shown)));
  }
  if (kept_back > 0) line(blanks + style_.paint(Colour::dim, fmt::format("... and {} more that pass", kept_back)));
}

void RunView::tell_failure(const FailureEvent& event, int indent) {
  const Failure& failure = event.failure;
  const std::string bar = std::string(static_cast<std::size_t>(indent), ' ') + style_.paint(Colour::red, "|") + " ";
  const int room = style_.width - indent - 2;
  line(bar +
       style_.paint(Colour::red, cut(fmt::format("{}: {}", name_of(failure.error_class), failure.symptom), room)));
  for (const auto& text : wrapped(failure.message, room)) line(bar + text);
  const auto field = [&](const char* name, const std::string& value) {
    if (value.empty()) return;
    const auto lines = wrapped(value, room - 10);
    for (std::size_t i = 0; i < lines.size() && i < 4; ++i)
      line(bar + style_.paint(Colour::dim, padded(i == 0 ? name : "", 10)) + lines[i]);
  };
  field("part", failure.part);
  field("sent", failure.sent);
  field("received", failure.received);
  field("likely", failure.likely_cause);
}

void RunView::measured(const Measured& event) {
  Reading reading{event.verdict, firstlight::name_of(event) + " = " + to_text(event.value), ""};
  if (event.limit) reading.limit = to_text(*event.limit);
  auto& open = open_[event.step];
  open.now = reading.text;
  open.readings.push_back(std::move(reading));
  saw(event.at);
}

void RunView::checked(const Checked& event) {
  auto& open = open_[event.step];
  Reading reading{event.holds ? Verdict::pass : Verdict::fail, event.name + " = " + event.found, ""};
  if (!event.holds) reading.limit = "expected " + event.expected;
  open.now = reading.text;
  open.readings.push_back(std::move(reading));
  saw(event.at);
}

void RunView::sampled(const Sampled& event) {
  if (live_ && event.source != "step") last_values_[event.series] = to_text(event.value);
  saw(event.at);
}

void RunView::logged(const Logged& event) {
  const auto open = open_.find(event.step);
  if (open != open_.end()) open->second.now = event.message;
  if (event.severity >= Severity::warning)
    notice(event.severity == Severity::error ? Colour::red : Colour::yellow, event.step + ": " + event.message);
  saw(event.at);
}

void RunView::progressed(const std::string& step, Instant at, double share, const std::string& text) {
  const auto open = open_.find(step);
  if (open != open_.end()) open->second.now = fmt::format("{:.0f} %  {}", share * 100, text);
  saw(at);
}

void RunView::notice(Colour colour, const std::string& text) {
  for (const auto& one : wrapped(text, style_.width - 6)) line("      " + style_.paint(colour, one));
}

void RunView::monitor(const MonitorEvent& event) {
  if (event.event == "violated" && event.value)
    notice(Colour::red, fmt::format("monitor {}: {} = {} at {:.4f} s", event.name, event.subject, to_text(*event.value),
                                    seconds(event.at)));
  if (event.event == "stopped") last_values_.clear();
}

void RunView::interlock(const InterlockEvent& event) {
  const bool loud =
      event.event == "warned" || event.event == "suspended" || event.event == "resumed" || event.event == "tripped";
  if (!loud) return;
  std::string text = fmt::format("interlock {} {}", event.plan->name, event.event);
  if (event.failure) text += ": " + event.failure->failure.message;
  notice(event.event == "tripped" ? Colour::red : Colour::yellow, text);
}

void RunView::ledger(const LedgerEvent& event) {
  if (event.step != kSafeStateStep || event.event != "undo_failed") return;
  notice(Colour::red,
         fmt::format("could not undo {}: {}", event.key, event.failure ? event.failure->failure.message : ""));
}

void RunView::made_safe(const MadeSafe& event) {
  clear();
  std::string rails;
  for (const auto& rail : event.verified) {
    if (rail.voltage) rails += fmt::format("  {} {}", rail.rail, to_text(Voltage(*rail.voltage), 3));
  }
  std::string what = fmt::format("{} taken back", event.undone);
  if (!event.failed.empty())
    what += fmt::format(", {} NOT", event.failed.size());
  else if (event.undone == 0 && event.safe)
    what = "nothing left on";
  open_[kSafeStateStep].started.title = what + rails;
}

void RunView::prompted(const Prompted& event) {
  notice(Colour::bold, event.question + "  " + event.answer.value_or("(no answer)"));
}

void RunView::run_ended(const RunEnded&) { clear(); }

}  // namespace firstlight::cli
