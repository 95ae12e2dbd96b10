#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "lab/transports/host/huge_pages.h"
#include "lab/transports/host/vfio_memory.h"
#include "tests/peers/debian_guest/guest.h"

namespace firstlight::peers {
namespace {

using testing::HasSubstr;

constexpr std::uint32_t kMaster = host::kPciCommandMemory | host::kPciCommandMaster;

ResourcePlan memory_plan() {
  ResourcePlan plan;
  plan.name = "hostmem0";
  plan.params["address_bits"] = {std::int64_t{kEduAddressBits}, {}};
  return plan;
}

std::unique_ptr<DmaMemory> open_huge(const std::string& size, const ResourcePlan& plan = memory_plan()) {
  return host::open_huge_pages(plan, size, host::Root{});
}

/// Through the card and back, to another place.
void expect_dma_both_ways(DmaMemory& memory, BenchTime& time) {
  command(kFirstCard, kMaster, time);
  const auto bar = open_registers("00:04.0/bar0", time);
  Edu edu = edu_on(*bar);
  std::mt19937 random(kEduMostBytes);
  std::vector<std::uint8_t> sent(kEduMostBytes);
  for (auto& byte : sent) byte = static_cast<std::uint8_t>(random());
  std::vector<std::uint8_t> found(sent.size());
  const std::uint64_t far = memory.size() - sent.size();
  memory.read(far, found.data(), found.size());
  ASSERT_TRUE(std::all_of(found.begin(), found.end(), [](auto byte) { return byte == 0; })) << "not cleared";
  memory.write(0, sent.data(), sent.size());
  memory.barrier();
  edu.copy_in(memory.base(), 0, kEduMostBytes);
  edu.copy_out(0, memory.base() + far, kEduMostBytes);
  memory.read(far, found.data(), found.size());
  EXPECT_EQ(found, sent);
}

std::uint64_t free_pages() {
  return host::read_number("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages").value_or(0);
}

TEST(GuestHugePages, CarryDma) {
  on_wall_clock([](Scheduler& time) {
    ResourcePlan plan = memory_plan();
    plan.params["device"] = {std::string("00:04.0"), {}};
    const std::uint64_t before = free_pages();
    {
      const auto memory = open_huge("4 MiB", plan);
      EXPECT_EQ(memory->size(), 4U << 20U);
      EXPECT_EQ(memory->base() % (2U << 20U), 0U);
      EXPECT_EQ(free_pages(), before - 2) << "spare pages went back";
      expect_dma_both_ways(*memory, time);
    }
    EXPECT_EQ(free_pages(), before);
  });
}

TEST(GuestHugePages, SayWhatIsMissing) {
  const Failure failure = refusal_of([] { open_huge("64 MiB"); });
  EXPECT_EQ(failure.symptom, "no_huge_pages");
  EXPECT_THAT(failure.likely_cause, HasSubstr("32 pages of 2048 KiB are needed and 4 are free"));
  ResourcePlan low = memory_plan();
  low.params["address_bits"] = {std::int64_t{12}, {}};
  EXPECT_THAT(refusal_of([&] { open_huge("2 MiB", low); }).likely_cause, HasSubstr("no 1 follow each other below"));
}

TEST(GuestHugePages, AreRefusedWhereTheIommuTranslates) {
  ResourcePlan plan = memory_plan();
  plan.params["device"] = {std::string("00:04.0"), {}};
  tell_kernel(card_file(kFirstCard, "iommu_group/type"), "DMA");
  EXPECT_EQ(refusal_of([&] { open_huge("2 MiB", plan); }).symptom, "iommu_translates");
  tell_kernel(card_file(kFirstCard, "iommu_group/type"), "identity");
}

TEST(GuestVfio, NeedsItsDriver) {
  const Failure failure = refusal_of([] { host::open_vfio_memory(memory_plan(), "00:04.0,1 MiB", host::Root{}); });
  EXPECT_EQ(failure.symptom, "not_vfio");
}

TEST(GuestVfio, CarriesDmaWhileItIsOpen) {
  on_wall_clock([](Scheduler& time) {
    const Bound bound(kFirstCard, "vfio-pci");
    ResourcePlan plan = memory_plan();
    plan.params["iova"] = {std::int64_t{0x0200'0000}, {}};
    const auto memory = host::open_vfio_memory(plan, "00:04.0,1 MiB", host::Root{});
    EXPECT_EQ(memory->base(), 0x0200'0000U);
    expect_dma_both_ways(*memory, time);
    EXPECT_EQ(refusal_of([&] { host::open_vfio_memory(plan, "00:04.0,1 MiB", host::Root{}); }).symptom, "vfio_group");
  });
}

TEST(GuestVfio, ShowsTheCardNothingElse) {
  on_wall_clock([](Scheduler& time) {
    const Bound bound(kFirstCard, "vfio-pci");
    const auto memory = host::open_vfio_memory(memory_plan(), "00:04.0,64 KiB", host::Root{});
    expect_dma_both_ways(*memory, time);
    const auto bar = open_registers("00:04.0/bar0", time);
    Edu edu = edu_on(*bar);
    const std::vector<std::uint8_t> before(64, 0x5a);
    memory->write(0, before.data(), before.size());
    edu.copy_in(memory->base(), 0, 64);
    // Beyond the memory the IOMMU lets nothing through: what comes in is not what lies there.
    const auto huge = open_huge("2 MiB");
    const std::vector<std::uint8_t> secret(64, 0xa5);
    huge->write(0, secret.data(), secret.size());
    edu.copy_in(huge->base(), 0, 64);
    edu.copy_out(0, memory->base() + 0x1000, 64);
    std::vector<std::uint8_t> found(64);
    memory->read(0x1000, found.data(), found.size());
    EXPECT_NE(found, secret);
    edu.copy_out(0, huge->base() + 0x1000, 64);
    huge->read(0x1000, found.data(), found.size());
    EXPECT_EQ(found, std::vector<std::uint8_t>(64, 0));
  });
}

TEST(GuestVfio, SaysWhyAnAddressIsNotForUse) {
  const Bound bound(kFirstCard, "vfio-pci");
  ResourcePlan plan;
  plan.params["iova"] = {std::int64_t{0xfee00000}, {}};
  const Failure failure = refusal_of([&] { host::open_vfio_memory(plan, "00:04.0,64 KiB", host::Root{}); });
  EXPECT_EQ(failure.symptom, "vfio_map");
  EXPECT_THAT(failure.likely_cause, HasSubstr("choose another `iova`"));
}

}  // namespace
}  // namespace firstlight::peers
