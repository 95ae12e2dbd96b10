#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "lab/core/failure.h"
#include "lab/transports/i2c/adapter_names.h"
#include "lab/transports/i2c/recovery.h"
#include "lab/transports/i2c/resource_params.h"
#include "tests/unit/drivers/fake_time.h"

namespace firstlight::i2c {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// A sysfs with a PCI adapter that has a kernel mux with two channels, and two USB adapters of one name.
class I2cNames : public testing::Test {
 protected:
  I2cNames() {
    std::string pattern = (fs::temp_directory_path() / "firstlight-sysfs-XXXXXX").string();
    root = ::mkdtemp(pattern.data());
    add("devices/pci0000:00/0000:00:1f.4/i2c-3", "i801 SMBus at efa0");
    add("devices/pci0000:00/0000:00:1f.4/i2c-3/3-0070/channel-0/i2c-10", "i2c-3-mux (chan_id 0)");
    add("devices/pci0000:00/0000:00:1f.4/i2c-3/3-0070/channel-1/i2c-11", "i2c-3-mux (chan_id 1)");
    add("devices/usb1/1-1/i2c-8", "i2c-tiny-usb");
    add("devices/usb1/1-2/i2c-9", "i2c-tiny-usb");
  }
  ~I2cNames() override { fs::remove_all(root); }
  void add(const std::string& folder, const std::string& name) {
    fs::create_directories(root / folder);
    fs::create_directories(root / "bus/i2c/devices");
    std::ofstream(root / folder / "name") << name << "\n";
    fs::create_directory_symlink(root / folder, root / "bus/i2c/devices" / fs::path(folder).filename());
  }
  std::string find(const std::string& wanted) { return find_device_file(wanted, "i2c0", root.string()); }
  std::string failure(const std::string& wanted) {
    try {
      find(wanted);
    } catch (const FailureError& error) {
      EXPECT_EQ(error.failure().error_class, ErrorClass::bench);
      return error.failure().message;
    }
    return "nothing was thrown";
  }
  fs::path root;
};

TEST_F(I2cNames, ByNameAndPattern) {
  EXPECT_EQ(find("i801 SMBus at efa0"), "/dev/i2c-3");
  EXPECT_EQ(find("i801 SMBus at *"), "/dev/i2c-3");
  EXPECT_EQ(find("i2c-3-mux (chan_id 1)"), "/dev/i2c-11");
}

TEST_F(I2cNames, ByPlaceInSysfs) {
  EXPECT_EQ(find((root / "devices/usb1/1-2").string()), "/dev/i2c-9");
  EXPECT_EQ(find((root / "devices/pci0000:00/0000:00:1f.4").string()), "/dev/i2c-3") << "not a mux's channel below it";
  EXPECT_EQ(find((root / "devices/pci0000:00/0000:00:1f.4/i2c-3/3-0070/channel-0").string()), "/dev/i2c-10");
  EXPECT_EQ(find((root / "bus/i2c/devices/i2c-8").string()), "/dev/i2c-8");
}

TEST_F(I2cNames, ListsWhatThereIs) {
  EXPECT_THAT(failure("i2c-tiny-usb"), HasSubstr("more than one I2C adapter fits \"i2c-tiny-usb\""));
  EXPECT_THAT(failure("i2c-tiny-usb"), HasSubstr("(i2c-9)"));
  EXPECT_THAT(failure("nothing"),
              HasSubstr("no I2C adapter is \"nothing\"; there are: \"i801 SMBus at efa0\" (i2c-3)"));
  EXPECT_THAT(failure(""), HasSubstr("no I2C adapter"));
}

TEST_F(I2cNames, RebindsTheAdaptersDriver) {
  const fs::path driver = root / "bus/pci/drivers/i801_smbus";
  fs::create_directories(driver);
  fs::create_directory_symlink(driver, root / "devices/pci0000:00/0000:00:1f.4/driver");
  test::FakeTime time;
  RecoveryPlan plan;
  plan.steps = {"rebind"};
  plan.adapter_folder = (root / "devices/pci0000:00/0000:00:1f.4/i2c-3").string();
  Recovery recovery(plan, time);
  bool reopened = false;
  EXPECT_TRUE(recovery.run(
      time.now() + from_seconds(1), [] { return true; }, [&] { reopened = true; }));
  EXPECT_TRUE(reopened);
  for (const char* file : {"unbind", "bind"}) {
    std::string written;
    std::ifstream(driver / file) >> written;
    EXPECT_EQ(written, "0000:00:1f.4") << file;
  }
}

ResourcePlan with_mux(Value::Map mux) {
  ResourcePlan resource;
  resource.name = "i2c0";
  resource.where = {"desk.yaml", 4, 3};
  resource.params["mux"] = {std::move(mux), {"desk.yaml", 4, 20}};
  return resource;
}
Value number(std::int64_t n) { return {n, {"desk.yaml", 4, 30}}; }

std::string refusal(const ResourcePlan& resource) {
  try {
    mux_way(resource);
  } catch (const FailureError& error) {
    return error.failure().message;
  }
  return "nothing was thrown";
}

TEST(I2cParams, ReadsTheWayThroughMuxes) {
  const Value::Map outer = {{"address", number(0x70)}, {"channel", number(2)}};
  const auto way = mux_way(with_mux({{"address", number(0x71)},
                                     {"channel", number(1)},
                                     {"channels", number(4)},
                                     {"kind", Value{std::string("mux"), {}}},
                                     {"behind", Value{outer, {}}}}));
  ASSERT_EQ(way.size(), 2U);
  EXPECT_EQ(way[0].address, 0x70);
  EXPECT_EQ(way[0].code(), 0x04);
  EXPECT_EQ(way[1].address, 0x71);
  EXPECT_EQ(way[1].code(), 0x05);
  EXPECT_TRUE(mux_way(ResourcePlan{}).empty());
}

TEST(I2cParams, RefusesAMuxThatCannotBe) {
  EXPECT_THAT(refusal(with_mux({{"address", number(0x70)}})), HasSubstr("desk.yaml:4:20"));
  EXPECT_THAT(refusal(with_mux({{"address", number(0x70)}})), HasSubstr("needs an address and a channel"));
  EXPECT_THAT(refusal(with_mux({{"address", number(0x100)}, {"channel", number(1)}})), HasSubstr("address"));
  EXPECT_THAT(refusal(with_mux({{"address", number(0x70)}, {"channel", number(5)}, {"channels", number(4)}})),
              HasSubstr("channel 5 of one with 4"));
  EXPECT_THAT(refusal(with_mux({{"adress", number(0x70)}, {"channel", number(5)}})), HasSubstr("did you mean address"));
}

TEST(I2cParams, ReadsTheNameOfALine) {
  BenchPlan bench;
  bench.resources.resize(1);
  bench.resources[0].name = "gpio1";
  bench.resources[0].type = "gpio";
  EXPECT_EQ(line_name("gpio1.scl", {}, bench).line, "scl");
  for (const char* bad : {"gpio1", "gpio1.", ".scl", "gpio2.scl"})
    EXPECT_THROW(line_name(bad, {}, bench), FailureError) << bad;
}

}  // namespace
}  // namespace firstlight::i2c
