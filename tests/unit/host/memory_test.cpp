#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <stdexcept>

#include "lab/core/failure.h"
#include "lab/transports/host/huge_pages.h"
#include "lab/transports/host/mapped_memory.h"
#include "lab/transports/host/vfio_memory.h"
#include "tests/unit/host/fake_sysfs.h"

namespace firstlight::host {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint64_t kPage = 2 << 20;
constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

template <class Open>
Failure refusal_of(Open open) {
  try {
    open();
  } catch (const FailureError& error) {
    return error.failure();
  }
  ADD_FAILURE() << "was opened";
  return {};
}

TEST(ContiguousRun, TakesTheLowestRunInOrderOfAddress) {
  const std::vector<std::uint64_t> pages = {9 * kPage, 4 * kPage, 2 * kPage, 5 * kPage, 8 * kPage, 6 * kPage};
  EXPECT_THAT(contiguous_run(pages, kPage, 1, kNoLimit), ElementsAre(2));
  EXPECT_THAT(contiguous_run(pages, kPage, 2, kNoLimit), ElementsAre(1, 3));
  EXPECT_THAT(contiguous_run(pages, kPage, 3, kNoLimit), ElementsAre(1, 3, 5));
  EXPECT_THAT(contiguous_run(pages, kPage, 4, kNoLimit), IsEmpty());
  EXPECT_THAT(contiguous_run({}, kPage, 1, kNoLimit), IsEmpty());
}

TEST(ContiguousRun, StaysBelowTheLimit) {
  const std::vector<std::uint64_t> pages = {3 * kPage, 4 * kPage, 5 * kPage};
  EXPECT_THAT(contiguous_run(pages, kPage, 2, 5 * kPage), ElementsAre(0, 1));
  EXPECT_THAT(contiguous_run(pages, kPage, 2, 5 * kPage - 1), IsEmpty());
  EXPECT_THAT(contiguous_run(pages, kPage, 1, 1), IsEmpty());
}

TEST(MappedMemory, KeepsToItsBounds) {
  const std::size_t size = 4096;
  void* const raw = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  MappedMemory memory("m", std::make_shared<Mapping>(raw, size), 0x1000, 100);
  const std::uint8_t written[2] = {1, 2};
  std::uint8_t found[2] = {};
  memory.write(98, written, 2);
  memory.barrier();
  memory.read(98, found, 2);
  EXPECT_EQ(found[1], 2);
  EXPECT_THROW(memory.write(99, written, 2), std::out_of_range);
  EXPECT_THROW(memory.read(~std::uint64_t{0}, found, 2), std::out_of_range);
  memory.read(100, found, 0);
}

TEST(HugePages, SaysWhatIsNeeded) {
  const FakeSysfs fake;
  const Root root{fake.path("sys"), fake.path("dev"), fake.path("proc")};
  ResourcePlan plan;
  plan.name = "hostmem0";
  EXPECT_EQ(refusal_of([&] { open_huge_pages(plan, "much", root); }).symptom, "bad_address");
  EXPECT_EQ(refusal_of([&] { open_huge_pages(plan, "0.5 B", root); }).symptom, "bad_address");
  EXPECT_EQ(refusal_of([&] { open_huge_pages(plan, "2 MiB", root); }).likely_cause, "this kernel has no huge pages");
  fake.write("sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "1\n");
  const Failure failure = refusal_of([&] { open_huge_pages(plan, "3 MiB", root); });
  EXPECT_EQ(failure.error_class, ErrorClass::infrastructure);
  EXPECT_THAT(failure.likely_cause, HasSubstr("2 pages of 2048 KiB are needed and 1 are free (`echo 2 > "));
}

TEST(HugePages, AreRefusedWhereAnIommuTranslates) {
  const FakeSysfs fake;
  const FakeSysfs other;
  const FakePci card(fake, "0000:03:00.0");
  ResourcePlan plan;
  plan.params["device"] = {std::string("03:00.0"), {}};
  card.file("iommu_group/type", "DMA-FQ\n");
  const Root root{fake.path(""), fake.path("dev"), fake.path("proc")};
  EXPECT_EQ(refusal_of([&] { open_huge_pages(plan, "2 MiB", root); }).symptom, "iommu_translates");
  card.file("iommu_group/type", "identity\n");
  EXPECT_EQ(refusal_of([&] { open_huge_pages(plan, "2 MiB", root); }).symptom, "no_huge_pages");
}

TEST(Vfio, SaysWhatIsNeeded) {
  const FakeSysfs fake;
  const FakePci card(fake, "0000:03:00.0");
  const Root root{fake.path(""), fake.path("dev"), fake.path("proc")};
  ResourcePlan plan;
  const auto refusal = [&](const std::string& address) {
    return refusal_of([&] { open_vfio_memory(plan, address, root); });
  };
  EXPECT_EQ(refusal("03:00.0").symptom, "bad_address");
  EXPECT_EQ(refusal("03:00.0,none").symptom, "bad_address");
  EXPECT_EQ(refusal("04:00.0,1 MiB").symptom, "no_pci_device");
  EXPECT_THAT(refusal("03:00.0,1 MiB").message, HasSubstr("no IOMMU stands before PCI device 0000:03:00.0"));
  fake.link("bus/pci/devices/0000:03:00.0/iommu_group", "../../../kernel/iommu_groups/12");
  EXPECT_THAT(refusal("03:00.0,1 MiB").message, HasSubstr("it needs vfio-pci"));
  fake.link("bus/pci/devices/0000:03:00.0/driver", "../../drivers/tern");
  EXPECT_THAT(refusal("03:00.0,1 MiB").message, HasSubstr("belongs to the kernel driver \"tern\""));
  std::filesystem::remove(card.path("driver"));
  fake.link("bus/pci/devices/0000:03:00.0/driver", "../../drivers/vfio-pci");
  EXPECT_EQ(refusal("03:00.0,1 MiB").symptom, "no_vfio");
}

TEST(Vfio, ChecksTheBusAddressBeforeAnythingElse) {
  const FakeSysfs fake;
  const FakePci card(fake, "0000:03:00.0");
  const Root root{fake.path(""), fake.path("dev"), fake.path("proc")};
  ResourcePlan plan;
  plan.params["address_bits"] = {std::int64_t{28}, {}};
  plan.params["iova"] = {std::int64_t{0x0ff0'0000}, {}};
  EXPECT_EQ(refusal_of([&] { open_vfio_memory(plan, "03:00.0,2 MiB", root); }).symptom, "bad_iova");
  EXPECT_EQ(refusal_of([&] { open_vfio_memory(plan, "03:00.0,1 MiB", root); }).symptom, "no_iommu");
  plan.params["iova"] = {std::int64_t{0x1001}, {}};
  EXPECT_EQ(refusal_of([&] { open_vfio_memory(plan, "03:00.0,1 MiB", root); }).symptom, "bad_iova");
}

}  // namespace
}  // namespace firstlight::host
