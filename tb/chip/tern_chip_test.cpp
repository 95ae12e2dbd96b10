// The chip's wrapper: power, clocks, the host port and the AXI bridge around the verilated Tern, and that a seed
// decides all.
#include "tb/chip/tern_chip.h"

#include <gtest/gtest.h>

#include <optional>

#include "firmware/tern_regs.h"
#include "tb/chip/external_memory.h"
#include "tb/chip/models.h"

namespace {

using tb::HostPort;

constexpr double kScale = 1000;  // 1 us a core cycle, 10 us a reference cycle
const sc_core::sc_time kReferenceCycle(10, sc_core::SC_US);
constexpr std::uint32_t kHbmBytes = 1U << 20U;
constexpr std::uint32_t kHiddenBytes = 8U << 10U;
constexpr std::uint32_t kPowerCtrl = TERN_POWER_BASE + TERN_POWER_CTRL_OFFSET;
constexpr std::uint32_t kScratch = TERN_CHIP_BASE + TERN_CHIP_SCRATCH_OFFSET;
constexpr std::uint32_t kLinkNow = TERN_LINK_BASE + TERN_LINK_NOW_OFFSET;

/// A chip with two memories and pins that the test holds. SystemC elaborates once a process: one serves all tests.
class World {
 public:
  static World& instance() {
    static World world;
    return world;
  }
  tb::TernChip& chip() { return chip_; }
  tb::PinsToChip& pins() { return pins_; }
  const tb::PinsFromChip& outputs() const { return outputs_; }
  tb::ExternalMemory& hbm() { return hbm_; }
  tb::ExternalMemory& host_memory() { return host_memory_; }

  void pass(unsigned reference_cycles) { sc_core::sc_start(kReferenceCycle * static_cast<double>(reference_cycles)); }

  void power_on() {
    pins_ = tb::PinsToChip{};
    pins_.por_n = true;
    pins_.reference_hz = 1e8;
    for (auto& code : pins_.zone_code) code = 25 * 8;
    chip_.wake();
    pass(10);
  }
  void power_off() {
    pins_ = tb::PinsToChip{};
    pass(100);
  }
  /// The PLL and the rails do as they are told, until the core is out of reset.
  void start_core() {
    pins_.power_good = 0x1F;
    pass(20);
    ASSERT_TRUE(write(kPowerCtrl, TERN_POWER_CTRL_START_MASK));
    for (int i = 0; i < 100 && !outputs_.core_reset_n; ++i) {
      pins_.pll_lock = outputs_.pll_enable;
      pins_.core_hz = outputs_.pll_enable ? 1e9 : 0;
      pass(100);
    }
    ASSERT_TRUE(outputs_.core_reset_n) << "the core did not start";
  }

  std::optional<HostPort::Access> access(bool write, std::uint32_t address, std::uint32_t data, unsigned patience) {
    std::optional<HostPort::Access> answer;
    const std::uint64_t id = chip_.host().request(write, address, data, [&](const HostPort::Access& a) { answer = a; });
    for (unsigned i = 0; i < patience && !answer; ++i) pass(1);
    if (!answer) chip_.host().cancel(id);
    return answer;
  }
  bool write(std::uint32_t address, std::uint32_t data) {
    const auto answer = access(true, address, data, 1000);
    return answer && answer->outcome == HostPort::Outcome::okay;
  }
  std::optional<std::uint32_t> read(std::uint32_t address) {
    const auto answer = access(false, address, 0, 1000);
    if (!answer || answer->outcome != HostPort::Outcome::okay) return std::nullopt;
    return answer->data;
  }

 private:
  World()
      : chip_("chip", kScale, 1),
        hbm_("hbm", kHbmBytes, {}, chip_.nominal_core_cycle(), kHiddenBytes),
        host_memory_("host", 1U << 20U, {}, chip_.nominal_core_cycle()) {
    chip_.axi().hbm_socket.bind(hbm_.socket);
    chip_.axi().host_socket.bind(host_memory_.socket);
    chip_.connect(pins_);
    chip_.on_outputs([this](const tb::PinsFromChip& pins) { outputs_ = pins; });
  }

