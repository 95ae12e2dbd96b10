#include "lab/network/transformer.h"

#include <cmath>
#include <stdexcept>

namespace firstlight::network {

namespace {

struct Weights {
  Weights(const TransformerPlan& plan, Draw& draw) {
    const float wide = 2.0F / std::sqrt(static_cast<float>(plan.width));
    const float deep = 2.0F / std::sqrt(static_cast<float>(plan.hidden));
    query = draw.grid(plan.width, plan.width, wide);
    key = draw.grid(plan.width, plan.width, wide);
    value = draw.grid(plan.width, plan.width, wide);
    projection = draw.grid(plan.width, plan.width, wide);
    up = draw.grid(plan.width, plan.hidden, wide);
    down = draw.grid(plan.hidden, plan.width, deep);
    projection_bias = draw.grid(1, plan.width, 0.25F).values;
    up_bias = draw.grid(1, plan.hidden, 0.25F).values;
    down_bias = draw.grid(1, plan.width, 0.25F).values;
  }
  Grid query, key, value, projection, up, down;
  std::vector<float> projection_bias, up_bias, down_bias;
};

ProductWay to_short() {
  ProductWay way;
  way.short_result = true;
  return way;
}

ProductWay with_bias(const std::vector<float>& bias) {
  ProductWay way;
  way.bias = bias;
  return way;
}

Grid attention(const TransformerPlan& plan, const Weights& weights, const Grid& h, Products& products) {
  const Grid q = products.run("query", h, weights.query, to_short());
  const Grid k = products.run("key", h, weights.key, to_short());
  const Grid v = products.run("value", weights.value, h, to_short());
  const std::size_t size = plan.width / plan.heads;
  ProductWay scaled;
  scaled.scale = reciprocal_root(static_cast<float>(size));
  Grid out(plan.width, plan.tokens);
  for (std::size_t head = 0; head < plan.heads; ++head) {
    const std::size_t from = head * size;
    const Grid s = products.run("scores", rows_of(q, from, size), rows_of(k, from, size), scaled);
    const Grid p = softmax(s, plan.causal);
    const Grid o = products.run("attend", p, columns_of(v, from, size), to_short());
    for (std::size_t row = 0; row < size; ++row)
      for (std::size_t token = 0; token < plan.tokens; ++token) out.at(from + row, token) = o.at(row, token);
  }
  return out;
}

Grid inside(const TransformerPlan& plan, const Weights& weights, const Grid& h, Products& products) {
  ProductWay way = with_bias(weights.up_bias);
  way.relu = way.short_result = plan.relu;
  Grid u = products.run("up", h, weights.up, way);
  if (!plan.relu)
    for (float& value : u.values) value = gelu(value);
  return u;
}

}  // namespace

Grid transformer_block(const TransformerPlan& plan, Products& products) {
  if (plan.tokens == 0 || plan.width == 0 || plan.hidden == 0)
    throw std::invalid_argument("a transformer block has tokens, a width and hidden features");
  if (plan.heads == 0 || plan.width % plan.heads != 0)
    throw std::invalid_argument("the number of heads must divide the width");
  Draw draw(plan.seed);
  const Grid x = draw.grid(plan.width, plan.tokens, 2.0F);
  const Weights weights(plan, draw);
  const Grid o = attention(plan, weights, norm(x), products);
  const Grid y = sum(x, products.run("projection", o, weights.projection, with_bias(weights.projection_bias)));
  const Grid u = inside(plan, weights, norm(y), products);
  return sum(y, products.run("down", u, weights.down, with_bias(weights.down_bias)));
}

}  // namespace firstlight::network
