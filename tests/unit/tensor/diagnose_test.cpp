#include "lab/drivers/tern/tensor/diagnose.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "lab/arithmetic/convert.h"
#include "lab/arithmetic/output.h"

namespace firstlight::tern::tensor {
namespace {

using arithmetic::Format;
using arithmetic::GemmOperands;
using arithmetic::GemmOptions;
using arithmetic::GemmShape;
using arithmetic::Matrix;
using testing::HasSubstr;

constexpr Engine kEngine;

/// A product on an array that can have one wrong PE: step by step, element by element.
class BadProduct {
 public:
  BadProduct(GemmShape shape, GemmOptions options, unsigned seed) : shape_(shape), options_(options), random_(seed) {
    healthy_.a.resize(layout_of(Matrix::a, shape, options).bytes());
    healthy_.b.resize(layout_of(Matrix::b, shape, options).bytes());
    std::normal_distribution<float> normal;
    for (unsigned k = 0; k < shape.k; ++k) {
      for (unsigned m = 0; m < shape.m; ++m)
        put_element(Matrix::a, shape, options, healthy_.a, k, m, arithmetic::narrow(options.a, normal(random_)));
      for (unsigned n = 0; n < shape.n; ++n)
        put_element(Matrix::b, shape, options, healthy_.b, k, n, arithmetic::narrow(options.b, normal(random_)));
    }
    used_ = healthy_;
  }

  /// What happens to the sum behind a PE: row, column, sum.
  std::function<std::uint32_t(unsigned, unsigned, std::uint32_t)> behind = [](unsigned, unsigned, std::uint32_t sum) {
    return sum;
  };
  GemmOperands& used() { return used_; }
  std::mt19937& random() { return random_; }

  std::vector<GemmWrong> wrong() {
    const auto good = gemm_reference({}, shape_, options_, healthy_).c;
    std::vector<GemmWrong> list;
    for (unsigned n = 0; n < shape_.n; ++n)
      for (unsigned m = 0; m < shape_.m; ++m) {
        const std::uint32_t expected = element_at(Matrix::c, shape_, options_, good, n, m);
        const std::uint32_t found = element(m, n);
        if (found != expected) list.push_back({m, n, expected, found});
      }
    return list;
  }
  GemmSuspect suspicion() {
    const auto list = wrong();
    EXPECT_FALSE(list.empty());
    return suspect(kEngine, shape_, options_, healthy_, list);
  }
  GemmSuspect about(const std::vector<GemmWrong>& list) { return suspect(kEngine, shape_, options_, healthy_, list); }
  std::uint32_t good(unsigned m, unsigned n) {
    return element_at(Matrix::c, shape_, options_, gemm_reference({}, shape_, options_, healthy_).c, n, m);
  }

 private:
  std::uint32_t element(unsigned m, unsigned n) {
    float sum = 0;
    arithmetic::Flags flags;
    const unsigned steps = options_.double_row ? 2 : 1;
    for (unsigned k = 0; k < shape_.k; ++k) {
      const float a = arithmetic::widen(options_.a, element_at(Matrix::a, shape_, options_, used_.a, k, m), flags);
      const float b = arithmetic::widen(options_.b, element_at(Matrix::b, shape_, options_, used_.b, k, n), flags);
      const unsigned row = k / steps % kEngine.rows;
      sum = arithmetic::float_of(behind(row, n % kEngine.columns, arithmetic::bits_of(std::fma(a, b, sum))));
    }
    return arithmetic::narrow(options_.c, sum);
  }

