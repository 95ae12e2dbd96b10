#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "lab/capabilities/bench.h"
#include "lab/core/failure.h"
#include "lab/drivers/registry.h"
#include "tests/unit/drivers/fake_time.h"

namespace firstlight {
namespace {

using test::FakeTime;
using testing::HasSubstr;

/// Registers behind pointers.
class SensorBus final : public I2cBus {
 public:
  std::map<int, std::vector<std::uint8_t>> registers;
  int nacks = 0;
  std::vector<std::uint8_t> addresses;

  I2cResult transfer(std::uint8_t address, const std::vector<I2cMessage>& messages, Instant) override {
    addresses.push_back(address);
    if (nacks > 0) {
      --nacks;
      return {I2cStatus::address_nack, {}, 0, {}};
    }
    std::vector<std::uint8_t> data = registers[messages.at(0).write.at(0)];
    data.resize(messages.at(1).read);
    return {I2cStatus::ok, data, 1, {}};
  }
  bool recover(Instant) override { return true; }
  std::string name() const override { return "i2c0"; }
};

class OneBus final : public TransportProvider {
 public:
  SensorBus* bus = nullptr;
  std::unique_ptr<I2cBus> open_i2c(const ResourcePlan&) override {
    auto opened = std::make_unique<SensorBus>();
    bus = opened.get();
    return opened;
  }
};

class Lm75 : public testing::Test {
 protected:
  void build(const std::string& kind) {
    BenchPlan plan;
    ResourcePlan resource;
    resource.name = "i2c0";
    resource.type = "i2c";
    plan.resources.push_back(resource);
    DriverPlan driver;
    driver.name = "inlet";
    driver.driver = "lm75";
    driver.uses = {"i2c0"};
    driver.params = {{"address", {std::int64_t{0x48}, {}}}, {"kind", {kind, {}}}};
    plan.drivers.push_back(driver);
    bench = std::make_unique<Bench>(plan, time);
    build_drivers(*bench, provider);
  }
  double read(unsigned raw, std::uint8_t pointer = 0) {
    provider.bus->registers[pointer] = {static_cast<std::uint8_t>(raw >> 8U), static_cast<std::uint8_t>(raw & 0xffU)};
    return bench->measurable("inlet.temperature").read().value;
  }
  Failure failure(unsigned raw) {
    try {
      read(raw);
    } catch (const FailureError& error) {
      return error.failure();
    }
    ADD_FAILURE() << "nothing was thrown";
    return {};
  }
  FakeTime time;
  OneBus provider;
  std::unique_ptr<Bench> bench;
};

TEST_F(Lm75, ReadsEveryResolution) {
  build("lm75");
  EXPECT_DOUBLE_EQ(read(0x1900), 25);  // LM75: 0.5 K
  EXPECT_DOUBLE_EQ(read(0x1980), 25.5);
  EXPECT_DOUBLE_EQ(read(0x1910), 25.0625);  // TMP105 at 12 bits
  EXPECT_DOUBLE_EQ(read(0xe700), -25);
  EXPECT_DOUBLE_EQ(read(0x7d00), 125);
}

TEST_F(Lm75, ReadsItsKin) {
  build("tmp117");
  EXPECT_DOUBLE_EQ(read(0x0c80), 25);
  EXPECT_DOUBLE_EQ(read(0xf380), -25);
  build("mcp9808");
  EXPECT_DOUBLE_EQ(read(0xc190, 5), 25) << "the alarm flags above are not the temperature";
  EXPECT_DOUBLE_EQ(read(0x1e70, 5), -25);
}

TEST_F(Lm75, NeverTakesNonsenseForATemperature) {
  build("lm75");
  EXPECT_EQ(failure(0xffff).symptom, "sensor_sentinel");
  EXPECT_EQ(failure(0x8000).symptom, "implausible_temperature");  // -128 degC
  EXPECT_EQ(failure(0x7f00).symptom, "implausible_temperature");
  EXPECT_EQ(failure(0x7f00).error_class, ErrorClass::infrastructure);
  provider.bus->registers[1] = {0x01};
  EXPECT_EQ(failure(0x1900).symptom, "sensor_asleep");
}

TEST_F(Lm75, AsksAgainAndThenSaysWhoIsMissing) {
  build("lm75");
  provider.bus->nacks = 2;
  EXPECT_DOUBLE_EQ(read(0x1900), 25);
  provider.bus->nacks = 100;
  const Failure gone = failure(0x1900);
  EXPECT_EQ(gone.symptom, "sensor_no_answer");
  EXPECT_THAT(gone.message, HasSubstr("inlet (lm75 at 0x48) does not acknowledge on i2c0 (3 attempts)"));
}

}  // namespace
}  // namespace firstlight
