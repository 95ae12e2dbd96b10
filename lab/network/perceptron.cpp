#include "lab/network/perceptron.h"

#include <cmath>
#include <stdexcept>

namespace firstlight::network {

namespace {

/// On the host, in the engine's order.
Grid chains(const Grid& a, const Grid& b) {
  Grid out(b.columns, a.columns);
  for (std::size_t n = 0; n < b.columns; ++n)
    for (std::size_t m = 0; m < a.columns; ++m)
      for (std::size_t k = 0; k < a.rows; ++k) out.at(n, m) = std::fma(a.at(k, m), b.at(k, n), out.at(n, m));
  return out;
}

/// Where the unit was off, nothing flows back.
Grid gated(const Grid& gradient, const Grid& h) {
  Grid out = gradient;
  for (std::size_t i = 0; i < out.values.size(); ++i)
    if (!(h.values[i] > 0.0F)) out.values[i] = 0.0F;
  return out;
}

}  // namespace

Perceptron::Perceptron(const PerceptronPlan& plan, Products& products) : plan_(plan), products_(products) {
  if (plan.inputs == 0 || plan.hidden == 0 || plan.outputs == 0 || plan.batch == 0)
    throw std::invalid_argument("a perceptron has inputs, hidden units, outputs and a batch");
  Draw draw(plan.seed);
  x_ = products_.narrowed(draw.grid(plan.inputs, plan.batch, 2.0F));
  target_ = chains(x_, products_.narrowed(draw.grid(plan.inputs, plan.outputs, 1.0F)));
  w1_ = draw.grid(plan.inputs, plan.hidden, 2.0F / std::sqrt(static_cast<float>(plan.inputs)));
  w2_ = draw.grid(plan.hidden, plan.outputs, 2.0F / std::sqrt(static_cast<float>(plan.hidden)));
  b1_.assign(plan.hidden, 0.0F);
  b2_.assign(plan.outputs, 0.0F);
}

float Perceptron::step() {
  ProductWay first;
  first.bias = b1_;
  first.relu = first.short_result = true;
  const Grid h = products_.run("forward 1", x_, w1_, first);
  ProductWay second;
  second.bias = b2_;
  const Grid y = products_.run("forward 2", h, w2_, second);
  Grid dy(plan_.outputs, plan_.batch);
  const float loss = loss_and_gradient(y, dy);
  dy = products_.narrowed(dy);
  // A product gives out[n][m] for a[k][m], b[k][n]: gradients come out as the weights lie, a row for each input.
  const Grid dw2 = products_.run("gradient 2", transposed(dy), transposed(h));
  const Grid dh = products_.run("backward", dy, transposed(w2_));
  const Grid dz = products_.narrowed(gated(dh, h));
  const Grid dw1 = products_.run("gradient 1", transposed(dz), transposed(x_));
  descend(w2_, dw2);
  descend(b2_, dy);
  descend(w1_, dw1);
  descend(b1_, dz);
  return loss;
}

std::vector<float> Perceptron::parameters() const {
  std::vector<float> all;
  for (const std::vector<float>* part : {&w1_.values, &b1_, &w2_.values, &b2_})
    all.insert(all.end(), part->begin(), part->end());
  return all;
}

float Perceptron::loss_and_gradient(const Grid& y, Grid& dy) const {
  const auto count = static_cast<float>(plan_.outputs * plan_.batch);
  const float factor = 2.0F / count;
  float total = 0;
  for (std::size_t i = 0; i < y.values.size(); ++i) {
    const float d = y.values[i] - target_.values[i];
    total = std::fma(d, d, total);
    dy.values[i] = d * factor;
  }
  return total / count;
}

void Perceptron::descend(Grid& weights, const Grid& gradient) const {
  for (std::size_t i = 0; i < weights.values.size(); ++i)
    weights.values[i] = std::fma(-plan_.rate, gradient.values[i], weights.values[i]);
}

void Perceptron::descend(std::vector<float>& bias, const Grid& gradient) const {
  for (std::size_t row = 0; row < bias.size(); ++row) {
    float total = 0;
    for (std::size_t sample = 0; sample < gradient.columns; ++sample) total = total + gradient.at(row, sample);
    bias[row] = std::fma(-plan_.rate, total, bias[row]);
  }
}

}  // namespace firstlight::network
