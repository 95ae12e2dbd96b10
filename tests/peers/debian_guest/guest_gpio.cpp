#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "lab/transports/host/gpio_lines.h"
#include "tests/peers/debian_guest/cp2112.h"
#include "tests/peers/debian_guest/guest.h"

namespace firstlight::peers {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kLabel = "cp2112_gpio";

class GuestGpio : public testing::Test {
 protected:
  GuestGpio() {
    plan_.name = "gpio0";
    plan_.params["line_names"] = {Value::Map{{"pg_core", {std::int64_t{1}, {}}}, {"por_n", {std::int64_t{3}, {}}}}, {}};
    // The kernel's driver binds when it has had the device described.
    for (int i = 0; i < 500 && chip_file().empty(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }

  static std::string chip_file() {
    for (const auto& entry : std::filesystem::directory_iterator("/dev"))
      if (entry.path().filename().string().rfind("gpiochip", 0) == 0) return entry.path().string();
    return {};
  }
  std::unique_ptr<Gpio> open(BenchTime& time, const std::string& label = kLabel) const {
    return host::open_gpio_lines(plan_, label, time, host::Root{});
  }

  Cp2112 adapter_;
  ResourcePlan plan_;
};

TEST_F(GuestGpio, ReadsWithoutChangingAnything) {
  on_wall_clock([this](Scheduler& time) {
    adapter_.drive(1, true);
    const auto gpio = open(time);
    EXPECT_THAT(gpio->lines(), ElementsAre("pg_core", "por_n"));
    std::string detail;
    EXPECT_EQ(gpio->get("pg_core", &detail), true) << detail;
    EXPECT_EQ(gpio->get("por_n", &detail), false) << detail;
    adapter_.drive(1, false);
    EXPECT_EQ(gpio->get("pg_core", &detail), false) << detail;
    EXPECT_EQ(gpio->get("vdd", &detail), std::nullopt);
    EXPECT_EQ(adapter_.changes(), 0);
    EXPECT_FALSE(adapter_.line(1).output);
  });
}

TEST_F(GuestGpio, DrivesOnlyWhatIsSet) {
  on_wall_clock([this](Scheduler& time) {
    const auto gpio = open(time);
    std::string detail;
    EXPECT_EQ(gpio->get("por_n", &detail), false) << detail;
    EXPECT_TRUE(gpio->set("por_n", true, &detail)) << detail;
    EXPECT_TRUE(adapter_.line(3).output);
    EXPECT_TRUE(adapter_.line(3).level);
    EXPECT_EQ(gpio->get("por_n", &detail), true) << detail;
    EXPECT_TRUE(gpio->set("por_n", false, &detail)) << detail;
    EXPECT_FALSE(adapter_.line(3).level);
    EXPECT_FALSE(adapter_.line(1).output);
  });
}

TEST_F(GuestGpio, SaysWhoHoldsALine) {
  on_wall_clock([this](Scheduler& time) {
    const auto first = open(time);
    const auto second = open(time);
    std::string detail;
    EXPECT_TRUE(first->set("por_n", true, &detail)) << detail;
    EXPECT_EQ(second->get("por_n", &detail), std::nullopt);
    EXPECT_THAT(detail, HasSubstr("held by \"firstlight\""));
  });
}

TEST_F(GuestGpio, IsNamedByItsLabelOnly) {
  on_wall_clock([this](Scheduler& time) {
    const Failure number = refusal_of([&] { host::refuse_gpio_number(plan_, chip_file()); });
    EXPECT_THAT(number.likely_cause, HasSubstr("write gpio:cp2112_gpio, which is that chip now"));
    EXPECT_THAT(refusal_of([&] { open(time, "cp2112_gpo"); }).message, HasSubstr("the nearest is \"cp2112_gpio\""));
    EXPECT_EQ(refusal_of([&] { open(time, std::string(kLabel) + "@1-4"); }).symptom, "no_gpio_chip");
    plan_.params.clear();
    EXPECT_EQ(refusal_of([&] { open(time); }).symptom, "unnamed_lines");
  });
}

}  // namespace
}  // namespace firstlight::peers
