// Tern's tensor driver and the verbs of the tensor engine, on a chip of fakes with the golden model in it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "lab/drivers/tern/tensor/provoke.h"
#include "lab/drivers/tern/tern_gemm.h"
#include "tests/unit/steps/fake_step.h"
#include "tests/unit/tern/chip_bench.h"
#include "tests/unit/tern/fake_tensor.h"

namespace firstlight {
namespace {

using test::FakeStep;
using testing::HasSubstr;

class TensorOnAChip : public testing::Test, protected test::ChipBench {
 protected:
  TensorOnAChip() : bench({}, time) {
    bench.offer<Tensor>("tern", driver);
    bench.offer<GemmEngine>("tern", products);
  }
  std::unique_ptr<FakeStep> gemm(const std::string& shape, const std::string& dtype = "bf16") {
    auto step = std::make_unique<FakeStep>(bench, "tensor.gemm");
    step->set("shape", shape).set("dtype", dtype).within(std::chrono::milliseconds(50));
    return step;
  }
  std::unique_ptr<FakeStep> provoke(const std::string& error) {
    auto step = std::make_unique<FakeStep>(bench, "tensor.provoke");
    step->set("error", error).within(std::chrono::milliseconds(50));
    return step;
  }

  test::FakeTensor engine{*file, chip};
  tern::TernTensor driver{"tern", registers, dma, time, {}};
  tern::TernGemm products{driver, dma, time, {}};
  Bench bench;
};

TEST_F(TensorOnAChip, ProductsAreExactInEveryFormat) {
  for (const char* dtype : {"fp32", "fp16", "bf16", "fp8_e4m3", "fp8_e5m2"}) {
    for (const char* operands : {"numbers", "codes"}) {
      const auto step = gemm("21x13x17", dtype);
      step->set("operands", std::string(operands)).set("result", std::string(dtype));
      const auto failure = step->run();
      EXPECT_FALSE(failure) << dtype << " " << operands << ": " << failure->message;
      EXPECT_EQ(step->measured_as("wrong_elements")->value.value, 0);
      EXPECT_EQ(step->measured_as("ideal_cycles")->value.value, 21 * 3 * 2);
      EXPECT_EQ(step->measured_as("cycles")->value.value, 21 * 3 * 2 + 10);
    }
  }
}

TEST_F(TensorOnAChip, ProductsAreExactWithEveryOption) {
  const auto step = gemm("130x9x33", "fp8_e4m3");
  step->set("stationary", std::string("fp8_e5m2")).set("result", std::string("bf16"));
  step->set("rounding", std::string("stochastic")).set("double_row", true).set("saturate", true);
  step->set("scale", true).set("bias", true).set("relu", true);
  const auto failure = step->run();
  EXPECT_FALSE(failure) << failure->message;
}

TEST_F(TensorOnAChip, OperandsMayBeInTheScratchpadFirst) {
  const auto step = gemm("64x8x64");
  step->set("from", std::string("scratchpad"));
  const auto failure = step->run();
  EXPECT_FALSE(failure) << failure->message;
  const auto large = gemm("128x512x512");
  large->set("from", std::string("scratchpad"));
  EXPECT_EQ(large->run()->symptom, "bad_product");
}

TEST_F(TensorOnAChip, AWrongElementIsNamedWithWhatItPointsAt) {
  engine.wrong_element = 0;
  const auto failure = gemm("16x16x16")->run();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->symptom, "gemm_wrong");
  EXPECT_EQ(failure->error_class, ErrorClass::dut);
  EXPECT_THAT(failure->message, HasSubstr("1 of 256 elements"));
  EXPECT_THAT(failure->message, HasSubstr("row 0, column 0"));
  EXPECT_THAT(failure->part, HasSubstr("tern tensor engine"));
}

TEST_F(TensorOnAChip, AnEngineThatNeverEndsIsNamedAndUsableAfterwards) {
  engine.deaf = true;
  const auto failure = gemm("16x16x16")->run();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->symptom, "tensor_timeout");
  EXPECT_THAT(failure->received, HasSubstr("tensor.status"));
  engine.deaf = false;
  const auto after = gemm("16x16x16")->run();
  EXPECT_FALSE(after) << after->message;
}

TEST_F(TensorOnAChip, AMoveThatFailsIsNamedAndTheEngineUsableAfterwards) {
  chip.bus_error = tern_registers().region("scratchpad").base + 8;
  const auto failure = gemm("16x16x16")->run();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->symptom, "dma_write_error");
  EXPECT_EQ(failure->part, "tern dma0 queue 1");
  chip.bus_error.reset();
  const auto after = gemm("16x16x16")->run();
  EXPECT_FALSE(after) << after->message;
}

TEST_F(TensorOnAChip, EveryErrorCanBeProvokedAndAProductRunsAfterwards) {
  EXPECT_EQ(driver.provocations().size(), 9U);
  for (const std::string& name : driver.provocations()) {
    const auto step = provoke(name);
    const auto failure = step->run();
    EXPECT_FALSE(failure) << name << ": " << failure->message;
    const auto after = gemm("9x9x9")->run();
    EXPECT_FALSE(after) << name << ": " << after->message;
  }
}

TEST_F(TensorOnAChip, AnErrorThatDoesNotComeIsSeen) {
  const auto error = driver.provoke("bad_shape", soon());
  ASSERT_TRUE(error);
  EXPECT_EQ(error->tag, tern::tensor::kProvokedTag);
  EXPECT_THAT(error->text, HasSubstr("bad_shape"));
  engine.deaf = true;
  const auto failure = provoke("bad_dtype")->run();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->symptom, "tensor_timeout");
  try {
    driver.provoke("bad_mood", soon());
    ADD_FAILURE() << "no such error";
  } catch (const FailureError& unknown) {
    EXPECT_EQ(unknown.failure().symptom, "unknown_tensor_error");
  }
}

TEST_F(TensorOnAChip, TheScratchpadIsFilledOnceAfterAReset) {
  std::vector<std::uint8_t>& scratchpad = chip.memory("scratchpad");
  std::fill(scratchpad.begin(), scratchpad.end(), std::uint8_t{0xEE});
  EXPECT_FALSE(gemm("8x8x8")->run());
  EXPECT_EQ(scratchpad.back(), 0U);
  scratchpad.back() = 0x77;
  EXPECT_FALSE(gemm("8x8x8")->run());
  EXPECT_EQ(scratchpad.back(), 0x77U);
  file->set("tensor.ctrl", 0);
  EXPECT_FALSE(gemm("8x8x8")->run());
  EXPECT_EQ(scratchpad.back(), 0U);
}

TEST_F(TensorOnAChip, GeneratorsCanBeSet) {
  driver.set_random_state(3, 0x1234);
  EXPECT_EQ(driver.random_state(3), 0x1234U);
  EXPECT_EQ(driver.shape().rows, 8U);
  EXPECT_EQ(driver.semaphores().size(), 16U);
}

TEST_F(TensorOnAChip, WhatIsNoProductIsRefused) {
  EXPECT_EQ(gemm("16x16")->run()->symptom, "bad_product");
  const auto step = gemm("16x16x16");
  step->set("double_row", true);
  EXPECT_EQ(step->run()->symptom, "bad_product");
  EXPECT_EQ(gemm("4000x4000x8")->run()->symptom, "product_too_large");
}

}  // namespace
}  // namespace firstlight
