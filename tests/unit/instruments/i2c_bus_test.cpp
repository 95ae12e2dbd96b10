#include "tb/instruments/i2c_bus.h"

#include <gtest/gtest.h>

#include "tests/unit/instruments/desk.h"

namespace tb::instruments::testing {
namespace {

using firstlight::I2cMessage;
using firstlight::I2cStatus;

/// Writes down what passes, and when.
class Recorder : public I2cTarget {
 public:
  bool address(bool read) override {
    note(read ? "R" : "W");
    return true;
  }
  bool write(std::uint8_t byte) override {
    note(std::to_string(byte));
    return byte != refuses;
  }
  std::uint8_t read() override {
    note("r");
    return next++;
  }
  void stop() override { note("P"); }

  std::string log;
  std::vector<sc_core::sc_time> times;
  std::uint8_t next = 1;
  int refuses = -1;

 private:
  void note(const std::string& what) {
    log += (log.empty() ? "" : " ") + what;
    times.push_back(sc_core::sc_time_stamp());
  }
};

struct I2cBusTest : ::testing::Test {
  I2cBusTest() { bus.attach(0x40, target); }
  static sc_core::sc_time clocks(int count) { return sc_core::sc_time(2.5, sc_core::SC_US) * count; }

  I2cBusModel bus{agenda(), firstlight::Frequency(400e3)};
  Recorder target;
};

TEST_F(I2cBusTest, CountsTheClocksOfACombinedTransfer) {
  const sc_core::sc_time start = sc_core::sc_time_stamp();
  sc_core::sc_time end;
  firstlight::I2cResult result;
  bus.post({0x40, {I2cMessage::writing({7, 8}), I2cMessage::reading(2)}}, [&](const firstlight::I2cResult& r) {
    result = r;
    end = sc_core::sc_time_stamp();
  });
  EXPECT_TRUE(bus.busy());
  pass(1e-3);
  EXPECT_FALSE(bus.busy());
  EXPECT_EQ(target.log, "W 7 8 R r r P");
  EXPECT_EQ(result.status, I2cStatus::ok);
  EXPECT_EQ(result.data, (Bytes{1, 2}));
  EXPECT_EQ(result.acknowledged, 2U);
  // START and address, two bytes, repeated START and address, two bytes, STOP.
  EXPECT_EQ(end - start, clocks(10 + 18 + 10 + 18 + 1));
  EXPECT_EQ(target.times.front() - start, clocks(10));
  EXPECT_EQ(target.times[1] - start, clocks(19));
}

TEST_F(I2cBusTest, NobodyAtTheAddress) {
  const auto result = write(bus, 0x41, {1});
  EXPECT_EQ(result.status, I2cStatus::address_nack);
  EXPECT_NE(result.detail.find("0x41"), std::string::npos);
  EXPECT_TRUE(target.log.empty());
}

TEST_F(I2cBusTest, AByteThatIsRefusedEndsTheTransfer) {
  target.refuses = 2;
  const auto result = write(bus, 0x40, {1, 2, 3});
  EXPECT_EQ(result.status, I2cStatus::data_nack);
  EXPECT_EQ(result.acknowledged, 1U);
  EXPECT_EQ(target.log, "W 1 2 P");
}

TEST_F(I2cBusTest, ABlockIsAsLongAsItsFirstByteSays) {
  target.next = 3;
  const auto result = transfer(bus, 0x40, {I2cMessage::writing({9}), I2cMessage::reading_block(32, 1)});
  EXPECT_EQ(result.data, (Bytes{3, 4, 5, 6, 7}));  // count, three, and one more
}

TEST_F(I2cBusTest, ABlockIsBounded) {
  target.next = 200;
  const auto result = transfer(bus, 0x40, {I2cMessage::reading_block(4, 1)});
  EXPECT_EQ(result.data.size(), 6U);
}

TEST_F(I2cBusTest, AQuickWriteIsAddressAndStop) {
  EXPECT_EQ(transfer(bus, 0x40, {}).status, I2cStatus::ok);
  EXPECT_EQ(target.log, "W P");
}

TEST_F(I2cBusTest, SecondCallerWaitsItsTurn) {
  std::string order;
  bus.post({0x40, {I2cMessage::writing({1})}}, [&](const auto&) { order += 'a'; });
  bus.post({0x40, {I2cMessage::writing({2})}}, [&](const auto&) { order += 'b'; });
  pass(1e-3);
  EXPECT_EQ(order, "ab");
  EXPECT_EQ(target.log, "W 1 P W 2 P");
}

TEST_F(I2cBusTest, CompletionOfACancelledTransferIsForgotten) {
  bool called = false;
  bus.post({0x40, {I2cMessage::writing({1})}}, [&](const auto&) { called = true; });
  const auto second = bus.post({0x40, {I2cMessage::writing({2})}}, [&](const auto&) { called = true; });
  bus.cancel(second);
  bus.cancel(second - 1);
  pass(1e-3);
  EXPECT_FALSE(called);
  EXPECT_EQ(target.log, "W 1 P");
}

TEST_F(I2cBusTest, AStuckBusIsFreedByRecovery) {
  bus.hold_sda(5);
  EXPECT_EQ(write(bus, 0x40, {1}).status, I2cStatus::bus_stuck);
  EXPECT_TRUE(target.log.empty());
  bool freed = false;
  bus.recover([&](bool high) { freed = high; });
  pass(1e-3);
  EXPECT_TRUE(freed);
  EXPECT_EQ(write(bus, 0x40, {1}).status, I2cStatus::ok);
}

TEST_F(I2cBusTest, RecoveryTellsWhenItDoesNotHelp) {
  bus.hold_sda(0);
  bool freed = true;
  bus.recover([&](bool high) { freed = high; });
  pass(1e-3);
  EXPECT_FALSE(freed);
  EXPECT_TRUE(bus.stuck());
}

TEST_F(I2cBusTest, RefusesAddressesThatCannotBe) {
  Recorder other;
  EXPECT_THROW(bus.attach(0x40, other), std::invalid_argument);
  EXPECT_THROW(bus.attach(0x80, other), std::invalid_argument);
}

}  // namespace
}  // namespace tb::instruments::testing
