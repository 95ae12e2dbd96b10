#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "tb/blocks/fp/fp_model.h"
#include "tb/golden/fp/narrow.h"

namespace tb::blocks::fp {

/// How many multiply-adds are tried, FIRSTLIGHT_CASES or 4 million, divided by `share`: the other random tests grow
/// along.
std::uint64_t cases(unsigned share = 1);

/// The operations as lines of tern_fp.
std::string widen_line(golden::fp::Format format, std::uint32_t value);
std::string narrow_line(const golden::fp::Narrowing& how, std::uint32_t value, std::uint32_t random);
std::string fma_line(const FmaOperands& operands);

/// Failure unless both are equal; `line` is how tern_fp runs it again.
testing::AssertionResult same(const std::string& line, const Result& rtl, const Result& golden);

/// Tests of the operations: a model a test, and its seed.
class FpTest : public testing::Test {
 protected:
  FpTest();
  FpModel model;
};

}  // namespace tb::blocks::fp
