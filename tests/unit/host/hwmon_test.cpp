#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/core/failure.h"
#include "lab/transports/host/hwmon_chip.h"
#include "tests/peers/support/wall_bench.h"
#include "tests/unit/host/fake_sysfs.h"

namespace firstlight::host {
namespace {

using peers::on_wall_clock;
using testing::ElementsAre;
using testing::HasSubstr;

class HwmonSysfs : public testing::Test {
 protected:
  void add(const std::string& number, const std::string& chip, const std::string& device) {
    const std::string folder = "class/hwmon/hwmon" + number;
    fake_.write(folder + "/name", chip + "\n");
    fake_.write(folder + "/temp1_input", "41500\n");
    fake_.write(folder + "/temp1_label", "Inlet\n");
    fake_.write(folder + "/in0_input", "-12\n");
    fake_.write(folder + "/uevent", "\n");
    fake_.link(folder + "/device", "../../../devices/i2c-4/" + device);
  }
  Root root() const { return {fake_.path(""), "/dev", "/proc"}; }
  Failure refusal(const std::string& address) const {
    Failure failure;
    on_wall_clock([&](Scheduler& time) {
      try {
        open_hwmon_chip(plan_, address, time, root());
        ADD_FAILURE() << address << " was opened";
      } catch (const FailureError& error) {
        failure = error.failure();
      }
    });
    return failure;
  }

  FakeSysfs fake_;
  ResourcePlan plan_;
};

TEST_F(HwmonSysfs, ReadsAttributes) {
  add("3", "tmp421", "4-004c");
  on_wall_clock([&](Scheduler& time) {
    const auto chip = open_hwmon_chip(plan_, "tmp421", time, root());
    const auto soon = [&] { return time.now() + std::chrono::seconds(5); };
    EXPECT_EQ(chip->chip(), "tmp421");
    EXPECT_THAT(chip->attributes(), ElementsAre("in0_input", "temp1_input", "temp1_label"));
    EXPECT_EQ(chip->label("temp1"), "Inlet");
    EXPECT_EQ(chip->label("in0"), "");
    EXPECT_EQ(chip->read("temp1_input", soon()).value, 41500);
    EXPECT_EQ(chip->read("in0_input", soon()).value, -12);
    EXPECT_EQ(chip->read("temp2_input", soon()).status, HwmonStatus::no_such_channel);
    EXPECT_EQ(chip->read("temp1_label", soon()).status, HwmonStatus::io_error);
    fake_.write("class/hwmon/hwmon3/temp1_input", "");
    EXPECT_EQ(chip->read("temp1_input", soon()).status, HwmonStatus::io_error);
    std::filesystem::remove(fake_.path("class/hwmon/hwmon3/temp1_input"));
    EXPECT_EQ(chip->read("temp1_input", soon()).detail, "the chip is gone");
  });
}

TEST_F(HwmonSysfs, TellsTwinsApartByTheirDevice) {
  EXPECT_THAT(refusal("tmp421").likely_cause, HasSubstr("this machine has none"));
  add("3", "tmp421", "4-004c");
  add("4", "tmp421", "5-004c");
  EXPECT_THAT(refusal("tmp421").likely_cause, HasSubstr("tmp421@4-004c, tmp421@5-004c"));
  EXPECT_THAT(refusal("tmp422").likely_cause, HasSubstr("the nearest is \"tmp421\""));
  EXPECT_EQ(refusal("tmp421@6-004c").symptom, "no_hwmon_chip");
  on_wall_clock([&](Scheduler& time) {
    EXPECT_EQ(open_hwmon_chip(plan_, "tmp421@5-004c", time, root())->name(), "hwmon:tmp421@5-004c");
  });
}

TEST_F(HwmonSysfs, RefusesANumberAndTakesADevice) {
  add("3", "tmp421", "4-004c");
  EXPECT_THAT(refusal(fake_.path("class/hwmon/hwmon3").string()).likely_cause, HasSubstr("hwmon:tmp421@4-004c"));
  EXPECT_EQ(refusal(fake_.path("devices/i2c-4/4-004c").string()).symptom, "no_hwmon_chip");
  fake_.write("devices/i2c-4/4-004c/hwmon/hwmon3/name", "tmp421\n");
  on_wall_clock([&](Scheduler& time) {
    EXPECT_EQ(open_hwmon_chip(plan_, fake_.path("devices/i2c-4/4-004c").string(), time, root())->chip(), "tmp421");
  });
}

}  // namespace
}  // namespace firstlight::host
