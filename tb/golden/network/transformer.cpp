#include <cmath>

#include "tb/golden/network/networks.h"

namespace tb::golden::network {
namespace {

Number count_of(std::size_t count) { return number_of(static_cast<float>(count)); }
Number reciprocal_root(Number a) { return divide({0x3f800000}, root(a)); }

Table norm(const Table& x) {
  Table out = x;
  const Number width = count_of(x.size());
  for (std::size_t t = 0; t < x[0].size(); ++t) {
    Number sum;
    for (const Row& row : x) sum = add(sum, row[t]);
    const Number mean = divide(sum, width);
    Number v;
    for (const Row& row : x) {
      const Number c = subtract(row[t], mean);
      v = fma(c, c, v);
    }
    const Number factor = reciprocal_root(add(divide(v, width), {0x3727c5ac}));
    for (std::size_t f = 0; f < x.size(); ++f)
      out[f][t] = fma(multiply(subtract(x[f][t], mean), factor), {0x3f800000}, {0});
  }
  return out;
}

/// s[key][query].
Table softmax(const Table& s, bool causal) {
  Table p(s.size(), Row(s[0].size()));
  for (std::size_t query = 0; query < s[0].size(); ++query) {
    const auto takes_part = [&](std::size_t key) { return !causal || key <= query; };
    Number largest = s[0][query];
    for (std::size_t key = 0; key < s.size(); ++key)
      if (takes_part(key) && float_of(s[key][query]) > float_of(largest)) largest = s[key][query];
    Number sum;
    for (std::size_t key = 0; key < s.size(); ++key) {
      if (!takes_part(key)) continue;
      p[key][query] = exponential(subtract(s[key][query], largest));
      sum = add(sum, p[key][query]);
    }
    for (std::size_t key = 0; key < s.size(); ++key)
      if (takes_part(key)) p[key][query] = divide(p[key][query], sum);
  }
  return p;
}

Table attention(const BlockPlan& plan, const Table& q, const Table& k, const Table& v) {
  const std::size_t size = plan.width / plan.heads;
  const Number scale = reciprocal_root(count_of(size));
  Table o;
  for (std::size_t head = 0; head < plan.heads; ++head) {
    Table own_q;
    Table own_k;
    for (std::size_t f = head * size; f < (head + 1) * size; ++f) {
      own_q.push_back(q[f]);
      own_k.push_back(k[f]);
    }
    Table own_v;
    for (const Row& token : v)
      own_v.emplace_back(token.begin() + static_cast<std::ptrdiff_t>(head * size),
                         token.begin() + static_cast<std::ptrdiff_t>((head + 1) * size));
    Way scaled;
    scaled.scale = &scale;
    Way to_bf16;
    to_bf16.to_bf16 = true;
    for (Row& row : product(softmax(product(own_q, own_k, scaled), plan.causal), own_v, to_bf16))
      o.push_back(std::move(row));
  }
  return o;
}

Table sum(const Table& a, const Table& b) {
  Table out = a;
  for (std::size_t r = 0; r < a.size(); ++r)
    for (std::size_t c = 0; c < a[r].size(); ++c) out[r][c] = add(a[r][c], b[r][c]);
  return out;
}

}  // namespace

Table transformer_block(const BlockPlan& plan) {
  std::mt19937 random(plan.seed);
  const float wide = float_of(divide(number_of(2), root(count_of(plan.width))));
  const float deep = float_of(divide(number_of(2), root(count_of(plan.hidden))));
  const Table x = draw(random, plan.width, plan.tokens, 2);
  const Table query = draw(random, plan.width, plan.width, wide);
  const Table key = draw(random, plan.width, plan.width, wide);
  const Table value = draw(random, plan.width, plan.width, wide);
  const Table projection = draw(random, plan.width, plan.width, wide);
  const Table up = draw(random, plan.width, plan.hidden, wide);
  const Table down = draw(random, plan.hidden, plan.width, deep);
  const Row projection_bias = draw(random, 1, plan.width, 0.25)[0];
  const Row up_bias = draw(random, 1, plan.hidden, 0.25)[0];
  const Row down_bias = draw(random, 1, plan.width, 0.25)[0];

  const Table h = norm(x);
  Way to_bf16;
  to_bf16.to_bf16 = true;
  const Table o = attention(plan, product(h, query, to_bf16), product(h, key, to_bf16), product(value, h, to_bf16));
  Way biased;
  biased.bias = &projection_bias;
  const Table y = sum(x, product(o, projection, biased));
  Way inner;
  inner.bias = &up_bias;
  inner.relu = inner.to_bf16 = plan.relu;
  Table u = product(norm(y), up, inner);
  if (!plan.relu)
    for (Row& row : u)
      for (Number& number : row)
        number = divide(number, add({0x3f800000}, exponential(multiply({0xbfd9db23}, number))));
  biased.bias = &down_bias;
  return sum(y, product(u, down, biased));
}

}  // namespace tb::golden::network