  GemmShape shape_;
  GemmOptions options_;
  std::mt19937 random_;
  GemmOperands healthy_;
  GemmOperands used_;
};

constexpr GemmShape kShape{24, 20, 40};

std::string fmt_part(unsigned row, unsigned column) {
  return "PE row " + std::to_string(row) + " column " + std::to_string(column) + " of the array";
}

TEST(TensorDiagnosis, AStuckBitAtAColumnsEnd) {
  for (unsigned column = 0; column < kEngine.columns; ++column) {
    BadProduct product(kShape, {}, 1 + column);
    product.behind = [&](unsigned row, unsigned c, std::uint32_t sum) {
      return row == kEngine.rows - 1 && c == column ? sum | 1U : sum;
    };
    const GemmSuspect suspicion = product.suspicion();
    // One place is one place: the end of a column is behind its last row.
    EXPECT_THAT(suspicion.part, HasSubstr(std::to_string(column) + " of the array")) << suspicion.why;
    EXPECT_THAT(suspicion.why, HasSubstr("column " + std::to_string(column)));
  }
}

TEST(TensorDiagnosis, EveryPeThatFlipsABitAtTimesIsNamed) {
  for (unsigned row = 0; row < kEngine.rows; ++row)
    for (unsigned column = 0; column < kEngine.columns; ++column) {
      const unsigned seed = 100 + row * kEngine.columns + column;
      SCOPED_TRACE("seed " + std::to_string(seed));
      BadProduct product({64, 24, 40}, {}, seed);
      product.behind = [&](unsigned r, unsigned c, std::uint32_t sum) {
        return r == row && c == column && product.random()() % 32 == 0 ? sum ^ (1U << 18) : sum;
      };
      EXPECT_EQ(product.suspicion().part, fmt_part(row, column));
    }
}

TEST(TensorDiagnosis, EveryPeWithABitThatIsAlwaysWrongIsNamed) {
  for (unsigned row = 0; row < kEngine.rows; ++row)
    for (unsigned column = 0; column < kEngine.columns; ++column)
      for (unsigned kind = 0; kind < 3; ++kind) {
        const unsigned seed = 1000 + (row * kEngine.columns + column) * 3 + kind;
        SCOPED_TRACE("seed " + std::to_string(seed));
        BadProduct product({24, 24, 36}, {}, seed);
        product.behind = [&](unsigned r, unsigned c, std::uint32_t sum) {
          constexpr std::uint32_t kBit = 1U << 19;
          if (r != row || c != column) return sum;
          return kind == 0 ? sum ^ kBit : kind == 1 ? sum | kBit : sum & ~kBit;
        };
        EXPECT_EQ(product.suspicion().part, fmt_part(row, column));
      }
}

TEST(TensorDiagnosis, APeInDoubleRowModeIsNamed) {
  GemmOptions options;
  options.a = options.b = Format::fp8_e4m3;
  options.double_row = true;
  BadProduct product({24, 20, 45}, options, 7);
  product.behind = [&](unsigned r, unsigned c, std::uint32_t sum) {
    return r == 5 && c == 2 && product.random()() % 24 == 0 ? sum ^ (1U << 20) : sum;
  };
  EXPECT_EQ(product.suspicion().part, fmt_part(5, 2));
}

TEST(TensorDiagnosis, ANarrowResultStillNamesTheColumn) {
  GemmOptions options;
  options.c = Format::fp8_e5m2;
  BadProduct product(kShape, options, 8);
  product.behind = [](unsigned r, unsigned c, std::uint32_t sum) { return r == 3 && c == 6 ? sum ^ (1U << 23) : sum; };
  EXPECT_THAT(product.suspicion().part, HasSubstr("column 6 of the array"));
}

TEST(TensorDiagnosis, AnElementOfTheMovingOperandNamesItsPartition) {
  BadProduct product(kShape, {}, 9);
  auto& a = product.used().a;
  const std::uint32_t was = element_at(Matrix::a, kShape, {}, a, 28, 17);
  put_element(Matrix::a, kShape, {}, a, 28, 17, was ^ 0x0040);
  const GemmSuspect suspicion = product.suspicion();
  EXPECT_EQ(suspicion.part, "partition 4 of the scratchpad") << suspicion.why;
  EXPECT_THAT(suspicion.why, HasSubstr("row 17 of C"));
}

TEST(TensorDiagnosis, AnElementOfTheStationaryOperandNamesItsPartition) {
  BadProduct product(kShape, {}, 10);
  auto& b = product.used().b;
  const std::uint32_t was = element_at(Matrix::b, kShape, {}, b, 33, 11);
  put_element(Matrix::b, kShape, {}, b, 33, 11, was ^ 0x4000);
  const GemmSuspect suspicion = product.suspicion();
  EXPECT_EQ(suspicion.part, "partition 1 of the scratchpad") << suspicion.why;
  EXPECT_THAT(suspicion.why, HasSubstr("column 11 of C"));
}

TEST(TensorDiagnosis, AWordOfTheResultNamesThePartitionItLiesIn) {
  BadProduct product(kShape, {}, 11);
  std::vector<GemmWrong> wrong;
  for (unsigned m = 6; m < 8; ++m) wrong.push_back({m, 13, product.good(m, 13), 0xdeadbeef + m});
  EXPECT_EQ(product.about(wrong).part, "partition 5 of the scratchpad");
}

TEST(TensorDiagnosis, WhatHasNoPatternIsNotGuessed) {
  BadProduct product(kShape, {}, 12);
  std::vector<GemmWrong> wrong;
  for (unsigned i = 0; i < 30; ++i)
    wrong.push_back({i * 7 % kShape.m, i * 3 % kShape.n, 0, static_cast<std::uint32_t>(product.random()())});
  EXPECT_EQ(product.about(wrong).part, "the tensor engine");
}

TEST(TensorDiagnosis, StochasticSumsAreJudgedByPosition) {
  GemmOptions options;
  options.c = Format::bf16;
  options.stochastic = true;
  BadProduct product(kShape, options, 13);
  std::vector<GemmWrong> wrong;
  for (unsigned n = 3; n < kShape.n; n += 8)
    for (unsigned m = 0; m < kShape.m; ++m) wrong.push_back({m, n, 0x3f80, 0x3f81});
  const GemmSuspect suspicion = product.about(wrong);
  EXPECT_EQ(suspicion.part, "column 3 of the array");
  EXPECT_THAT(suspicion.why, HasSubstr("bit 0 always comes as 1"));
}

}  // namespace
}  // namespace firstlight::tern::tensor
