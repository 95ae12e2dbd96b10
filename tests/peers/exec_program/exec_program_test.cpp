#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <fstream>

#include "lab/capabilities/identity.h"
#include "lab/capabilities/setpoints.h"
#include "lab/capabilities/switch.h"
#include "tests/peers/support/lab_bench.h"
#include "tests/peers/support/peer_process.h"

namespace firstlight::peers {
namespace {

using testing::HasSubstr;

std::string bench(const std::string& program) {
  return fmt::format(R"(bench: oven
dut: {{name: tern}}
resources:
  oven0: {{type: exec, address: "exec:{}"}}
drivers:
  oven: {{driver: exec, uses: oven0, measures: {{air: temperature}}, max: {{air: 90 degC}}, timeout: 2 s, settle: 1 s}}
)",
                     program);
}

TEST(ExecProgram, TheExampleOfTheGuideIsADriver) {
  std::ifstream file(std::string(EXAMPLES) + "/chamber.py");
  EXPECT_EQ(std::count(std::istreambuf_iterator<char>(file), {}, '\n'), 10) << "the guide promises ten lines";
  on_lab_bench(bench(std::string(EXAMPLES) + "/chamber.py"), [](Bench& bench, Scheduler&) {
    EXPECT_EQ(bench.get<Identity>("oven").identity().at("name"), "chamber");
    EXPECT_EQ(bench.measurable("oven.air").read(), (Quantity{25, Dimension::temperature}));
    auto& setpoints = bench.get<Setpoints>("oven");
    setpoints.set("air", {60, Dimension::temperature});
    EXPECT_DOUBLE_EQ(setpoints.target("air").value, 60);
    EXPECT_EQ(failure_of([&] {
                setpoints.set("air", {91, Dimension::temperature});
              }).error_class,
              ErrorClass::interlock);
    auto& outlets = bench.get<Switch>("oven");
    EXPECT_FALSE(outlets.on("heater"));
    outlets.turn_on("heater");
    EXPECT_TRUE(outlets.on("heater"));
    outlets.turn_off("heater");
    EXPECT_FALSE(outlets.on("heater"));
  });
}

TEST(ExecProgram, AnotherOneThanDeclaredIsNotEvenAskedForItsSettings) {
  std::string text = bench(std::string(EXAMPLES) + "/chamber.py");
  text.insert(text.find(", settle: 1 s"), ", serial_number: \"1730\"");
  on_lab_bench(text, [](Bench& bench, Scheduler&) {
    const Failure failure = failure_of([&] { bench.get<Setpoints>("oven").target("air"); });
    EXPECT_EQ(failure.symptom, "wrong_instrument");
    EXPECT_EQ(failure.received, "1729");
    EXPECT_EQ(failure_of([&] { bench.get<Switch>("oven").on("heater"); }).symptom, "wrong_instrument");
    EXPECT_EQ(bench.measurable("oven.air").read(), (Quantity{25, Dimension::temperature})) << "looking does no harm";
  });
}

std::string script(const TemporaryFolder& folder, const std::string& body) {
  const std::string path = folder / "program";
  std::ofstream(path) << "#!/bin/sh\n" << body;
  ::chmod(path.c_str(), 0700);
  return path;
}

TEST(ExecProgram, OneThatDiesTellsItsLastWords) {
  const TemporaryFolder folder;
  on_lab_bench(bench(script(folder, "read line; echo 'no licence left' >&2; exit 3\n")), [](Bench& bench, Scheduler&) {
    const Failure failure = failure_of([&] { bench.measurable("oven.air").read(); });
    EXPECT_EQ(failure.symptom, "exec_no_answer");
    EXPECT_EQ(failure.error_class, ErrorClass::infrastructure);
    EXPECT_THAT(failure.message, HasSubstr("no licence left"));
    EXPECT_THAT(failure.sent, HasSubstr("hello"));
  });
}

TEST(ExecProgram, OneThatHangsEndsAtTheDeadlineAndHoldsNobodyUp) {
  const TemporaryFolder folder;
  on_lab_bench(bench(script(folder, "exec sleep 100\n")), [](Bench& bench, Scheduler& scheduler) {
    const auto reader = scheduler.spawn("reader", [&] { bench.measurable("oven.air").read(); });
    scheduler.sleep(std::chrono::milliseconds(200));
    auto start = std::chrono::steady_clock::now();
    scheduler.cancel(reader);
    ASSERT_TRUE(scheduler.join(reader, scheduler.now() + std::chrono::seconds(1)));
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(20));
    start = std::chrono::steady_clock::now();
    EXPECT_EQ(failure_of([&] { bench.measurable("oven.air").read(); }).symptom, "exec_timeout");
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(2300));
  });
}

}  // namespace
}  // namespace firstlight::peers
