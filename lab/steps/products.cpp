#include "lab/steps/products.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "lab/arithmetic/convert.h"
#include "lab/steps/support.h"

namespace firstlight::steps {

namespace {

using arithmetic::GemmOptions;
using arithmetic::GemmShape;
using arithmetic::Matrix;

constexpr unsigned kLargest = 65536;
constexpr std::size_t kMostElements = 4096;  // enough to tell what made them wrong

std::optional<unsigned> parse_size(std::string_view text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value == 0 || value > kLargest) return std::nullopt;
  return value;
}

std::vector<std::uint8_t> random_matrix(Matrix matrix, const GemmShape& shape, const GemmOptions& options,
                                        arithmetic::Format format, std::mt19937_64& random) {
  std::vector<std::uint8_t> memory(layout_of(matrix, shape, options).bytes());
  const bool params = matrix == Matrix::params;
  const std::size_t rows = params ? shape.n : shape.k;
  const std::size_t columns = params ? 2 : matrix == Matrix::a ? shape.m : shape.n;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      const float value = static_cast<float>(random() >> 40U) / 8388608.0F - 1.0F;
      put_element(matrix, shape, options, memory, row, column, arithmetic::narrow(format, value));
    }
  }
  return memory;
}

void keep_every_second(std::vector<GemmWrong>& elements) {
  for (std::size_t i = 0; 2 * i < elements.size(); ++i) elements[i] = elements[2 * i];
  elements.resize((elements.size() + 1) / 2);
}

}  // namespace

std::string Product::name() const {
  return fmt::format("gemm.{}{}.{}", name_of(options.a), options.double_row ? "_double_row" : "", to_text(shape));
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const arithmetic::Format format : arithmetic::kFormats) names.emplace_back(name_of(format));
  return names;
}

ParamSpec start_param() {
  return choice_param("from", {"memory", "scratchpad"},
                      "Where the operands are when a product begins: in memory, from where they stream, or all in the "
                      "scratchpad, which they must fit.",
                      "memory");
}

GemmStart start_of(const StepContext& step) {
  return step.with("from").text() == "memory" ? GemmStart::streamed : GemmStart::preloaded;
}

GemmOutcome run_product(StepContext& step, GemmEngine& engine, const Product& product,
                        const arithmetic::GemmOperands& operands) {
  try {
    return engine.run(product.shape, product.options, operands, product.start, step.deadline() - kDiagnosis);
  } catch (const std::invalid_argument& error) {
    step.fail({ErrorClass::sequence,
               "bad_product",
               fmt::format("{}: {}", product.name(), error.what()),
               {},
               {},
               {},
               "the sequence needs mending"});
  }
}

std::string judge_elements(StepContext& step, GemmEngine& engine, const Product& product,
                           const arithmetic::GemmOperands& operands, const std::vector<std::uint8_t>& found,
                           const std::vector<std::uint8_t>& due) {
  const Mismatch mismatch = compare(product.shape, product.options, found, due);
  std::string part = engine.part();
  if (mismatch.wrong > 0) {
    const GemmSuspect suspect = engine.suspect(product.shape, product.options, operands, mismatch.elements);
    if (!suspect.part.empty()) part = fmt::format("{} of {}", suspect.part, engine.part());
    step.note_failure(dut_failure(
        "gemm_wrong",
        fmt::format("{} of {} elements of {} are wrong, the first at {}", mismatch.wrong,
                    std::uint64_t{product.shape.m} * product.shape.n, product.name(), mismatch.first),
        part, mismatch.first,
        suspect.why.empty() ? "a cell of the array, the scratchpad, or the way between them" : suspect.why));
  }
  step.measure("wrong_elements", {static_cast<double>(mismatch.wrong), Dimension::none},
               Limit::at_most({0, Dimension::none}), product.name() + ".wrong_elements", part);
  return part;
}

std::optional<GemmShape> parse_shape(std::string_view text) {
  const std::size_t first = text.find('x');
  const std::size_t second = first == std::string_view::npos ? first : text.find('x', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  const auto m = parse_size(text.substr(0, first));
  const auto n = parse_size(text.substr(first + 1, second - first - 1));
  const auto k = parse_size(text.substr(second + 1));
  if (!m || !n || !k) return std::nullopt;
  return GemmShape{*m, *n, *k};
}

std::string to_text(const GemmShape& shape) { return fmt::format("{}x{}x{}", shape.m, shape.n, shape.k); }

arithmetic::GemmOperands random_operands(const GemmShape& shape, const GemmOptions& options, std::mt19937_64& random) {
  arithmetic::GemmOperands operands;
  operands.a = random_matrix(Matrix::a, shape, options, options.a, random);
  operands.b = random_matrix(Matrix::b, shape, options, options.b, random);
  if (options.scale || options.bias)
    operands.params = random_matrix(Matrix::params, shape, options, arithmetic::Format::fp32, random);
  return operands;
}

Mismatch compare(const GemmShape& shape, const GemmOptions& options, const std::vector<std::uint8_t>& found,
                 const std::vector<std::uint8_t>& expected) {
  Mismatch mismatch;
  if (found == expected) return mismatch;
  std::uint64_t every = 1;  // of the wrong ones, how many there are for one that is kept
  const std::size_t digits = 2 * std::size_t{bytes_of(options.c)};
  for (std::size_t n = 0; n < shape.n; ++n) {
    for (std::size_t m = 0; m < shape.m; ++m) {
      const std::uint32_t is = element_at(Matrix::c, shape, options, found, n, m);
      const std::uint32_t due = element_at(Matrix::c, shape, options, expected, n, m);
      if (is == due) continue;
      if (mismatch.wrong++ == 0)
        mismatch.first = fmt::format("row {}, column {}: {:0{}x} for {:0{}x}", m, n, is, digits, due, digits);
      if ((mismatch.wrong - 1) % every != 0) continue;
      mismatch.elements.push_back({m, n, due, is});
      if (mismatch.elements.size() > kMostElements) {
        keep_every_second(mismatch.elements);
        every *= 2;
      }
    }
  }
  return mismatch;
}

double operations(const GemmShape& shape) {
  return 2.0 * static_cast<double>(shape.m) * static_cast<double>(shape.n) * static_cast<double>(shape.k);
}

double intensity(const GemmShape& shape, const GemmOptions& options) {
  const auto bytes = [&](Matrix matrix) {
    const arithmetic::MatrixLayout layout = layout_of(matrix, shape, options);
    return layout.rows * layout.row_bytes;
  };
  return operations(shape) / static_cast<double>(std::max(bytes(Matrix::a) + bytes(Matrix::b), bytes(Matrix::c)));
}

}  // namespace firstlight::steps
