#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/transports/i2c/dev_bus.h"
#include "lab/transports/i2c/mux_tree.h"
#include "tests/unit/drivers/fake_time.h"
#include "tests/unit/i2c/fake_kernel.h"

namespace firstlight::i2c {
namespace {

using test::FakeKernel;
using test::FakeTime;
using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<I2cMessage> kReadVout = {I2cMessage::writing({0x8b}), I2cMessage::reading(2)};

/// Lines that hang on the wires of a bus: SDA is held low by a part for some clocks, or until SCL is held low for long.
class FakeLines final : public Gpio {
 public:
  FakeLines(FakeTime& time, FakeKernel::State& kernel) : time_(time), kernel_(kernel) {}
  int clocks_left = 0;
  Duration frees_after{};  // of SCL low; 0: never
  std::vector<std::string> log;
  bool refuse = false;

  std::vector<std::string> lines() const override { return {"scl", "sda", "reset"}; }
  std::optional<bool> get(const std::string& line, std::string*) override {
    return line != "sda" || (clocks_left == 0 && frees_after == Duration::zero());
  }
  bool set(const std::string& line, bool level, std::string* detail) override {
    if (refuse) {
      if (detail != nullptr) *detail = "busy";
      return false;
    }
    log.push_back(line + (level ? "1" : "0"));
    if (line == "scl" && !level) low_since_ = time_.now();
    if (line == "scl" && level && frees_after != Duration::zero() && time_.now() - low_since_ >= frees_after)
      frees_after = Duration::zero();
    if (line == "scl" && level && clocks_left > 0) --clocks_left;
    if (*get("sda", nullptr)) kernel_.error = 0;
    return true;
  }
  std::string name() const override { return "gpio1"; }

 private:
  FakeTime& time_;
  FakeKernel::State& kernel_;
  Instant low_since_{};
};

class I2cDevBus : public testing::Test {
 protected:
  I2cDevBus() { kernel.parts[0x40][0x8b] = {0x00, 0x98}; }
  DevBus& bus() {
    if (!bus_)
      bus_ = std::make_shared<DevBus>(
          "/dev/i2c-7",
          [this] { return std::make_shared<Adapter>(std::make_unique<FakeKernel>(kernel), "/dev/i2c-7"); }, time);
    return *bus_;
  }
  Instant soon() { return time.now() + from_seconds(0.05); }
  void add_recovery(std::vector<std::string> steps) {
    RecoveryPlan plan;
    plan.steps = std::move(steps);
    plan.scl = {lines, "scl"};
    plan.sda = {lines, "sda"};
    plan.reset = {lines, "reset"};
    bus().set_recovery(std::make_unique<Recovery>(plan, time));
  }
  FakeTime time;
  FakeKernel::State kernel;
  std::shared_ptr<FakeLines> lines = std::make_shared<FakeLines>(time, kernel);
  std::shared_ptr<DevBus> bus_;
};

TEST_F(I2cDevBus, HoldsTheLockForATransferOnly) {
  EXPECT_EQ(bus().transfer(0x40, kReadVout, soon()).status, I2cStatus::ok);
  EXPECT_EQ(kernel.locks, 0);
  {
    const auto hold = bus().hold(soon());
    EXPECT_EQ(kernel.locks, 1);
    EXPECT_EQ(bus().transfer(0x40, kReadVout, soon()).status, I2cStatus::ok);
    EXPECT_EQ(kernel.locks, 1) << "a transfer inside gave the bus away";
  }
  EXPECT_EQ(kernel.locks, 0);
}

TEST_F(I2cDevBus, WaitsForAnotherProgramUntilTheDeadline) {
  kernel.other_program = true;
  const Instant begin = time.now();
  const I2cResult result = bus().transfer(0x40, kReadVout, soon());
  EXPECT_EQ(result.status, I2cStatus::timeout);
  EXPECT_THAT(result.detail, HasSubstr("another program kept /dev/i2c-7"));
  EXPECT_EQ(time.now() - begin, from_seconds(0.05));
}

TEST_F(I2cDevBus, FreesTheBusByAsManyClocksAsItTakes) {
  add_recovery({"clocks", "hold_clock"});
  kernel.error = ETIMEDOUT;
  lines->clocks_left = 3;
  EXPECT_EQ(bus().transfer(0x40, kReadVout, soon()).status, I2cStatus::timeout);
  EXPECT_TRUE(bus().recover(time.now() + from_seconds(1)));
  EXPECT_EQ(bus().last_recovery(), "clocks: freed the bus (1 of 1 recoveries by it)");
  EXPECT_THAT(lines->log, ElementsAre("sda1", "scl0", "scl1", "scl0", "scl1", "scl0", "scl1", "sda0", "scl1", "sda1"));
  EXPECT_EQ(bus().transfer(0x40, kReadVout, soon()).status, I2cStatus::ok);
}

TEST_F(I2cDevBus, GoesOnToTheNextStepAndCountsWhichOneWorked) {
  add_recovery({"clocks", "hold_clock"});
  for (int round = 1; round <= 2; ++round) {
    kernel.error = EBUSY;
    lines->frees_after = from_seconds(0.1);
    EXPECT_TRUE(bus().recover(time.now() + from_seconds(1)));
    EXPECT_EQ(bus().last_recovery(), "clocks: SDA stays low; hold_clock: freed the bus (" + std::to_string(round) +
                                         " of " + std::to_string(round) + " recoveries by it)");
  }
}

TEST_F(I2cDevBus, SaysWhenNothingHelps) {
  add_recovery({"clocks", "reset", "rebind"});
  kernel.error = EBUSY;
  lines->clocks_left = 1000;
  EXPECT_FALSE(bus().recover(time.now() + from_seconds(1)));
  EXPECT_EQ(bus().last_recovery(),
            "clocks: SDA stays low; reset: SDA stays low; rebind: the adapter's place in sysfs is not known");
  EXPECT_EQ(lines->log.back(), "reset1") << "the reset line was left active";
}

TEST_F(I2cDevBus, SaysThatALineCannotBeDriven) {
  add_recovery({"hold_clock"});
  kernel.error = EBUSY;
  lines->clocks_left = 1;
  lines->refuse = true;
  EXPECT_FALSE(bus().recover(time.now() + from_seconds(1)));
  EXPECT_THAT(bus().last_recovery(), HasSubstr("scl of gpio1 cannot be driven: busy"));
}

TEST_F(I2cDevBus, WithoutARecipeAsksTheBusAgain) {
  kernel.error = EBUSY;
  EXPECT_FALSE(bus().recover(soon()));
  EXPECT_THAT(bus().last_recovery(), HasSubstr("no `recovery:`"));
  kernel.error = 0;
  EXPECT_TRUE(bus().recover(soon()));
}

// ---- muxes: a bus of its own, whose parts are reached only through the channels that are open

class MuxBoard final : public I2cBus {
 public:
  std::map<std::uint8_t, std::uint8_t> muxes;                           // address -> code
  std::map<std::pair<std::uint8_t, std::uint8_t>, std::uint8_t> parts;  // (mux, code) -> address of the part behind
  std::vector<std::string> log;
  bool stuck_mux = false;

