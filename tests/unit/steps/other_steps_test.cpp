#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "lab/capabilities/clock_source.h"
#include "lab/capabilities/coolant.h"
#include "lab/capabilities/identity.h"
#include "lab/capabilities/lines.h"
#include "lab/capabilities/registers.h"
#include "lab/capabilities/supply.h"
#include "rtl/regs/tern_registers.h"
#include "tests/unit/steps/fake_step.h"

namespace firstlight {
namespace {

using test::FakeStep;
using test::FakeTime;
using testing::ElementsAre;
using testing::HasSubstr;

class FakeSupply final : public Supply {
 public:
  std::vector<std::string> calls;
  Voltage set{0};
  double output_factor = 1;
  bool on = false;
  bool stuck_on = false;
  std::vector<std::string> tripped;
  std::string part() const override { return "psu (psu0)"; }
  void set_voltage(Voltage v) override {
    set = v;
    calls.emplace_back("voltage");
  }
  void set_current_limit(Current) override { calls.emplace_back("current"); }
  void set_over_voltage(Voltage) override { calls.emplace_back("over_voltage"); }
  Voltage target_voltage() override { return set; }
  void enable() override {
    on = tripped.empty();
    calls.emplace_back("enable");
  }
  void disable() override {
    on = stuck_on;
    calls.emplace_back("disable");
  }
  bool enabled() override { return on; }
  Voltage voltage() override { return on ? output_factor * set : Voltage(0); }
  Current current() override { return Current(2); }
  Power power() override { return Power(24); }
  std::vector<std::string> trips() override { return tripped; }
};

class FakeClock final : public ClockSource {
 public:
  double factor = 1;
  bool on = false;
  Frequency set;
  std::string part() const override { return "refclk (clk0)"; }
  void set_frequency(Frequency f) override { set = f; }
  Frequency target_frequency() override { return set; }
  void enable() override { on = true; }
  void disable() override { on = false; }
  bool enabled() override { return on; }
  int counter_inputs() const override { return 2; }
  Frequency measured_frequency(int) override { return on ? factor * set : Frequency(0); }
};

class FakeCoolant final : public CoolantUnit {
 public:
  double flow_factor = 1;
  double too_hot = 0;
  bool leaks = false;
  bool on = false;
  Temperature t{20};
  Flow f;
  std::string part() const override { return "coolant (cdu0)"; }
  void set_temperature(Temperature inlet) override { t = inlet; }
  void set_flow(Flow flow) override { f = flow; }
  Temperature target_temperature() override { return t; }
  Flow target_flow() override { return f; }
  void start() override { on = true; }
  void stop() override { on = false; }
  bool running() override { return on; }
  Temperature inlet() override { return t + Temperature(too_hot); }
  Temperature outlet() override { return t; }
  Flow flow() override { return on ? flow_factor * f : Flow(0); }
  Quantity pressure() override { return {1e5, Dimension::pressure}; }
  bool leak() override { return leaks; }
};

class FakeIdentity final : public Identity {
 public:
  std::string part() const override { return "board (I2C 0x50)"; }
  std::map<std::string, std::string> identity() override {
    return {{"serial_number", "FL-TERN-0001"}, {"part_number", "FL-BRD-A0"}};
  }
  std::map<std::string, std::string> wanted = {{"serial_number", "FL-TERN-0001"}};
  std::map<std::string, std::string> expected() const override { return wanted; }
};

class FakeLines final : public Lines {
 public:
  explicit FakeLines(FakeTime& time) : time_(time) {}
  Instant rises_at = kNever;
  std::string part(const std::string& line) const override { return "lines line " + line; }
  std::vector<std::string> names() const override { return {"pg"}; }
  bool level(const std::string&) override { return time_.now() >= rises_at; }
  void drive(const std::string&, bool) override {}

