#include <gtest/gtest.h>

#include "tb/instruments/pmbus_codec.h"
#include "tb/instruments/pmbus_page.h"
#include "tests/unit/instruments/desk.h"

namespace tb::instruments::testing {
namespace {

using firstlight::Voltage;
using pmbus::Command;
namespace status = pmbus::status;

PmbusPageParameters parameters() {
  PmbusPageParameters p;
  p.nominal = Voltage(1.0);
  p.max = Voltage(1.2);
  p.overcurrent = firstlight::Current(40);
  p.ton_delay = {1, sc_core::SC_MS};
  p.ton_rise = {2, sc_core::SC_MS};
  return p;
}

struct ProtectionTest : ::testing::Test {
  ProtectionTest() {
    page.set_input(Voltage(12));
    page.set(Command::OPERATION, 0x80);
  }
  void set_scale(double scale) {
    stage.scale = scale;
    stage.event();
  }
  void restart() {
    page.set(Command::OPERATION, 0x00);
    page.set(Command::OPERATION, 0x80);
  }
  IdealStage stage;
  PmbusPage page{agenda(), stage, parameters()};
};

TEST_F(ProtectionTest, HealthyOutputHasNoStatus) {
  EXPECT_TRUE(page.power_good());
  EXPECT_EQ(page.status_word(), 0);
}

TEST_F(ProtectionTest, WarningsLatchAndDoNotShutDown) {
  set_scale(0.88);
  set_scale(1.0);
  EXPECT_EQ(page.get(Command::STATUS_VOUT), status::kVoutUvWarn);
  EXPECT_TRUE(stage.on);
  set_scale(1.12);
  set_scale(1.0);
  EXPECT_EQ(page.get(Command::STATUS_VOUT), status::kVoutUvWarn | status::kVoutOvWarn);
  EXPECT_EQ(page.status_word(), status::kVout | status::kNoneOfTheAbove);
  page.clear_faults();
  EXPECT_EQ(page.status_word(), 0);
}

TEST_F(ProtectionTest, UndervoltageShutsDownAndLatches) {
  set_scale(0.7);
  EXPECT_FALSE(stage.on);
  EXPECT_FALSE(page.power_good());
  EXPECT_EQ(page.get(Command::STATUS_VOUT) & status::kVoutUvFault, status::kVoutUvFault);
  EXPECT_EQ(page.status_word() & status::kOff, status::kOff);
  set_scale(1.0);
  page.clear_faults();
  EXPECT_FALSE(stage.on) << "CLEAR_FAULTS does not restart the output";
  restart();
  EXPECT_TRUE(stage.on);
  EXPECT_EQ(page.status_word(), 0);
}

TEST_F(ProtectionTest, OvervoltageShutsDown) {
  set_scale(1.2);
  EXPECT_FALSE(stage.on);
  EXPECT_EQ(page.status_word() & status::kVoutOv, status::kVoutOv);
}

TEST_F(ProtectionTest, ResponseZeroGoesOn) {
  page.set(Command::VOUT_UV_FAULT_RESPONSE, 0x00);
  set_scale(0.7);
  EXPECT_TRUE(stage.on);
  EXPECT_EQ(page.get(Command::STATUS_VOUT) & status::kVoutUvFault, status::kVoutUvFault);
  EXPECT_FALSE(page.power_good());
}

TEST_F(ProtectionTest, ResponseWithRetriesTriesAgain) {
  page.set(Command::IOUT_OC_FAULT_RESPONSE, 0x80 | 2 << 3);
  stage.amperes = firstlight::Current(60);
  stage.event();
  EXPECT_FALSE(stage.on);
  pass(0.1);
  EXPECT_FALSE(stage.on) << "two retries into the same short";
  EXPECT_EQ(page.get(Command::STATUS_IOUT), status::kIoutOcFault | status::kIoutOcWarn);
  restart();
  EXPECT_FALSE(stage.on);
  stage.amperes = firstlight::Current(1);
  pass(0.1);
  EXPECT_TRUE(stage.on) << "the retry succeeds once the short is gone";
}

TEST_F(ProtectionTest, OvercurrentWarnsFirst) {
  stage.amperes = firstlight::Current(36);
  stage.event();
  EXPECT_TRUE(stage.on);
  EXPECT_EQ(page.get(Command::STATUS_IOUT), status::kIoutOcWarn);
  stage.amperes = firstlight::Current(41);
  stage.event();
  EXPECT_FALSE(stage.on);
  EXPECT_EQ(page.status_word() & status::kIoutOc, status::kIoutOc);
}

TEST_F(ProtectionTest, TooHot) {
  page.set_temperature(firstlight::Temperature(115));
  EXPECT_EQ(page.get(Command::STATUS_TEMPERATURE), status::kOtWarn);
  EXPECT_TRUE(stage.on);
  page.set_temperature(firstlight::Temperature(130));
  EXPECT_FALSE(stage.on);
  EXPECT_EQ(page.status_word() & status::kTemperature, status::kTemperature);
}

TEST_F(ProtectionTest, ARampThatTakesTooLongIsAFault) {
  page.set(Command::OPERATION, 0);
  page.set(Command::TON_MAX_FAULT_LIMIT, pmbus::encode_linear11(5));
  page.set(Command::TON_MAX_FAULT_RESPONSE, 0x80);
  stage.scale = 0.1;
  page.set(Command::OPERATION, 0x80);
  pass(5.9e-3);
  EXPECT_TRUE(stage.on);
  pass(0.2e-3);
  EXPECT_FALSE(stage.on);
  EXPECT_EQ(page.get(Command::STATUS_VOUT), status::kTonMaxFault);
}

TEST_F(ProtectionTest, LowInputWarnsAndTurnsOff) {
  page.set_input(Voltage(10.6));
  EXPECT_EQ(page.get(Command::STATUS_INPUT), status::kVinUvWarn);
  EXPECT_TRUE(stage.on);
  page.set_input(Voltage(8));
  EXPECT_FALSE(stage.on);
  EXPECT_EQ(page.status_word() & status::kVinUv, status::kVinUv);
  page.set_input(Voltage(12));
  EXPECT_TRUE(stage.on) << "OPERATION still says on";
}

TEST_F(ProtectionTest, TheShutdownPinLatchesUntilOffThenOn) {
  page.set_shutdown_pin(true);
  EXPECT_FALSE(stage.on);
  EXPECT_EQ(page.status_word() & (status::kMfr | status::kOff), status::kMfr | status::kOff);
  page.set_shutdown_pin(false);
  EXPECT_FALSE(stage.on);
  page.set(Command::OPERATION, 0x80);
  EXPECT_FALSE(stage.on) << "on alone does not unlatch";
  page.clear_faults();
  EXPECT_EQ(page.get(Command::STATUS_MFR_SPECIFIC), status::kTripPin);
  restart();
  EXPECT_TRUE(stage.on);
  EXPECT_EQ(page.get(Command::STATUS_MFR_SPECIFIC), 0);
}

TEST_F(ProtectionTest, AnActiveShutdownPinKeepsTheOutputOff) {
  page.set_shutdown_pin(true);
  restart();
  EXPECT_FALSE(stage.on);
  page.set(Command::OPERATION, 0);
  page.set_shutdown_pin(false);
  page.set(Command::OPERATION, 0x80);
  EXPECT_TRUE(stage.on);
}

TEST_F(ProtectionTest, PowerGoodHasHysteresis) {
  std::vector<bool> seen;
  page.on_power_good([&](bool good) { seen.push_back(good); });
  set_scale(0.88);
  EXPECT_TRUE(page.power_good());
  set_scale(0.85);
  EXPECT_FALSE(page.power_good());
  set_scale(0.88);
  EXPECT_FALSE(page.power_good());
  set_scale(0.95);
  pass(0.9 * PmbusPage::least_power_bad().to_seconds());
  EXPECT_FALSE(page.power_good()) << "it stays away long enough to be seen";
  pass(0.2 * PmbusPage::least_power_bad().to_seconds());
  EXPECT_EQ(seen, (std::vector<bool>{false, true}));
}

TEST_F(ProtectionTest, ADipIsCaughtByComparatorsAndPeakDetectors) {
  page.clear_peaks();
  stage.dip_by(Voltage(0.120));
  EXPECT_TRUE(page.power_good());
  EXPECT_EQ(page.get(Command::STATUS_VOUT), status::kVoutUvWarn);
  EXPECT_DOUBLE_EQ(page.lowest().base(), stage.voltage().base() - 0.120);
  EXPECT_DOUBLE_EQ(page.highest().base(), stage.voltage().base());
  page.clear_peaks();
  EXPECT_DOUBLE_EQ(page.lowest().base(), stage.voltage().base());
  stage.dip_by(Voltage(0.160));
  EXPECT_FALSE(page.power_good()) << "though the output is back";
  pass(1.1 * PmbusPage::least_power_bad().to_seconds());
  EXPECT_TRUE(page.power_good());
}

}  // namespace
}  // namespace tb::instruments::testing
