#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "lab/arithmetic/gemm.h"
#include "lab/capabilities/gemm_engine.h"
#include "lab/steps/step.h"

namespace firstlight::steps {

/// "128x64x32": m, n and k, each from 1 to 65536.
std::optional<arithmetic::GemmShape> parse_shape(std::string_view text);
std::string to_text(const arithmetic::GemmShape& shape);

/// Numbers between -1 and 1, so that sums neither overflow nor vanish; parameters likewise, where the options ask for
/// them.
arithmetic::GemmOperands random_operands(const arithmetic::GemmShape& shape, const arithmetic::GemmOptions& options,
                                         std::mt19937_64& random);

/// A product to run, and when it begins.
struct Product {
  arithmetic::GemmShape shape;
  arithmetic::GemmOptions options;
  GemmStart start = GemmStart::streamed;

  /// "gemm.bf16.128x64x32", "gemm.fp8_e4m3_double_row.32x32x64".
  std::string name() const;
};

std::vector<std::string> format_names();
/// `from`: where the operands are when a product begins; and what was chosen.
ParamSpec start_param();
GemmStart start_of(const StepContext& step);

/// Runs it until the step's deadline. What no engine or not this one can carry out is the sequence's fault.
GemmOutcome run_product(StepContext& step, GemmEngine& engine, const Product& product,
                        const arithmetic::GemmOperands& operands);
/// Compares C element by element, measures `wrong_elements`, and says of wrong ones what they point at.
/// @return the part to blame
std::string judge_elements(StepContext& step, GemmEngine& engine, const Product& product,
                           const arithmetic::GemmOperands& operands, const std::vector<std::uint8_t>& found,
                           const std::vector<std::uint8_t>& due);

/// How a result differs from what it should be.
struct Mismatch {
  std::uint64_t wrong = 0;            // elements
  std::string first;                  // "row 3, column 17: 3f800000 for 3f800001"; empty without one
  std::vector<GemmWrong> elements{};  // all of them, or so many evenly from all over C, column by column
};
Mismatch compare(const arithmetic::GemmShape& shape, const arithmetic::GemmOptions& options,
                 const std::vector<std::uint8_t>& found, const std::vector<std::uint8_t>& expected);

/// Two operations for each multiply-add.
double operations(const arithmetic::GemmShape& shape);
/// Operations for each byte that the busier direction between memory and engine carries at least once: operands on the
/// way in, or the result on its way out.
double intensity(const arithmetic::GemmShape& shape, const arithmetic::GemmOptions& options);

}  // namespace firstlight::steps