  I2cResult transfer(std::uint8_t address, const std::vector<I2cMessage>& messages, Instant) override {
    const auto mux = muxes.find(address);
    if (mux != muxes.end()) {
      if (messages[0].read == 0) {
        log.push_back(std::to_string(address) + "=" + std::to_string(messages[0].write[0]));
        if (!stuck_mux) mux->second = messages[0].write[0];
        return {};
      }
      return {I2cStatus::ok, {mux->second}, 0, {}};
    }
    int answering = 0;
    for (const auto& [where, part] : parts)
      if (part == address && muxes.at(where.first) == where.second) ++answering;
    log.push_back("part " + std::to_string(address) + " x" + std::to_string(answering));
    if (answering == 0) return {I2cStatus::address_nack, {}, 0, {}};
    return {I2cStatus::ok, {static_cast<std::uint8_t>(answering)}, 0, {}};
  }
  bool recover(Instant) override { return true; }
  std::string name() const override { return "board"; }
};

class I2cMux : public testing::Test {
 protected:
  I2cMux() {
    board->muxes = {{0x70, 0}, {0x71, 0}};
    board->parts = {{{0x70, 1U << 2U}, 0x40}, {{0x70, 1U << 3U}, 0x40}, {{0x71, 0x08 | 5}, 0x40}};
  }
  I2cStatus read(const MuxHop& hop) {
    const I2cResult result = tree->transfer({hop}, 0x40, {I2cMessage::reading(1)}, time.now() + from_seconds(1));
    if (result.status == I2cStatus::ok) {
      EXPECT_THAT(result.data, ElementsAre(1)) << "two parts answered at once";
    }
    detail = result.detail;
    return result.status;
  }
  FakeTime time;
  std::shared_ptr<MuxBoard> board = std::make_shared<MuxBoard>();
  std::shared_ptr<MuxTree> tree = std::make_shared<MuxTree>(board, time);
  MuxHop two{MuxHop::Kind::switch_, 0x70, 2, 8};
  MuxHop three{MuxHop::Kind::switch_, 0x70, 3, 8};
  MuxHop other{MuxHop::Kind::mux, 0x71, 5, 8};
  std::string detail;
};

TEST_F(I2cMux, OpensTheChannelOnceAndClosesTheOtherMuxFirst) {
  EXPECT_EQ(read(two), I2cStatus::ok);
  EXPECT_EQ(read(two), I2cStatus::ok);
  EXPECT_EQ(read(other), I2cStatus::ok);
  EXPECT_EQ(read(three), I2cStatus::ok);
  EXPECT_THAT(board->log, ElementsAre("112=4", "part 64 x1", "part 64 x1", "112=0", "113=13", "part 64 x1", "113=0",
                                      "112=8", "part 64 x1"));
}

TEST_F(I2cMux, TurnsAgainAfterAFailureARecoveryAndAPause) {
  EXPECT_EQ(read(two), I2cStatus::ok);
  board->muxes[0x70] = 0;  // it was reset
  EXPECT_EQ(read(two), I2cStatus::address_nack);
  EXPECT_EQ(read(two), I2cStatus::ok);
  board->muxes[0x70] = 0;
  tree->recover(time.now() + from_seconds(1));
  EXPECT_EQ(read(two), I2cStatus::ok);
  board->muxes[0x70] = 0;
  time.pass(from_seconds(0.05));
  EXPECT_EQ(read(two), I2cStatus::ok);
}

TEST_F(I2cMux, BlamesTheMuxAndNotThePart) {
  board->stuck_mux = true;
  EXPECT_EQ(read(two), I2cStatus::io_error);
  EXPECT_THAT(detail, HasSubstr("the mux at 0x70 could not be set to 0x04: it reads back 00"));
}

TEST_F(I2cMux, GoesThroughAMuxBehindAMux) {
  board->muxes[0x72] = 0;
  board->parts = {{{0x72, 2}, 0x40}};
  const std::vector<MuxHop> way = {two, {MuxHop::Kind::switch_, 0x72, 1, 8}};
  EXPECT_EQ(tree->transfer(way, 0x40, {I2cMessage::reading(1)}, time.now() + from_seconds(1)).status, I2cStatus::ok);
  EXPECT_THAT(board->log, ElementsAre("112=4", "114=2", "part 64 x1"));
}

}  // namespace
}  // namespace firstlight::i2c
