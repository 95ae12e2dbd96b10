#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <memory>

#include "lab/capabilities/identity.h"
#include "lab/capabilities/switch.h"
#include "tests/peers/support/lab_bench.h"
#include "tests/peers/support/peer_process.h"

namespace firstlight::peers {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kPassword = "correct-horse-battery";

/// Certificates, made once, and the password's file.
const TemporaryFolder& folder() {
  static const auto made = [] {
    auto fresh = std::make_unique<TemporaryFolder>();
    if (!on_path("openssl") || !on_path("python3"))
      throw std::runtime_error("openssl or python3 is missing: run scripts/setup");
    const Finished finished = run_program({std::string(PEER_FOLDER) + "/make_certificates", fresh->path().string()},
                                          std::chrono::seconds(20));
    if (finished.status != 0) throw std::runtime_error("no certificates: " + finished.output);
    std::ofstream(*fresh / "password") << kPassword << "\n";
    ::chmod((*fresh / "password").c_str(), 0600);
    return fresh;
  }();
  return *made;
}

class Service {
 public:
  explicit Service(const std::string& certificate = "right") : port_(free_port()) {
    process_ = std::make_unique<PeerProcess>(std::vector<std::string>{
        "python3", std::string(PEER_FOLDER) + "/service.py", std::to_string(port_), folder() / (certificate + ".pem"),
        folder() / (certificate + ".key"), std::string(PEER_FOLDER) + "/machine.json", folder() / "password"});
    if (!wait_for_port(port_, std::chrono::seconds(15))) throw std::runtime_error(process_->output());
  }
  int port() const { return port_; }
  PeerProcess& process() { return *process_; }

 private:
  int port_;
  std::unique_ptr<PeerProcess> process_;
};

/// The one with the right certificate, for all tests that leave it as it was.
const Service& right_service() {
  static const Service service;
  return service;
}

struct Access {
  std::string host = "https://127.0.0.1";
  std::string ca = "ca.pem";
  std::string password = "password_file: \"" + folder() / "password" + "\"";
  std::string auth = "basic";
};

std::string bench(const Service& service, const Access& access = {}, const std::string& extra = "") {
  return fmt::format(R"(bench: rack
dut: {{name: tern}}
resources:
  bmc0: {{type: redfish, address: "{}:{}", user: bench, {}, ca_file: "{}", auth: {}}}
drivers:
  host:
    driver: redfish
    uses: bmc0
    settle: 1 s
    {}
    measures:
      inlet: {{measures: temperature, sensor: Inlet}}
      flow: {{measures: flow, sensor: Coolant Flow}}
      gone: {{measures: temperature, sensor: GPU 3}}
      cpu1: {{measures: temperature, sensor: CPU 1}}
      dimm_a: {{measures: temperature, sensor: DIMM A}}
      dimm_b: {{measures: temperature, sensor: DIMM B}}
      fan: {{measures: number, sensor: Fan 1}}
      p12v: {{measures: voltage, sensor: P12V}}
      total: {{measures: power, sensor: Chassis Power}}
      capacity: {{measures: power, at: "/redfish/v1/Chassis/1U/PowerSubsystem#/CapacityWatts"}}
      supply_in: {{measures: power, at: "/redfish/v1/Chassis/1U/PowerSubsystem/PowerSupplies/Bay1/Metrics#/InputPowerWatts"}}
      supply_volts: {{measures: voltage, at: "/redfish/v1/Chassis/1U/PowerSubsystem/PowerSupplies/Bay1/Metrics#/InputVoltage"}}
      tray: {{measures: number, leak_detector: Dry}}
      manifold: {{measures: number, leak_detector: Manifold}}
      hose: {{measures: number, leak_detector: Unplugged}}
      misspelt: {{measures: temperature, sensor: Coolant Flw}}
      hang: {{measures: number, at: /odd/hang}}
      elsewhere: {{measures: number, at: "/odd/elsewhere#/PowerState"}}
      here: {{measures: temperature, at: /odd/here}}
      circle: {{measures: number, at: /odd/circle}}
      huge: {{measures: number, at: /odd/huge}}
      page: {{measures: number, at: /odd/page}}
      busy: {{measures: number, at: /odd/busy}}
      echo: {{measures: number, at: /odd/echo}}
      sessions: {{measures: number, at: "/odd/sessions#/open"}}
      forget: {{measures: number, at: "/odd/forget"}}
  pdu: {{driver: redfish_pdu, uses: bmc0, outlets: [A1, B1], settle: 500 ms}}
)",
                     access.host, service.port(), access.password, folder() / access.ca, access.auth, extra);
}

