#include <gtest/gtest.h>

#include "tb/instruments/pmbus_regulator.h"
#include "tests/unit/instruments/desk.h"

namespace tb::instruments::testing {
namespace {

using firstlight::I2cMessage;
using firstlight::I2cStatus;
using firstlight::Voltage;
using pmbus::Command;

constexpr std::uint8_t kAddress = 0x40;

PmbusPageParameters page_parameters(double nominal, double max) {
  PmbusPageParameters parameters;
  parameters.nominal = Voltage(nominal);
  parameters.max = Voltage(max);
  parameters.overcurrent = firstlight::Current(50);
  parameters.ton_delay = {0.5, sc_core::SC_MS};
  parameters.ton_rise = {3, sc_core::SC_MS};
  parameters.toff_fall = {2, sc_core::SC_MS};
  return parameters;
}

struct RegulatorTest : ::testing::Test {
  RegulatorTest() {
    regulator.add_page(stages[0], page_parameters(0.85, 0.95));
    regulator.add_page(stages[1], page_parameters(0.9, 1.0));
    bus.attach(kAddress, regulator);
    regulator.set_input(Voltage(12));
  }
  static std::uint8_t code(Command command) { return static_cast<std::uint8_t>(command); }
  firstlight::I2cResult send(Command command, Bytes data = {}) {
    data.insert(data.begin(), code(command));
    return write(bus, kAddress, data);
  }
  int word(Command command) {
    const auto result = read(bus, kAddress, code(command), 2);
    return result.status == I2cStatus::ok ? result.data[0] | result.data[1] << 8 : -1;
  }
  int byte(Command command) {
    const auto result = read(bus, kAddress, code(command), 1);
    return result.status == I2cStatus::ok ? result.data[0] : -1;
  }

