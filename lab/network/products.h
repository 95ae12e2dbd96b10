#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/capabilities/gemm_engine.h"
#include "lab/network/host_math.h"

namespace firstlight::network {

/// What a product of a network does on its way out.
struct ProductWay {
  bool short_result = false;  // in the format of the operands; fp32 otherwise
  bool relu = false;
  std::optional<float> scale;              // of every element
  std::optional<std::vector<float>> bias;  // of each output
};

/// What was asked of an engine so far, by the names that the network gives its products.
struct ProductRecord {
  std::string name;
  arithmetic::GemmShape shape;
  GemmCycles cycles;
  std::uint64_t ideal = 0;
};

/// Runs a network's products on an engine.
class Products {
 public:
  Products(GemmEngine& engine, arithmetic::Format format, Instant deadline)
      : engine_(engine), format_(format), deadline_(deadline) {}

  /// `out[n][m] = sum over k of a[k][m] x b[k][n]`, k from 0 up, of numbers narrowed to the operands' format.
  Grid run(const std::string& name, const Grid& a, const Grid& b, const ProductWay& way = {});
  /// Each number narrowed to the operands' format.
  Grid narrowed(Grid grid) const;

  const std::vector<ProductRecord>& record() const { return record_; }

 private:
  GemmEngine& engine_;
  arithmetic::Format format_;
  Instant deadline_;
  std::vector<ProductRecord> record_;
};

}  // namespace firstlight::network
