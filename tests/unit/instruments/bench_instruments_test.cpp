#include <gtest/gtest.h>

#include "tb/instruments/clock_generator.h"
#include "tb/instruments/coolant_unit.h"
#include "tb/instruments/dmm.h"
#include "tb/instruments/psu.h"
#include "tests/unit/instruments/desk.h"

namespace tb::instruments::testing {
namespace {

using firstlight::Current;
using firstlight::Flow;
using firstlight::Frequency;
using firstlight::Temperature;
using firstlight::Voltage;

struct PsuTest : ::testing::Test {
  PsuTest() { ask(psu, "*CLS"); }
  double number(const std::string& query) { return std::stod(ask(psu, query)); }
  IdealStage stage;
  Psu psu{agenda(), "Firstlight,FL-PS1230,SN0001,1.0", stage, {Voltage(15), Current(30)}, 1};
};

TEST_F(PsuTest, TheUsualConversation) {
  EXPECT_EQ(ask(psu, "*RST;*CLS;VOLT 12;CURR 5;VOLT:PROT 13;:CURR:PROT:STAT ON;:OUTP ON;*OPC?"), "1\n");
  EXPECT_TRUE(stage.on);
  EXPECT_NEAR(number("MEAS:VOLT?"), 12, 0.01);
  EXPECT_NEAR(number("MEAS:CURR?"), 1, 0.02);
  EXPECT_NEAR(number("MEAS:POW?"), 12, 0.2);
  EXPECT_EQ(ask(psu, "SYST:ERR?"), "0,\"No error\"\n");
  EXPECT_EQ(ask(psu, "OUTP?"), "1\n");
  ask(psu, "OUTP OFF");
  EXPECT_FALSE(stage.on);
}

TEST_F(PsuTest, OpeningAndAskingChangesNothing) {
  ask(psu, "VOLT 12;OUTP ON");
  ask(psu, "*IDN?;*CLS;VOLT?;OUTP?");
  EXPECT_TRUE(stage.on);
}

TEST_F(PsuTest, RefusesWhatConflicts) {
  ask(psu, "VOLT 12;VOLT:PROT 11");
  EXPECT_EQ(ask(psu, "SYST:ERR?").substr(0, 4), "-221");
  ask(psu, "VOLT:PROT 13;:VOLT 14");
  EXPECT_EQ(ask(psu, "SYST:ERR?").substr(0, 4), "-221");
  ask(psu, "VOLT 16");
  EXPECT_EQ(ask(psu, "SYST:ERR?").substr(0, 4), "-222");
  ask(psu, "CURR 31");
  EXPECT_EQ(ask(psu, "SYST:ERR?").substr(0, 4), "-222");
  EXPECT_DOUBLE_EQ(number("VOLT?"), 12);
}

TEST_F(PsuTest, HoldsTheCurrentAtItsLimit) {
  ask(psu, "VOLT 12;CURR 5;OUTP ON");
  stage.siemens = 8.0 / 12;
  psu.regulate();
  EXPECT_NEAR(stage.volts.base(), 12 * 5.0 / 8.0, 1e-6);
  EXPECT_TRUE(psu.current_limited());
  EXPECT_EQ(ask(psu, "STAT:QUES:COND?"), "1\n");
  stage.siemens = 1.0 / 12;
  psu.regulate();
  EXPECT_DOUBLE_EQ(stage.volts.base(), 12);
  EXPECT_EQ(ask(psu, "STAT:QUES:COND?"), "0\n");
}

TEST_F(PsuTest, OvercurrentProtectionTripsAndLatches) {
  ask(psu, "VOLT 12;CURR 5;CURR:PROT:STAT ON;:OUTP ON");
  stage.amperes = Current(8);
  psu.regulate();
  EXPECT_FALSE(stage.on);
  EXPECT_EQ(ask(psu, "CURR:PROT:TRIP?;:OUTP?"), "1;0\n");
  EXPECT_EQ(ask(psu, "STAT:QUES:COND?"), "2\n");
  ask(psu, "OUTP ON");
  EXPECT_EQ(ask(psu, "SYST:ERR?").substr(0, 4), "-221");
  stage.amperes = Current(1);
  ask(psu, "OUTP:PROT:CLE;:OUTP ON");
  EXPECT_TRUE(stage.on);
}

TEST_F(PsuTest, OvervoltageProtectionTrips) {
  ask(psu, "VOLT 12;VOLT:PROT 12.5;:OUTP ON");
  stage.scale = 1.1;
  psu.regulate();
  EXPECT_FALSE(stage.on);
  EXPECT_EQ(ask(psu, "VOLT:PROT:TRIP?"), "1\n");
}

TEST(Dmm, ScansItsChannels) {
  Dmm dmm(agenda(), "Firstlight,FL-DM61,SN0001,1.0", {[] { return Voltage(1.8); }, [] { return Voltage(0.85); }}, 1);
  ask(dmm, "*CLS");
  EXPECT_NEAR(std::stod(ask(dmm, "MEAS:VOLT?")), 1.8, 1e-3);
  EXPECT_NEAR(std::stod(ask(dmm, "MEAS:VOLT:DC? (@2)")), 0.85, 1e-3);
  const std::string both = ask(dmm, "MEAS:VOLT? (@2,1)");
  EXPECT_NEAR(std::stod(both), 0.85, 1e-3);
  EXPECT_NEAR(std::stod(both.substr(both.find(',') + 1)), 1.8, 1e-3);
  EXPECT_EQ(ask(dmm, "MEAS:VOLT? (@3)"), "");
  EXPECT_EQ(ask(dmm, "SYST:ERR?"), "-224,\"Illegal parameter value;channel 3\"\n");
}

TEST(Dmm, LongerAperturesAreQuieter) {
  Dmm dmm(agenda(), "x", {[] { return Voltage(1); }}, 1);
  const auto spread = [&] {
    double square = 0;
    for (int i = 0; i < 200; ++i) square += std::pow(std::stod(ask(dmm, "MEAS:VOLT?")) - 1, 2);
    return std::sqrt(square / 200);
  };
  EXPECT_NEAR(spread(), 1e-4, 3e-5);
  ask(dmm, "VOLT:NPLC 10");
  EXPECT_NEAR(spread(), 1e-5, 3e-6);
}

TEST(ClockGenerator, SetsAndCounts) {
  Frequency output(-1);
  ClockGenerator clock(
      agenda(), "x", [&](Frequency f) { output = f; }, {[&] { return output; }, [&] { return output * 1.25; }}, 1);
  ask(clock, "FREQ 100MHZ;OUTP ON");
  EXPECT_DOUBLE_EQ(output.base(), 100e6);
  EXPECT_NEAR(std::stod(ask(clock, "MEAS:FREQ?")), 100e6, 200);
  EXPECT_NEAR(std::stod(ask(clock, "MEAS:FREQ? (@2)")), 125e6, 250);
  EXPECT_DOUBLE_EQ(std::stod(ask(clock, "FREQ?")), 100e6);
  ask(clock, "OUTP OFF");
  EXPECT_DOUBLE_EQ(output.base(), 0);
  EXPECT_DOUBLE_EQ(std::stod(ask(clock, "MEAS:FREQ?")), 0);
  ask(clock, "*CLS;FREQ 500 kHz");
  EXPECT_EQ(ask(clock, "SYST:ERR?").substr(0, 4), "-222");
}

class ToyLoop : public CoolantLoop {
 public:
  void set_supply(Temperature t, Flow f, bool p) override {
    temperature = t;
    set_flow = f;
    pump = p;
  }
  Temperature inlet() override { return temperature; }
  Temperature outlet() override { return temperature + Temperature(2); }
  Flow flow() override { return pump ? set_flow : Flow(0); }
  double pressure_pascal() override { return 20e3; }
  bool leaks() override { return leak; }
  Temperature temperature;
  Flow set_flow;
  bool pump = false;
  bool leak = false;
};

TEST(CoolantUnit, SetsAndMeasures) {
  ToyLoop loop;
  CoolantUnit unit(agenda(), "x", loop, 1);
  ask(unit, "*CLS;SOUR:TEMP 25;FLOW 1.5 LPM;:OUTP ON", 2);
  EXPECT_DOUBLE_EQ(loop.temperature.base(), 25);
  EXPECT_TRUE(loop.pump);
  EXPECT_NEAR(std::stod(ask(unit, "MEAS:TEMP? (@1)")), 25, 0.1);
  EXPECT_NEAR(std::stod(ask(unit, "MEAS:TEMP? (@2)")), 27, 0.1);
  EXPECT_NEAR(std::stod(ask(unit, "MEAS:FLOW?")), 1.5, 0.05);
  EXPECT_NEAR(std::stod(ask(unit, "MEAS:PRES?")), 20e3, 300);
  EXPECT_EQ(ask(unit, "LEAK?"), "0\n");
  loop.leak = true;
  EXPECT_EQ(ask(unit, "LEAK?"), "1\n");
  EXPECT_EQ(ask(unit, "SYST:ERR?"), "0,\"No error\"\n");
  ask(unit, "OUTP OFF");
  EXPECT_DOUBLE_EQ(std::stod(ask(unit, "MEAS:FLOW?")), 0);
}

}  // namespace
}  // namespace tb::instruments::testing