double read(Bench& bench, const std::string& name) { return bench.measurable("host." + name).read().value; }
Failure read_failure(Bench& bench, const std::string& name) {
  return failure_of([&] { bench.measurable("host." + name).read(); });
}

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

TEST(Redfish, SensorsAreFoundWhereverAServiceKeepsThem) {
  const Service& service = right_service();
  on_lab_bench(bench(service), [](Bench& bench, Scheduler&) {
    EXPECT_DOUBLE_EQ(read(bench, "inlet"), 24.5);
    EXPECT_DOUBLE_EQ(read(bench, "flow"), 3.25) << "on the collection's second page, by name";
    EXPECT_DOUBLE_EQ(read(bench, "cpu1"), 57) << "ThermalMetrics";
    EXPECT_DOUBLE_EQ(read(bench, "dimm_a"), 41) << "the older Thermal";
    EXPECT_DOUBLE_EQ(read(bench, "fan"), 6000);
    EXPECT_DOUBLE_EQ(read(bench, "p12v"), 12.09) << "the older Power";
    EXPECT_DOUBLE_EQ(read(bench, "total"), 398);
    EXPECT_DOUBLE_EQ(read(bench, "capacity"), 2000);
    EXPECT_DOUBLE_EQ(read(bench, "supply_in"), 412.5);
    EXPECT_DOUBLE_EQ(read(bench, "supply_volts"), 229.4);
  });
}

TEST(Redfish, ALeakIsToldApartFromADetectorThatDoesNotWork) {
  const Service& service = right_service();
  on_lab_bench(bench(service), [](Bench& bench, Scheduler&) {
    EXPECT_EQ(read(bench, "tray"), 0);
    EXPECT_EQ(read(bench, "manifold"), 1);
    const Failure failure = read_failure(bench, "hose");
    EXPECT_EQ(failure.symptom, "sensor_unavailable");
    EXPECT_THAT(failure.message, HasSubstr("detects nothing"));
  });
}

TEST(Redfish, WhatIsNoReadingIsAFailureAndNeverAValue) {
  const Service& service = right_service();
  on_lab_bench(bench(service), [](Bench& bench, Scheduler&) {
    EXPECT_THAT(read_failure(bench, "gone").message, HasSubstr("Absent"));
    EXPECT_THAT(read_failure(bench, "dimm_b").message, HasSubstr("null"));
    EXPECT_THAT(read_failure(bench, "misspelt").message, HasSubstr("did you mean \"Coolant Flow\"?"));
  });
}

TEST(Redfish, TheMachineIsSwitchedAndReadBack) {
  const Service& service = right_service();
  on_lab_bench(bench(service, {}, "serial_number: S-17"), [](Bench& bench, Scheduler&) {
    auto& power = bench.get<Switch>("host");
    EXPECT_EQ(bench.get<Identity>("host").identity().at("model"), "CX-2");
    EXPECT_FALSE(power.on("system"));
    power.turn_on("system");
    EXPECT_TRUE(power.on("system"));
    power.turn_off("system");
    EXPECT_FALSE(power.on("system"));
  });
  on_lab_bench(bench(service, {}, "serial_number: S-18"), [](Bench& bench, Scheduler&) {
    EXPECT_EQ(failure_of([&] { bench.get<Switch>("host").turn_on("system"); }).symptom, "wrong_instrument");
    EXPECT_EQ(failure_of([&] { bench.get<Switch>("host").on("system"); }).symptom, "wrong_instrument");
  });
  on_lab_bench(bench(service, {}, "serial_number: S-17"),
               [](Bench& bench, Scheduler&) { EXPECT_FALSE(bench.get<Switch>("host").on("system")); });
}