  tb::PinsToChip pins_;
  tb::PinsFromChip outputs_;
  tb::TernChip chip_;
  tb::ExternalMemory hbm_;
  tb::ExternalMemory host_memory_;
};

class TernChipTest : public ::testing::Test {
 protected:
  World& w = World::instance();
  void SetUp() override { w.power_off(); }
  void TearDown() override { w.power_off(); }
};

TEST_F(TernChipTest, IsNotEvaluatedWithoutPower) {
  const std::uint64_t ref = w.chip().ref_cycles();
  const std::uint64_t core = w.chip().core_cycles();
  w.pass(1000);
  EXPECT_EQ(w.chip().ref_cycles(), ref);
  EXPECT_EQ(w.chip().core_cycles(), core);
}

TEST_F(TernChipTest, CountsTheCyclesThatTimeStandsFor) {
  w.power_on();
  const std::uint64_t before = w.chip().ref_cycles();
  const std::uint64_t core_before = w.chip().core_cycles();
  w.pass(1000);
  EXPECT_NEAR(static_cast<double>(w.chip().ref_cycles() - before), 1000, 8);
  EXPECT_EQ(w.chip().core_cycles(), core_before) << "no core clock runs yet";
  w.start_core();
  const std::uint64_t core_running = w.chip().core_cycles();
  w.pass(1000);
  EXPECT_NEAR(static_cast<double>(w.chip().core_cycles() - core_running), 10'000, 80);
}

TEST_F(TernChipTest, ComesUpAnewEachTimePowerReturns) {
  for (int i = 0; i < 3; ++i) {
    w.power_on();
    EXPECT_EQ(w.read(kScratch), std::uint32_t{TERN_CHIP_SCRATCH_VALUE_RESET}) << "round " << i << ": nothing survives";
    ASSERT_TRUE(w.write(kScratch, 0x12345678U + static_cast<std::uint32_t>(i)));
    EXPECT_EQ(w.read(kScratch), 0x12345678U + static_cast<std::uint32_t>(i));
    w.start_core();
    EXPECT_TRUE(w.read(kLinkNow).has_value());
    w.power_off();
    EXPECT_FALSE(w.outputs().core_reset_n);
    EXPECT_FALSE(w.outputs().pll_enable);
    EXPECT_TRUE(w.outputs().fault_n) << "a chip without power drives nothing";
  }
}

TEST_F(TernChipTest, AnswersNoHostAccessWithoutPowerButLaterOnes) {
  EXPECT_FALSE(w.access(false, kScratch, 0, 200).has_value());
  w.power_on();
  EXPECT_TRUE(w.write(kScratch, 0xCAFE));
  EXPECT_EQ(w.read(kScratch), 0xCAFEU);
}

TEST_F(TernChipTest, ForgetsAnAccessThatPowerCutOff) {
  w.power_on();
  bool answered = false;
  const std::uint64_t id =
      w.chip().host().request(false, kScratch, 0, [&](const HostPort::Access&) { answered = true; });
  w.power_off();
  w.chip().host().cancel(id);
  w.power_on();
  EXPECT_FALSE(answered);
  EXPECT_FALSE(w.chip().host().busy());
  EXPECT_EQ(w.read(kScratch), std::uint32_t{TERN_CHIP_SCRATCH_VALUE_RESET});
}

TEST_F(TernChipTest, RefusesCoreRegistersWhileTheCoreClockStands) {
  w.power_on();
  w.start_core();
  const auto first = w.read(kLinkNow);
  ASSERT_TRUE(first);
  w.pins().core_hz = 0;
  w.pass(10);
  const std::uint64_t stopped = w.chip().core_cycles();
  const auto refused = w.access(false, kLinkNow, 0, 5000);
  ASSERT_TRUE(refused.has_value()) << "the host port hangs";
  EXPECT_EQ(refused->outcome, HostPort::Outcome::slave_error);
  EXPECT_EQ(w.chip().core_cycles(), stopped);
  EXPECT_TRUE(w.read(kScratch).has_value()) << "the reference domain lives on";
}

TEST_F(TernChipTest, StopsWithTheReferenceClock) {
  w.power_on();
  ASSERT_TRUE(w.write(kScratch, 77));
  w.pins().reference_hz = 0;
  w.pass(100);
  const std::uint64_t stopped = w.chip().ref_cycles();
  w.pass(100);
  EXPECT_EQ(w.chip().ref_cycles(), stopped);
}

TEST_F(TernChipTest, TrainsToTheEyesOfItsMemoryLanes) {
  w.power_on();
  w.start_core();
  const auto hbm = [](std::uint32_t offset) { return TERN_HBM_BASE + offset; };
  ASSERT_TRUE(w.write(hbm(TERN_HBM_SIZE_OFFSET), kHbmBytes));
  ASSERT_TRUE(w.write(hbm(TERN_HBM_COMMAND_OFFSET), TERN_HBM_COMMAND_TRAIN_MASK));
  for (int i = 0; i < 100 && (*w.read(hbm(TERN_HBM_STATUS_OFFSET)) & TERN_HBM_STATUS_BUSY_MASK) != 0; ++i) w.pass(100);
  EXPECT_EQ(*w.read(hbm(TERN_HBM_TRAIN_RESULT_OFFSET)), 0U);
  tb::MemoryLanes& lanes = w.chip().axi().lanes();
  for (std::uint32_t lane = 0; lane < tb::MemoryLanes::lanes; ++lane) {
    for (const auto& [offset, eye] : {std::pair{TERN_HBM_RD_WINDOW_OFFSET(lane), lanes.read_eye(lane)},
                                      std::pair{TERN_HBM_WR_WINDOW_OFFSET(lane), lanes.write_eye(lane)}}) {
      const std::uint32_t found = *w.read(hbm(offset));
      EXPECT_EQ(found, 0x10000U | (eye.first + eye.width - 1) << 8U | eye.first) << "lane " << lane;
    }
  }
  EXPECT_NE(lanes.read_eye(0), lanes.write_eye(0));
  // The whole page and more, through the pins.
  ASSERT_TRUE(w.write(hbm(TERN_HBM_BIST_LENGTH_OFFSET), 0x400));
  ASSERT_TRUE(w.write(hbm(TERN_HBM_COMMAND_OFFSET), TERN_HBM_COMMAND_BIST_MASK));
  for (int i = 0; i < 200 && (*w.read(hbm(TERN_HBM_STATUS_OFFSET)) & TERN_HBM_STATUS_BUSY_MASK) != 0; ++i) w.pass(100);
  EXPECT_EQ(*w.read(hbm(TERN_HBM_STATUS_OFFSET)) & TERN_HBM_STATUS_READY_MASK, TERN_HBM_STATUS_READY_MASK)
      << "bist " << *w.read(hbm(TERN_HBM_BIST_OFFSET));
}

TEST_F(TernChipTest, DecodesNothingBeyondTheMap) {
  w.power_on();
  const auto answer = w.access(false, 0x00F000, 0, 1000);
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->outcome, HostPort::Outcome::decode_error);
}

}  // namespace
