#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/core/failure.h"
#include "lab/transports/host/uio_bus.h"
#include "tests/peers/support/wall_bench.h"
#include "tests/unit/host/fake_sysfs.h"

namespace firstlight::host {
namespace {

using peers::on_wall_clock;
using testing::HasSubstr;

class Uio : public testing::Test {
 protected:
  void add(const std::string& entry, const std::string& name) {
    fake_.write("sys/class/uio/" + entry + "/name", name + "\n");
    fake_.write("sys/class/uio/" + entry + "/maps/map0/size", "0x0000000000001000\n");
    fake_.write("sys/class/uio/" + entry + "/maps/map0/offset", "0x0\n");
    fake_.write("sys/class/uio/" + entry + "/maps/map0/name", "control\n");
    fake_.write("sys/class/uio/" + entry + "/maps/map1/size", "0x0000000000000800\n");
    fake_.write("sys/class/uio/" + entry + "/maps/map1/offset", "0x400\n");
    fake_.write("sys/class/uio/" + entry + "/maps/map1/name", "\n");
    fake_.write("dev/" + entry, std::string(0x2000, '\0'));
  }
  Root root() const { return {fake_.path("sys"), fake_.path("dev"), "/proc"}; }
  Failure refusal(const std::string& address) const {
    Failure failure;
    on_wall_clock([&](Scheduler& time) {
      try {
        open_uio_registers(plan_, address, time, root());
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

TEST_F(Uio, IsFoundByNameAndMapByNumberOrName) {
  add("uio0", "other");
  add("uio7", "tern");
  on_wall_clock([&](Scheduler& time) {
    const auto control = open_uio_registers(plan_, "tern/control", time, root());
    const auto second = open_uio_registers(plan_, "tern/1", time, root());
    EXPECT_EQ(control->name(), "uio:tern/0");
    EXPECT_EQ(control->write(0, 0x11, kNever).status, BusStatus::ok);
    EXPECT_EQ(second->write(0x7fc, 0x22, kNever).status, BusStatus::ok);
    EXPECT_EQ(second->read(0x800, kNever).status, BusStatus::decode_error);
  });
  // The second map is the file's second page, and begins 0x400 into it.
  std::ifstream memory(fake_.path("dev/uio7"), std::ios::binary);
  EXPECT_EQ(memory.get(), 0x11);
  memory.seekg(0x1000 + 0x400 + 0x7fc);
  EXPECT_EQ(memory.get(), 0x22);
}

TEST_F(Uio, AllOnesOfADeviceThatIsGoneIsNoData) {
  add("uio7", "tern");
  on_wall_clock([&](Scheduler& time) {
    const auto bus = open_uio_registers(plan_, "tern/0", time, root());
    bus->write(0, 0xffffffff, kNever);
    EXPECT_EQ(bus->read(0, kNever).status, BusStatus::ok);
    std::filesystem::remove_all(fake_.path("sys/class/uio/uio7"));
    EXPECT_THAT(bus->read(0, kNever).detail, HasSubstr("UIO device \"tern\" is gone"));
  });
}

TEST_F(Uio, SaysWhatIsNotThere) {
  EXPECT_THAT(refusal("tern/0").likely_cause, HasSubstr("no UIO device at all"));
  add("uio0", "turn");
  EXPECT_THAT(refusal("tern/0").likely_cause, HasSubstr("the nearest is \"turn\""));
  EXPECT_THAT(refusal("turn/2").likely_cause, HasSubstr("0 (control) of 4096 bytes, 1 of 2048 bytes"));
  EXPECT_EQ(refusal("turn").symptom, "bad_address");
  add("uio1", "turn");
  EXPECT_EQ(refusal("turn/0").symptom, "ambiguous_uio_device");
}

}  // namespace
}  // namespace firstlight::host