TEST(Redfish, OutletsOfAPduAreSwitchedAndOneThatSticksIsSeen) {
  const Service& service = right_service();
  on_lab_bench(bench(service), [](Bench& bench, Scheduler&) {
    auto& strip = bench.get<Switch>("pdu");
    strip.turn_on("A1");
    EXPECT_TRUE(strip.on("A1"));
    strip.turn_off("A1");
    EXPECT_FALSE(strip.on("A1"));
    const Failure failure = failure_of([&] { strip.turn_off("B1"); });
    EXPECT_EQ(failure.symptom, "outlet_readback");
    EXPECT_THAT(failure.likely_cause, HasSubstr("relay is stuck"));
  });
}

void expect_refused(const std::string& certificate, const Access& access, const std::string& why) {
  const Service service(certificate);
  on_lab_bench(bench(service, access), [&](Bench& bench, Scheduler&) {
    const Failure failure = read_failure(bench, "inlet");
    EXPECT_EQ(failure.symptom, "redfish_bad_certificate") << failure.message;
    EXPECT_EQ(failure.error_class, ErrorClass::bench);
    EXPECT_THAT(failure.message, HasSubstr(why));
    EXPECT_THAT(failure.likely_cause, HasSubstr("nothing was sent"));
  });
}

TEST(Redfish, ACertificateForAnotherHostIsRefused) { expect_refused("other_host", {}, "is for another host"); }
TEST(Redfish, ACertificateThatHasExpiredIsRefused) { expect_refused("expired", {}, "has expired"); }
TEST(Redfish, ACertificateFromTheFutureIsRefused) { expect_refused("not_yet", {}, "is not valid yet"); }
TEST(Redfish, ACertificateThatSignsItselfIsRefused) { expect_refused("self_signed", {}, "is self-signed"); }
TEST(Redfish, ACertificateOfAnotherAuthorityIsRefused) {
  Access access;
  access.ca = "self_signed.pem";
  expect_refused("right", access, "who is not trusted");
}
TEST(Redfish, ASelfSignedCertificateThatTheBenchNamesIsTrusted) {
  const Service service("self_signed");
  Access access;
  access.ca = "self_signed.pem";
  on_lab_bench(bench(service, access), [](Bench& bench, Scheduler&) { EXPECT_DOUBLE_EQ(read(bench, "inlet"), 24.5); });
}

TEST(Redfish, ASessionIsOpenedKeptRenewedAndEnded) {
  const Service& service = right_service();
  Access access;
  access.auth = "session";
  on_lab_bench(bench(service, access), [](Bench& bench, Scheduler&) {
    EXPECT_DOUBLE_EQ(read(bench, "inlet"), 24.5);
    EXPECT_DOUBLE_EQ(read(bench, "sessions"), 1) << "one for all requests";
    read_failure(bench, "forget");  // the service ends it
    EXPECT_DOUBLE_EQ(read(bench, "inlet"), 24.5);
    EXPECT_DOUBLE_EQ(read(bench, "sessions"), 1);
  });
  on_lab_bench(bench(service), [](Bench& bench, Scheduler&) {
    EXPECT_DOUBLE_EQ(read(bench, "sessions"), 0) << "ended with the bench before";
  });
}

