#include "lab/steps/support.h"

#include <algorithm>
#include <utility>

#include "lab/capabilities/lines.h"

namespace firstlight::steps {

namespace {

ParamSpec param(std::string name, ParamType type, std::string doc, std::string fallback) {
  ParamSpec spec;
  spec.name = std::move(name);
  spec.type = type;
  spec.doc = std::move(doc);
  spec.fallback = std::move(fallback);
  return spec;
}

std::pair<std::string, std::string> split_line(const std::string& line) {
  const std::size_t dot = line.find('.');
  if (dot == std::string::npos)
    throw FailureError(
        {ErrorClass::sequence, "no_such_line", "a line is named driver.line, not \"" + line + "\"", line, {}, {}, {}});
  return {line.substr(0, dot), line.substr(dot + 1)};
}

}  // namespace

ParamSpec name_param(std::string name, NameKind kind, std::string doc) {
  ParamSpec spec = param(std::move(name), ParamType::name, std::move(doc), {});
  spec.names = kind;
  return spec;
}

ParamSpec quantity_param(std::string name, Dimension dimension, std::string doc, std::string fallback) {
  ParamSpec spec = param(std::move(name), ParamType::quantity, std::move(doc), std::move(fallback));
  spec.dimension = dimension;
  return spec;
}

ParamSpec integer_param(std::string name, std::string doc, std::string fallback) {
  return param(std::move(name), ParamType::integer, std::move(doc), std::move(fallback));
}

ParamSpec text_param(std::string name, std::string doc, std::string fallback) {
  return param(std::move(name), ParamType::text, std::move(doc), std::move(fallback));
}

ParamSpec flag_param(std::string name, std::string doc, std::string fallback) {
  return param(std::move(name), ParamType::boolean, std::move(doc), std::move(fallback));
}

ParamSpec choice_param(std::string name, std::vector<std::string> choices, std::string doc, std::string fallback) {
  ParamSpec spec = param(std::move(name), ParamType::enumeration, std::move(doc), std::move(fallback));
  spec.choices = std::move(choices);
  return spec;
}

ParamSpec required(ParamSpec spec) {
  spec.required = true;
  return spec;
}

ParamSpec setting(std::string name, ParamSpec spec) {
  spec.sets = std::move(name);
  return spec;
}

ParamSpec at_least(ParamSpec spec, double min) {
  spec.min = min;
  return spec;
}

namespace {

ParamSpec between(ParamSpec spec, double min, double max) {
  spec.min = min;
  spec.max = max;
  return spec;
}

}  // namespace

ParamSpec integer_param(std::string name, std::string doc, std::string fallback, double min, double max) {
  return between(integer_param(std::move(name), std::move(doc), std::move(fallback)), min, max);
}

ParamSpec size_param(std::string name, std::string doc, std::string fallback, double min, double max) {
  return between(quantity_param(std::move(name), Dimension::data, std::move(doc), std::move(fallback)), min, max);
}

std::string text_of(const StepContext& step, std::string_view param) {
  return step.has(param) ? step.with(param).text() : std::string();
}

Duration duration_of(const StepContext& step, std::string_view param) {
  return step.has(param) ? to_duration(step.with(param).quantity()) : Duration::zero();
}

std::optional<Quantity> quantity_of(const StepContext& step, std::string_view param) {
  return step.has(param) ? std::optional<Quantity>(step.with(param).quantity()) : std::nullopt;
}

bool poll(StepContext& step, Duration period, Instant limit, const std::function<bool()>& done) {
  BenchTime& time = step.time();
  const Instant end = std::min(limit, step.deadline());
  while (true) {
    // A look that began before the end may have been held up; the last one begins after it.
    const Instant looked = time.now();
    if (done()) return true;
    if (looked >= end) return false;
    time.sleep_until(std::min(time.now() + period, end));
  }
}

bool line_level(Bench& bench, const std::string& line) {
  const auto [driver, name] = split_line(line);
  return bench.get<Lines>(driver).level(name);
}

std::string line_part(Bench& bench, const std::string& line) {
  const auto [driver, name] = split_line(line);
  return bench.get<Lines>(driver).part(name);
}

Failure dut_failure(std::string symptom, std::string message, std::string part, std::string received,
                    std::string cause) {
  return {ErrorClass::dut,     std::move(symptom), std::move(message), std::move(part), {},
          std::move(received), std::move(cause)};
}

}  // namespace firstlight::steps
