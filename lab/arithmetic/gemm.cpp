#include "lab/arithmetic/gemm.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "lab/arithmetic/fused.h"
#include "lab/arithmetic/output.h"

namespace firstlight::arithmetic {

namespace {

constexpr std::size_t kWord = 8;  // bytes; what rows begin at multiples of

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
                           const std::vector<std::uint8_t>& memory, Flags& flags) {
  const Elements elements(matrix, shape, options);
  const std::size_t columns = matrix == Matrix::a ? shape.m : shape.n;
  std::vector<float> values;
  values.reserve(shape.k * columns);
  for (std::size_t row = 0; row < shape.k; ++row)
    for (std::size_t column = 0; column < columns; ++column)
      values.push_back(widen(format_of(matrix, options), elements.get(memory, row, column), flags));
  return values;
}

Output output_of(const GemmOptions& options) {
  Output output;
  output.relu = options.relu;
  output.narrowing.format = options.c;
  output.narrowing.rounding = options.stochastic ? Rounding::stochastic : Rounding::nearest_even;
  output.narrowing.overflow = options.saturate ? Overflow::saturate : Overflow::infinity;
  return output;
}

/// In the order of the stores: blocks of rows, in them columns, in them rows. The tiles of a group do not mix the
/// numbers of a generator either, since each tile is stored as a whole.
void put_out_all(const GemmOrder& order, const GemmShape& shape, const GemmOptions& options,
                 const GemmOperands& operands, const std::vector<float>& sums, GemmResult& result) {
  std::vector<Generator> generators;
  for (const std::uint32_t state : result.generators) generators.emplace_back(state);
  const Elements params(Matrix::params, shape, options);
  const Elements c(Matrix::c, shape, options);
  Output output = output_of(options);
  for (std::size_t block = 0; block < shape.m; block += order.block) {
    const std::size_t end = std::min<std::size_t>(block + order.block, shape.m);
    for (std::size_t column = 0; column < shape.n; ++column) {
      if (options.scale) output.scale = float_of(params.get(operands.params, column, 0));
      if (options.bias) output.bias = float_of(params.get(operands.params, column, 1));
      Generator& generator = generators[column % order.lanes];
      for (std::size_t row = block; row < end; ++row)
        c.put(result.c, column, row, put_out(output, sums[column * shape.m + row], generator, result.flags));
    }
  }
  for (std::size_t i = 0; i < generators.size(); ++i) result.generators[i] = generators[i].state();
}

}  // namespace

void check(const GemmShape& shape, const GemmOptions& options) {
  if (shape.m == 0 || shape.n == 0 || shape.k == 0)
    throw std::invalid_argument("a product has at least one of each: m, n, k");
  if (options.double_row && !(is_fp8(options.a) && is_fp8(options.b)))
    throw std::invalid_argument("double-row mode takes fp8 on both sides");
}

MatrixLayout layout_of(Matrix matrix, const GemmShape& shape, const GemmOptions& options) {
  const std::size_t pair = options.double_row ? 2 : 1;
  const std::size_t rows = (shape.k + pair - 1) / pair;
  const auto make = [](std::size_t count, std::size_t row_bytes) {
    return MatrixLayout{count, row_bytes, (row_bytes + kWord - 1) / kWord * kWord};
  };
  switch (matrix) {
    case Matrix::a:
      return make(rows, shape.m * pair * bytes_of(options.a));
    case Matrix::b:
      return make(rows, shape.n * pair * bytes_of(options.b));
    case Matrix::c:
      return make(shape.n, std::size_t{shape.m} * bytes_of(options.c));
    case Matrix::params:
      return make(shape.n, 2 * sizeof(float));
  }
  return {};
}

GemmResult gemm_reference(const GemmOrder& order, const GemmShape& shape, const GemmOptions& options,
                          const GemmOperands& operands) {
  check(shape, options);
  if (order.block == 0 || order.lanes == 0) throw std::invalid_argument("an order has blocks and lanes");
  check_size("A", Matrix::a, shape, options, operands.a);
  check_size("B", Matrix::b, shape, options, operands.b);
  if (options.scale || options.bias) check_size("params", Matrix::params, shape, options, operands.params);
  GemmResult result;
  result.generators.assign(order.lanes, 1);
  result.c.resize(layout_of(Matrix::c, shape, options).bytes());
  Operands wide;
  wide.m = shape.m;
  wide.n = shape.n;
  wide.k = shape.k;
  wide.a = widened(Matrix::a, shape, options, operands.a, result.flags);
  wide.b = widened(Matrix::b, shape, options, operands.b, result.flags);
  put_out_all(order, shape, options, operands, product(wide, result.flags), result);
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

}  // namespace firstlight::arithmetic
