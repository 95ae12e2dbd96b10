#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/core/failure.h"
#include "lab/transports/host/pci_bus.h"
#include "tests/peers/support/wall_bench.h"
#include "tests/unit/host/fake_sysfs.h"

namespace firstlight::host {
namespace {

using peers::on_wall_clock;
using testing::HasSubstr;

ResourcePlan registers() {
  ResourcePlan plan;
  plan.name = "regs0";
  plan.type = "registers";
  return plan;
}

Failure refusal(const FakeSysfs& sysfs, const std::string& address, const ResourcePlan& plan = registers()) {
  Failure failure;
  on_wall_clock([&](Scheduler& time) {
    try {
      open_pci_registers(plan, address, time, sysfs.path(""));
      ADD_FAILURE() << address << " was opened";
    } catch (const FailureError& error) {
      failure = error.failure();
    }
  });
  return failure;
}

void with_bus(const FakeSysfs& sysfs, const std::string& address, const std::function<void(RegisterBus&)>& body) {
  on_wall_clock([&](Scheduler& time) { body(*open_pci_registers(registers(), address, time, sysfs.path(""))); });
}

TEST(PciBar, ReadsAndWritesThroughTheMapping) {
  const FakeSysfs sysfs;
  const FakePci card(sysfs, "0000:03:00.0");
  for (const char* address : {"0000:03:00.0/bar0", "03:00.0/bar0", "1e0f:0011/bar0"})
    with_bus(sysfs, address, [&](RegisterBus& bus) {
      EXPECT_EQ(bus.name(), "pci:0000:03:00.0/bar0");
      EXPECT_EQ(bus.write(0x1ffc, 0x12345678, kNever).status, BusStatus::ok);
      const BusResult result = bus.read(0x1ffc, kNever);
      EXPECT_EQ(result.status, BusStatus::ok);
      EXPECT_EQ(result.data, 0x12345678U);
      // Little-endian in the device, whatever this machine is.
      std::ifstream memory(card.path("resource0"), std::ios::binary);
      memory.seekg(0x1ffc);
      EXPECT_EQ(memory.get(), 0x78);
    });
}

TEST(PciBar, KeepsToItsBounds) {
  const FakeSysfs sysfs;
  const FakePci card(sysfs, "0000:03:00.0");
  with_bus(sysfs, "1e0f:0011/bar0", [](RegisterBus& bus) {
    EXPECT_EQ(bus.read(0x2000, kNever).status, BusStatus::decode_error);
    EXPECT_EQ(bus.read(0x1ffe, kNever).status, BusStatus::decode_error);
    EXPECT_EQ(bus.write(~std::uint64_t{3}, 0, kNever).status, BusStatus::decode_error);
    EXPECT_THAT(bus.read(0x2000, kNever).detail, HasSubstr("beyond the 0x2000 bytes"));
  });
}

TEST(PciBar, OpeningDoesNotSwitchDecodingOn) {
  const FakeSysfs sysfs;
  FakePci card(sysfs, "0000:03:00.0");
  card.config(4, 0x0004);
  const Failure failure = refusal(sysfs, "1e0f:0011/bar0");
  EXPECT_EQ(failure.error_class, ErrorClass::infrastructure);
  EXPECT_EQ(failure.symptom, "pci_device_deaf");
  EXPECT_THAT(failure.message, HasSubstr("does not decode memory accesses (COMMAND is 0x0004)"));
  EXPECT_THAT(failure.likely_cause, HasSubstr("setpci -s 0000:03:00.0 COMMAND=2:2"));
  with_bus(sysfs, "1e0f:0011/config", [](RegisterBus& bus) {
    EXPECT_EQ(bus.read(4, kNever).data, 0x0004U);
    EXPECT_EQ(bus.write(4, 0x0006, kNever).status, BusStatus::ok);
  });
  with_bus(sysfs, "1e0f:0011/bar0", [](RegisterBus& bus) { EXPECT_EQ(bus.read(0, kNever).status, BusStatus::ok); });
}

TEST(PciBar, AllOnesIsDataOnlyWhileTheDeviceListens) {
  const FakeSysfs sysfs;
  FakePci card(sysfs, "0000:03:00.0");
  with_bus(sysfs, "1e0f:0011/bar0", [&](RegisterBus& bus) {
    bus.write(0x10, 0xffffffff, kNever);
    EXPECT_EQ(bus.read(0x10, kNever).status, BusStatus::ok);
    card.config(4, 0);
    EXPECT_THAT(bus.read(0x10, kNever).detail, HasSubstr("read 0xffffffff: 0000:03:00.0 does not decode"));
    EXPECT_THAT(bus.read(0x20, kNever).detail, HasSubstr("read 0x00000000: 0000:03:00.0 does not decode"));
    EXPECT_THAT(bus.write(0x14, 1, kNever).detail, HasSubstr("not written: 0000:03:00.0 does not decode"));
    card.config(4, 2);
    card.file("power_state", "D3hot\n");
    EXPECT_THAT(bus.read(0x10, kNever).detail, HasSubstr("is asleep (power state D3hot)"));
    card.vanish();
    const BusResult gone = bus.read(0x10, kNever);
    EXPECT_EQ(gone.status, BusStatus::io_error);
    EXPECT_THAT(gone.detail, HasSubstr("0000:03:00.0 (1e0f:0011) is gone"));
    EXPECT_EQ(bus.write(0x10, 1, kNever).status, BusStatus::io_error);
  });
}

TEST(PciBar, NoticesAnotherDeviceInItsPlace) {
  const FakeSysfs sysfs;
  FakePci card(sysfs, "0000:03:00.0");
  with_bus(sysfs, "1e0f:0011/bar0", [&](RegisterBus& bus) {
    card.config(0, 0x0012'1e0f);
    EXPECT_THAT(bus.write(0, 1, kNever).detail, HasSubstr("another device, 1e0f:0012, sits at 0000:03:00.0 now"));
  });
}

TEST(PciBar, SurvivesABusError) {
  const FakeSysfs sysfs;
  FakePci card(sysfs, "0000:03:00.0");
  with_bus(sysfs, "1e0f:0011/bar0", [&](RegisterBus& bus) {
    // Pages beyond the end of a mapped file fault with SIGBUS, as a removed device's do.
    std::filesystem::resize_file(card.path("resource0"), 0);
    for (int i = 0; i < 3; ++i) {
      const BusResult read = bus.read(0x1000, kNever);
      EXPECT_EQ(read.status, BusStatus::io_error);
      EXPECT_THAT(read.detail, HasSubstr("bus error"));
      EXPECT_EQ(bus.write(0x1000, 1, kNever).status, BusStatus::io_error);
    }
    std::filesystem::resize_file(card.path("resource0"), FakePci::kBarSize);
    EXPECT_EQ(bus.read(0x1000, kNever).status, BusStatus::ok);
  });
}

TEST(PciBar, SaysWhatIsNotThere) {
  const FakeSysfs sysfs;
  FakePci card(sysfs, "0000:03:00.0");
  EXPECT_THAT(refusal(sysfs, "1e0f:0011/bar1").message, HasSubstr("it has: bar0 (memory of 8192 bytes), bar2 (I/O"));
  EXPECT_EQ(refusal(sysfs, "1e0f:0011/bar2").symptom, "no_pci_bar");
  EXPECT_EQ(refusal(sysfs, "1e0f:0011/bar6").symptom, "bad_address");
  EXPECT_EQ(refusal(sysfs, "1e0f:0011").symptom, "bad_address");
  EXPECT_EQ(refusal(sysfs, "card/bar0").symptom, "bad_address");
  EXPECT_EQ(refusal(sysfs, "1e0f:0012/bar0").symptom, "no_pci_device");
  EXPECT_THAT(refusal(sysfs, "04:00.0/bar0").message, HasSubstr("no PCI device sits at 0000:04:00.0"));
  card.vanish();
  EXPECT_EQ(refusal(sysfs, "1e0f:0011/bar0").symptom, "pci_device_gone");
}

TEST(PciBar, TellsTwinsApartBySerialNumber) {
  const FakeSysfs sysfs;
  FakePci first(sysfs, "0000:03:00.0");
  FakePci second(sysfs, "0000:81:00.0");
  first.serial(0x00112233, 0x44556601);
  second.serial(0x00112233, 0x44556602);
  const Failure failure = refusal(sysfs, "1e0f:0011/bar0");
  EXPECT_EQ(failure.error_class, ErrorClass::bench);
  EXPECT_THAT(failure.message, HasSubstr("0000:81:00.0 (serial 00-11-22-33-44-55-66-02)"));
  with_bus(sysfs, "1e0f:0011:00-11-22-33-44-55-66-02/bar0",
           [](RegisterBus& bus) { EXPECT_EQ(bus.name(), "pci:0000:81:00.0/bar0"); });
  EXPECT_THAT(refusal(sysfs, "1e0f:0011:00-11-22-33-44-55-66-03/bar0").likely_cause,
              HasSubstr("of that kind: 0000:03:00.0 (serial"));
}

TEST(PciBar, RefusesAnotherDeviceThanDeclared) {
  const FakeSysfs sysfs;
  const FakePci card(sysfs, "0000:03:00.0");
  ResourcePlan plan = registers();
  plan.params["pci_id"] = {std::string("1e0f:0012"), {}};
  const Failure failure = refusal(sysfs, "03:00.0/bar0", plan);
  EXPECT_EQ(failure.symptom, "wrong_pci_device");
  EXPECT_EQ(failure.error_class, ErrorClass::bench);
}

TEST(PciConfig, KeepsToItsBounds) {
  const FakeSysfs sysfs;
  FakePci card(sysfs, "0000:03:00.0");
  with_bus(sysfs, "03:00.0/config", [&](RegisterBus& bus) {
    EXPECT_EQ(bus.read(0, kNever).data, 0x00111e0fU);
    EXPECT_EQ(bus.read(4096, kNever).status, BusStatus::decode_error);
    EXPECT_EQ(bus.read(2, kNever).status, BusStatus::decode_error);
    card.vanish();
    EXPECT_THAT(bus.read(0x10, kNever).detail, HasSubstr("is gone"));
    EXPECT_THAT(bus.write(4, 2, kNever).detail, HasSubstr("not written: 0000:03:00.0 (1e0f:0011) is gone"));
  });
}

}  // namespace
}  // namespace firstlight::host
