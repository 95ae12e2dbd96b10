#include "lab/capabilities/bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/capabilities/meter.h"
#include "lab/core/failure.h"
#include "tests/unit/drivers/fake_time.h"

namespace firstlight {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class FakeMeter final : public Meter {
 public:
  std::string part() const override { return "dmm"; }
  int channels() const override { return 1; }
  Voltage voltage(int) override { return Voltage(1); }
};

template <class Call>
Failure failure_of(Call call) {
  try {
    call();
  } catch (const FailureError& error) {
    return error.failure();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

BenchPlan plan() {
  BenchPlan plan;
  plan.aliases["die.hottest"] = "tern.hottest";
  for (const char* name : {"b", "a"}) {
    DriverPlan driver;
    driver.name = name;
    plan.drivers.push_back(driver);
  }
  return plan;
}

TEST(BenchTest, FindsMeasurablesByNameAndAlias) {
  test::FakeTime time;
  Bench bench(plan(), time);
  bench.add({"tern.hottest", Dimension::temperature, {}, "tern", [] { return Quantity{40, Dimension::temperature}; }});
  EXPECT_EQ(bench.measurable("die.hottest").read().value, 40);
  EXPECT_TRUE(bench.has_measurable("die.hottest"));
  EXPECT_FALSE(bench.has_measurable("die.coldest"));
  EXPECT_THAT(bench.measurable_names(), ElementsAre("die.hottest", "tern.hottest"));
  const Failure failure = failure_of([&] { bench.measurable("tern.hotest"); });
  EXPECT_EQ(failure.error_class, ErrorClass::bench);
  EXPECT_THAT(failure.message, HasSubstr("did you mean \"tern.hottest\"?"));
  EXPECT_EQ(failure_of([&] { bench.add({"tern.hottest", {}, {}, {}, {}}); }).error_class, ErrorClass::bug);
}

TEST(BenchTest, FindsCapabilitiesByDriver) {
  test::FakeTime time;
  Bench bench(plan(), time);
  EXPECT_THAT(failure_of([&] { bench.get<Meter>(); }).message, HasSubstr("meter"));
  FakeMeter first;
  FakeMeter second;
  bench.offer<Meter>("a", first);
  EXPECT_EQ(&bench.get<Meter>(), &first);
  bench.offer<Meter>("b", second);
  EXPECT_EQ(&bench.get<Meter>("b"), &second);
  EXPECT_EQ(failure_of([&] { bench.get<Meter>(); }).symptom, "ambiguous_capability");
  EXPECT_THAT(bench.offering<Meter>(), ElementsAre("b", "a")) << "in the order of the bench file";
  EXPECT_FALSE(bench.has<Meter>("c"));
}

TEST(BenchTest, DestroysWhatItKeepsInReverse) {
  test::FakeTime time;
  std::vector<int> gone;
  {
    Bench bench(plan(), time);
    for (int i : {1, 2, 3}) bench.keep(std::shared_ptr<void>(nullptr, [&gone, i](void*) { gone.push_back(i); }));
  }
  EXPECT_THAT(gone, ElementsAre(3, 2, 1));
}

TEST(BenchTest, TellsWhyADriverIsLeftOut) {
  test::FakeTime time;
  BenchPlan with_rail = plan();
  RailPlan vin;
  vin.name = "vin";
  vin.driver = "a";
  with_rail.rails = {vin};
  Bench bench(with_rail, time);
  bench.leave_out("a", {ErrorClass::infrastructure, "connect_failed", "psu0 cannot be reached", "psu0", {}, {}, {}});
  EXPECT_EQ(failure_of([&] { bench.rail("vin"); }).symptom, "connect_failed");
  EXPECT_EQ(failure_of([&] { bench.get<Meter>("a"); }).symptom, "connect_failed");
  EXPECT_EQ(failure_of([&] { bench.measurable("a.voltage"); }).symptom, "connect_failed");
  EXPECT_EQ(failure_of([&] { bench.measurable("b.voltage"); }).symptom, "missing_on_bench");
}

}  // namespace
}  // namespace firstlight
