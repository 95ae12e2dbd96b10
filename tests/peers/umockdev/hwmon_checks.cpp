// Runs under umockdev-run, see umockdev_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/core/failure.h"
#include "lab/drivers/registry.h"
#include "lab/transports/lab_provider.h"
#include "tests/peers/support/wall_bench.h"

namespace firstlight {
namespace {

using peers::on_wall_clock;
using testing::HasSubstr;

Value text(std::string value) { return {std::move(value), {}}; }
Value measure(const char* dimension, Value::Map members = {}) {
  members["measures"] = text(dimension);
  return {std::move(members), {}};
}

BenchPlan bench(const std::string& address, Value::Map measures) {
  BenchPlan plan;
  ResourcePlan resource;
  resource.name = "sensors0";
  resource.type = "hwmon";
  resource.address = address;
  plan.resources = {resource};
  DriverPlan driver;
  driver.name = "board";
  driver.driver = "hwmon";
  driver.uses = {"sensors0"};
  driver.params["measures"] = {std::move(measures), {}};
  plan.drivers = {driver};
  return plan;
}

/// Builds the bench as the lab does and hands it over.
void with_bench(const BenchPlan& plan, const std::function<void(Bench&)>& body) {
  on_wall_clock([&](Scheduler& time) {
    LabProvider provider(time, plan);
    Bench bench(plan, time);
    build_drivers(bench, provider);
    body(bench);
  });
}

Failure failure_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const FailureError& error) {
    return error.failure();
  }
  ADD_FAILURE() << "nothing failed";
  return {};
}

TEST(Hwmon, MeasuresInBaseUnits) {
  with_bench(bench("hwmon:nct6798", {{"vcore", measure("voltage", {{"channel", text("Vcore")}})},
                                     {"input", measure("voltage", {{"channel", text("in4")}})},
                                     {"curr1", measure("current")},
                                     {"power", measure("power", {{"channel", text("power1")}})},
                                     {"fan1", measure("number")}}),
             [](Bench& bench) {
               EXPECT_DOUBLE_EQ(bench.measurable("board.vcore").read().value, 1.104);
               EXPECT_DOUBLE_EQ(bench.measurable("board.input").read().value, 11.976);
               EXPECT_DOUBLE_EQ(bench.measurable("board.curr1").read().value, 2.5);
               EXPECT_DOUBLE_EQ(bench.measurable("board.power").read().value, 30.0);
               EXPECT_DOUBLE_EQ(bench.measurable("board.fan1").read().value, 1480);
               EXPECT_EQ(bench.measurable("board.vcore").part, "board in0 (Vcore)");
               EXPECT_EQ(bench.measurable("board.power").dimension, Dimension::power);
             });
}

TEST(Hwmon, BlamesSensorsThatReadNothing) {
  with_bench(bench("hwmon:tmp421@4-004c",
                   {{"inlet", measure("temperature", {{"channel", text("Inlet")}})},
                    {"hot", measure("temperature", {{"channel", text("temp1")}, {"max", text("40 degC")}})},
                    {"die", measure("temperature", {{"channel", text("Die")}})},
                    {"open", measure("temperature", {{"channel", text("temp3")}})}}),
             [](Bench& bench) {
               EXPECT_DOUBLE_EQ(bench.measurable("board.inlet").read().value, 41.5);
               const Failure hot = failure_of([&] { bench.measurable("board.hot").read(); });
               EXPECT_EQ(hot.symptom, "implausible_reading");
               EXPECT_EQ(hot.error_class, ErrorClass::infrastructure);
               const Failure die = failure_of([&] { bench.measurable("board.die").read(); });
               EXPECT_EQ(die.symptom, "implausible_reading");
               EXPECT_EQ(die.part, "board temp2 (Die)");
               EXPECT_EQ(die.received, "-128000");
               EXPECT_EQ(failure_of([&] { bench.measurable("board.open").read(); }).symptom, "sensor_fault");
             });
}

TEST(Hwmon, NeedsAUniqueNameOrADevice) {
  const Value::Map measures = {{"temp1", measure("temperature")}};
  const auto opened = [&](const std::string& address) {
    return [=] { with_bench(bench(address, measures), [](Bench&) {}); };
  };
  EXPECT_EQ(failure_of(opened("hwmon:tmp421")).symptom, "ambiguous_hwmon_chip");
  EXPECT_THAT(failure_of(opened("/sys/class/hwmon/hwmon6")).likely_cause, HasSubstr("hwmon:tmp421@4-004d"));
  with_bench(bench("/sys/devices/pci0000:00/0000:00:1f.4/i2c-4/4-004d", measures),
             [](Bench& bench) { EXPECT_DOUBLE_EQ(bench.measurable("board.temp1").read().value, 38.25); });
}

TEST(Hwmon, SaysWhatABenchFileGotWrong) {
  const auto wrong = [](const char* name, const Value& entry) {
    return failure_of([&] { with_bench(bench("hwmon:nct6798", {{name, entry}}), [](Bench&) {}); }).message;
  };
  EXPECT_THAT(wrong("in9", measure("voltage")), HasSubstr("nct6798 has no channel \"in9\"; it has curr1, fan1"));
  EXPECT_THAT(wrong("in0", measure("current")), HasSubstr("in0 of nct6798 measures voltage, not current"));
  EXPECT_THAT(wrong("in0", measure("voltage", {{"max", text("5")}})), HasSubstr("max of `in0` must be a voltage"));
  EXPECT_THAT(wrong("in0", measure("voltage", {{"maks", text("5 V")}})), HasSubstr("`maks` of `in0`"));
}

}  // namespace
}  // namespace firstlight