 private:
  FakeTime& time_;
};

class FakeRegisters final : public Registers {
 public:
  std::map<std::string, std::uint32_t> values;
  std::function<std::uint32_t(const std::string&)> special;
  std::vector<std::string> writes;
  void explain_errors(Explainer /*explainer*/) override {}
  std::string part() const override { return "host"; }
  const RegisterMap& map() const override { return tern_registers(); }
  std::uint32_t read(const std::string& name) override { return special ? special(name) : values[name]; }
  void write(const std::string& name, std::uint32_t value) override {
    writes.push_back(name + "=" + std::to_string(value));
    values[name] = value;
  }
  std::int64_t read_number(const std::string& name) override { return read(name); }
  void write_number(const std::string& name, std::int64_t value) override {
    write(name, static_cast<std::uint32_t>(value));
  }
  std::uint32_t read_at(std::uint32_t) override { return 0; }
  void write_at(std::uint32_t, std::uint32_t) override {}
};

class OtherSteps : public testing::Test {
 protected:
  OtherSteps() : bench({}, time), lines(time) {
    bench.offer<Supply>("psu", supply);
    bench.offer<ClockSource>("refclk", clock);
    bench.offer<CoolantUnit>("coolant", coolant);
    bench.offer<Identity>("board", board);
    bench.offer<Lines>("lines", lines);
    bench.offer<Registers>("host", registers);
    bench.add({"bench.voltage", Dimension::voltage, {}, "probe", [this] {
                 return Quantity{voltage + 0.01 * static_cast<double>(reads++ % 3 - 1), Dimension::voltage};
               }});
  }
  FakeStep supply_on() { return {bench, "supply.on"}; }

