#include "lab/capabilities/tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

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
using arithmetic::Matrix;

Format format_of(const StepContext& step, std::string_view param) {
  return *arithmetic::format_named(step.with(param).text());
}

Product product_of(StepContext& step) {
  const auto refuse = [&](const std::string& message) {
    step.fail(
        {ErrorClass::sequence, "bad_product", "tensor.gemm: " + message, {}, {}, {}, "the sequence needs mending"});
  };
  Product out;
  const auto shape = parse_shape(step.with("shape").text());
  if (!shape) refuse(fmt::format("`{}` is no shape such as 128x64x256", step.with("shape").text()));
  out.shape = *shape;
  GemmOptions& options = out.options;
  options.a = options.b = format_of(step, "dtype");
  if (step.has("stationary")) options.b = format_of(step, "stationary");
  options.c = format_of(step, "result");
  options.double_row = step.with("double_row").boolean();
  options.stochastic = step.with("rounding").text() == "stochastic";
  options.saturate = step.with("saturate").boolean();
  options.scale = step.with("scale").boolean();
  options.bias = step.with("bias").boolean();
  options.relu = step.with("relu").boolean();
  if (options.double_row && !(is_fp8(options.a) && is_fp8(options.b))) refuse("`double_row` takes fp8 on both sides");
  out.start = start_of(step);
  return out;
}

/// Any codes of the operands' formats: infinities, NaN and subnormals as they come. Padding stays 0.
void draw_codes(const Product& product, arithmetic::GemmOperands& operands, std::mt19937_64& random) {
  const auto fill = [&](Matrix matrix, std::vector<std::uint8_t>& memory, std::size_t columns) {
    for (std::size_t row = 0; row < product.shape.k; ++row)
      for (std::size_t column = 0; column < columns; ++column)
        put_element(matrix, product.shape, product.options, memory, row, column, static_cast<std::uint32_t>(random()));
  };
  fill(Matrix::a, operands.a, product.shape.m);
  fill(Matrix::b, operands.b, product.shape.n);
}

arithmetic::GemmOperands operands_of(StepContext& step, const Product& product) {
  std::mt19937_64 random(step.with("seed").integer() != 0 ? static_cast<std::uint64_t>(step.with("seed").integer())
                                                          : step.seed());
  arithmetic::GemmOperands operands = random_operands(product.shape, product.options, random);
  if (step.with("operands").text() == "codes") draw_codes(product, operands, random);
  return operands;
}

/// @return the part to blame
std::string check_result(StepContext& step, GemmEngine& engine, const Product& product,
                         const arithmetic::GemmOperands& operands, const arithmetic::GemmResult& found,
                         const arithmetic::GemmResult& due) {
  std::string part = judge_elements(step, engine, product, operands, found.c, due.c);
  const auto flags = [](unsigned bits) { return fmt::format("{:#04x}", bits); };
  step.expect(product.name() + ".flags", found.flags.bits() == due.flags.bits(), flags(due.flags.bits()),
              flags(found.flags.bits()), part);
  step.expect(product.name() + ".generators", found.generators == due.generators, "where the reference leaves them",
              found.generators == due.generators ? "there" : "elsewhere", part);
  return part;
}

void gemm(StepContext& step) {
  GemmEngine& engine = step.bench().get<GemmEngine>();
  const Product product = product_of(step);
  const arithmetic::GemmOperands operands = operands_of(step, product);
  const GemmOutcome outcome = run_product(step, engine, product, operands);
  const auto due = gemm_reference(engine.order(), product.shape, product.options, operands);
  const std::string part = check_result(step, engine, product, operands, outcome.result, due);
  const std::uint64_t ideal = engine.ideal_cycles(product.shape, product.options);
  const GemmCycles& cycles = outcome.cycles;
  const double utilisation = cycles.utilisation();
  step.expect(product.name() + ".active_cycles", cycles.active == ideal, fmt::format("{}", ideal),
              fmt::format("{}", cycles.active), part);
  step.measure("cycles", {static_cast<double>(cycles.total()), Dimension::none}, product.name() + ".cycles",
               engine.part());
  step.measure("ideal_cycles", {static_cast<double>(ideal), Dimension::none}, product.name() + ".ideal_cycles",
               engine.part());
  step.data("gemm", nlohmann::json({{"product", product.name()},
                                    {"utilisation", utilisation},
                                    {"ideal_cycles", ideal},
                                    {"active", cycles.active},
                                    {"held", cycles.held},
                                    {"idle", cycles.idle},
                                    {"throttled", cycles.throttled}})
                        .dump());
  if (step.measure("", {utilisation, Dimension::ratio}, product.name() + ".utilisation", engine.part()) ==
      Verdict::fail)
    step.fail(dut_failure(
        "gemm_slow",
        fmt::format("{} took {} cycles, of which the array took vectors in {}, was held up in {} and had no "
                    "instruction in {}",
                    product.name(), cycles.total(), cycles.active, cycles.held, cycles.idle),
        engine.part(), {},
        cycles.throttled > 0 ? "an engine that is throttled" : "operands that come late: slow memory or DMA"));
}