  I2cBusModel bus{agenda(), firstlight::Frequency(400e3)};
  IdealStage stages[2];
  PmbusRegulator regulator{agenda(), {"vr", kAddress, {"FIRSTLIGHT", "FL-VR2", "B1", "S-1"}}, 1};
};

TEST_F(RegulatorTest, ReadsCarryTheirPec) {
  // The vector: STATUS_WORD of a device at 0x40, here with OFF and POWER_GOOD# set: 0x0840.
  auto result = read(bus, kAddress, 0x79, 3);
  pmbus::Pec pec;
  for (const int byte : {0x80, 0x79, 0x81, 0x40, 0x08}) pec.add(static_cast<std::uint8_t>(byte));
  EXPECT_EQ(result.data, (Bytes{0x40, 0x08, pec.value()}));
  result = read(bus, kAddress, 0x20, 2);
  ASSERT_EQ(result.data.size(), 2U);
  EXPECT_EQ(result.data[0], 0x14);
  // After the PEC the line is left high.
  EXPECT_EQ(read(bus, kAddress, 0x20, 4).data[3], 0xff);
}

TEST_F(RegulatorTest, WritesAreTakenWithAndWithoutPec) {
  EXPECT_EQ(send(Command::PAGE, {1, 0x0c}).status, I2cStatus::ok);  // the published vector
  EXPECT_EQ(byte(Command::PAGE), 1);
  EXPECT_EQ(send(Command::PAGE, {0}).status, I2cStatus::ok);
  EXPECT_EQ(send(Command::VOUT_COMMAND, {0xcd, 0x0c, 0x39}).status, I2cStatus::ok);
  EXPECT_EQ(word(Command::VOUT_COMMAND), 0x0ccd);
  EXPECT_EQ(send(Command::CLEAR_FAULTS, {0xbf}).status, I2cStatus::ok);
  EXPECT_EQ(byte(Command::STATUS_CML), 0);
}

TEST_F(RegulatorTest, AWrongPecIsRefusedAndTold) {
  const int before = word(Command::VOUT_COMMAND);
  const auto result = send(Command::VOUT_COMMAND, {0xcd, 0x0c, 0x3a});
  EXPECT_EQ(result.status, I2cStatus::data_nack);
  EXPECT_EQ(word(Command::VOUT_COMMAND), before);
  EXPECT_EQ(byte(Command::STATUS_CML), pmbus::status::kPecFailed);
  EXPECT_EQ(word(Command::STATUS_WORD) & pmbus::status::kCml, pmbus::status::kCml);
  // Write 1 to clear.
  send(Command::STATUS_CML, {pmbus::status::kPecFailed});
  EXPECT_EQ(byte(Command::STATUS_CML), 0);
}

TEST_F(RegulatorTest, UnknownCommandsAreNotAcknowledged) {
  EXPECT_EQ(write(bus, kAddress, {0xd5, 1}).status, I2cStatus::data_nack);
  EXPECT_EQ(byte(Command::STATUS_CML), pmbus::status::kInvalidCommand);
  EXPECT_EQ(read(bus, kAddress, 0x04, 1).status, I2cStatus::data_nack);
}

TEST_F(RegulatorTest, ReadOnlyAndWriteOnlyCommands) {
  EXPECT_EQ(send(Command::READ_VOUT, {1, 2}).status, I2cStatus::data_nack);
  EXPECT_EQ(byte(Command::STATUS_CML), pmbus::status::kInvalidCommand);
  send(Command::CLEAR_FAULTS);
  EXPECT_EQ(read(bus, kAddress, code(Command::CLEAR_FAULTS), 1).status, I2cStatus::address_nack);
  EXPECT_EQ(byte(Command::STATUS_CML), pmbus::status::kInvalidCommand);
}

TEST_F(RegulatorTest, TooFewAndTooManyBytes) {
  const int before = word(Command::VOUT_COMMAND);
  send(Command::VOUT_COMMAND, {0x11});
  EXPECT_EQ(byte(Command::STATUS_CML), pmbus::status::kOtherCommunication);
  send(Command::CLEAR_FAULTS);
  EXPECT_EQ(send(Command::PAGE, {0, 0x0b, 0}).status, I2cStatus::data_nack);
  EXPECT_EQ(word(Command::VOUT_COMMAND), before);
}

TEST_F(RegulatorTest, AReadWithoutACommandHasNoAnswer) {
  EXPECT_EQ(transfer(bus, kAddress, {I2cMessage::reading(1)}).status, I2cStatus::address_nack);
}

TEST_F(RegulatorTest, PagesHaveTheirOwnRegisters) {
  EXPECT_EQ(word(Command::VOUT_COMMAND), pmbus::encode_linear16(0.85, -12));
  send(Command::PAGE, {1});
  EXPECT_EQ(word(Command::VOUT_COMMAND), pmbus::encode_linear16(0.9, -12));
  send(Command::PAGE, {2});
  EXPECT_EQ(byte(Command::PAGE), 1);
  EXPECT_EQ(byte(Command::STATUS_CML), pmbus::status::kInvalidData);
}

TEST_F(RegulatorTest, AllPagesAtOnce) {
  send(Command::PAGE, {0xff});
  send(Command::OPERATION, {0x80});
  EXPECT_TRUE(stages[0].on);
  EXPECT_TRUE(stages[1].on);
  EXPECT_EQ(read(bus, kAddress, code(Command::VOUT_COMMAND), 2).status, I2cStatus::address_nack);
  send(Command::OPERATION, {0x00});
  EXPECT_FALSE(stages[0].on);
  EXPECT_FALSE(stages[1].on);
}

TEST_F(RegulatorTest, BlocksCarryTheirLength) {
  const auto result = transfer(bus, kAddress, {I2cMessage::writing({0x9a}), I2cMessage::reading_block(32, 1)});
  ASSERT_EQ(result.data.size(), 8U);
  EXPECT_EQ(std::string(result.data.begin() + 1, result.data.end() - 1), "FL-VR2");
  pmbus::Pec pec;
  for (const int byte : {0x80, 0x9a, 0x81}) pec.add(static_cast<std::uint8_t>(byte));
  for (std::size_t i = 0; i + 1 < result.data.size(); ++i) pec.add(result.data[i]);
  EXPECT_EQ(result.data.back(), pec.value());
}

TEST_F(RegulatorTest, WriteProtect) {
  send(Command::WRITE_PROTECT, {0x20});
  send(Command::VOUT_MAX, {0, 0x10});
  EXPECT_EQ(byte(Command::STATUS_CML), pmbus::status::kInvalidData);
  EXPECT_EQ(word(Command::VOUT_MAX), pmbus::encode_linear16(0.95, -12));
  send(Command::VOUT_COMMAND, {0xcd, 0x0c});
  EXPECT_EQ(word(Command::VOUT_COMMAND), 0x0ccd);
  send(Command::WRITE_PROTECT, {0x40});
  send(Command::VOUT_COMMAND, {0, 0x0c});
  EXPECT_EQ(word(Command::VOUT_COMMAND), 0x0ccd);
  send(Command::OPERATION, {0x80});
  EXPECT_TRUE(stages[0].on);
  send(Command::WRITE_PROTECT, {0x80});
  send(Command::OPERATION, {0x00});
  EXPECT_TRUE(stages[0].on);
  send(Command::WRITE_PROTECT, {0x13});
  EXPECT_EQ(byte(Command::WRITE_PROTECT), 0x80);
}

TEST_F(RegulatorTest, OperationTurnsOnAndMargins) {
  send(Command::OPERATION, {0x80});
  EXPECT_TRUE(stages[0].on);
  EXPECT_NEAR(stages[0].volts.base(), 0.85, 2e-4);
  EXPECT_NEAR(stages[0].asked_rise.to_seconds(), 3e-3, 3e-6);
  EXPECT_NEAR(stages[0].asked_delay.to_seconds(), 0.5e-3, 1e-6);
  send(Command::OPERATION, {0xa8});
  EXPECT_NEAR(stages[0].volts.base(), 0.85 * 1.05, 2e-4);
  EXPECT_NEAR(stages[0].asked_slew.base(), 1000, 1);
  send(Command::OPERATION, {0x98});
  EXPECT_NEAR(stages[0].volts.base(), 0.85 * 0.95, 2e-4);
  send(Command::OPERATION, {0x40});
  EXPECT_FALSE(stages[0].on);
  EXPECT_NEAR(stages[0].asked_fall.to_seconds(), 2e-3, 2e-6);
  for (const int bad : {0xc0, 0x01, 0x83, 0xb0, 0x20}) {
    send(Command::CLEAR_FAULTS);
    send(Command::OPERATION, {static_cast<std::uint8_t>(bad)});
    EXPECT_EQ(byte(Command::STATUS_CML), pmbus::status::kInvalidData) << bad;
    EXPECT_FALSE(stages[0].on) << bad;
  }
}

TEST_F(RegulatorTest, SetPointsStopAtVoutMax) {
  send(Command::VOUT_COMMAND, {0x00, 0x20});  // 2 V
  EXPECT_EQ(word(Command::VOUT_COMMAND), pmbus::encode_linear16(0.95, -12));
  EXPECT_EQ(byte(Command::STATUS_VOUT), pmbus::status::kVoutMaxWarn);
  const int status = word(Command::STATUS_WORD);
  EXPECT_EQ(status & pmbus::status::kVout, pmbus::status::kVout);
}

TEST_F(RegulatorTest, LimitsFollowTheCommandUntilTheyAreWritten) {
  send(Command::VOUT_COMMAND, {0xcd, 0x0c});  // 0.8 V
  EXPECT_NEAR(pmbus::decode_linear16(static_cast<std::uint16_t>(word(Command::POWER_GOOD_ON)), -12), 0.72, 2e-4);
  send(Command::POWER_GOOD_ON, {0x00, 0x0a});
  send(Command::VOUT_COMMAND, {0x99, 0x0d});
  EXPECT_EQ(word(Command::POWER_GOOD_ON), 0x0a00);
}

TEST_F(RegulatorTest, TelemetryTellsTheOutput) {
  send(Command::OPERATION, {0x80});
  stages[0].amperes = firstlight::Current(20);
  EXPECT_NEAR(pmbus::decode_linear16(static_cast<std::uint16_t>(word(Command::READ_VOUT)), -12), 0.85, 2e-3);
  EXPECT_NEAR(pmbus::decode_linear11(static_cast<std::uint16_t>(word(Command::READ_IOUT))), 20, 0.3);
  EXPECT_NEAR(pmbus::decode_linear11(static_cast<std::uint16_t>(word(Command::READ_VIN))), 12, 0.05);
  EXPECT_NEAR(pmbus::decode_linear11(static_cast<std::uint16_t>(word(Command::READ_POUT))), 17, 0.3);
  EXPECT_NEAR(pmbus::decode_linear11(static_cast<std::uint16_t>(word(Command::READ_PIN))), 17 / 0.9, 0.4);
  EXPECT_NEAR(pmbus::decode_linear11(static_cast<std::uint16_t>(word(Command::READ_IIN))), 17 / 0.9 / 12, 0.02);
  regulator.update_temperature();
  EXPECT_NEAR(pmbus::decode_linear11(static_cast<std::uint16_t>(word(Command::READ_TEMPERATURE_1))),
              28 + 4 * 0.1 * 17 / 0.9, 0.6);
}

TEST_F(RegulatorTest, CatchesExtremesOfEachPageUntilTheyAreCleared) {
  constexpr double kLsb = 1 / 4096.0;
  for (const std::uint8_t page : {std::uint8_t{0}, std::uint8_t{1}}) {
    send(Command::PAGE, {page});
    send(Command::OPERATION, {0x80});
    send(Command::MFR_CLEAR_PEAKS);
  }
  stages[1].dip_by(Voltage(0.05));
  EXPECT_NEAR(word(Command::MFR_VOUT_MIN) / 4096.0, 0.85, kLsb) << "LINEAR16 with the exponent of VOUT_MODE";
  EXPECT_NEAR(word(Command::MFR_VOUT_PEAK) / 4096.0, 0.9, kLsb);
  send(Command::PAGE, {0});
  EXPECT_NEAR(word(Command::MFR_VOUT_MIN) / 4096.0, 0.85, kLsb) << "the other page has seen nothing";
  stages[0].dip_by(Voltage(0.02));
  send(Command::PAGE, {1});
  send(Command::CLEAR_FAULTS);
  EXPECT_NEAR(word(Command::MFR_VOUT_MIN) / 4096.0, 0.85, kLsb) << "CLEAR_FAULTS keeps them";
  send(Command::MFR_CLEAR_PEAKS);
  EXPECT_NEAR(word(Command::MFR_VOUT_MIN) / 4096.0, 0.9, kLsb);
  send(Command::PAGE, {0});
  EXPECT_NEAR(word(Command::MFR_VOUT_MIN) / 4096.0, 0.83, kLsb) << "only the page that was chosen";
  send(Command::PAGE, {0xff});
  send(Command::MFR_CLEAR_PEAKS);
  send(Command::PAGE, {0});
  EXPECT_NEAR(word(Command::MFR_VOUT_MIN) / 4096.0, 0.85, kLsb);
  EXPECT_EQ(send(Command::MFR_VOUT_MIN, {0, 0}).status, I2cStatus::data_nack);
}

TEST_F(RegulatorTest, WithoutInputItDoesNotAnswerAndForgets) {
  send(Command::PAGE, {1});
  send(Command::OPERATION, {0x80});
  regulator.set_input(Voltage(0));
  EXPECT_FALSE(stages[1].on);
  EXPECT_EQ(read(bus, kAddress, 0, 1).status, I2cStatus::address_nack);
  regulator.set_input(Voltage(5));  // logic runs, the outputs may not
  EXPECT_EQ(byte(Command::PAGE), 0);
  send(Command::OPERATION, {0x80});
  EXPECT_FALSE(stages[0].on);
  regulator.set_input(Voltage(12));
  EXPECT_TRUE(stages[0].on);
  EXPECT_FALSE(stages[1].on);
}

TEST_F(RegulatorTest, FaultsOfTheDevice) {
  PmbusRegulatorFaults faults;
  faults.nack = true;
  regulator.set_faults(faults);
  EXPECT_EQ(read(bus, kAddress, 0, 1).status, I2cStatus::address_nack);

  faults = {};
  faults.page_no_effect = true;
  regulator.set_faults(faults);
  EXPECT_EQ(send(Command::PAGE, {1}).status, I2cStatus::ok);
  EXPECT_EQ(byte(Command::PAGE), 0);

  faults = {};
  faults.vout_mode_offset = 1;
  regulator.set_faults(faults);
  EXPECT_EQ(byte(Command::VOUT_MODE), 0x15);
  EXPECT_EQ(word(Command::VOUT_COMMAND), pmbus::encode_linear16(0.85, -12));

  faults = {};
  faults.telemetry_stuck = true;
  regulator.set_faults(faults);
  const int off = word(Command::READ_VOUT);
  send(Command::OPERATION, {0x80});
  EXPECT_EQ(word(Command::READ_VOUT), off);

  faults = {};
  faults.pec_error_share = 0.3;
  regulator.set_faults(faults);
  int wrong = 0;
  for (int i = 0; i < 400; ++i) {
    const auto result = read(bus, kAddress, 0x20, 2);
    pmbus::Pec pec;
    for (const int byte : {0x80, 0x20, 0x81, 0x14}) pec.add(static_cast<std::uint8_t>(byte));
    wrong += result.data[1] == pec.value() ? 0 : 1;
  }
  EXPECT_NEAR(wrong, 120, 40);
}

}  // namespace
}  // namespace tb::instruments::testing
