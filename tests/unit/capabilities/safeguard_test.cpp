#include "lab/capabilities/safeguard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "lab/capabilities/bench.h"
#include "lab/capabilities/rail.h"
#include "lab/capabilities/supply.h"
#include "lab/core/failure.h"
#include "tests/unit/drivers/fake_time.h"

namespace firstlight {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A rail as a driver would make it: does what it is told, and writes it down.
class BareRail final : public Rail {
 public:
  BareRail(RailPlan plan, std::vector<std::string>& calls)
      : plan_(std::move(plan)), calls_(calls), set(plan_.nominal) {}

  const RailPlan& plan() const override { return plan_; }
  std::string part() const override { return "vr (" + plan_.name + ")"; }
  void set_voltage(Voltage v) override {
    set = v;
    calls_.push_back(plan_.name + " to " + to_text(v));
  }
  Voltage target_voltage() override { return set; }
  void enable() override {
    on = good = true;
    calls_.push_back(plan_.name + " on");
  }
  void disable() override {
    on = good = false;
    calls_.push_back(plan_.name + " off");
  }
  void set_margin(Margin m) override {
    now = m;
    calls_.push_back(plan_.name + " margin");
  }
  Voltage margin_voltage(Margin m) override { return m == Margin::high ? high : m == Margin::low ? low : set; }
  Margin margin() override { return now; }
  Voltage settable(Voltage v) override { return step > 0 ? Voltage(std::round(v.base() / step) * step) : v; }
  Voltage offset() override { return trim; }
  std::optional<VoltageSlew> transition_rate() override { return rate; }
  Voltage voltage() override { return on ? set : left; }
  Current current() override { return draws; }
  Temperature temperature() override { return Temperature(40); }
  RailStatus status() override {
    if (mute) throw FailureError({ErrorClass::infrastructure, "mute", "no answer", part(), {}, {}, {}});
    return {on, good, {}, "STATUS"};
  }
  void clear_faults() override {}
  Duration rise_time() override { return {}; }
  Duration fall_time() override { return {}; }
  std::optional<bool> power_good_pin() override { return std::nullopt; }

 private:
  RailPlan plan_;
  std::vector<std::string>& calls_;

 public:
  Voltage set;
  Voltage high{0.9};
  Voltage low{0.8};
  Voltage trim{0};
  Voltage left{0};
  Current draws{1};
  double step = 0;
  std::optional<VoltageSlew> rate;
  Margin now = Margin::none;
  bool on = false;
  bool good = false;
  bool mute = false;
};

class BareSupply final : public Supply {
 public:
  std::string part() const override { return "psu"; }
  void set_voltage(Voltage v) override { volts = v; }
  void set_current_limit(Current) override {}
  void set_over_voltage(Voltage) override {}
  Voltage target_voltage() override { return volts; }
  void enable() override { on = true; }
  void disable() override { on = false; }
  bool enabled() override { return on; }
  Voltage voltage() override { return volts; }
  Current current() override { return Current(0); }
  Power power() override { return Power(0); }
  std::vector<std::string> trips() override { return {}; }
  Voltage volts{0};
  bool on = false;
};

RailPlan rail_plan(const std::string& name) {
  RailPlan plan;
  plan.name = name;
  plan.nominal = Voltage(0.85);
  plan.max = Voltage(0.95);
  plan.min = Voltage(0.6);
  return plan;
}

/// aon, core (after aon), sram (after core), spare (excludes sram).
BenchPlan bench_plan() {
  BenchPlan plan;
  plan.rails = {rail_plan("aon"), rail_plan("core"), rail_plan("sram"), rail_plan("spare")};
  plan.rails[1].after = {"aon"};
  plan.rails[2].after = {"core"};
  plan.rails[3].excludes = {"sram"};
  DriverPlan psu;
  psu.name = "psu";
  psu.params["max_voltage"] = Value{Quantity{12.6, Dimension::voltage}, {}};
  psu.params["min_voltage"] = Value{Quantity{5, Dimension::voltage}, {}};
  psu.params["max_current"] = Value{Quantity{10, Dimension::current}, {}};
  plan.drivers.push_back(psu);
  return plan;
}

class SafeguardTest : public testing::Test {
 protected:
  void build(BenchPlan plan = bench_plan()) {
    bench_ = std::make_unique<Bench>(plan, time);
    for (const RailPlan& one : plan.rails) {
      auto rail = std::make_unique<BareRail>(one, calls);
      bare[one.name] = rail.get();
      bench_->add(std::move(rail));
    }
    bench_->offer<Supply>("psu", supply);
  }
  Rail& rail(const std::string& name) { return bench_->rail(name); }

