#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/peers/debian_guest/guest.h"

namespace firstlight::peers {
namespace {

using testing::HasSubstr;

constexpr std::uint32_t kMemory = host::kPciCommandMemory;

TEST(GuestPci, CannotTellTwinsApartById) {
  on_wall_clock([](Scheduler& time) {
    const Failure failure = refusal_of([&] { open_registers("1234:11e8/bar0", time); });
    EXPECT_EQ(failure.symptom, "ambiguous_pci_device");
    EXPECT_THAT(failure.message, HasSubstr("0000:00:04.0, 0000:00:05.0"));
  });
}

TEST(GuestPci, DrivesTheCardThroughItsBar) {
  on_wall_clock([](Scheduler& time) {
    command(kFirstCard, kMemory, time);
    const auto bar = open_registers("00:04.0/bar0", time);
    Edu edu = edu_on(*bar);
    EXPECT_EQ(edu.id(), kEduId);
    EXPECT_EQ(edu.liveness(0x12345678), ~0x12345678U);
    EXPECT_EQ(edu.liveness(0), 0xffffffffU) << "all ones, and the card is there";
    EXPECT_EQ(edu.factorial(10), 3628800U);
    EXPECT_EQ(bar->read(0x100000, kNever).status, BusStatus::decode_error);
  });
}

TEST(GuestPci, ReadsConfigurationSpace) {
  on_wall_clock([](Scheduler& time) {
    const auto config = open_registers("00:04.0/config", time);
    EXPECT_EQ(config->read(0, kNever).data, 0x11e81234U);
    EXPECT_EQ(config->read(0xfc, kNever).status, BusStatus::ok);
    EXPECT_EQ(config->read(4096, kNever).status, BusStatus::decode_error);
  });
}

TEST(GuestPci, SeesDecodingSwitchedOff) {
  on_wall_clock([](Scheduler& time) {
    const auto bar = open_registers("00:04.0/bar0", time);
    command(kFirstCard, 0, time);
    EXPECT_THAT(bar->read(0, kNever).detail, HasSubstr("0000:00:04.0 does not decode"));
    EXPECT_EQ(bar->write(4, 1, kNever).status, BusStatus::io_error);
    const Failure failure = refusal_of([&] { open_registers("00:04.0/bar0", time); });
    EXPECT_EQ(failure.symptom, "pci_device_deaf");
    // Refusing has not switched it on.
    EXPECT_EQ(open_registers("00:04.0/config", time)->read(4, kNever).data & 0xffffU, 0U);
    command(kFirstCard, kMemory, time);
    EXPECT_EQ(bar->read(0, kNever).data, kEduId);
  });
}

TEST(GuestPci, SurvivesItsRemoval) {
  on_wall_clock([](Scheduler& time) {
    command(kSecondCard, kMemory, time);
    const auto bar = open_registers("00:05.0/bar0", time);
    EXPECT_EQ(bar->read(0, kNever).data, kEduId);
    // All that is left of a card that was pulled: nobody decodes its addresses, and the kernel knows it no more.
    command(kSecondCard, 0, time);
    tell_kernel(card_file(kSecondCard, "remove"), "1");
    for (int i = 0; i < 2; ++i) {
      const BusResult read = bar->read(0, kNever);
      EXPECT_EQ(read.status, BusStatus::io_error);
      EXPECT_THAT(read.detail, HasSubstr("is gone"));
      EXPECT_THAT(bar->write(4, 1, kNever).detail, HasSubstr("is gone"));
    }
    EXPECT_EQ(refusal_of([&] { open_registers("00:05.0/bar0", time); }).symptom, "no_pci_device");
    tell_kernel("/sys/bus/pci/rescan", "1");
    command(kSecondCard, kMemory, time);
    EXPECT_EQ(open_registers("00:05.0/bar0", time)->read(0, kNever).data, kEduId);
  });
}

}  // namespace
}  // namespace firstlight::peers
