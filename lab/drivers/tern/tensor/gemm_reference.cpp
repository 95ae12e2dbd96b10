#include "lab/drivers/tern/tensor/gemm_reference.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "lab/arithmetic/fused.h"
#include "lab/arithmetic/output.h"
#include "lab/drivers/tern/tensor/gemm_cut.h"

namespace firstlight::tern::tensor {

namespace {

Format format_of(Matrix matrix, const GemmOptions& options) {
  switch (matrix) {
    case Matrix::a:
      return options.a;
    case Matrix::b:
      return options.b;
    case Matrix::c:
      return options.c;
    case Matrix::params:
      return Format::fp32;
  }
  return Format::fp32;
}

/// Where elements of a matrix are, in bytes.
class Elements {
 public:
  Elements(Matrix matrix, const GemmShape& shape, const GemmOptions& options)
      : bytes_(bytes_of(format_of(matrix, options))),
        pair_(options.double_row && (matrix == Matrix::a || matrix == Matrix::b) ? 2 : 1),
        pitch_(layout_of(matrix, shape, options).pitch) {}

  std::uint32_t get(const std::vector<std::uint8_t>& memory, std::size_t row, std::size_t column) const {
    std::uint32_t code = 0;
    for (unsigned b = 0; b < bytes_; ++b) code |= std::uint32_t{memory[at(row, column) + b]} << (8 * b);
    return code;
  }
  void put(std::vector<std::uint8_t>& memory, std::size_t row, std::size_t column, std::uint32_t code) const {
    for (unsigned b = 0; b < bytes_; ++b) memory[at(row, column) + b] = static_cast<std::uint8_t>(code >> (8 * b));
  }

 private:
  std::size_t at(std::size_t row, std::size_t column) const {
    return row / pair_ * pitch_ + (column * pair_ + row % pair_) * bytes_;
  }
  std::size_t bytes_;
  std::size_t pair_;
  std::size_t pitch_;
};

void check_size(const char* name, Matrix matrix, const GemmShape& shape, const GemmOptions& options,
                const std::vector<std::uint8_t>& memory) {
  const std::size_t due = layout_of(matrix, shape, options).bytes();
  if (memory.size() != due)
    throw std::invalid_argument(std::string("matrix ") + name + " has " + std::to_string(memory.size()) +
                                " bytes in memory; its shape takes " + std::to_string(due));
}

std::vector<float> widened(Matrix matrix, const GemmShape& shape, const GemmOptions& options,
                           const std::vector<std::uint8_t>& memory, arithmetic::Flags& flags) {
  const Elements elements(matrix, shape, options);
  const std::size_t columns = matrix == Matrix::a ? shape.m : shape.n;
  std::vector<float> values;
  values.reserve(shape.k * columns);
  for (std::size_t row = 0; row < shape.k; ++row)
    for (std::size_t column = 0; column < columns; ++column)
      values.push_back(arithmetic::widen(format_of(matrix, options), elements.get(memory, row, column), flags));
  return values;
}

arithmetic::Output output_of(const GemmOptions& options) {
  arithmetic::Output output;
  output.relu = options.relu;
  output.narrowing.format = options.c;
  output.narrowing.rounding =
      options.stochastic ? arithmetic::Rounding::stochastic : arithmetic::Rounding::nearest_even;
  output.narrowing.overflow = options.saturate ? arithmetic::Overflow::saturate : arithmetic::Overflow::infinity;
  return output;
}

/// In the order of the stores: blocks of rows, in them columns, in them rows. The tiles of a group do not mix the
/// numbers of a generator either, since each tile is stored as a whole.
void put_out_all(const Engine& engine, const GemmShape& shape, const GemmOptions& options, const GemmOperands& operands,
                 const std::vector<float>& sums, GemmResult& result) {
  std::vector<arithmetic::Generator> generators;
  for (const std::uint32_t state : result.generators) generators.emplace_back(state);
  const Elements params(Matrix::params, shape, options);
  const Elements c(Matrix::c, shape, options);
  arithmetic::Output output = output_of(options);
  for (std::size_t block = 0; block < shape.m; block += engine.entries) {
    const std::size_t end = std::min<std::size_t>(block + engine.entries, shape.m);
    for (std::size_t column = 0; column < shape.n; ++column) {
      if (options.scale) output.scale = arithmetic::float_of(params.get(operands.params, column, 0));
      if (options.bias) output.bias = arithmetic::float_of(params.get(operands.params, column, 1));
      arithmetic::Generator& generator = generators[column % engine.columns];
      for (std::size_t row = block; row < end; ++row)
        c.put(result.c, column, row, put_out(output, sums[column * shape.m + row], generator, result.flags));
    }
  }
  for (std::size_t i = 0; i < generators.size(); ++i) result.generators[i] = generators[i].state();
}

}  // namespace

GemmResult gemm_reference(const Engine& engine, const GemmShape& shape, const GemmOptions& options,
                          const GemmOperands& operands, const std::vector<std::uint32_t>& generators) {
  const GemmCut legal(engine, shape, options);
  check_size("A", Matrix::a, shape, options, operands.a);
  check_size("B", Matrix::b, shape, options, operands.b);
  if (options.scale || options.bias) check_size("params", Matrix::params, shape, options, operands.params);
  GemmResult result;
  result.generators = generators.empty() ? std::vector<std::uint32_t>(engine.columns, 1) : generators;
  if (result.generators.size() != engine.columns)
    throw std::invalid_argument("a generator for each column of the array is needed");
  result.c.resize(layout_of(Matrix::c, shape, options).bytes());
  arithmetic::Operands wide;
  wide.m = shape.m;
  wide.n = shape.n;
  wide.k = shape.k;
  wide.a = widened(Matrix::a, shape, options, operands.a, result.flags);
  wide.b = widened(Matrix::b, shape, options, operands.b, result.flags);
  put_out_all(engine, shape, options, operands, arithmetic::product(wide, result.flags), result);
  return result;
}

std::uint32_t element_at(Matrix matrix, const GemmShape& shape, const GemmOptions& options,
                         const std::vector<std::uint8_t>& memory, std::size_t row, std::size_t column) {
  return Elements(matrix, shape, options).get(memory, row, column);
}

void put_element(Matrix matrix, const GemmShape& shape, const GemmOptions& options, std::vector<std::uint8_t>& memory,
                 std::size_t row, std::size_t column, std::uint32_t code) {
  Elements(matrix, shape, options).put(memory, row, column, code);
}

}  // namespace firstlight::tern::tensor