  template <class Call>
  std::string refusal(Call call) {
    try {
      call();
    } catch (const FailureError& error) {
      EXPECT_EQ(error.failure().error_class, ErrorClass::interlock) << error.what();
      return error.failure().symptom + ": " + error.failure().message;
    }
    return "allowed";
  }

  test::FakeTime time;
  std::vector<std::string> calls;
  std::map<std::string, BareRail*> bare;
  BareSupply supply;
  std::unique_ptr<Bench> bench_;
};

TEST_F(SafeguardTest, BoundsEverySetPoint) {
  build();
  for (const double bad :
       {0.951, 5.0, 0.59, -0.1, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    EXPECT_THAT(refusal([&] { rail("core").set_voltage(Voltage(bad)); }), HasSubstr("rail_envelope")) << bad;
  EXPECT_THAT(calls, IsEmpty());
  rail("core").set_voltage(Voltage(0.95));
  rail("core").set_voltage(Voltage(0.6));
  EXPECT_THAT(calls, ElementsAre("core to 950 mV", "core to 600 mV"));
}

TEST_F(SafeguardTest, RoundsIntoTheEnvelopeNeverOutOfIt) {
  build();
  bare["core"]->step = 0.02;  // the nearest to 950 mV would be 960 mV, and to 600 mV is 600 mV
  rail("core").set_voltage(Voltage(0.95));
  EXPECT_LE(bare["core"]->settable(bare["core"]->set).base(), 0.95 + 1e-12);
  bare["core"]->step = 1;
  EXPECT_THAT(refusal([&] { rail("core").set_voltage(Voltage(0.95)); }), HasSubstr("rounded"));
}

TEST_F(SafeguardTest, CountsTheTrimIn) {
  build();
  bare["aon"]->trim = Voltage(0.06);
  EXPECT_THAT(refusal([&] { rail("aon").set_voltage(Voltage(0.9)); }), HasSubstr("trim"));
  EXPECT_EQ(refusal([&] { rail("aon").set_voltage(Voltage(0.88)); }), "allowed");
  bare["aon"]->trim = Voltage(0.2);  // another program wrote it meanwhile
  EXPECT_THAT(refusal([&] { rail("aon").enable(); }), HasSubstr("the stored set point"));
}

TEST_F(SafeguardTest, DoesNotTrustWhatIsStoredInThePart) {
  build();
  bare["aon"]->set = Voltage(1.2);
  EXPECT_THAT(refusal([&] { rail("aon").enable(); }), HasSubstr("1.2 V is above"));
  EXPECT_FALSE(bare["aon"]->on);
}

TEST_F(SafeguardTest, KeepsTheOrder) {
  build();
  EXPECT_THAT(refusal([&] { rail("core").enable(); }), HasSubstr("core must not be on before aon, which is off"));
  rail("aon").enable();
  bare["aon"]->good = false;
  EXPECT_THAT(refusal([&] { rail("core").enable(); }), HasSubstr("on but not power-good"));
  bare["aon"]->good = true;
  rail("core").enable();
  EXPECT_THAT(refusal([&] { rail("aon").disable(); }), HasSubstr("aon must not be turned off while core is on"));
  rail("core").disable();
  rail("aon").disable();
  EXPECT_THAT(calls, ElementsAre("aon on", "core on", "core off", "aon off"));
}

TEST_F(SafeguardTest, KeepsExclusiveRailsApartBothWays) {
  build();
  rail("spare").enable();
  bare["core"]->on = bare["core"]->good = true;
  EXPECT_THAT(refusal([&] { rail("sram").enable(); }), HasSubstr("must not be on together with spare, which is on"));
  rail("spare").disable();
  bare["spare"]->left = Voltage(0.3);
  EXPECT_THAT(refusal([&] { rail("sram").enable(); }), HasSubstr("off but still has 300 mV"));
  bare["spare"]->left = Voltage(0);
  rail("sram").enable();
  EXPECT_THAT(refusal([&] { rail("spare").enable(); }), HasSubstr("must not be on together with sram"));
}

TEST_F(SafeguardTest, MarginsStayInsideAndAreSwitchedOnlyWhileOn) {
  build();
  EXPECT_THAT(refusal([&] { rail("aon").set_margin(Margin::none); }), HasSubstr("rail_is_off"));
  rail("aon").enable();
  bare["aon"]->high = Voltage(0.96);
  EXPECT_THAT(refusal([&] { rail("aon").set_margin(Margin::high); }), HasSubstr("the stored margin"));
  bare["aon"]->high = Voltage(0.94);
  rail("aon").set_margin(Margin::high);
  // Parts whose margins follow the set point would leave the envelope now.
  EXPECT_THAT(refusal([&] { rail("aon").set_voltage(Voltage(0.9)); }), HasSubstr("is on its margin"));
  rail("aon").set_margin(Margin::none);
  EXPECT_EQ(refusal([&] { rail("aon").set_voltage(Voltage(0.9)); }), "allowed");
}

TEST_F(SafeguardTest, LeadsPartsThatJumpInSmallSteps) {
  BenchPlan plan = bench_plan();
  plan.rails[0].slew = VoltageSlew(10);  // 10 mV/ms
  build(plan);
  rail("aon").set_voltage(Voltage(0.6));  // off: nothing moves
  rail("aon").enable();
  EXPECT_THAT(refusal([&] { rail("aon").set_voltage(Voltage(0.7)); }), HasSubstr("steeper"));
  EXPECT_EQ(refusal([&] { rail("aon").set_voltage(Voltage(0.61)); }), "allowed");
}

TEST_F(SafeguardTest, TrustsAPartThatMovesSlowlyByItself) {
  BenchPlan plan = bench_plan();
  plan.rails[0].slew = VoltageSlew(10);
  build(plan);
  bare["aon"]->rate = VoltageSlew(10);
  rail("aon").enable();
  EXPECT_EQ(refusal([&] { rail("aon").set_voltage(Voltage(0.6)); }), "allowed");
}

TEST_F(SafeguardTest, DoesNotRaiseARailThatDrawsTooMuch) {
  BenchPlan plan = bench_plan();
  plan.rails[0].max_current = Current(5);
  build(plan);
  rail("aon").enable();
  bare["aon"]->draws = Current(6);
  EXPECT_THAT(refusal([&] { rail("aon").set_voltage(Voltage(0.9)); }), HasSubstr("6 A is more than"));
  EXPECT_EQ(refusal([&] { rail("aon").set_voltage(Voltage(0.8)); }), "allowed") << "down is the way out";
}

TEST_F(SafeguardTest, TheSafeStateOnlyTakesEnergyAway) {
  build();
  for (const char* name : {"aon", "core"}) rail(name).enable();
  bare["core"]->mute = true;
  bench_->safeguard().begin_safe_state();
  calls.clear();
  EXPECT_EQ(refusal([&] { rail("aon").disable(); }), "allowed") << "neither order nor a mute part may be in the way";
  EXPECT_EQ(refusal([&] { rail("core").disable(); }), "allowed");
  EXPECT_THAT(calls, ElementsAre("aon off", "core off"));
  EXPECT_THAT(refusal([&] { rail("aon").enable(); }), HasSubstr("bench_made_safe"));
  EXPECT_THAT(refusal([&] { rail("aon").set_voltage(Voltage(2)); }), HasSubstr("rail_envelope"));
  EXPECT_THAT(refusal([&] { bench_->get<Supply>().enable(); }), HasSubstr("bench_made_safe"));
  bench_->get<Supply>().disable();
}

TEST_F(SafeguardTest, TheSafeStateEndsAMarginBeforeItMovesTheSetPoint) {
  build();
  rail("aon").enable();
  rail("aon").set_voltage(Voltage(0.8));
  bare["aon"]->high = Voltage(0.84);  // 5 % above, and it follows
  rail("aon").set_margin(Margin::high);
  bench_->safeguard().begin_safe_state();
  calls.clear();
  EXPECT_EQ(refusal([&] { rail("aon").set_voltage(Voltage(0.85)); }), "allowed");
  EXPECT_THAT(calls, ElementsAre("aon margin", "aon to 850 mV"));
  EXPECT_EQ(bare["aon"]->now, Margin::none);
  // The command that ends a margin turns an output on that is off.
  rail("aon").disable();
  bare["aon"]->now = Margin::high;
  calls.clear();
  EXPECT_EQ(refusal([&] { rail("aon").set_voltage(Voltage(0.9)); }), "allowed");
  EXPECT_THAT(calls, ElementsAre("aon to 900 mV"));
}

TEST_F(SafeguardTest, BoundsSupplies) {
  build();
  Supply& psu = bench_->get<Supply>("psu");
  EXPECT_THAT(refusal([&] { psu.set_voltage(Voltage(13)); }), HasSubstr("13 V is above the max_voltage of `psu`"));
  EXPECT_THAT(refusal([&] { psu.set_voltage(Voltage(4)); }), HasSubstr("below the min_voltage"));
  EXPECT_THAT(refusal([&] { psu.set_current_limit(Current(11)); }), HasSubstr("max_current"));
  EXPECT_EQ(refusal([&] { psu.set_over_voltage(Voltage(40)); }), "allowed") << "no bound was given";
  supply.volts = Voltage(24);  // set at the front panel
  EXPECT_THAT(refusal([&] { psu.enable(); }), HasSubstr("24 V is above"));
  EXPECT_FALSE(supply.on);
}

}  // namespace
}  // namespace firstlight
