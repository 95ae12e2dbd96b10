#pragma once

#include "lab/network/products.h"

namespace firstlight::network {

struct PerceptronPlan {
  std::size_t inputs = 16;
  std::size_t hidden = 32;
  std::size_t outputs = 8;
  std::size_t batch = 32;
  float rate = 1.0F;
  std::uint32_t seed = 1;
};

/// A two-layer perceptron in training (docs/networks.md, "The perceptron").
class Perceptron {
 public:
  /// Throws std::invalid_argument for a plan that is none.
  Perceptron(const PerceptronPlan& plan, Products& products);

  /// One step; the loss is that before its update.
  float step();
  /// All weights and biases, in one order.
  std::vector<float> parameters() const;

 private:
  float loss_and_gradient(const Grid& y, Grid& dy) const;
  void descend(Grid& weights, const Grid& gradient) const;
  void descend(std::vector<float>& bias, const Grid& gradient) const;

  PerceptronPlan plan_;
  Products& products_;
  Grid x_, target_, w1_, w2_;
  std::vector<float> b1_, b2_;
};

}  // namespace firstlight::network
