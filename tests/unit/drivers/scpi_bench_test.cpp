// Drivers of instruments as a bench file makes them: channels of one instrument, rails made by a supply.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/capabilities/rail.h"
#include "lab/capabilities/supply.h"
#include "lab/core/failure.h"
#include "lab/drivers/registry.h"
#include "tests/unit/drivers/dialect.h"

namespace firstlight {
namespace {

using test::Dialect;
using test::FakeStream;
using test::FakeTime;
using testing::HasSubstr;

/// One instrument, three outputs, each named in the command.
class OneSupply final : public TransportProvider {
 public:
  explicit OneSupply(FakeTime& time) : time_(time) {}
  std::unique_ptr<ByteStream> open_stream(const ResourcePlan&) override {
    auto opened = std::make_unique<FakeStream>(time_);
    stream = opened.get();
    const std::string number = "([-+0-9.eE]+)";
    dialect = std::make_unique<Dialect>(
        *stream, std::vector<test::Rule>{{"\\*IDN\\?", "", "", "RIGOL TECHNOLOGIES,DP832,DP8C1,1"},
                                         {"\\*OPC\\?", "", "", "1"},
                                         {"SYST:ERR\\?", "", "", "0,\"No error\""},
                                         {":SOUR([123]):VOLT " + number, "V$1", "$2", ""},
                                         {":SOUR([123]):VOLT\\?", "", "", "%V$1%"},
                                         {":SOUR([123]):CURR " + number, "I$1", "$2", ""},
                                         {":SOUR([123]):CURR\\?", "", "", "%I$1%"},
                                         {":OUTP:OVP:VAL CH([123])," + number, "P$1", "$2", ""},
                                         {":OUTP:OVP CH([123]),ON", "PON$1", "ON", ""},
                                         {":OUTP:OVP:VAL\\? CH([123])", "", "", "%P$1%"},
                                         {":OUTP CH([123]),(ON|OFF)", "O$1", "$2", ""},
                                         {":OUTP\\? CH([123])", "", "", "%O$1%"},
                                         {":MEAS:VOLT\\? CH([123])", "", "", "%M$1%"},
                                         {":MEAS:CURR\\? CH([123])", "", "", "0.5"},
                                         {":OUTP:OVP:QUES\\? CH[123]", "", "", "NO"},
                                         {":OUTP:OCP:QUES\\? CH[123]", "", "", "NO"}});
    for (const std::string channel : {"1", "2", "3"}) {
      dialect->state["O" + channel] = "OFF";
      for (const std::string setting : {"V", "I", "P", "M"}) dialect->state[setting + channel] = "0.000";
    }
    return opened;
  }
  FakeStream* stream = nullptr;
  std::unique_ptr<Dialect> dialect;

 private:
  FakeTime& time_;
};

DriverPlan driver(const std::string& name, std::int64_t channel) {
  DriverPlan plan;
  plan.name = name;
  plan.driver = "scpi_supply";
  plan.uses = {"psu0"};
  plan.params["personality"] = Value{std::string("rigol-dp832"), {}};
  if (channel != 0) plan.params["channel"] = Value{channel, {}};
  return plan;
}

class ScpiBench : public testing::Test {
 protected:
  ScpiBench() : provider(time) {
    ResourcePlan psu;
    psu.name = "psu0";
    psu.type = "scpi";
    plan.resources = {psu};
    plan.drivers = {driver("main", 1), driver("aux", 2)};
    RailPlan rail;
    rail.name = "vin";
    rail.driver = "main";
    rail.nominal = Voltage(12);
    rail.tolerance = Ratio(0.02);
    rail.max = Voltage(12.6);
    rail.min = Voltage(11);
    rail.max_current = Current(2);
    plan.rails = {rail};
  }
  Bench& build() {
    bench_ = std::make_unique<Bench>(plan, time);
    build_drivers(*bench_, provider);
    return *bench_;
  }
  std::string refusal() {
    try {
      build();
    } catch (const FailureError& error) {
      return error.failure().message;
    }
    return "accepted";
  }

  FakeTime time;
  OneSupply provider;
  BenchPlan plan;
  std::unique_ptr<Bench> bench_;
};

TEST_F(ScpiBench, DriversOfOneInstrumentShareItsConnection) {
  Bench& bench = build();
  bench.get<Supply>("main").set_voltage(Voltage(12));
  bench.get<Supply>("aux").set_voltage(Voltage(5));
  EXPECT_EQ(provider.dialect->state["V1"], "12");
  EXPECT_EQ(provider.dialect->state["V2"], "5");
  EXPECT_EQ(std::count(provider.stream->lines.begin(), provider.stream->lines.end(), "*IDN?"), 1);
  EXPECT_EQ(bench.get<Supply>("aux").part(), "aux (psu0 channel 2)");
}

TEST_F(ScpiBench, AnInstrumentWithSeveralOutputsNeedsToKnowWhich) {
  plan.drivers = {driver("main", 0)};
  EXPECT_THAT(refusal(), HasSubstr("has the channels 1, 2, 3; say which one by `channel`"));
  plan.drivers = {driver("main", 4)};
  EXPECT_THAT(refusal(), HasSubstr("has no channel 4"));
  plan.drivers = {driver("main", 1), driver("aux", 2)};
  plan.drivers[1].params["personality"] = Value{std::string("keysight-e36312a"), {}};
  EXPECT_THAT(refusal(), HasSubstr("is spoken to as rigol-dp832 by another driver"));
  plan.drivers = {driver("main", 1)};
  plan.drivers[0].params["personality"] = Value{std::string("keysight-34465a"), {}};
  EXPECT_THAT(refusal(), HasSubstr("is that of a meter"));
}

TEST_F(ScpiBench, ARailsEnvelopeGoesIntoTheSupplysProtections) {
  Rail& vin = build().rail("vin");
  vin.set_voltage(Voltage(12));
  provider.dialect->state["M1"] = "0.01";
  EXPECT_FALSE(vin.status().on);
  vin.enable();
  EXPECT_EQ(provider.dialect->state["P1"], "12.6");
  EXPECT_EQ(provider.dialect->state["PON1"], "ON");
  EXPECT_EQ(provider.dialect->state["I1"], "2");
  EXPECT_EQ(provider.dialect->state["O1"], "ON");
  EXPECT_EQ(provider.dialect->state["O2"], "OFF") << "the other output is left alone";
  EXPECT_FALSE(vin.status().power_good) << "not there yet";
  provider.dialect->state["M1"] = "11.9";
  EXPECT_TRUE(vin.status().power_good);
  EXPECT_DOUBLE_EQ(bench_->measurable("vin.voltage").read().value, 11.9);
  vin.disable();
  EXPECT_EQ(provider.dialect->state["O1"], "OFF");
}

TEST_F(ScpiBench, ARailOfASupplyIsGuardedTwice) {
  plan.drivers[0].params["max_voltage"] = Value{Quantity{12.1, Dimension::voltage}, {}};
  Rail& vin = build().rail("vin");
  for (const double volts : {12.7, 12.5, 10.0}) EXPECT_THROW(vin.set_voltage(Voltage(volts)), FailureError) << volts;
  EXPECT_EQ(provider.dialect->state["V1"], "0.000") << "it may ask, but nothing may be set";
  EXPECT_THROW(vin.temperature(), FailureError);
}

}  // namespace
}  // namespace firstlight
