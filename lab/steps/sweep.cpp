#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lab/capabilities/gemm_engine.h"
#include "lab/steps/families.h"
#include "lab/steps/products.h"
#include "lab/steps/support.h"

namespace firstlight {

namespace {

using namespace steps;  // NOLINT(google-build-using-namespace): the helpers of this folder
using arithmetic::Format;
using arithmetic::GemmOptions;
using arithmetic::GemmShape;

[[noreturn]] void refuse(StepContext& step, const std::string& message) {
  step.fail({ErrorClass::sequence, "bad_sweep", "tensor.sweep: " + message, {}, {}, {}, "the sequence needs mending"});
}

std::vector<GemmShape> shapes_of(StepContext& step) {
  std::vector<GemmShape> shapes;
  for (const Value& value : step.with("shapes").list()) {
    const auto shape = parse_shape(value.text());
    if (!shape) refuse(step, fmt::format("`{}` is no shape such as 128x64x256 (m, n and k, 1 to 65536)", value.text()));
    shapes.push_back(*shape);
  }
  if (shapes.empty()) refuse(step, "`shapes` is empty");
  return shapes;
}

std::vector<GemmOptions> options_of(StepContext& step) {
  const Format result = *arithmetic::format_named(step.with("result").text());
  std::vector<GemmOptions> list;
  for (const Value& value : step.with("dtypes").list()) {
    GemmOptions options;
    options.a = options.b = *arithmetic::format_named(value.text());
    options.c = result;
    options.double_row = is_fp8(options.a) && step.with("double_row").boolean();
    list.push_back(options);
  }
  if (list.empty()) refuse(step, "`dtypes` is empty");
  return list;
}

std::string name_of_options(const GemmOptions& options) {
  return std::string(name_of(options.a)) + (options.double_row ? " double row" : "");
}

/// One product, measured.
struct Point {
  Product product;
  GemmCycles cycles;
  std::uint64_t ideal = 0;
  double peak = 0;

  double total() const { return static_cast<double>(cycles.total()); }
  double rate() const { return total() > 0 ? operations(product.shape) / total() : 0; }
  nlohmann::json json() const {
    return {{"dtype", name_of_options(product.options)},
            {"shape", to_text(product.shape)},
            {"intensity", intensity(product.shape, product.options)},
            {"ops_per_cycle", rate()},
            {"utilisation", cycles.utilisation()},
            {"cycles", cycles.total()},
            {"ideal_cycles", ideal},
            {"peak", peak}};
  }
};

Point run(StepContext& step, GemmEngine& engine, const Product& product, std::mt19937_64& random) {
  const auto& [shape, options, start] = product;
  const arithmetic::GemmOperands operands = random_operands(shape, options, random);
  const GemmOutcome outcome = run_product(step, engine, product, operands);
  judge_elements(step, engine, product, operands, outcome.result.c,
                 gemm_reference(engine.order(), shape, options, operands).c);
  return {product, outcome.cycles, engine.ideal_cycles(shape, options), engine.peak(options)};
}

void measure(StepContext& step, const GemmEngine& engine, const Point& point) {
  const std::string subject = point.product.name();
  step.measure("cycles", {point.total(), Dimension::none}, subject + ".cycles", engine.part());
  step.measure("ideal_cycles", {static_cast<double>(point.ideal), Dimension::none}, subject + ".ideal_cycles",
               engine.part());
  step.measure("rate", {point.rate(), Dimension::none}, subject + ".ops_per_cycle", engine.part());
  step.measure("utilisation", {point.cycles.utilisation(), Dimension::ratio}, subject + ".utilisation", engine.part());
  step.measure("sustained", {point.cycles.sustained(), Dimension::ratio}, subject + ".sustained", engine.part());
}

void sweep(StepContext& step) {
  GemmEngine& engine = step.bench().get<GemmEngine>();
  const std::vector<GemmShape> shapes = shapes_of(step);
  const std::vector<GemmOptions> options = options_of(step);
  std::mt19937_64 random(step.seed());
  nlohmann::json points = nlohmann::json::array();
  double best = 0;
  for (const GemmOptions& one : options) {
    for (const GemmShape& shape : shapes) {
      step.progress(static_cast<double>(points.size()) / static_cast<double>(options.size() * shapes.size()),
                    fmt::format("{} {}", name_of_options(one), to_text(shape)));
      const Point point = run(step, engine, {shape, one, start_of(step)}, random);
      measure(step, engine, point);
      points.push_back(point.json());
      best = std::max(best, point.cycles.utilisation());
    }
  }
  // The memory is no roof over operands that have left it.
  if (start_of(step) == GemmStart::streamed)
    step.data("roofline", nlohmann::json({{"engine", engine.part()},
                                          {"bytes_per_cycle", engine.memory_bytes_per_cycle()},
                                          {"points", std::move(points)}})
                              .dump());
  step.measure("", {best, Dimension::ratio}, "gemm.best_utilisation", engine.part());
}

StepSpec sweep_spec() {
  StepSpec spec;
  spec.verb = "tensor.sweep";
  spec.doc =
      "Runs products of matrices of each shape in each format, compares every bit with the reference, and measures how "
      "much of the time the array works and how many operations a cycle come of it. The report draws them against the "
      "roofs of array and memory.";
  spec.needs = "gemm";
  ParamSpec shapes;
  shapes.name = "shapes";
  shapes.type = ParamType::list;
  shapes.element = ParamType::text;
  shapes.fallback = "[8x8x8, 32x32x32, 128x32x128, 128x128x128]";
  shapes.doc = "Products, each as m x n x k without blanks.";
  ParamSpec dtypes;
  dtypes.name = "dtypes";
  dtypes.type = ParamType::list;
  dtypes.element = ParamType::enumeration;
  dtypes.choices = format_names();
  dtypes.fallback = "[bf16]";
  dtypes.doc = "Formats of both operands.";
  spec.params = {shapes, dtypes, start_param(), choice_param("result", format_names(), "Format of the result.", "fp32"),
                 flag_param("double_row", "Whether fp8 takes two steps a cycle.", "true")};
  spec.measures = {
      {"", Dimension::ratio, "The best utilisation."},
      {"utilisation", Dimension::ratio,
       "Of each product: share of its cycles in which the array takes a vector, by the engine's counters."},
      {"sustained", Dimension::ratio,
       "The same of the cycles in which there was an instruction for a vector: without the first fetch and the last "
       "stores."},
      {"rate", Dimension::none, "Of each product: operations a cycle."},
      {"cycles", Dimension::none, "Of each product: core cycles."},
      {"ideal_cycles", Dimension::none, "Of each product: cycles if nothing ever held it up."},
      {"wrong_elements", Dimension::none, "Of each product: elements that differ from the reference."}};
  spec.example =
      "{id: sweep, do: tensor.sweep, with: {shapes: [32x32x32, 128x128x128], dtypes: [bf16]}, timeout: 30 s}";
  return spec;
}

}  // namespace

std::vector<Step> sweep_steps() { return {{sweep_spec(), sweep}}; }

}  // namespace firstlight
