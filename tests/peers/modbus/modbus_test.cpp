#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <memory>

#include "lab/capabilities/coolant.h"
#include "lab/capabilities/setpoints.h"
#include "lab/capabilities/switch.h"
#include "tests/peers/support/lab_bench.h"
#include "tests/peers/support/peer_process.h"

namespace firstlight::peers {
namespace {

using testing::HasSubstr;

class Server {
 public:
  Server() : port_(free_port()) { start(); }
  void start() {
    process_ = std::make_unique<PeerProcess>(std::vector<std::string>{MODBUS_SERVER, "tcp", std::to_string(port_)});
    if (!wait_for_port(port_, std::chrono::seconds(5))) throw std::runtime_error(process_->output());
  }
  void stop() { process_.reset(); }
  PeerProcess& process() { return *process_; }
  std::string address() const { return fmt::format("tcp://127.0.0.1:{}", port_); }

 private:
  int port_;
  std::unique_ptr<PeerProcess> process_;
};

std::string coolant_bench(const std::string& address, int unit = 1) {
  return fmt::format(R"(bench: rack
dut: {{name: tern}}
resources:
  line0: {{type: modbus, address: "{}", baud: 115200}}
drivers:
  cdu: {{driver: modbus_coolant, uses: line0, device: generic-cdu, unit: {}, max_temperature: 45 degC, max_flow: 4 L/min, settle: 1 s}}
)",
                     address, unit);
}

/// The same registers with outputs that disturb the plant, as a device of a bench's own map.
std::string device_bench(const Server& server, const std::string& map, const std::string& extra = "") {
  return fmt::format(R"(bench: rack
dut: {{name: tern}}
resources:
  line0: {{type: modbus, address: "{}"}}
drivers:
  chiller:
    driver: modbus
    uses: line0
    device: {}
    measures: {{supply: temperature, back: {{measures: temperature, reading: outlet}}}}
    max: {{supply: 50 degC}}
{})",
                     server.address(), map, extra);
}

constexpr const char* kMap = R"(device: chiller
{}
readings:
  supply: {{input: 0, type: s16, scale: 0.1, unit: degC, min: -40 degC, max: 120 degC}}
  outlet: {{input: 1, type: s16, scale: 0.1, unit: degC, invalid: [0x7fff]}}
settings:
  supply: {{holding: 0, type: s16, scale: 0.1, unit: degC, min: 5 degC, max: 60 degC}}
outputs:
  break_sensor: {{coil: 6}}
  overheat: {{coil: 5}}
  absent: {{coil: 500}}
)";

std::string write_map(const TemporaryFolder& folder, const std::string& identity = "") {
  const std::string path = folder / "chiller.yaml";
  std::ofstream(path) << fmt::format(kMap, identity);
  return path;
}

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

void drive_coolant(Bench& bench) {
  auto& unit = bench.get<CoolantUnit>("cdu");
  unit.set_temperature(Temperature(31.4));
  unit.set_flow(Flow(2.3));
  EXPECT_NEAR(unit.target_temperature().base(), 31.4, 1e-9);
  EXPECT_NEAR(unit.target_flow().base(), 2.3, 1e-6);
  EXPECT_FALSE(unit.running());
  EXPECT_EQ(unit.flow().base(), 0);
  unit.start();
  EXPECT_TRUE(unit.running());
  EXPECT_NEAR(unit.flow().base(), 2.3, 1e-6);
  EXPECT_NEAR(unit.inlet().base(), 31.4, 1e-9);
  EXPECT_NEAR(unit.outlet().base(), 32.9, 1e-9);
  EXPECT_EQ(unit.pressure(), (Quantity{150000, Dimension::pressure}));
  EXPECT_FALSE(unit.leak());
  EXPECT_NEAR(bench.measurable("cdu.flow").read().value, 2.3, 1e-6);
  EXPECT_EQ(bench.measurable("cdu.leak").read().value, 0);
  unit.stop();
  EXPECT_FALSE(unit.running());
}

TEST(Modbus, ACoolantUnitIsDrivenByTcp) {
  const Server server;
  on_lab_bench(coolant_bench(server.address()), [](Bench& bench, Scheduler&) { drive_coolant(bench); });
}

TEST(Modbus, ACoolantUnitIsDrivenByASerialLine) {
  PeerProcess server({MODBUS_SERVER, "rtu"});
  ASSERT_TRUE(server.wait_for_output("\n", std::chrono::seconds(5))) << server.output();
  const std::string printed = server.output();
  const std::string path = printed.substr(5, printed.find('\n') - 5);
  on_lab_bench(coolant_bench("rtu:" + path), [](Bench& bench, Scheduler&) { drive_coolant(bench); });
}

TEST(Modbus, WhatTheBenchOrTheDeviceForbidsIsNotSent) {
  const Server server;
  on_lab_bench(coolant_bench(server.address()), [](Bench& bench, Scheduler&) {
    auto& unit = bench.get<CoolantUnit>("cdu");
    for (const double too_much : {45.1, 100.0})
      EXPECT_EQ(failure_of([&] { unit.set_temperature(Temperature(too_much)); }).error_class, ErrorClass::interlock);
    EXPECT_EQ(failure_of([&] { unit.set_temperature(Temperature(4)); }).error_class, ErrorClass::interlock);
    EXPECT_EQ(failure_of([&] { unit.set_flow(Flow(4.1)); }).error_class, ErrorClass::interlock);
    EXPECT_NEAR(unit.target_temperature().base(), 25, 1e-9) << "as it was";
  });
}

