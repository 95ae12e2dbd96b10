#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <thread>

#include "lab/core/failure.h"
#include "lab/drivers/register_access.h"
#include "lab/transports/host/pci_device.h"
#include "tests/peers/qemu_edu/edu.h"
#include "tests/peers/qemu_edu/qtest_card.h"
#include "tests/peers/support/wall_bench.h"

namespace firstlight::peers {
namespace {

constexpr unsigned kSlot = 4;
constexpr std::uint32_t kBarAddress = 0xfe000000;
constexpr std::uint32_t kBarSize = 1 << 20;
constexpr std::uint64_t kMemoryBase = 0x0100'0000;
constexpr std::uint64_t kMemorySize = 64 * 1024;
constexpr std::uint32_t kBar0 = 0x10;

/// A PC whose program is to halt: nothing but the test touches the card, and its time passes as ours does.
class QemuEdu : public testing::Test {
 protected:
  QemuEdu() {
    config_.write(kBar0, kBarAddress, kNever);
    config_.write(host::kPciCommand, host::kPciCommandMemory | host::kPciCommandMaster, kNever);
  }

  static std::vector<std::uint8_t> pattern(std::size_t count) {
    std::mt19937 random(count);
    std::vector<std::uint8_t> bytes(count);
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
    return bytes;
  }
  std::vector<std::uint8_t> read_back(std::uint64_t offset, std::size_t count) const {
    std::vector<std::uint8_t> bytes(count);
    memory_.read(offset, bytes.data(), count);
    return bytes;
  }

  /// 64 KiB of ROM, with `cli; hlt; jmp -3` where the processor begins.
  std::string halting_rom() const {
    std::string rom(64 * 1024, '\0');
    rom.replace(rom.size() - 16, 4, "\xfa\xf4\xeb\xfd");
    const std::string path = folder_ / "rom";
    std::ofstream(path, std::ios::binary) << rom;
    return path;
  }

  TemporaryFolder folder_;
  QtestMachine machine_{{"qemu-system-x86_64", "-machine", "q35", "-accel", "tcg", "-bios", halting_rom(),
                         "-nodefaults", "-m", "128", "-device", "edu,addr=" + std::to_string(kSlot)}};
  QtestPciConfig config_{machine_, kSlot};
  QtestBar bar_{machine_, kBarAddress, kBarSize};
  QtestMemory memory_{machine_, kMemoryBase, kMemorySize};
  Edu edu_{bar_, [] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }};
};

TEST_F(QemuEdu, SaysWhoItIsInBothSpaces) {
  EXPECT_EQ(config_.read(host::kPciId, kNever).data, (std::uint32_t{kEduDevice} << 16U) | kEduVendor);
  EXPECT_EQ(edu_.id(), kEduId);
}

TEST_F(QemuEdu, InvertsAndComputes) {
  for (const std::uint32_t value : {0U, 0xffffffffU, 0x12345678U}) EXPECT_EQ(edu_.liveness(value), ~value);
  EXPECT_EQ(edu_.factorial(0), 1U);
  EXPECT_EQ(edu_.factorial(12), 479001600U);
}

TEST_F(QemuEdu, CopiesBothWaysByDma) {
  const std::vector<std::uint8_t> bytes = pattern(kEduMostBytes);
  memory_.write(0, bytes.data(), bytes.size());
  memory_.barrier();
  edu_.copy_in(memory_.base(), 0, kEduMostBytes);
  edu_.copy_out(0, memory_.base() + 0x8000, kEduMostBytes);
  EXPECT_EQ(read_back(0x8000, bytes.size()), bytes);
  // Not a byte more.
  EXPECT_EQ(read_back(0x7fff, 1).front(), 0);
  EXPECT_EQ(read_back(0x8000 + bytes.size(), 1).front(), 0);
}

TEST_F(QemuEdu, NeedsBusMasteringForDma) {
  const std::vector<std::uint8_t> bytes = pattern(64);
  memory_.write(0, bytes.data(), bytes.size());
  edu_.copy_in(memory_.base(), 0, 64);
  config_.write(host::kPciCommand, host::kPciCommandMemory, kNever);
  edu_.copy_out(0, memory_.base() + 0x1000, 64);
  EXPECT_EQ(read_back(0x1000, 64), std::vector<std::uint8_t>(64, 0));
  config_.write(host::kPciCommand, host::kPciCommandMemory | host::kPciCommandMaster, kNever);
  edu_.copy_out(0, memory_.base() + 0x1000, 64);
  EXPECT_EQ(read_back(0x1000, 64), bytes);
}

/// Why DMA memory has `address_bits`: a chip that cannot reach an address takes another one, silently.
TEST_F(QemuEdu, DropsAddressBitsThatItDoesNotHave) {
  const std::vector<std::uint8_t> bytes = pattern(64);
  memory_.write(0, bytes.data(), bytes.size());
  edu_.copy_in(memory_.base() + (std::uint64_t{1} << kEduAddressBits), 0, 64);
  edu_.copy_out(0, memory_.base() + 0x1000, 64);
  EXPECT_EQ(read_back(0x1000, 64), bytes);
}

TEST_F(QemuEdu, CarriesTheRegisterDriver) {
  on_wall_clock([this](Scheduler& time) {
    const auto bus = std::make_shared<QtestBar>(machine_, kBarAddress, kBarSize);
    RegisterAccess registers("edu0", bus, edu_registers(), "edu.id", std::chrono::seconds(1), time);
    EXPECT_EQ(registers.read("edu.id"), kEduId);
    registers.write("edu.factorial", 5);
    while (registers.read("edu.status.computing") != 0) time.sleep(std::chrono::milliseconds(1));
    EXPECT_EQ(registers.read("edu.factorial"), 120U);
    registers.write("edu.liveness", 0);
    EXPECT_EQ(registers.read("edu.liveness"), 0xffffffffU) << "all ones, and the card is there";
    try {
      registers.write("edu.status", 0xffffffff);
      registers.write("edu.status.computing", 1);
      FAIL() << "a read-only field was written";
    } catch (const FailureError& error) {
      EXPECT_EQ(error.failure().symptom, "register_bad_write");
    }
  });
}

}  // namespace
}  // namespace firstlight::peers
