#include "tb/golden/network/networks.h"

namespace tb::golden::network {
namespace {

Table turned(const Table& table) {
  Table out(table[0].size(), Row(table.size()));
  for (std::size_t r = 0; r < table.size(); ++r)
    for (std::size_t c = 0; c < table[r].size(); ++c) out[c][r] = table[r][c];
  return out;
}

struct Layer {
  Table w;  // [input][output]
  Row b;

  void learn(const Table& dw, const Table& d_out, float rate) {
    const Number down = number_of(-rate);
    for (std::size_t i = 0; i < w.size(); ++i)
      for (std::size_t o = 0; o < w[i].size(); ++o) w[i][o] = fma(down, dw[i][o], w[i][o]);
    for (std::size_t o = 0; o < b.size(); ++o) {
      Number sum;
      for (const Number& number : d_out[o]) sum = add(sum, number);
      b[o] = fma(down, sum, b[o]);
    }
  }
};

float scale_of(std::size_t inputs) {
  return float_of(divide(number_of(2), root(number_of(static_cast<float>(inputs)))));
}

}  // namespace

std::vector<float> losses(const TrainingPlan& plan) {
  std::mt19937 random(plan.seed);
  const Table x = draw(random, plan.inputs, plan.batch, 2);
  const Table target = product(x, draw(random, plan.inputs, plan.outputs, 1), {});
  Layer first{draw(random, plan.inputs, plan.hidden, scale_of(plan.inputs)), Row(plan.hidden)};
  Layer second{draw(random, plan.hidden, plan.outputs, scale_of(plan.hidden)), Row(plan.outputs)};
  const Number count = number_of(static_cast<float>(plan.outputs * plan.batch));
  std::vector<float> list;
  for (unsigned step = 0; step < plan.steps; ++step) {
    Way way;
    way.to_bf16 = way.relu = true;
    way.bias = &first.b;
    const Table h = product(x, first.w, way);
    Way last;
    last.bias = &second.b;
    const Table y = product(h, second.w, last);
    Number loss;
    Table dy = y;
    for (std::size_t o = 0; o < y.size(); ++o) {
      for (std::size_t s = 0; s < y[o].size(); ++s) {
        const Number d = subtract(y[o][s], target[o][s]);
        loss = fma(d, d, loss);
        dy[o][s] = bf16(multiply(d, divide(number_of(2), count)));
      }
    }
    list.push_back(float_of(divide(loss, count)));
    // dw2[i][o] = sum over samples of h[i][s] x dy[o][s]: product() gives [second operand's column][first one's].
    const Table dw2 = product(turned(dy), turned(h), {});
    Table dz = product(dy, turned(second.w), {});
    for (std::size_t i = 0; i < dz.size(); ++i)
      for (std::size_t s = 0; s < dz[i].size(); ++s) dz[i][s] = float_of(h[i][s]) > 0 ? bf16(dz[i][s]) : Number{};
    const Table dw1 = product(turned(dz), turned(x), {});
    second.learn(dw2, dy, plan.rate);
    first.learn(dw1, dz, plan.rate);
  }
  return list;
}

}  // namespace tb::golden::network