  FakeTime time;
  Bench bench;
  FakeSupply supply;
  FakeClock clock;
  FakeCoolant coolant;
  FakeIdentity board;
  FakeLines lines;
  FakeRegisters registers;
  double voltage = 1;
  int reads = 0;
};

std::optional<Failure> run_supply_on(FakeStep&& step) {
  return step.quantity("voltage", 12, Dimension::voltage).quantity("current_limit", 10, Dimension::current).run();
}

TEST_F(OtherSteps, SupplySetsItsProtectionFirst) {
  EXPECT_FALSE(run_supply_on(supply_on()));
  EXPECT_THAT(supply.calls, ElementsAre("over_voltage", "current", "voltage", "enable"));
}

TEST_F(OtherSteps, SupplyIsUndoneWithReadBack) {
  FakeStep on(bench, "supply.on");
  on.quantity("voltage", 12, Dimension::voltage).quantity("current_limit", 10, Dimension::current).run();
  ASSERT_EQ(on.ledger.size(), 1U);
  supply.stuck_on = true;
  EXPECT_THROW(on.undo(0), FailureError);
  supply.stuck_on = false;
  on.undo(0);
  EXPECT_FALSE(supply.on);
}

TEST_F(OtherSteps, SupplyThatSagsOrTripsIsTold) {
  supply.output_factor = 0.88;
  EXPECT_EQ(run_supply_on(supply_on())->symptom, "supply_low");
  supply.tripped = {"over-current"};
  EXPECT_EQ(run_supply_on(supply_on())->symptom, "supply_tripped");
}

TEST_F(OtherSteps, ClockIsCounted) {
  const auto run = [this] {
    FakeStep step(bench, "clock.on");
    return step.quantity("frequency", 100e6, Dimension::frequency).run();
  };
  EXPECT_FALSE(run());
  clock.factor = 1 + 300e-6;
  EXPECT_EQ(run()->symptom, "clock_frequency");
  clock.factor = 0;
  EXPECT_EQ(run()->symptom, "clock_missing");
}

TEST_F(OtherSteps, CoolantFaultsAreTold) {
  const auto run = [this] {
    FakeStep step(bench, "coolant.on");
    const auto failure =
        step.quantity("temperature", 30, Dimension::temperature).quantity("flow", 2, Dimension::flow).run();
    return failure ? failure->symptom : "none";
  };
  EXPECT_EQ(run(), "none");
  coolant.flow_factor = 0;
  EXPECT_EQ(run(), "coolant_no_flow");
  coolant.flow_factor = 0.7;
  EXPECT_EQ(run(), "coolant_flow");
  coolant.flow_factor = 1;
  coolant.too_hot = 5;
  EXPECT_EQ(run(), "coolant_temperature");
  coolant.on = false;
  coolant.leaks = true;
  EXPECT_EQ(run(), "coolant_leak");
  EXPECT_FALSE(coolant.on) << "the pump must not start";
}

TEST_F(OtherSteps, IdentityIsCompared) {
  FakeStep good(bench, "identity.expect");
  EXPECT_FALSE(good.set("of", std::string("board")).run());
  EXPECT_EQ(good.checks.size(), 1U);
  board.wanted = {{"serial_number", "FL-TERN-0002"}};
  const auto failure = FakeStep(bench, "identity.expect").set("of", std::string("board")).run();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->error_class, ErrorClass::bench);
  EXPECT_THAT(failure->message, HasSubstr("FL-TERN-0001"));
  board.wanted = {{"serial_number", "TERN"}};
  EXPECT_THAT(FakeStep(bench, "identity.expect").set("of", std::string("board")).run()->likely_cause,
              HasSubstr("it matches in part only, and must as a whole: \".*TERN.*\" would"));
  board.wanted.clear();
  EXPECT_EQ(FakeStep(bench, "identity.expect").set("of", std::string("board")).run()->symptom, "nothing_expected");
  board.wanted = {{"serial_number", "("}};
  EXPECT_EQ(FakeStep(bench, "identity.expect").set("of", std::string("board")).run()->symptom, "bad_pattern");
}

TEST_F(OtherSteps, MeasureReducesSamples) {
  for (const auto& [how, value] :
       std::map<std::string, double>{{"mean", 1}, {"min", 0.99}, {"max", 1.01}, {"spread", 0.02}, {"last", 1.01}}) {
    reads = 0;
    FakeStep step(bench, "measure");
    step.set("of", std::string("bench.voltage")).set("samples", std::int64_t{3}).set("take", how);
    EXPECT_FALSE(step.run());
    EXPECT_NEAR(step.measured_as("")->value.value, value, 1e-12) << how;
    EXPECT_EQ(step.measured_as("")->part, "probe");
  }
}

TEST_F(OtherSteps, ExpectChecksLinesAndTexts) {
  FakeStep low(bench, "expect");
  EXPECT_FALSE(low.set("line", std::string("lines.pg")).set("level", std::string("low")).run());
  FakeStep high(bench, "expect");
  EXPECT_EQ(high.set("line", std::string("lines.pg")).set("level", std::string("high")).run()->symptom, "check_failed");
  FakeStep text(bench, "expect");
  EXPECT_FALSE(text.set("value", std::string("A0")).set("matches", std::string("A.")).run());
  EXPECT_EQ(FakeStep(bench, "expect").run()->error_class, ErrorClass::sequence);
}

TEST_F(OtherSteps, WaitForIsBoundedAndTellsTheLastReading) {
  FakeStep step(bench, "wait_for");
  step.set("line", std::string("lines.pg")).set("level", std::string("high")).quantity("within", 0.01, Dimension::time);
  const auto failure = step.run();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->symptom, "wait_timeout");
  EXPECT_EQ(time.now(), Instant{} + Duration{10'000'000'000});
  lines.rises_at = time.now() + Duration{3'000'000'000};
  FakeStep again(bench, "wait_for");
  again.set("line", std::string("lines.pg"))
      .set("level", std::string("high"))
      .quantity("within", 0.01, Dimension::time);
  EXPECT_FALSE(again.run());
  EXPECT_NEAR(again.measured_as("")->value.value, 3e-3, 1e-9);
}

TEST_F(OtherSteps, WaitForMeasurableMustStay) {
  voltage = 0.5;
  FakeStep step(bench, "wait_for");
  step.set("of", std::string("bench.voltage"))
      .quantity("above", 0.495, Dimension::voltage)
      .quantity("within", 0.02, Dimension::time);
  step.quantity("for", 0.005, Dimension::time);
  EXPECT_EQ(step.run()->symptom, "wait_timeout") << "every third reading is below";
  FakeStep brief(bench, "wait_for");
  brief.set("of", std::string("bench.voltage"))
      .quantity("above", 0.495, Dimension::voltage)
      .quantity("within", 0.02, Dimension::time);
  EXPECT_FALSE(brief.run());
}

TEST_F(OtherSteps, MonitorsHaveOneDimension) {
  FakeStep step(bench, "monitor.start");
  step.set("name", std::string("m")).list("of", {"bench.voltage"}).quantity("max", 1.1, Dimension::voltage);
  EXPECT_FALSE(step.run());
  ASSERT_TRUE(step.monitor);
  EXPECT_TRUE(step.monitor->has_limit);
  EXPECT_EQ(step.monitor->period, Duration{10'000'000'000});
}

TEST_F(OtherSteps, PromptComparesTheAnswer) {
  FakeStep step(bench, "prompt");
  step.answer = "no";
  step.set("question", std::string("Is the lid closed?"))
      .list("choices", {"yes", "no"})
      .set("expect", std::string("yes"));
  EXPECT_EQ(step.run()->error_class, ErrorClass::operator_);
}

TEST_F(OtherSteps, AttachReadsTheFile) {
  const std::string path = testing::TempDir() + "attach_test.txt";
  std::ofstream(path) << "hello";
  FakeStep step(bench, "attach");
  EXPECT_FALSE(step.set("file", path).run());
  EXPECT_EQ(step.files.at("attach_test.txt"), "hello");
  EXPECT_EQ(FakeStep(bench, "attach").set("file", std::string("/nowhere")).run()->error_class, ErrorClass::sequence);
}

TEST_F(OtherSteps, RegistersByNameAndByValueName) {
  FakeStep write(bench, "reg.write");
  EXPECT_FALSE(
      write.set("reg", std::string("chip.scratch")).set("value", std::string("0xa5")).set("verify", true).run());
  EXPECT_THAT(registers.writes, ElementsAre("chip.scratch=165"));
  registers.values["power.status.state"] = 6;
  FakeStep expect(bench, "reg.expect");
  EXPECT_FALSE(expect.set("reg", std::string("power.status.state")).set("value", std::string("run")).run());
  FakeStep wrong(bench, "reg.expect");
  const auto failure = wrong.set("reg", std::string("power.status.state")).set("value", std::string("fault")).run();
  EXPECT_THAT(failure->message, HasSubstr("0x6 (run)"));
  FakeStep unknown(bench, "reg.expect");
  EXPECT_THAT(
      unknown.set("reg", std::string("power.status.state")).set("value", std::string("running")).run()->likely_cause,
      HasSubstr("wait_rails"));
  FakeStep missing(bench, "reg.read");
  EXPECT_EQ(missing.set("reg", std::string("power.statos")).run()->symptom, "no_such_register");
}

TEST_F(OtherSteps, RegistersAreScaledAndSigned) {
  registers.values["thermal.zone[0].temperature"] = 0xf38;  // -200 * 0.125 degC
  FakeStep read(bench, "reg.read");
  EXPECT_FALSE(read.set("reg", std::string("thermal.zone[0].temperature")).run());
  EXPECT_DOUBLE_EQ(read.measured_as("")->value.value, -25);
}

TEST_F(OtherSteps, PollIsBounded) {
  registers.values["power.status.state"] = 1;
  FakeStep poll(bench, "reg.poll");
  poll.set("reg", std::string("power.status.state"))
      .set("value", std::string("run"))
      .quantity("within", 0.05, Dimension::time);
  const auto failure = poll.run();
  EXPECT_EQ(failure->symptom, "register_poll_timeout");
  EXPECT_THAT(failure->message, HasSubstr("wait_rails"));
  EXPECT_EQ(time.now(), Instant{} + from_seconds(0.05));
  registers.special = [this](const std::string&) { return time.now() > Instant{} + from_seconds(0.06) ? 6U : 1U; };
  FakeStep again(bench, "reg.poll");
  again.set("reg", std::string("power.status.state"))
      .set("value", std::string("run"))
      .quantity("within", 0.05, Dimension::time);
  EXPECT_FALSE(again.run());
}

}  // namespace
}  // namespace firstlight
