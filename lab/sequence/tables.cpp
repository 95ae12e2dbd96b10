#include "lab/sequence/tables.h"

#include <algorithm>
#include <utility>

namespace firstlight {
namespace {

ParamSpec text(std::string name, std::string doc, bool required = false) {
  ParamSpec spec;
  spec.name = std::move(name);
  spec.doc = std::move(doc);
  spec.required = required;
  return spec;
}

ParamSpec duration(std::string name, std::string doc) {
  ParamSpec spec = text(std::move(name), std::move(doc));
  spec.type = ParamType::quantity;
  spec.dimension = Dimension::time;
  spec.min = 0;
  return spec;
}

ParamSpec on_fail(std::string doc) {
  ParamSpec spec = text("on_fail", std::move(doc));
  spec.type = ParamType::enumeration;
  spec.choices = {"stop", "continue"};
  spec.fallback = "stop";
  return spec;
}

}  // namespace

std::vector<ParamSpec> header_params() {
  ParamSpec needs = text("requires", "Capabilities that the bench must offer: rails, thermal, links, dma, ...");
  needs.type = ParamType::list;
  return {text("name", "The sequence's name in records and reports.", true),
          text("version", "Raised when the meaning of the sequence changes; stands in every record."),
          text("doc", "What the sequence is for."), needs, duration("timeout", "How long the whole may take.")};
}

std::vector<ParamSpec> phase_params() {
  return {text("name", "The phase's name in records; unique.", true), text("title", "The phase in words for people."),
          text("doc", "What the phase is for."), duration("timeout", "How long the phase may take."),
          on_fail("What a failed phase does to the run: end it (its teardown runs in any case), or go on.")};
}

std::vector<ParamSpec> step_params() {
  return {text("title", "The step in words for people."), duration("timeout", "How long one attempt may take."),
          on_fail("What a failed step does to its phase: end it, or go on.")};
}

std::vector<ParamSpec> retry_params() {
  ParamSpec times = text("times", "Further attempts after the first.", true);
  times.type = ParamType::integer;
  times.min = 1;
  times.max = 1000;
  ParamSpec delay = duration("delay", "How long to wait before each further attempt.");
  delay.fallback = "0 s";
  return {times, delay};
}

std::vector<ParameterType> parameter_types() {
  std::vector<ParameterType> types = {{"integer", ParamType::integer},
                                      {"boolean", ParamType::boolean},
                                      {"text", ParamType::text},
                                      {"list", ParamType::list}};
  for (int i = 0; i <= static_cast<int>(Dimension::pressure); ++i) {
    const auto dimension = static_cast<Dimension>(i);
    std::string name(name_of(dimension));
    std::replace(name.begin(), name.end(), ' ', '_');
    types.push_back({std::move(name), ParamType::quantity, dimension});
  }
  types.push_back({"rail", ParamType::name, Dimension::none, NameKind::rail});
  types.push_back({"measurable", ParamType::name, Dimension::none, NameKind::measurable});
  types.push_back({"register", ParamType::name, Dimension::none, NameKind::reg});
  types.push_back({"driver", ParamType::name, Dimension::none, NameKind::driver});
  return types;
}

std::vector<ParamSpec> limit_params() {
  return {text("min", "The least value that passes."),
          text("max", "The greatest value that passes."),
          text("equals", "The one value that passes."),
          text("nominal", "The middle of the range; goes with `tolerance`."),
          text("tolerance", "How far the value may be from nominal: a quantity, or % of nominal."),
          text("marginal",
               "Width of the band inside each end in which a value counts as marginal: a quantity, or % of nominal "
               "(without one: of the range, or of the end when there is one only).")};
}

}  // namespace firstlight
