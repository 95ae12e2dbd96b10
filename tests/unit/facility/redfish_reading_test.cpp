#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "lab/drivers/redfish/reading.h"

namespace firstlight::redfish {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(RedfishSensor, ReadsASensorInItsUnits) {
  const Reading reading = read_sensor(
      json::parse(R"({"Reading": 31.6, "ReadingUnits": "Cel", "Status": {"State": "Enabled", "Health": "OK"}})"), "");
  EXPECT_EQ(reading.value, (Quantity{31.6, Dimension::temperature}));
}

TEST(RedfishSensor, ReadsOlderResources) {
  EXPECT_EQ(read_sensor(json::parse(R"({"ReadingCelsius": 21, "Status": {"State": "Enabled"}})"), "0").value,
            (Quantity{21, Dimension::temperature}));
  EXPECT_EQ(read_sensor(json::parse(R"({"ReadingVolts": 12.05})"), "0").value, (Quantity{12.05, Dimension::voltage}));
  EXPECT_EQ(read_sensor(json::parse(R"({"PowerConsumedWatts": 344})"), "0").value, (Quantity{344, Dimension::power}));
  EXPECT_EQ(read_sensor(json::parse(R"({"Reading": 5600, "ReadingUnits": "RPM"})"), "0").value,
            (Quantity{5600, Dimension::none}));
}

TEST(RedfishSensor, ReadsExcerptsByTheNameOfTheirProperty) {
  EXPECT_EQ(read_sensor(json::parse(R"({"DataSourceUri": "/x", "Reading": 937.4})"), "InputPowerWatts").value,
            (Quantity{937.4, Dimension::power}));
  EXPECT_EQ(read_sensor(json(200), "CapacityWatts").value, (Quantity{200, Dimension::power}));
  EXPECT_EQ(read_sensor(json(2.5), "FlowLitersPerMinute").value, (Quantity{2.5, Dimension::flow}));
}

struct Case {
  const char* json;
  const char* why;
};

TEST(RedfishSensor, GivesNoValueForWhatIsNone) {
  for (const Case& one :
       {Case{R"({"Reading": 20, "ReadingUnits": "Cel", "Status": {"State": "Absent"}})", "Absent"},
        Case{R"({"Reading": 20, "Status": {"State": "UnavailableOffline"}})", "UnavailableOffline"},
        Case{R"({"Reading": null, "ReadingUnits": "Cel"})", "null"},
        Case{R"({"Reading": "20", "ReadingUnits": "Cel"})", "\"20\""}, Case{R"({"Name": "x"})", "no Reading"},
        Case{R"({"Reading": -128, "ReadingUnits": "Cel", "ReadingRangeMin": -40})", "out of what"},
        Case{R"({"Reading": 255, "ReadingUnits": "Cel", "ReadingRangeMax": 150})", "out of what"}, Case{"null", "null"},
        Case{"[]", "neither"}}) {
    const Reading reading = read_sensor(json::parse(one.json), "x");
    EXPECT_FALSE(reading.value) << one.json;
    EXPECT_THAT(reading.why, HasSubstr(one.why)) << one.json;
  }
}

TEST(RedfishLeakDetector, KeepsItsStateApartFromWhatItDetects) {
  const auto detector = [](const char* state, const char* detected) {
    return read_leak_detector({{"Status", {{"State", state}, {"Health", "OK"}}}, {"DetectorState", detected}});
  };
  EXPECT_EQ(detector("Enabled", "OK").value->value, 0);
  EXPECT_EQ(detector("Enabled", "Warning").value->value, 1);
  EXPECT_EQ(detector("Enabled", "Critical").value->value, 1);
  // One that does not work has found nothing, and "OK" of it means nothing.
  EXPECT_FALSE(detector("Disabled", "OK").value);
  EXPECT_FALSE(detector("Absent", "OK").value);
  EXPECT_THAT(detector("StandbyOffline", "OK").why, HasSubstr("detects nothing"));
  EXPECT_FALSE(detector("Enabled", "Unavailable").value);
  EXPECT_FALSE(read_leak_detector({{"Status", {{"State", "Enabled"}}}}).value);
}

}  // namespace
}  // namespace firstlight::redfish
