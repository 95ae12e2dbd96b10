#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>

#include "lab/capabilities/identity.h"
#include "lab/capabilities/switch.h"
#include "tests/peers/ipmi_sim/simulator.h"
#include "tests/peers/support/lab_bench.h"

namespace firstlight::peers {
namespace {

using testing::HasSubstr;
using testing::Not;

// Each has something that a careless conversion gets wrong.
const std::vector<SimulatedSensor>& sensors() {
  static const std::vector<SimulatedSensor> all = [] {
    std::vector<SimulatedSensor> made(7);
    made[0].name = "Inlet Temp";
    made[0].raw = 0x1f;
    made[1].name = "Cold Plate";  // twos' complement, below zero
    made[1].format = 2;
    made[1].raw = 0xec;
    made[2].name = "P12V";  // 60 mV a step
    made[2].unit = 4;
    made[2].m = 6;
    made[2].k2 = -2;
    made[2].raw = 0xca;
    made[3].name = "Board Power";  // (4 x + 5 10^1) W, ten-bit B
    made[3].unit = 6;
    made[3].m = 4;
    made[3].b = -300;
    made[3].k1 = 1;
    made[3].k2 = -1;
    made[3].raw = 0xff;
    made[4].name = "Fan 1";  // turns a minute have no dimension here; ones' complement
    made[4].unit = 18;
    made[4].m = 100;
    made[4].format = 1;
    made[4].raw = 0x37;
    made[5].name = "Leak Current";  // 10^x A
    made[5].unit = 5;
    made[5].m = -1;
    made[5].linearisation = 5;
    made[5].raw = 3;
    made[6].name = "Sleeping";
    made[6].scanning = "no-scanning";
    made[6].raw = 0x22;
    for (std::size_t i = 0; i < made.size(); ++i) made[i].number = static_cast<int>(i) + 1;
    return made;
  }();
  return all;
}

std::string bench(const Simulator& bmc, const std::string& resource_extra = "", const std::string& driver_extra = "") {
  return fmt::format(R"(bench: rack
dut: {{name: tern}}
resources:
  bmc0: {{type: ipmi, address: "lan://127.0.0.1:{}", user: {}, password_file: "{}"{}}}
drivers:
  bmc:
    driver: ipmi
    uses: bmc0
    settle: 2 s
    measures:
      inlet: {{measures: temperature, sensor: Inlet Temp}}
      plate: {{measures: temperature, sensor: Cold Plate}}
      input: {{measures: voltage, sensor: P12V}}
      board: {{measures: power, sensor: Board Power}}
      fan: {{measures: number, sensor: Fan 1}}
      leak: {{measures: current, sensor: Leak Current}}
      sleeping: {{measures: temperature, sensor: Sleeping}}
      limit: {{measures: temperature, sensor: Inlet Temp, threshold: upper_critical}}
      missing_limit: {{measures: temperature, sensor: Inlet Temp, threshold: lower_critical}}
      misspelt: {{measures: temperature, sensor: Inlet Tmp}}
      wrong_kind: {{measures: voltage, sensor: Inlet Temp}}
{})",
                     bmc.port(), Simulator::kUser, bmc.password_file(), resource_extra, driver_extra);
}

double by_ipmitool(const Simulator& bmc, const std::string& sensor) {
  const Finished finished = bmc.ipmitool({"-c", "sensor", "reading", sensor});
  const std::size_t comma = finished.output.rfind(sensor + ",");
  if (comma == std::string::npos) throw std::runtime_error("ipmitool: " + finished.output);
  return std::strtod(finished.output.c_str() + comma + sensor.size() + 1, nullptr);
}

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

TEST(IpmiSim, SensorsReadAsIpmitoolReadsThem) {
  const Simulator bmc(sensors());
  on_lab_bench(bench(bmc), [&](Bench& bench, Scheduler&) {
    const auto reads = [&](const char* name, double expected, Dimension dimension, const std::string& sensor) {
      const Quantity value = bench.measurable(std::string("bmc.") + name).read();
      EXPECT_EQ(value.dimension, dimension) << name;
      EXPECT_NEAR(value.value, expected, 1e-9) << name;
      // It prints three digits.
      EXPECT_NEAR(by_ipmitool(bmc, sensor), expected, 5e-3 * std::max(1.0, std::abs(expected))) << name;
    };
    reads("inlet", 31, Dimension::temperature, "Inlet Temp");
    reads("plate", -20, Dimension::temperature, "Cold Plate");
    reads("input", 12.12, Dimension::voltage, "P12V");
    reads("board", -198, Dimension::power, "Board Power");
    reads("fan", 5500, Dimension::none, "Fan 1");
    reads("leak", 1e-3, Dimension::current, "Leak Current");
    EXPECT_DOUBLE_EQ(bench.measurable("bmc.limit").read().value, 0x90);
  });
}

TEST(IpmiSim, WhatIsNoReadingIsAFailureAndNeverAValue) {
  const Simulator bmc(sensors());
  on_lab_bench(bench(bmc), [&](Bench& bench, Scheduler&) {
    const auto failure = [&](const char* name) {
      return failure_of([&] { bench.measurable(std::string("bmc.") + name).read(); });
    };
    EXPECT_EQ(failure("sleeping").symptom, "sensor_not_scanned");
    EXPECT_EQ(failure("sleeping").error_class, ErrorClass::infrastructure);
    EXPECT_EQ(failure("missing_limit").symptom, "no_such_threshold");
    EXPECT_THAT(failure("misspelt").message, HasSubstr("did you mean \"Inlet Temp\"?"));
    EXPECT_EQ(failure("wrong_kind").symptom, "wrong_dimension");
  });
}

TEST(IpmiSim, ChassisPowerIsSwitchedAndReadBack) {
  Simulator bmc(sensors());
  on_lab_bench(bench(bmc, "", "    manufacturer: \"4753\"\n    revision: \"9\\\\..*\"\n"),
               [&](Bench& bench, Scheduler&) {
                 auto& power = bench.get<Switch>("bmc");
                 EXPECT_EQ(bench.get<Identity>("bmc").identity().at("manufacturer"), "4753");
                 EXPECT_FALSE(power.on("chassis"));
                 power.turn_on("chassis");
                 EXPECT_EQ(bmc.power(), "1");
                 EXPECT_TRUE(power.on("chassis"));
                 EXPECT_THAT(bmc.ipmitool({"chassis", "power", "status"}).output, HasSubstr("is on"));
                 power.turn_off("chassis");
                 EXPECT_EQ(bmc.power(), "0");
                 EXPECT_THAT(bmc.ipmitool({"chassis", "power", "status"}).output, HasSubstr("is off"));
                 EXPECT_EQ(failure_of([&] { power.turn_on("chasis"); }).symptom, "no_such_outlet");
                 bmc.break_chassis();
                 const Failure stuck = failure_of([&] { power.turn_on("chassis"); });
                 EXPECT_EQ(stuck.symptom, "outlet_readback");
               });
}

TEST(IpmiSim, AnotherMachineIsNotSwitched) {
  const Simulator bmc(sensors());
  on_lab_bench(bench(bmc, "", "    product: \"1\"\n"), [&](Bench& bench, Scheduler&) {
    const Failure failure = failure_of([&] { bench.get<Switch>("bmc").turn_on("chassis"); });
    EXPECT_EQ(failure.symptom, "wrong_instrument");
    EXPECT_EQ(bmc.power(), "0");
  });
}

TEST(IpmiSim, SpeaksTheOlderVersionToo) {
  const Simulator bmc(sensors());
  on_lab_bench(bench(bmc, ", version: \"1.5\""),
               [](Bench& bench, Scheduler&) { EXPECT_DOUBLE_EQ(bench.measurable("bmc.inlet").read().value, 31); });
}

TEST(IpmiSim, WrongCredentialsAreTheBenchsFaultAndAreNotShown) {
  const Simulator bmc(sensors());
  ::setenv("FIRSTLIGHT_TEST_PASSWORD", "wrong-but-secret", 1);
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  std::string said;
  for (const std::string version : {"2.0", "1.5"}) {
    std::string text = bench(bmc, ", version: \"" + version + "\"");
    const std::size_t at = text.find("password_file");
    text.replace(at, text.find(", version") - at, "password_env: FIRSTLIGHT_TEST_PASSWORD");
    on_lab_bench(text, [&](Bench& bench, Scheduler&) {
      const Failure failure = failure_of([&] { bench.measurable("bmc.inlet").read(); });
      EXPECT_EQ(failure.error_class, ErrorClass::bench) << failure.message;
      EXPECT_EQ(failure.symptom, "bmc_refuses_session") << failure.message;
      said += all_text(failure);
    });
  }
  said += testing::internal::GetCapturedStdout() + testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, Not(HasSubstr("wrong-but-secret")));
  EXPECT_THAT(said, HasSubstr(Simulator::kUser));
}