TEST(Modbus, ASettingThatDoesNotTakeIsSeen) {
  const Server server;
  on_lab_bench(coolant_bench(server.address(), 5), [](Bench& bench, Scheduler&) {
    const Failure failure = failure_of([&] { bench.get<CoolantUnit>("cdu").set_temperature(Temperature(31.4)); });
    EXPECT_EQ(failure.symptom, "instrument_readback");
    EXPECT_EQ(failure.error_class, ErrorClass::bench);
  });
}

TEST(Modbus, AnExceptionIsToldWithItsMeaning) {
  const Server server;
  TemporaryFolder folder;
  on_lab_bench(coolant_bench(server.address(), 2), [](Bench& bench, Scheduler&) {
    const Failure failure = failure_of([&] { bench.measurable("cdu.inlet").read(); });
    EXPECT_EQ(failure.symptom, "modbus_exception");
    EXPECT_EQ(failure.error_class, ErrorClass::infrastructure);
    EXPECT_THAT(failure.message, HasSubstr("exception 4"));
    EXPECT_THAT(failure.sent, HasSubstr("unit 2: read input register 0"));
  });
  on_lab_bench(device_bench(server, write_map(folder)), [](Bench& bench, Scheduler&) {
    const Failure failure = failure_of([&] { bench.get<Switch>("chiller").turn_on("absent"); });
    EXPECT_THAT(failure.message, HasSubstr("exception 2"));
    EXPECT_THAT(failure.likely_cause, HasSubstr("nothing at that address"));
    bench.measurable("chiller.supply").read();  // the line goes on
  });
}

TEST(Modbus, SilenceEndsAtTheDeadlineAndHoldsNobodyUp) {
  const Server server;
  on_lab_bench(coolant_bench(server.address(), 3), [](Bench& bench, Scheduler& scheduler) {
    auto start = std::chrono::steady_clock::now();
    const Failure failure = failure_of([&] { bench.measurable("cdu.inlet").read(); });
    EXPECT_EQ(failure.symptom, "modbus_timeout");
    EXPECT_LT(milliseconds_since(start), 1100);
    const auto reader = scheduler.spawn("reader", [&] { bench.measurable("cdu.inlet").read(); });
    scheduler.sleep(std::chrono::milliseconds(50));
    start = std::chrono::steady_clock::now();
    scheduler.cancel(reader);
    ASSERT_TRUE(scheduler.join(reader, scheduler.now() + std::chrono::seconds(1)));
    EXPECT_LT(milliseconds_since(start), 20);
  });
}

TEST(Modbus, AClosedConnectionIsAFailureAndTheNextOneIsOpened) {
  Server server;
  on_lab_bench(coolant_bench(server.address(), 4), [](Bench& bench, Scheduler&) {
    const Failure failure = failure_of([&] { bench.measurable("cdu.inlet").read(); });
    EXPECT_EQ(failure.symptom, "modbus_io");
    EXPECT_EQ(failure.error_class, ErrorClass::infrastructure);
  });
  on_lab_bench(coolant_bench(server.address()), [&](Bench& bench, Scheduler&) {
    bench.measurable("cdu.inlet").read();
    server.stop();
    const Failure failure = failure_of([&] { bench.measurable("cdu.inlet").read(); });
    EXPECT_THAT(failure.message, HasSubstr("nobody listens"));
    server.start();
    EXPECT_DOUBLE_EQ(bench.measurable("cdu.inlet").read().value, 25);
  });
}

TEST(Modbus, SentinelsAndWhatCannotBeAreNoReadings) {
  const Server server;
  TemporaryFolder folder;
  on_lab_bench(device_bench(server, write_map(folder)), [](Bench& bench, Scheduler&) {
    EXPECT_DOUBLE_EQ(bench.measurable("chiller.back").read().value, 26.5);
    auto& outputs = bench.get<Switch>("chiller");
    outputs.turn_on("break_sensor");
    const Failure sentinel = failure_of([&] { bench.measurable("chiller.back").read(); });
    EXPECT_EQ(sentinel.symptom, "implausible_reading");
    outputs.turn_on("overheat");
    EXPECT_THAT(failure_of([&] { bench.measurable("chiller.supply").read(); }).message, HasSubstr("900"));
  });
}

TEST(Modbus, SetPointsAreBoundedReadBackAndOfTheirKind) {
  const Server server;
  TemporaryFolder folder;
  on_lab_bench(device_bench(server, write_map(folder)), [](Bench& bench, Scheduler&) {
    auto& setpoints = bench.get<Setpoints>("chiller");
    setpoints.set("supply", {42.04, Dimension::temperature});  // rounded to the register's tenth
    EXPECT_NEAR(setpoints.target("supply").value, 42.0, 1e-9);
    EXPECT_EQ(failure_of([&] {
                setpoints.set("supply", {51, Dimension::temperature});
              }).error_class,
              ErrorClass::interlock);
    EXPECT_EQ(failure_of([&] { setpoints.set("supply", {1, Dimension::voltage}); }).symptom, "wrong_dimension");
    EXPECT_EQ(failure_of([&] { setpoints.set("suply", {20, Dimension::temperature}); }).symptom, "no_such_setpoint");
  });
}

TEST(Modbus, AnotherDeviceIsNotWrittenTo) {
  const Server server;
  TemporaryFolder folder;
  const std::string map = write_map(folder, "identity: {holding: 9, value: 4711}");
  on_lab_bench(device_bench(server, map), [](Bench& bench, Scheduler&) {
    const Failure failure = failure_of([&] {
      bench.get<Setpoints>("chiller").set("supply", {30, Dimension::temperature});
    });
    EXPECT_EQ(failure.symptom, "wrong_instrument");
    EXPECT_NEAR(bench.get<Setpoints>("chiller").target("supply").value, 25, 1e-9);
  });
}

}  // namespace
}  // namespace firstlight::peers
