#include "tb/chip/external_memory.h"

#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <algorithm>
#include <vector>

namespace tb {
namespace {

constexpr std::size_t kLine = 64;
constexpr std::size_t kHidden = 4096;  // spare rows behind it
const sc_core::sc_time kCycle(1, sc_core::SC_NS);
const sc_core::sc_time kLongest(100, sc_core::SC_US);

/// What the chip sees of a memory.
class Chip : public sc_core::sc_module {
 public:
  explicit Chip(const sc_core::sc_module_name& name) : sc_module(name), socket("socket") {}
  std::vector<std::uint8_t> read(std::uint64_t offset, std::size_t count) {
    std::vector<std::uint8_t> bytes(count);
    tlm::tlm_generic_payload payload;
    payload.set_read();
    payload.set_address(offset);
    payload.set_data_ptr(bytes.data());
    payload.set_data_length(static_cast<unsigned>(count));
    sc_core::sc_time delay;
    socket->b_transport(payload, delay);
    return bytes;
  }
  tlm::tlm_response_status write(std::uint64_t offset, std::vector<std::uint8_t> bytes) {
    tlm::tlm_generic_payload payload;
    payload.set_write();
    payload.set_address(offset);
    payload.set_data_ptr(bytes.data());
    payload.set_data_length(static_cast<unsigned>(bytes.size()));
    sc_core::sc_time delay;
    socket->b_transport(payload, delay);
    return payload.get_response_status();
  }
  tlm_utils::simple_initiator_socket<Chip> socket;
};

struct Bench {
  Bench() : memory("buffered", 1U << 16U, {}, kCycle, kHidden), chip("reader") { chip.socket.bind(memory.socket); }
  ExternalMemory memory;
  Chip chip;
};

Bench& bench() {
  static Bench the;
  return the;
}

/// Modules are there before time first passes, in whichever test that is.
class Elaboration : public ::testing::Environment {
 public:
  void SetUp() override { bench(); }
};
const ::testing::Environment* const kElaboration = ::testing::AddGlobalTestEnvironment(new Elaboration);

struct ExternalMemoryTest : ::testing::Test {
  ExternalMemoryTest() {
    bench().memory.barrier();
    bench().memory.buffer_writes(kLongest, 1);
  }
  static void write(std::uint64_t offset, std::size_t count, std::uint8_t byte) {
    const std::vector<std::uint8_t> bytes(count, byte);
    bench().memory.write(offset, bytes.data(), bytes.size());
  }
  static std::vector<std::uint8_t> own(std::uint64_t offset, std::size_t count) {
    std::vector<std::uint8_t> bytes(count);
    bench().memory.read(offset, bytes.data(), count);
    return bytes;
  }
  static bool all(const std::vector<std::uint8_t>& bytes, std::uint8_t byte) {
    return std::all_of(bytes.begin(), bytes.end(), [byte](std::uint8_t one) { return one == byte; });
  }
};

TEST_F(ExternalMemoryTest, ABarrierMakesEverythingVisible) {
  write(0x1010, 1000, 0x5a);
  bench().memory.barrier();
  EXPECT_TRUE(all(bench().chip.read(0x1010, 1000), 0x5a));
}

TEST_F(ExternalMemoryTest, WithoutOneLinesAppearInAnyOrder) {
  constexpr std::size_t kLines = 64;
  write(0x2000, kLines * kLine, 0x11);
  EXPECT_TRUE(all(own(0x2000, kLines * kLine), 0x11)) << "who wrote it reads it";
  sc_core::sc_start(kLongest / 2);
  std::size_t seen = 0;
  std::size_t overtaken = 0;
  bool gap = false;
  for (std::size_t line = 0; line < kLines; ++line) {
    const auto bytes = bench().chip.read(0x2000 + line * kLine, kLine);
    EXPECT_TRUE(all(bytes, 0x11) || all(bytes, 0)) << "a line is seen whole";
    if (all(bytes, 0x11)) {
      ++seen;
      if (gap) ++overtaken;
    } else {
      gap = true;
    }
  }
  EXPECT_GT(seen, kLines / 4);
  EXPECT_LT(seen, kLines * 3 / 4);
  EXPECT_GT(overtaken, 0U) << "a later write was seen before an earlier one";
  sc_core::sc_start(kLongest);
  EXPECT_TRUE(all(bench().chip.read(0x2000, kLines * kLine), 0x11)) << "in the end all are";
}

TEST_F(ExternalMemoryTest, TwoWritesOfOneLineStayInOrder) {
  for (int round = 0; round < 50; ++round) {
    write(0x3000, 8, 1);
    write(0x3000, 8, 2);
    sc_core::sc_start(kLongest / 3);
    EXPECT_LE(bench().chip.read(0x3000, 1)[0], 2);
    sc_core::sc_start(kLongest);
    EXPECT_EQ(bench().chip.read(0x3000, 1)[0], 2);
  }
}

TEST_F(ExternalMemoryTest, AStuckBitReadsAsItIsStuck) {
  bench().memory.set_stuck_bit(0x4011, 3, true);
  bench().memory.set_stuck_bit(0x4012, 0, false);
  bench().chip.write(0x4010, std::vector<std::uint8_t>(8, 0));
  EXPECT_EQ(bench().chip.read(0x4010, 4), (std::vector<std::uint8_t>{0, 8, 0, 0}));
  bench().chip.write(0x4010, std::vector<std::uint8_t>(8, 0xFF));
  EXPECT_EQ(bench().chip.read(0x4011, 2), (std::vector<std::uint8_t>{0xFF, 0xFE}));
}

TEST_F(ExternalMemoryTest, OneWriteOfOneLineIsLost) {
  bench().memory.set_lost_write(0x5050, 2);
  for (std::uint8_t round = 1; round <= 3; ++round) {
    bench().chip.write(0x5000, std::vector<std::uint8_t>(4 * kLine, round));
    EXPECT_TRUE(all(bench().chip.read(0x5000, kLine), round));
    EXPECT_TRUE(all(bench().chip.read(0x5040, kLine), round == 2 ? std::uint8_t{1} : round)) << "round " << int{round};
    EXPECT_TRUE(all(bench().chip.read(0x5080, 2 * kLine), round));
  }
}

TEST_F(ExternalMemoryTest, SpareRowsLieBehindWhatItOffers) {
  EXPECT_EQ(bench().memory.size(), 1U << 16U);
  EXPECT_EQ(bench().chip.write((1U << 16U) + kHidden - 8, std::vector<std::uint8_t>(8, 7)), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(bench().chip.write((1U << 16U) + kHidden - 4, std::vector<std::uint8_t>(8, 7)),
            tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

}  // namespace
}  // namespace tb
