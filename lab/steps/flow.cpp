#include <fmt/format.h>

#include <fstream>
#include <regex>
#include <sstream>

#include "lab/steps/families.h"
#include "lab/steps/support.h"

namespace firstlight {

namespace {

using namespace steps;  // NOLINT(google-build-using-namespace): the helpers of this folder

[[noreturn]] void bad_step(StepContext& step, const std::string& message) {
  step.fail({ErrorClass::sequence, "bad_parameters", message, {}, {}, {}, "the sequence needs mending"});
}

// ---- expect

void expect(StepContext& step) {
  if (step.has("line") == step.has("value"))
    bad_step(step, "expect takes either `line` with `level`, or `value` with `matches`");
  if (step.has("line")) {
    const std::string& line = step.with("line").text();
    if (!step.has("level")) bad_step(step, "expect: `line` needs `level`");
    const std::string wanted = step.with("level").text();
    const std::string found = level_text(line_level(step.bench(), line));
    const std::string part = step.has("part") ? step.with("part").text() : line_part(step.bench(), line);
    if (found != wanted && step.has("cause"))
      step.note_failure(dut_failure("line_level", fmt::format("{} is {}, not {}", line, found, wanted), part, found,
                                    step.with("cause").text()));
    step.expect(line, found == wanted, wanted, found, part);
    return;
  }
  if (!step.has("matches")) bad_step(step, "expect: `value` needs `matches`");
  const std::string& value = step.with("value").text();
  const std::string& pattern = step.with("matches").text();
  try {
    step.expect("text", std::regex_match(value, std::regex(pattern)), pattern, value);
  } catch (const std::regex_error& error) {
    bad_step(step, fmt::format("expect: \"{}\" is no regular expression: {}", pattern, error.what()));
  }
}

Step expect_step() {
  StepSpec spec;
  spec.verb = "expect";
  spec.doc = "Checks the level of a digital line, or that a text (a parameter, say) matches a regular expression.";
  spec.params = {name_param("line", NameKind::line, "The line, as driver.line."),
                 choice_param("level", {"high", "low"}, "Its electrical level."),
                 text_param("value", "A text."),
                 text_param("matches", "Regular expression that the whole text must match."),
                 text_param("part", "Who is to blame when the line is wrong; the line itself when absent."),
                 text_param("cause", "What it probably means when the line is wrong.")};
  spec.example =
      "{id: no_leak, do: expect, with: {line: lines.leak_n, level: high, part: coolant loop, cause: coolant at the "
      "leak detector}}";
  return {spec, expect};
}

// ---- wait_for, wait

struct Awaited {
  std::string name;
  std::string part;
  std::string text;  // "above 800 mV"
  std::function<bool()> holds;
  std::string last;  // the last reading, for the failure
  Quantity value;
};

void await_measurable(StepContext& step, Awaited& awaited) {
  const Measurable& measurable = step.bench().measurable(awaited.name);
  const auto above = quantity_of(step, "above");
  const auto below = quantity_of(step, "below");
  if (!above && !below) bad_step(step, "wait_for: `of` needs `above`, `below` or both");
  awaited.part = measurable.part;
  if (above) awaited.text = "above " + to_text(Quantity{above->value, measurable.dimension});
  if (below) awaited.text += (above ? " and below " : "below ") + to_text(Quantity{below->value, measurable.dimension});
  awaited.holds = [&step, &awaited, &measurable, above, below] {
    awaited.value = measurable.read();
    awaited.last = to_text(awaited.value);
    step.sample(awaited.name, awaited.value);
    return (!above || awaited.value.value > above->value) && (!below || awaited.value.value < below->value);
  };
}

void await_line(StepContext& step, Awaited& awaited) {
  if (!step.has("level")) bad_step(step, "wait_for: `line` needs `level`");
  const bool high = step.with("level").text() == "high";
  awaited.part = line_part(step.bench(), awaited.name);
  awaited.text = level_text(high);
  awaited.holds = [&step, &awaited, high] {
    const bool level = line_level(step.bench(), awaited.name);
    awaited.last = level_text(level);
    return level == high;
  };
}

void wait_for(StepContext& step) {
  if (step.has("of") == step.has("line")) bad_step(step, "wait_for takes either `of` or `line`");
  Awaited awaited;
  const bool line = step.has("line");
  awaited.name = step.with(line ? "line" : "of").text();
  line ? await_line(step, awaited) : await_measurable(step, awaited);
  const Duration limit = duration_of(step, "within");
  const Duration stay = duration_of(step, "for");
  const Instant begin = step.time().now();
  std::optional<Instant> since;
  const bool good = poll(step, duration_of(step, "every"), begin + limit, [&] {
    if (!awaited.holds()) {
      since.reset();
      return false;
    }
    if (!since) since = step.time().now();
    return step.time().now() - *since >= stay;
  });
  const Duration took = (good ? *since : step.time().now()) - begin;
  if (!good)
    step.fail(dut_failure(
        "wait_timeout",
        fmt::format(
            "{} did not become {} within {}{}; it is {}", awaited.name, awaited.text, to_text(to_quantity(limit)),
            stay > Duration::zero() ? fmt::format(" for {}", to_text(to_quantity(stay))) : std::string(), awaited.last),
        awaited.part, awaited.last, "what should have caused the change did not happen, or the bound is too tight"));
  step.measure("", to_quantity(took), awaited.name + " time", awaited.part);
  if (!line) step.measure("value", awaited.value, awaited.name, awaited.part);
}

Step wait_for_step() {
  StepSpec spec;
  spec.verb = "wait_for";
  spec.doc = "Waits until a measurable is above or below something, or a line has a level; bounded.";
  spec.params = {name_param("of", NameKind::measurable, "What to watch."),
                 quantity_param("above", Dimension::none, "It must be above this ..."),
                 quantity_param("below", Dimension::none, "... and below this."),
                 name_param("line", NameKind::line, "Or the line to watch, as driver.line."),
                 choice_param("level", {"high", "low"}, "The level to wait for."),
                 required(quantity_param("within", Dimension::time, "The longest wait.")),
                 quantity_param("for", Dimension::time, "It must stay so for so long.", "0 s"),
                 at_least(quantity_param("every", Dimension::time, "Time between readings.", "1 ms"), 1e-6)};
  spec.measures = {{"", Dimension::time, "How long it took."}, {"value", Dimension::none, "The last reading."}};
  spec.example = "{id: pg, do: wait_for, with: {line: lines.pg_vdd_core, level: high, within: 10 ms}}";
  return {spec, wait_for};
}

Step wait_step() {
  StepSpec spec;
  spec.verb = "wait";
  spec.doc = "Lets bench time pass. Prefer wait_for: it knows when to stop.";
  spec.params = {required(at_least(quantity_param("time", Dimension::time, "How long."), 0))};
  spec.example = "{id: settle, do: wait, with: {time: 100 ms}}";
  return {spec, [](StepContext& step) { step.time().sleep(duration_of(step, "time")); }};
}

// ---- monitors

std::optional<Limit> monitor_limit(StepContext& step, Dimension dimension) {
  const auto min = quantity_of(step, "min");
  const auto max = quantity_of(step, "max");
  if (!min && !max) return std::nullopt;
  Limit limit;
  limit.dimension = dimension;
  if (min) limit.min = min->value;
  if (max) limit.max = max->value;
  return limit;
}

void monitor_start(StepContext& step) {
  MonitorRequest request;
  request.name = step.with("name").text();
  for (const Value& name : step.with("of").list()) request.measurables.push_back(name.text());
  if (request.measurables.empty()) bad_step(step, "monitor.start: `of` is empty");
  request.period = duration_of(step, "every");
  if (const auto limit = monitor_limit(step, step.bench().measurable(request.measurables.front()).dimension)) {
    request.limit = *limit;
    request.has_limit = true;
    for (const std::string& name : request.measurables)
      if (step.bench().measurable(name).dimension != limit->dimension)
        bad_step(step, fmt::format("monitor.start: one limit cannot judge both {} and {}", request.measurables.front(),
                                   name));
  }
  step.start_monitor(std::move(request));
}

void monitor_stop(StepContext& step) {
  const std::string& name = step.with("name").text();
  const Verdict verdict = step.stop_monitor(name);
  step.expect("monitor " + name, is_good(verdict), "every sample within the limit", std::string(name_of(verdict)));
}

Step monitor_start_step() {
  StepSpec spec;
  spec.verb = "monitor.start";
  spec.doc =
      "Samples measurables while other steps run, and judges every sample. It runs until monitor.stop, or to the end "
      "of the run; a phase that fails stops it before its teardown.";
  ParamSpec of = required(name_param("of", NameKind::measurable, "What to sample."));
  of.type = ParamType::list;
  of.element = ParamType::name;
  spec.params = {required(text_param("name", "The monitor's name.")), of,
                 at_least(quantity_param("every", Dimension::time, "Time between samples.", "10 ms"), 1e-5),
                 quantity_param("min", Dimension::none, "No sample may be below."),
                 quantity_param("max", Dimension::none, "No sample may be above.")};
  spec.example =
      "{id: watch, do: monitor.start, with: {name: core_watch, of: [vdd_core.voltage], every: 5 ms, min: 820 mV, max: "
      "880 mV}}";
  return {spec, monitor_start};
}

Step monitor_stop_step() {
  StepSpec spec;
  spec.verb = "monitor.stop";
  spec.doc = "Ends a monitor and takes its verdict: the worst of its samples.";
  spec.params = {required(text_param("name", "The monitor's name."))};
  spec.example = "{id: watched, do: monitor.stop, with: {name: core_watch}}";
  return {spec, monitor_stop};
}

// ---- people and files

void prompt(StepContext& step) {
  std::vector<std::string> choices;
  for (const Value& choice : step.with("choices").list()) choices.push_back(choice.text());
  if (choices.empty()) bad_step(step, "prompt: `choices` is empty");
  const std::string answer = step.ask(step.with("question").text(), choices);
  if (!step.has("expect")) return;
  const std::string& wanted = step.with("expect").text();
  if (answer != wanted)
    step.note_failure({ErrorClass::operator_,
                       "operator_said_no",
                       fmt::format("the operator answered \"{}\" to \"{}\"", answer, step.with("question").text()),
                       "operator",
                       {},
                       answer,
                       "what was asked for is not so"});
  step.expect("answer", answer == wanted, wanted, answer, "operator");
}

Step prompt_step() {
  StepSpec spec;
  spec.verb = "prompt";
  spec.doc = "Asks the operator. With no one at the terminal it fails; it never guesses.";
  ParamSpec choices;
  choices.name = "choices";
  choices.type = ParamType::list;
  choices.element = ParamType::text;
  choices.required = true;
  choices.doc = "The possible answers.";
  spec.params = {required(text_param("question", "What to ask.")), choices,
                 text_param("expect", "The answer that lets the step pass; any when absent.")};
  spec.example =
      "{id: lid, do: prompt, with: {question: \"Is the lid closed?\", choices: [\"yes\", \"no\"], expect: \"yes\"}}";
  return {spec, prompt};
}

void attach(StepContext& step) {
  const std::string& path = step.with("file").text();
  std::ifstream file(path, std::ios::binary);
  if (!file) bad_step(step, fmt::format("attach: cannot read {}", path));
  std::ostringstream content;
  content << file.rdbuf();
  const std::size_t slash = path.rfind('/');
  const std::string name = step.has("name")             ? step.with("name").text()
                           : slash == std::string::npos ? path
                                                        : path.substr(slash + 1);
  step.attach(name, step.with("media_type").text(), content.str());
}

Step attach_step() {
  StepSpec spec;
  spec.verb = "attach";
  spec.doc = "Puts a file beside the record.";
  spec.params = {required(text_param("file", "Its path, from where firstlight was started.")),
                 text_param("name", "Its name in the record."), text_param("media_type", "What it is.", "text/plain")};
  spec.example = "{id: notes, do: attach, with: {file: notes.txt}}";
  return {spec, attach};
}

}  // namespace

std::vector<Step> flow_steps() {
  return {expect_step(),       wait_for_step(), wait_step(),  monitor_start_step(),
          monitor_stop_step(), prompt_step(),   attach_step()};
}

}  // namespace firstlight
