#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace firstlight::network {

/// Rows and columns of fp32, row by row.
struct Grid {
  Grid() = default;
  Grid(std::size_t row_count, std::size_t column_count)
      : rows(row_count), columns(column_count), values(row_count * column_count, 0.0F) {}
  float& at(std::size_t row, std::size_t column) { return values[row * columns + column]; }
  float at(std::size_t row, std::size_t column) const { return values[row * columns + column]; }

  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<float> values;
};

Grid transposed(const Grid& grid);
/// Rows `from` to `from + count`.
Grid rows_of(const Grid& grid, std::size_t from, std::size_t count);
Grid columns_of(const Grid& grid, std::size_t from, std::size_t count);

/// docs/networks.md, "Rules".
class Draw {
 public:
  explicit Draw(std::uint32_t seed) : random_(seed) {}
  Grid grid(std::size_t rows, std::size_t columns, float scale);

 private:
  std::mt19937 random_;
};

/// docs/networks.md, "The exponential".
float exponential(float x);
float gelu(float x);
/// Of each column.
Grid norm(const Grid& x);
/// Over the rows (keys) of each column (query); with `causal` only those up to the column's own index.
Grid softmax(const Grid& scores, bool causal);
/// 1 / sqrt(x), rounded twice.
float reciprocal_root(float x);
Grid sum(const Grid& a, const Grid& b);

}  // namespace firstlight::network