TEST(IpmiSim, ASessionIsEstablishedAgainWhenTheBmcRestarted) {
  Simulator bmc(sensors());
  on_lab_bench(bench(bmc), [&](Bench& bench, Scheduler&) {
    EXPECT_DOUBLE_EQ(bench.measurable("bmc.inlet").read().value, 31);
    bmc.stop();
    bmc.start();
    EXPECT_DOUBLE_EQ(bench.measurable("bmc.inlet").read().value, 31);
  });
}

TEST(IpmiSim, ABmcThatHangsFailsInTimeAndHoldsNobodyUp) {
  Simulator bmc(sensors());
  on_lab_bench(bench(bmc), [&](Bench& bench, Scheduler& scheduler) {
    bench.measurable("bmc.inlet").read();
    bmc.process().signal(SIGSTOP);
    const auto reader = scheduler.spawn("reader", [&] { bench.measurable("bmc.inlet").read(); });
    scheduler.sleep(std::chrono::milliseconds(100));
    auto start = std::chrono::steady_clock::now();
    scheduler.cancel(reader);
    ASSERT_TRUE(scheduler.join(reader, scheduler.now() + std::chrono::seconds(1)));
    EXPECT_LT(milliseconds_since(start), 20);
    start = std::chrono::steady_clock::now();
    const Failure failure = failure_of([&] { bench.measurable("bmc.inlet").read(); });
    EXPECT_EQ(failure.symptom, "bmc_no_answer");
    EXPECT_EQ(failure.error_class, ErrorClass::infrastructure);
    EXPECT_LT(milliseconds_since(start), 5100);
    bmc.process().signal(SIGCONT);
    EXPECT_DOUBLE_EQ(bench.measurable("bmc.inlet").read().value, 31);
  });
}

}  // namespace
}  // namespace firstlight::peers