TEST(Redfish, CredentialsAreNeverShown) {
  const Service& service = right_service();
  ::setenv("FIRSTLIGHT_TEST_PASSWORD", "wrong-but-secret", 1);
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  std::string said;
  for (const std::string auth : {"basic", "session"}) {
    Access access;
    access.auth = auth;
    access.password = "password_env: FIRSTLIGHT_TEST_PASSWORD";
    on_lab_bench(bench(service, access), [&](Bench& bench, Scheduler&) {
      const Failure failure = read_failure(bench, "inlet");
      EXPECT_EQ(failure.symptom, "redfish_refuses_credentials") << failure.message;
      EXPECT_EQ(failure.error_class, ErrorClass::bench);
      said += all_text(failure);
    });
  }
  on_lab_bench(bench(service), [&](Bench& bench, Scheduler&) {
    const Failure failure = read_failure(bench, "echo");
    EXPECT_THAT(failure.message, HasSubstr("bad password ***"));
    said += all_text(failure);
  });
  said += testing::internal::GetCapturedStdout() + testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, AllOf(Not(HasSubstr("wrong-but-secret")), Not(HasSubstr(kPassword)), Not(HasSubstr("token-"))));
  EXPECT_THAT(said, Not(HasSubstr("Authorization")));
}

TEST(Redfish, OddAnswersAreToldForWhatTheyAre) {
  const Service& service = right_service();
  on_lab_bench(bench(service), [](Bench& bench, Scheduler&) {
    EXPECT_DOUBLE_EQ(read(bench, "here"), 24.5) << "a redirect on the same host is followed";
    EXPECT_THAT(read_failure(bench, "elsewhere").message, HasSubstr("redirects to another host"));
    EXPECT_THAT(read_failure(bench, "circle").message, HasSubstr("redirects more than"));
    EXPECT_THAT(read_failure(bench, "huge").message, HasSubstr("longer than 4 MiB"));
    EXPECT_EQ(read_failure(bench, "page").symptom, "redfish_no_json");
    const Failure busy = read_failure(bench, "busy");
    EXPECT_THAT(busy.message, AllOf(HasSubstr("HTTP 503"), HasSubstr("The service is starting.")));
    EXPECT_EQ(busy.error_class, ErrorClass::infrastructure);
  });
}

TEST(Redfish, AServiceThatHangsHoldsNobodyUp) {
  const Service& service = right_service();
  on_lab_bench(bench(service), [](Bench& bench, Scheduler& scheduler) {
    const auto reader = scheduler.spawn("reader", [&] { read(bench, "hang"); });
    scheduler.sleep(std::chrono::milliseconds(200));
    auto start = std::chrono::steady_clock::now();
    scheduler.cancel(reader);
    ASSERT_TRUE(scheduler.join(reader, scheduler.now() + std::chrono::seconds(1)));
    EXPECT_LT(milliseconds_since(start), 20);
    start = std::chrono::steady_clock::now();
    EXPECT_DOUBLE_EQ(read(bench, "inlet"), 24.5) << "the request that was given up does not hold the next one up";
    EXPECT_LT(milliseconds_since(start), 2000);
  });
}

TEST(Redfish, AServiceThatIsGoneIsUnreachable) {
  Service service;
  service.process().signal(SIGKILL);
  service.process().wait(std::chrono::seconds(2));
  on_lab_bench(bench(service), [](Bench& bench, Scheduler&) {
    EXPECT_EQ(read_failure(bench, "inlet").symptom, "redfish_unreachable");
  });
}

TEST(Redfish, PlainHttpIsForThisMachineOnly) {
  const Service& service = right_service();
  Access access;
  for (const char* host : {"http://10.0.0.1", "http://127.evil.example", "http://localhost.example"}) {
    access.host = host;
    EXPECT_THAT(failure_of([&] { on_lab_bench(bench(service, access), [](Bench&, Scheduler&) {}); }).message,
                HasSubstr("in the clear"))
        << host;
  }
  access.host = "https://bench:" + std::string(kPassword) + "@127.0.0.1";
  const Failure failure = failure_of([&] { on_lab_bench(bench(service, access), [](Bench&, Scheduler&) {}); });
  EXPECT_THAT(failure.message, HasSubstr("not part of the address"));
  EXPECT_THAT(all_text(failure), Not(HasSubstr(kPassword)));
}

}  // namespace
}  // namespace firstlight::peers
