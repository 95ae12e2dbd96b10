#include "lab/drivers/tern/tensor/chain.h"

#include <algorithm>
#include <cmath>

#include "lab/arithmetic/convert.h"

namespace firstlight::tern::tensor {

using arithmetic::Matrix;

float Chain::operand(Matrix matrix, std::size_t k, std::size_t index, std::uint32_t change) const {
  const bool a = matrix == Matrix::a;
  const std::uint32_t code =
      arithmetic::element_at(matrix, shape_, options_, a ? operands_.a : operands_.b, k, index) ^ change;
  arithmetic::Flags flags;
  return arithmetic::widen(a ? options_.a : options_.b, code, flags);
}

Chain::Column Chain::column_of(const GemmWrong& element) const {
  Column column;
  float sum = 0;
  for (std::size_t k = 0; k < shape_.k; ++k) {
    column.a.push_back(operand(Matrix::a, k, element.m, 0));
    column.b.push_back(operand(Matrix::b, k, element.n, 0));
    sum = std::fma(column.a.back(), column.b.back(), sum);
    column.sums.push_back(sum);
  }
  const auto param = [&](std::size_t which) {
    return arithmetic::float_of(
        arithmetic::element_at(Matrix::params, shape_, options_, operands_.params, element.n, which));
  };
  if (options_.scale) column.output.scale = param(0);
  if (options_.bias) column.output.bias = param(1);
  column.output.relu = options_.relu;
  column.output.narrowing.format = options_.c;
  if (options_.saturate) column.output.narrowing.overflow = arithmetic::Overflow::saturate;
  return column;
}

/// Whether the chain that has `sum` behind `step` ends as what was found.
bool Chain::ends_as(const Column& column, std::size_t step, float sum, std::uint32_t found) const {
  for (std::size_t k = step + 1; k < shape_.k; ++k) sum = std::fma(column.a[k], column.b[k], sum);
  arithmetic::Generator generator;
  arithmetic::Flags flags;
  return arithmetic::put_out(column.output, sum, generator, flags) == found;
}

std::vector<Chain::Change> Chain::behind_steps(const GemmWrong& element) const {
  const Column column = column_of(element);
  std::vector<Change> changes;
  for (std::size_t k = 0; k < shape_.k; ++k)
    for (unsigned bit = 0; bit < kBits; ++bit) {
      const float sum = arithmetic::float_of(arithmetic::bits_of(column.sums[k]) ^ (1U << bit));
      if (ends_as(column, k, sum, element.found)) changes.push_back({k, bit});
    }
  return changes;
}

std::vector<Chain::Change> Chain::behind_each(const GemmWrong& element, std::size_t period) const {
  const Column column = column_of(element);
  const auto end = [&](std::size_t first, auto change) {
    float sum = first == 0 ? 0.0F : column.sums[first - 1];
    for (std::size_t k = first; k < shape_.k; ++k) {
      sum = std::fma(column.a[k], column.b[k], sum);
      if (k % period == first) sum = arithmetic::float_of(change(arithmetic::bits_of(sum)));
    }
    return sum;
  };
  const std::size_t last = shape_.k - 1;
  std::vector<Change> changes;
  for (std::size_t first = 0; first < std::min<std::size_t>(period, shape_.k); ++first)
    for (unsigned bit = 0; bit < kBits; ++bit) {
      const std::uint32_t mask = 1U << bit;
      if (ends_as(column, last, end(first, [mask](std::uint32_t sum) { return sum ^ mask; }), element.found) ||
          ends_as(column, last, end(first, [mask](std::uint32_t sum) { return sum | mask; }), element.found) ||
          ends_as(column, last, end(first, [mask](std::uint32_t sum) { return sum & ~mask; }), element.found))
        changes.push_back({first, bit});
    }
  return changes;
}

template <class Changed>
std::vector<Chain::Change> Chain::changed_operand(const GemmWrong& element, unsigned bits, Changed changed) const {
  const Column column = column_of(element);
  std::vector<Change> changes;
  for (std::size_t k = 0; k < shape_.k; ++k)
    for (unsigned bit = 0; bit < bits; ++bit) {
      const auto [a, b] = changed(column, k, 1U << bit);
      const float sum = std::fma(a, b, k == 0 ? 0.0F : column.sums[k - 1]);
      if (ends_as(column, k, sum, element.found)) changes.push_back({k, bit});
    }
  return changes;
}

std::vector<Chain::Change> Chain::in_a(const GemmWrong& element) const {
  return changed_operand(element, 8 * bytes_of(options_.a),
                         [&](const Column& column, std::size_t k, std::uint32_t bit) {
                           return std::pair(operand(Matrix::a, k, element.m, bit), column.b[k]);
                         });
}

std::vector<Chain::Change> Chain::in_b(const GemmWrong& element) const {
  return changed_operand(element, 8 * bytes_of(options_.b),
                         [&](const Column& column, std::size_t k, std::uint32_t bit) {
                           return std::pair(column.a[k], operand(Matrix::b, k, element.n, bit));
                         });
}

}  // namespace firstlight::tern::tensor
