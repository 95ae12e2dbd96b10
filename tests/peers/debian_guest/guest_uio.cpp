#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/transports/host/uio_bus.h"
#include "tests/peers/debian_guest/guest.h"

namespace firstlight::peers {
namespace {

using testing::HasSubstr;

/// A driver of the kernel for another card that maps its first BAR, whatever card it is given.
constexpr const char* kUioDriver = "hilscher";
constexpr const char* kUioName = "CIF_???";

TEST(GuestUio, DrivesTheCardByItsName) {
  on_wall_clock([](Scheduler& time) {
    const Bound bound(kSecondCard, kUioDriver);
    ResourcePlan plan;
    const auto bus = host::open_uio_registers(plan, std::string(kUioName) + "/0", time, host::Root{});
    Edu edu = edu_on(*bus);
    EXPECT_EQ(edu.id(), kEduId);
    EXPECT_EQ(edu.liveness(0), 0xffffffffU);
    EXPECT_EQ(edu.factorial(6), 720U);
    // The PCI device under it knows that it does not listen.
    command(kSecondCard, 0, time);
    EXPECT_THAT(bus->read(0, kNever).detail, HasSubstr("does not decode"));
    command(kSecondCard, host::kPciCommandMemory, time);
    EXPECT_EQ(edu.id(), kEduId);
  });
}

TEST(GuestUio, TheKernelDriverKeepsTheBarToItself) {
  on_wall_clock([](Scheduler& time) {
    const Bound bound(kSecondCard, kUioDriver);
    const Failure failure = refusal_of([&] { open_registers("00:05.0/bar0", time); });
    EXPECT_EQ(failure.symptom, "pci_bar_unmappable");
    EXPECT_THAT(failure.likely_cause, HasSubstr("the kernel driver \"hilscher\" keeps the BAR to itself"));
  });
}

}  // namespace
}  // namespace firstlight::peers
