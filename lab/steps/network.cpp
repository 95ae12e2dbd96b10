#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "lab/arithmetic/convert.h"
#include "lab/network/perceptron.h"
#include "lab/network/reference_engine.h"
#include "lab/network/transformer.h"
#include "lab/steps/families.h"
#include "lab/steps/support.h"

namespace firstlight {

namespace {

using namespace steps;  // NOLINT(google-build-using-namespace): the helpers of this folder
using network::Products;

constexpr double kMostFeatures = 4096;

std::size_t size_of(const StepContext& step, std::string_view param) {
  return static_cast<std::size_t>(step.with(param).integer());
}

std::uint32_t seed_of(const StepContext& step) {
  return step.has("seed") ? static_cast<std::uint32_t>(step.with("seed").integer())
                          : static_cast<std::uint32_t>(step.seed());
}

double utilisation(const Products& products) {
  GemmCycles sum;
  for (const network::ProductRecord& one : products.record()) {
    sum.active += one.cycles.active;
    sum.held += one.cycles.held;
    sum.idle += one.cycles.idle;
  }
  return sum.utilisation();
}

/// The products by name, in the order in which they first came.
void record_products(StepContext& step, const std::string& what, const Products& products) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const network::ProductRecord& one : products.record()) {
    auto entry = std::find_if(list.begin(), list.end(), [&](const auto& e) { return e["product"] == one.name; });
    if (entry == list.end()) {
      list.push_back({{"product", one.name},
                      {"shape", fmt::format("{}x{}x{}", one.shape.m, one.shape.n, one.shape.k)},
                      {"runs", 0},
                      {"cycles", 0},
                      {"ideal_cycles", 0}});
      entry = std::prev(list.end());
    }
    (*entry)["runs"] = (*entry)["runs"].get<int>() + 1;
    (*entry)["cycles"] = (*entry)["cycles"].get<std::uint64_t>() + one.cycles.total();
    (*entry)["ideal_cycles"] = (*entry)["ideal_cycles"].get<std::uint64_t>() + one.ideal;
  }
  step.data("network_products", nlohmann::ordered_json({{"network", what}, {"products", std::move(list)}}).dump());
}

void blame_engine(StepContext& step, const GemmEngine& engine, const std::string& message, const std::string& found) {
  step.note_failure(dut_failure("network_wrong", message, engine.part(), found,
                                "a cell of the array, the scratchpad, or the way between them; tensor.gemm narrows it "
                                "down"));
}

void transformer(StepContext& step) {
  GemmEngine& engine = step.bench().get<GemmEngine>();
  network::TransformerPlan plan;
  plan.tokens = size_of(step, "tokens");
  plan.width = size_of(step, "width");
  plan.heads = size_of(step, "heads");
  plan.hidden = size_of(step, "hidden");
  plan.causal = step.with("causal").boolean();
  plan.relu = step.with("activation").text() == "relu";
  plan.seed = seed_of(step);
  if (plan.width % plan.heads != 0)
    step.fail({ErrorClass::sequence,
               "bad_network",
               fmt::format("network.transformer: {} heads do not divide a width of {}", plan.heads, plan.width),
               {},
               {},
               {},
               "the sequence needs mending"});
  network::ReferenceEngine reference(engine.order());
  Products expected_by(reference, arithmetic::Format::bf16, {});
  const network::Grid expected = transformer_block(plan, expected_by);
  Products products(engine, arithmetic::Format::bf16, step.deadline() - kDiagnosis);
  const network::Grid found = transformer_block(plan, products);
  std::uint64_t wrong = 0;
  for (std::size_t i = 0; i < expected.values.size(); ++i) {
    const std::uint32_t is = arithmetic::bits_of(found.values[i]);
    const std::uint32_t due = arithmetic::bits_of(expected.values[i]);
    if (is != due && wrong++ == 0)
      blame_engine(step, engine,
                   fmt::format("feature {} of token {} comes out of the block as {:08x}, not {:08x}",
                               i / expected.columns, i % expected.columns, is, due),
                   fmt::format("{:08x}", is));
  }
  record_products(step, "transformer", products);
  step.measure("wrong_elements", {static_cast<double>(wrong), Dimension::none}, Limit::at_most({0, Dimension::none}),
               "network.transformer.wrong_elements", engine.part());
  step.measure("", {utilisation(products), Dimension::ratio}, "network.transformer.utilisation", engine.part());
}

/// Numbers whose bits are not those of the other list.
std::uint64_t differing(const std::vector<float>& a, const std::vector<float>& b) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (arithmetic::bits_of(a[i]) != arithmetic::bits_of(b[i])) ++count;
  return count;
}

