#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "lab/bench/parse.h"
#include "lab/drivers/registry.h"
#include "lab/steps/step.h"
#include "rtl/regs/tern_registers.h"

namespace firstlight {
namespace {

void check_params(const std::string& owner, const std::vector<ParamSpec>& params) {
  std::set<std::string> names;
  for (const ParamSpec& param : params) {
    const std::string where = owner + "." + param.name;
    EXPECT_TRUE(names.insert(param.name).second) << where << " twice";
    EXPECT_FALSE(param.doc.empty()) << where << " lacks a doc";
    EXPECT_FALSE(param.required && !param.fallback.empty()) << where << " is required and has a default";
    if (param.type == ParamType::enumeration) {
      EXPECT_FALSE(param.choices.empty()) << where;
      if (!param.fallback.empty()) {
        EXPECT_THAT(param.choices, testing::Contains(param.fallback)) << where;
      }
    }
    if (param.type == ParamType::quantity && !param.fallback.empty()) {
      EXPECT_TRUE(parse_quantity(param.fallback, param.dimension)) << where << ": " << param.fallback;
    }
    if (param.type == ParamType::name) {
      EXPECT_NE(param.names, NameKind::none) << where;
    }
  }
}

TEST(Tables, StepsAreComplete) {
  std::set<std::string> verbs;
  for (const Step& step : all_steps()) {
    EXPECT_TRUE(verbs.insert(step.spec.verb).second) << step.spec.verb << " twice";
    EXPECT_FALSE(step.spec.doc.empty()) << step.spec.verb;
    EXPECT_THAT(step.spec.example, testing::HasSubstr("do: " + step.spec.verb)) << step.spec.verb;
    EXPECT_TRUE(step.run) << step.spec.verb;
    check_params(step.spec.verb, step.spec.params);
    for (const MeasurableSpec& measure : step.spec.measures)
      EXPECT_FALSE(measure.doc.empty()) << step.spec.verb << " " << measure.name;
  }
  EXPECT_THAT(verbs, testing::IsSupersetOf({"rail.on",
                                            "rail.off",
                                            "rail.ramp",
                                            "rail.margin",
                                            "supply.on",
                                            "supply.off",
                                            "clock.on",
                                            "clock.off",
                                            "coolant.on",
                                            "coolant.off",
                                            "identity.expect",
                                            "measure",
                                            "expect",
                                            "wait_for",
                                            "wait",
                                            "monitor.start",
                                            "monitor.stop",
                                            "prompt",
                                            "attach",
                                            "reg.read",
                                            "reg.write",
                                            "reg.poll",
                                            "reg.expect",
                                            "thermal.soak",
                                            "thermal.resistance",
                                            "thermal.trip_test",
                                            "thermal.sensor_check"}));
}

TEST(Tables, DriversAreComplete) {
  std::set<std::string> names;
  for (const DriverType& type : all_driver_types()) {
    EXPECT_TRUE(names.insert(type.spec.driver).second) << type.spec.driver << " twice";
    EXPECT_FALSE(type.spec.doc.empty()) << type.spec.driver;
    const bool measures = !type.spec.measures.empty() || !type.spec.measures_param.empty();
    EXPECT_TRUE(measures || !type.spec.offers.empty()) << type.spec.driver << " is good for nothing";
    EXPECT_TRUE(type.build) << type.spec.driver;
    check_params(type.spec.driver, type.spec.params);
  }
}

TEST(Tables, EveryNeedIsOfferedBySomeDriver) {
  std::set<std::string> offered = {"rails"};
  for (const DriverType& type : all_driver_types()) offered.insert(type.spec.offers.begin(), type.spec.offers.end());
  for (const Step& step : all_steps())
    if (!step.spec.needs.empty()) {
      EXPECT_EQ(offered.count(step.spec.needs), 1U) << step.spec.verb << " needs " << step.spec.needs;
    }
}

TEST(ModelBench, IsValid) {
  Vocabulary vocabulary;
  vocabulary.resources = resource_type_specs();
  vocabulary.drivers = driver_type_specs();
  vocabulary.rail_measures = rail_measure_specs();
  vocabulary.register_names = tern_registers().names();
  for (const Step& step : all_steps()) vocabulary.steps.push_back(step.spec);
  Diagnostics diagnostics;
  const auto bench = parse_bench(MODEL_BENCH, vocabulary, diagnostics);
  for (const Diagnostic& diagnostic : diagnostics.list())
    ADD_FAILURE() << diagnostic.where.line << ":" << diagnostic.where.column << ": " << diagnostic.message << " "
                  << diagnostic.suggestion;
  ASSERT_TRUE(bench);
  EXPECT_EQ(bench->rails.size(), 5U);
  EXPECT_GE(bench->interlocks.size(), 8U);
  EXPECT_DOUBLE_EQ(bench->time_scale, 5000);
}

}  // namespace
}  // namespace firstlight
