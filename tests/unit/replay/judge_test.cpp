// Which answers must be as recorded, and which need not.
#include "lab/replay/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/drivers/pmbus/linear.h"
#include "rtl/regs/tern_registers.h"
#include "tests/unit/replay/toy_bench.h"

namespace firstlight::replay {
namespace {

using testing::HasSubstr;
using trace::Transaction;

class JudgeTest : public testing::Test {
 protected:
  static Transaction on(const std::string& resource, trace::Access access) {
    Transaction out;
    out.resource = resource;
    out.access = std::move(access);
    return out;
  }
  static trace::RegisterRead read(const std::string& name, std::uint32_t value, BusStatus status = BusStatus::ok) {
    return {tern_registers().find(name).found->address, {status, value, ""}};
  }
  static std::uint32_t field(const std::string& name, std::uint32_t raw) {
    return tern_registers().find(name).found->field->insert(0, raw);
  }
  Finding registers(const std::string& name, std::uint32_t recorded, std::uint32_t found) {
    return judge_.compare(on("regs0", read(name, recorded)), read(name, found));
  }
  static trace::I2cTransfer telemetry(std::uint8_t command, std::uint16_t code) {
    return {0x40,
            {I2cMessage::writing({command}), I2cMessage::reading(2)},
            {I2cStatus::ok, {static_cast<std::uint8_t>(code & 0xffU), static_cast<std::uint8_t>(code >> 8U)}, 1, ""}};
  }
  Finding answer(const std::string& question, const std::string& recorded, const std::string& found) {
    judge_.follow(on("dmm0", trace::StreamWrite{question + "\n", {}}));
    const auto said = [](const std::string& text) { return trace::StreamRead{'\n', 0, {StreamStatus::ok, text, ""}}; };
    return judge_.compare(on("dmm0", said(recorded)), said(found));
  }