void train(StepContext& step) {
  GemmEngine& engine = step.bench().get<GemmEngine>();
  network::PerceptronPlan plan;
  plan.inputs = size_of(step, "inputs");
  plan.hidden = size_of(step, "hidden");
  plan.outputs = size_of(step, "outputs");
  plan.batch = size_of(step, "batch");
  plan.rate = static_cast<float>(step.with("rate").quantity().value);
  plan.seed = seed_of(step);
  const std::size_t steps = size_of(step, "steps");
  network::ReferenceEngine reference(engine.order());
  Products expected_by(reference, arithmetic::Format::bf16, {});
  network::Perceptron expected(plan, expected_by);
  Products products(engine, arithmetic::Format::bf16, step.deadline() - kDiagnosis);
  network::Perceptron perceptron(plan, products);
  nlohmann::json curve = nlohmann::json::array();
  std::uint64_t wrong = 0;
  float loss = 0;
  for (std::size_t i = 0; i < steps; ++i) {
    step.progress(static_cast<double>(i) / static_cast<double>(steps), fmt::format("training step {}", i));
    loss = perceptron.step();
    const float due = expected.step();
    step.measure("loss", {double{loss}, Dimension::none}, fmt::format("network.train.loss[{}]", i), engine.part());
    if (arithmetic::bits_of(loss) != arithmetic::bits_of(due) && wrong++ == 0)
      blame_engine(step, engine,
                   fmt::format("the loss of training step {} is {} ({:08x}), not {} ({:08x})", i, loss,
                               arithmetic::bits_of(loss), due, arithmetic::bits_of(due)),
                   fmt::format("{:08x}", arithmetic::bits_of(loss)));
    curve.push_back({i, std::isfinite(loss) ? nlohmann::json(loss) : nlohmann::json(),
                     std::isfinite(due) ? nlohmann::json(due) : nlohmann::json()});
  }
  const std::uint64_t wrong_weights = differing(perceptron.parameters(), expected.parameters());
  if (wrong == 0 && wrong_weights > 0)
    blame_engine(step, engine, fmt::format("{} weights and biases differ after {} steps", wrong_weights, steps), {});
  step.data("loss_curve", nlohmann::json({{"network", "two-layer perceptron"}, {"points", std::move(curve)}}).dump());
  record_products(step, "perceptron", products);
  step.measure("wrong_losses", {static_cast<double>(wrong), Dimension::none}, Limit::at_most({0, Dimension::none}),
               "network.train.wrong_losses", engine.part());
  step.measure("wrong_weights", {static_cast<double>(wrong_weights), Dimension::none},
               Limit::at_most({0, Dimension::none}), "network.train.wrong_weights", engine.part());
  step.measure("utilisation", {utilisation(products), Dimension::ratio}, "network.train.utilisation", engine.part());
  step.measure("", {double{loss}, Dimension::none}, "network.train.loss", engine.part());
}

ParamSpec seed_param() {
  return integer_param("seed", "Of inputs and weights; without it, the step's own of the run's seed.", {}, 0,
                       4294967295.0);
}

StepSpec transformer_spec() {
  StepSpec spec;
  spec.verb = "network.transformer";
  spec.doc =
      "Runs the forward pass of a transformer block in bf16 (docs/networks.md), its products on the engine and the "
      "rest "
      "on the host, and compares every bit of its output with the reference.";
  spec.needs = "gemm";
  spec.params = {integer_param("tokens", "Tokens.", "32", 1, kMostFeatures),
                 integer_param("width", "Features of a token.", "64", 1, kMostFeatures),
                 integer_param("heads", "Heads of attention; they divide the width.", "4", 1, kMostFeatures),
                 integer_param("hidden", "Features inside.", "128", 1, kMostFeatures),
                 flag_param("causal", "Whether a token attends only to those up to itself.", "true"),
                 choice_param("activation", {"gelu", "relu"}, "Inside; relu is the engine's own.", "gelu"),
                 seed_param()};
  spec.measures = {{"", Dimension::ratio, "Utilisation of the array during the products, by the engine's counters."},
                   {"wrong_elements", Dimension::none, "Elements of the output that differ from the reference."}};
  spec.example = "{id: block, do: network.transformer, with: {tokens: 32, width: 64, heads: 4}, timeout: 60 s}";
  return spec;
}

StepSpec train_spec() {
  StepSpec spec;
  spec.verb = "network.train";
  spec.doc =
      "Trains a two-layer perceptron in bf16 with fp32 accumulation (docs/networks.md), forward and backward products "
      "on "
      "the engine, and compares the loss of every step and the weights at the end with the reference, bit for bit. The "
      "report draws the losses.";
  spec.needs = "gemm";
  ParamSpec rate = quantity_param("rate", Dimension::none, "Learning rate.", "1");
  rate.min = 0;
  spec.params = {integer_param("steps", "Training steps.", "20", 1, 10000),
                 integer_param("inputs", "Inputs.", "16", 1, kMostFeatures),
                 integer_param("hidden", "Hidden units.", "32", 1, kMostFeatures),
                 integer_param("outputs", "Outputs.", "8", 1, kMostFeatures),
                 integer_param("batch", "Samples.", "32", 1, kMostFeatures),
                 rate,
                 seed_param()};
  spec.measures = {{"", Dimension::none, "The last step's loss."},
                   {"loss", Dimension::none, "Each step's loss."},
                   {"wrong_losses", Dimension::none, "Losses that differ from the reference."},
                   {"wrong_weights", Dimension::none, "Weights and biases that differ from the reference at the end."},
                   {"utilisation", Dimension::ratio, "Of the array during the products, by the engine's counters."}};
  spec.example = "{id: learn, do: network.train, with: {steps: 20}, limit: {max: 0.2}, timeout: 60 s}";
  return spec;
}

}  // namespace

std::vector<Step> network_steps() { return {{transformer_spec(), transformer}, {train_spec(), train}}; }

}  // namespace firstlight
