#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "tests/peers/support/peer_process.h"

namespace firstlight::peers {
namespace {

constexpr auto kBoot = std::chrono::seconds(200);  // a quarter of a minute on a machine that does nothing else

int listed_tests() {
  std::istringstream lines(run_program({GUEST_CHECKS, "--gtest_list_tests"}, std::chrono::seconds(20)).output);
  int tests = 0;
  for (std::string line; std::getline(lines, line);)
    if (line.rfind("  ", 0) == 0) ++tests;
  return tests;
}

TEST(DebianGuest, PassesItsChecks) {
  const std::string kernel = GUEST_KERNEL;
  ASSERT_TRUE(std::filesystem::exists(kernel + "/vmlinuz")) << "no kernel for the guest; scripts/setup fetches it";
  const TemporaryFolder folder;
  const std::string initramfs = folder / "initramfs";
  const Finished made = run_program({std::string(GUEST_FOLDER) + "/make-initramfs", kernel, GUEST_CHECKS, initramfs,
                                     "uhid", "hid-cp2112", "uio_cif", "vfio-pci", "vfio_iommu_type1"},
                                    std::chrono::seconds(60));
  ASSERT_EQ(made.status, 0) << made.output;
  // iommu=pt: the IOMMU is there for VFIO, and physical addresses work for a device that nobody translates for.
  PeerProcess guest({"qemu-system-x86_64",
                     "-machine",
                     "q35",
                     "-accel",
                     "tcg",
                     "-cpu",
                     "max",
                     "-m",
                     "256",
                     "-nodefaults",
                     "-no-reboot",
                     "-display",
                     "none",
                     "-serial",
                     "stdio",
                     "-device",
                     "intel-iommu",
                     "-device",
                     "edu,addr=4",
                     "-device",
                     "edu,addr=5",
                     "-kernel",
                     kernel + "/vmlinuz",
                     "-initrd",
                     initramfs,
                     "-append",
                     "console=ttyS0 quiet intel_iommu=on iommu=pt hugepages=4"});
  const int status = guest.wait(kBoot);
  const std::string output = guest.output();
  SCOPED_TRACE(output);
  EXPECT_EQ(status, 0);
  const int tests = listed_tests();
  ASSERT_GT(tests, 0);
  EXPECT_NE(output.find("[  PASSED  ] " + std::to_string(tests) + " tests."), std::string::npos);
  EXPECT_NE(output.find("GUEST EXIT 0"), std::string::npos);
}

}  // namespace
}  // namespace firstlight::peers
