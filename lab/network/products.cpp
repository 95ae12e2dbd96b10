#include "lab/network/products.h"

#include <stdexcept>

#include "lab/arithmetic/convert.h"

namespace firstlight::network {

namespace {

using arithmetic::GemmOptions;
using arithmetic::GemmShape;
using arithmetic::Matrix;

std::vector<std::uint8_t> packed(Matrix matrix, const GemmShape& shape, const GemmOptions& options, const Grid& grid,
                                 arithmetic::Format format) {
  std::vector<std::uint8_t> memory(layout_of(matrix, shape, options).bytes());
  for (std::size_t r = 0; r < grid.rows; ++r)
    for (std::size_t c = 0; c < grid.columns; ++c)
      put_element(matrix, shape, options, memory, r, c, arithmetic::narrow(format, grid.at(r, c)));
  return memory;
}

Grid params_of(const GemmShape& shape, const ProductWay& way) {
  Grid params(shape.n, 2);
  for (std::size_t column = 0; column < shape.n; ++column) {
    params.at(column, 0) = way.scale.value_or(1.0F);
    params.at(column, 1) = way.bias ? way.bias->at(column) : 0.0F;
  }
  return params;
}

}  // namespace

Grid Products::run(const std::string& name, const Grid& a, const Grid& b, const ProductWay& way) {
  if (a.rows != b.rows) throw std::invalid_argument(name + ": the operands have different numbers of rows");
  const GemmShape shape{static_cast<unsigned>(a.columns), static_cast<unsigned>(b.columns),
                        static_cast<unsigned>(a.rows)};
  GemmOptions options;
  options.a = options.b = format_;
  options.c = way.short_result ? format_ : arithmetic::Format::fp32;
  options.relu = way.relu;
  options.scale = way.scale.has_value();
  options.bias = way.bias.has_value();
  arithmetic::GemmOperands operands;
  operands.a = packed(Matrix::a, shape, options, a, format_);
  operands.b = packed(Matrix::b, shape, options, b, format_);
  if (options.scale || options.bias)
    operands.params = packed(Matrix::params, shape, options, params_of(shape, way), arithmetic::Format::fp32);
  const GemmOutcome outcome = engine_.run(shape, options, operands, GemmStart::streamed, deadline_);
  record_.push_back({name, shape, outcome.cycles, engine_.ideal_cycles(shape, options)});
  Grid out(shape.n, shape.m);
  arithmetic::Flags widened;
  for (std::size_t n = 0; n < out.rows; ++n)
    for (std::size_t m = 0; m < out.columns; ++m)
      out.at(n, m) =
          arithmetic::widen(options.c, element_at(Matrix::c, shape, options, outcome.result.c, n, m), widened);
  return out;
}

Grid Products::narrowed(Grid grid) const {
  arithmetic::Flags flags;
  for (float& value : grid.values) value = arithmetic::widen(format_, arithmetic::narrow(format_, value), flags);
  return grid;
}

}  // namespace firstlight::network