void provoke(StepContext& step) {
  Tensor& tensor = step.bench().get<Tensor>();
  const std::string name = step.with("error").text();
  const auto error = tensor.provoke(name, step.deadline() - kDiagnosis);
  step.expect("tensor.error", error && error->name == name, name, error ? error->text : "the program's end",
              tensor.part());
  tensor.clear(step.deadline() - kDiagnosis);
  const auto left = tensor.error();
  step.expect("tensor.cleared", !left, "no error", left ? left->text : "none", tensor.part());
}

StepSpec gemm_spec() {
  StepSpec spec;
  spec.verb = "tensor.gemm";
  spec.doc =
      "Runs a product of random matrices and compares every bit of the result with the exact reference, the flags of "
      "the arithmetic and the generators of stochastic rounding as well. A wrong element says which column, PE or "
      "partition explains it. Measures which share of the product's cycles the array took a vector in, by the engine's "
      "own counters.";
  spec.needs = "gemm";
  ParamSpec seed = integer_param("seed", "Of the operands; 0 takes one from the run's seed.", "0");
  seed.min = 0;
  spec.params = {text_param("shape", "m x n x k without blanks.", "32x32x32"),
                 choice_param("dtype", format_names(), "Format of the operands.", "bf16"),
                 choice_param("stationary", format_names(), "Format of B, if it is another one."),
                 choice_param("result", format_names(), "Format of the result.", "fp32"),
                 choice_param("rounding", {"rne", "stochastic"}, "How the result is rounded.", "rne"),
                 flag_param("saturate", "Overflow gives the largest finite number."),
                 flag_param("double_row", "Two steps a cycle, fp8 only."),
                 flag_param("scale", "Multiplies each column of the result by a factor."),
                 flag_param("bias", "Adds a number to each column of the result."),
                 flag_param("relu", "Negative results become 0."),
                 start_param(),
                 choice_param("operands", {"numbers", "codes"},
                              "Numbers between -1 and 1, or any codes: infinities, NaN and subnormals too.", "numbers"),
                 choice_param("compare", {"exact"}, "How the result is compared: bit for bit.", "exact"),
                 seed};
  spec.measures = {{"", Dimension::ratio, "Share of the product's cycles in which the array took a vector."},
                   {"wrong_elements", Dimension::none, "Elements that differ from the reference."},
                   {"cycles", Dimension::none, "Core cycles of the product."},
                   {"ideal_cycles", Dimension::none, "Cycles of a product that nothing ever holds up."}};
  spec.example =
      "{id: bf16, do: tensor.gemm, with: {shape: 128x128x128, dtype: bf16}, limit: {min: 95 %}, timeout: 10 s}";
  return spec;
}

StepSpec provoke_spec() {
  StepSpec spec;
  spec.verb = "tensor.provoke";
  spec.doc =
      "Has the tensor engine run a short illegal program, which must end in the error of that name, and clears it. "
      "Overwrites parts of the scratchpad.";
  spec.needs = "tensor";
  spec.params = {required(choice_param("error",
                                       {"bad_opcode", "bad_dtype", "bad_shape", "bad_address", "stationary_unset",
                                        "accumulator_unset", "semaphore_overflow", "memory_error", "fetch_error"},
                                       "The error."))};
  spec.example = "{id: wrong_shape, do: tensor.provoke, with: {error: bad_shape}, timeout: 2 s}";
  return spec;
}

}  // namespace

std::vector<Step> tensor_steps() { return {{gemm_spec(), gemm}, {provoke_spec(), provoke}}; }

}  // namespace firstlight