  test::ToyBench bench_;
  Judge judge_{bench_.plan, &tern_registers()};
};

TEST_F(JudgeTest, AFieldThatNothingMovesMustBeTheSame) {
  EXPECT_EQ(registers("dma0.first_error[0]", 0, 0).agreement, Agreement::exact);
  const Finding finding = registers("dma0.first_error[0]", 0, field("dma0.first_error[0].cause", 3));
  ASSERT_EQ(finding.agreement, Agreement::different);
  ASSERT_EQ(finding.deviations.size(), 1U);
  EXPECT_EQ(finding.deviations[0].part, "dma0.first_error[0].cause");
  EXPECT_EQ(finding.deviations[0].expected, "ok");
  EXPECT_EQ(finding.deviations[0].found, "read_error");
}

TEST_F(JudgeTest, ATemperatureMayBeAFewDegreesOff) {
  const std::string name = "thermal.zone[2].temperature";
  const auto at = [&](int degrees) { return field(name, static_cast<std::uint32_t>(degrees * 8)); };
  EXPECT_EQ(registers("thermal.zone[2]", at(40), at(43)).agreement, Agreement::near);
  const Finding hot = registers("thermal.zone[2]", at(40), at(60));
  ASSERT_EQ(hot.agreement, Agreement::different);
  EXPECT_EQ(hot.deviations[0].part, name);
  EXPECT_EQ(hot.deviations[0].expected, "40 degC");
}

TEST_F(JudgeTest, ATemperatureDoesNotExcuseTheFlagBesideIt) {
  const std::uint32_t recorded = field("thermal.zone[2].temperature", 320);
  const std::uint32_t found = field("thermal.zone[2].temperature", 328) | field("thermal.zone[2].alarm", 1);
  const Finding finding = registers("thermal.zone[2]", recorded, found);
  ASSERT_EQ(finding.agreement, Agreement::different);
  ASSERT_EQ(finding.deviations.size(), 1U);
  EXPECT_EQ(finding.deviations[0].part, "thermal.zone[2].alarm");
}

TEST_F(JudgeTest, TimeIsNotCompared) {
  EXPECT_EQ(registers("chip.ticks_lo", 1000, 900'000).agreement, Agreement::ignored);
  EXPECT_EQ(registers("link.trace[0x10]", 1, 2).agreement, Agreement::ignored);
  EXPECT_EQ(registers("thermal.hottest", 0, field("thermal.hottest.zone", 2)).agreement, Agreement::ignored);
  EXPECT_EQ(registers("thermal.changes[0]", 0, field("thermal.changes[0].count", 9)).agreement, Agreement::ignored);
  EXPECT_EQ(registers("thermal.changes[0]", 0, field("thermal.changes[0].count", 40)).agreement, Agreement::different)
      << "a sensor that never moved";
}

TEST_F(JudgeTest, AnErrorIsNotAnAnswer) {
  const Finding finding = judge_.compare(on("regs0", read("chip.id", 1)), read("chip.id", 1, BusStatus::slave_error));
  ASSERT_EQ(finding.agreement, Agreement::different);
  EXPECT_EQ(finding.deviations[0].expected, "ok");
  EXPECT_EQ(finding.deviations[0].found, "slave_error");
}

TEST_F(JudgeTest, TelemetryIsComparedByWhatItMeasures) {
  constexpr std::uint8_t kReadVout = 0x8b;
  constexpr std::uint8_t kReadTemperature = 0x8d;
  constexpr std::uint8_t kStatusWord = 0x79;
  const auto compare = [&](std::uint8_t command, std::uint16_t a, std::uint16_t b) {
    return judge_.compare(on("i2c0", telemetry(command, a)), telemetry(command, b)).agreement;
  };
  EXPECT_EQ(compare(kReadVout, 3482, 3500), Agreement::near);  // 850 mV in 2^-12 V
  EXPECT_EQ(compare(kReadVout, 3482, 3482 * 94 / 100), Agreement::different);
  const auto celsius = [](double value) { return *pmbus::encode_linear11(value); };
  EXPECT_EQ(compare(kReadTemperature, celsius(41), celsius(44)), Agreement::near);
  EXPECT_EQ(compare(kReadTemperature, celsius(41), celsius(81)), Agreement::different);
  EXPECT_EQ(compare(kStatusWord, 0x0000, 0x0001), Agreement::different);
}

TEST_F(JudgeTest, ASecondDeviceOnTheBusIsNoRegulator) {
  auto recorded = telemetry(0x8b, 3482);
  auto found = telemetry(0x8b, 3483);
  recorded.address = found.address = 0x50;
  EXPECT_EQ(judge_.compare(on("i2c0", recorded), found).agreement, Agreement::different);
}

TEST_F(JudgeTest, AReadingOfAnInstrumentIsComparedByItsQuestion) {
  EXPECT_EQ(answer("MEAS:VOLT? (@2)", "+8.5012E-01\n", "+8.4971E-01\n").agreement, Agreement::near);
  EXPECT_EQ(answer("MEAS:VOLT? (@3)", "+9.00E-01\n", "+8.46E-01\n").agreement, Agreement::different);
  EXPECT_EQ(answer("MEAS:FREQ?", "1.00000E+08\n", "1.00030E+08\n").agreement, Agreement::different);
  EXPECT_EQ(answer("VOLT?", "12\n", "1.20E+01\n").agreement, Agreement::exact);
  EXPECT_EQ(answer("VOLT?", "12\n", "12.01\n").agreement, Agreement::different) << "a set point has no noise";
  EXPECT_EQ(answer("*IDN?", "A,B,1,2\n", "A,C,1,2\n").agreement, Agreement::different);
}

TEST_F(JudgeTest, NamesWhatIsAsked) {
  judge_.follow(on("i2c0", trace::I2cTransfer{0x40, {I2cMessage::writing({0x00, 0x01, 0x9b})}, {}}));
  EXPECT_EQ(judge_.describe(on("i2c0", telemetry(0x8b, 0))), "read of READ_VOUT of vr_core page 1 (vdd_sram)");
  EXPECT_EQ(judge_.describe(on("regs0", read("dma0.first_error[0]", 0))).rfind("read of dma0.first_error[0] (0x", 0),
            0U);
  judge_.follow(on("dmm0", trace::StreamWrite{"MEAS:VOLT? (@3)\n", {}}));
  EXPECT_EQ(judge_.describe(on("dmm0", trace::StreamRead{'\n', 0, {}})), "answer to MEAS:VOLT? (@3)");
}

TEST_F(JudgeTest, ShowsTheFirstByteThatDiffers) {
  trace::MemoryRead recorded{0x100, {1, 2, 3, 4}};
  const trace::MemoryRead found{0x100, {1, 2, 7, 4}};
  const Finding finding = judge_.compare(on("hostmem0", recorded), found);
  ASSERT_EQ(finding.agreement, Agreement::different);
  EXPECT_EQ(finding.deviations[0].part, "byte 2");
  EXPECT_EQ(finding.deviations[0].expected, "03 04");
  EXPECT_EQ(finding.deviations[0].found, "07 04");
}

}  // namespace
}  // namespace firstlight::replay
