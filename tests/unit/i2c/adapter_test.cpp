#include "lab/transports/i2c/adapter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/transports/i2c/errors.h"
#include "tests/unit/i2c/fake_kernel.h"

namespace firstlight::i2c {
namespace {

using test::FakeKernel;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::chrono::milliseconds kLimit{50};

class I2cAdapter : public testing::Test {
 protected:
  I2cAdapter() {
    kernel.parts[0x40][0x8b] = {0x00, 0x98, 0x8d};
    kernel.parts[0x40][0x99] = {3, 'A', 'D', 'I', 0x5a};
  }
  I2cResult transfer(const std::vector<I2cMessage>& messages, std::uint8_t address = 0x40) {
    if (!adapter) adapter = std::make_unique<Adapter>(std::make_unique<FakeKernel>(kernel), "/dev/i2c-7");
    return adapter->transfer(address, messages, kLimit);
  }
  static I2cMessage with_pec(I2cMessage message) {
    message.pec = true;
    return message;
  }
  FakeKernel::State kernel;
  std::unique_ptr<Adapter> adapter;
};

TEST_F(I2cAdapter, MakesOneCallOfACombinedTransfer) {
  const I2cResult result = transfer({I2cMessage::writing({0x8b}), I2cMessage::reading(3)});
  EXPECT_EQ(result.status, I2cStatus::ok);
  EXPECT_THAT(result.data, ElementsAre(0x00, 0x98, 0x8d));
  EXPECT_EQ(result.acknowledged, 1U);
  EXPECT_THAT(kernel.calls, ElementsAre("rdwr 2"));
}

TEST_F(I2cAdapter, SetsTheAdaptersTimeoutOnceAndBelowTheLimit) {
  transfer({I2cMessage::writing({0x8b}), I2cMessage::reading(2)});
  transfer({I2cMessage::writing({0x8b}), I2cMessage::reading(2)});
  EXPECT_THAT(kernel.timeouts, ElementsAre(5UL));  // units of 10 ms
  adapter->transfer(0x40, {I2cMessage::writing({0x8b})}, std::chrono::milliseconds(3));
  EXPECT_THAT(kernel.timeouts, ElementsAre(5UL, 1UL));
}

TEST_F(I2cAdapter, ReadsBlocksWhoseLengthThePartTells) {
  kernel.functionality |= I2C_FUNC_SMBUS_READ_BLOCK_DATA;
  const I2cResult result = transfer({I2cMessage::writing({0x99}), I2cMessage::reading_block(32, 1)});
  EXPECT_THAT(result.data, ElementsAre(3, 'A', 'D', 'I', 0x5a));
  EXPECT_THAT(kernel.calls, ElementsAre("rdwr 2"));
}

TEST_F(I2cAdapter, ReadsBlocksInTwoWhenTheAdapterCannotLearnTheLength) {
  const I2cResult result = transfer({I2cMessage::writing({0x99}), I2cMessage::reading_block(32, 1)});
  EXPECT_THAT(result.data, ElementsAre(3, 'A', 'D', 'I', 0x5a));
  EXPECT_THAT(kernel.calls, ElementsAre("rdwr 2", "rdwr 2"));
}

TEST_F(I2cAdapter, RefusesABlockThatIsLongerThanAskedFor) {
  for (const unsigned long functionality : {I2C_FUNC_I2C, I2C_FUNC_I2C | I2C_FUNC_SMBUS_READ_BLOCK_DATA}) {
    kernel.functionality = functionality;
    adapter.reset();
    const I2cResult result = transfer({I2cMessage::writing({0x99}), I2cMessage::reading_block(2, 0)});
    EXPECT_EQ(result.status, I2cStatus::io_error);
    EXPECT_THAT(result.detail, HasSubstr("3 bytes came where 2 at most"));
  }
}

TEST_F(I2cAdapter, SaysThatADriverOfTheKernelHasThePart) {
  kernel.bound.insert(0x40);
  for (const unsigned long functionality : {I2C_FUNC_I2C, I2C_FUNC_SMBUS_EMUL & ~I2C_FUNC_SMBUS_PEC}) {
    kernel.functionality = functionality;
    adapter.reset();
    const I2cResult result = transfer({I2cMessage::writing({0x8b}), I2cMessage::reading(2)});
    EXPECT_EQ(result.status, I2cStatus::io_error);
    EXPECT_THAT(result.detail, HasSubstr("a driver of the kernel has 0x40 on /dev/i2c-7"));
  }
  EXPECT_TRUE(kernel.calls.empty());
}

TEST_F(I2cAdapter, TellsWhatTheKernelMeans) {
  const std::pair<int, I2cStatus> table[] = {{ENXIO, I2cStatus::address_nack},  {EREMOTEIO, I2cStatus::address_nack},
                                             {ENODEV, I2cStatus::address_nack}, {EAGAIN, I2cStatus::arbitration_lost},
                                             {ETIMEDOUT, I2cStatus::timeout},   {EBUSY, I2cStatus::bus_stuck},
                                             {EIO, I2cStatus::io_error},        {EPROTO, I2cStatus::io_error},
                                             {EOPNOTSUPP, I2cStatus::io_error}, {12345, I2cStatus::io_error}};
  for (const auto& [error, status] : table) {
    kernel.error = error;
    const I2cResult result = transfer({I2cMessage::writing({0x8b}), I2cMessage::reading(2)});
    EXPECT_EQ(result.status, status) << error;
    EXPECT_FALSE(result.detail.empty()) << error;
  }
  EXPECT_THAT(fault_of(ETIMEDOUT).text, HasSubstr("ETIMEDOUT: "));
}

TEST_F(I2cAdapter, NobodyAtTheAddress) {
  EXPECT_EQ(transfer({I2cMessage::writing({0x8b}), I2cMessage::reading(2)}, 0x41).status, I2cStatus::address_nack);
}

TEST_F(I2cAdapter, MakesSmbusCallsWhereThereIsNoPlainI2c) {
  kernel.functionality = I2C_FUNC_SMBUS_BYTE_DATA | I2C_FUNC_SMBUS_WORD_DATA | I2C_FUNC_SMBUS_BLOCK_DATA;
  EXPECT_THAT(transfer({I2cMessage::writing({0x8b}), I2cMessage::reading(2)}).data, ElementsAre(0x00, 0x98));
  EXPECT_THAT(transfer({I2cMessage::writing({0x8b}), I2cMessage::reading(1)}).data, ElementsAre(0x00));
  EXPECT_THAT(transfer({I2cMessage::writing({0x99}), I2cMessage::reading_block(32, 0)}).data,
              ElementsAre(3, 'A', 'D', 'I'));
  EXPECT_EQ(transfer({I2cMessage::writing({0x21, 0xcd, 0x0c})}).status, I2cStatus::ok);
  EXPECT_THAT(kernel.parts[0x40][0x21], ElementsAre(0xcd, 0x0c));
}

TEST_F(I2cAdapter, LetsTheAdapterMakeThePecWhenItCan) {
  kernel.functionality = I2C_FUNC_SMBUS_WORD_DATA | I2C_FUNC_SMBUS_BLOCK_DATA | I2C_FUNC_SMBUS_PEC;
  const I2cResult word = transfer({I2cMessage::writing({0x8b}), with_pec(I2cMessage::reading(3))});
  EXPECT_THAT(word.data, ElementsAre(0x00, 0x98, 0x8d)) << "the published PEC of READ_VOUT = 0x9800 at 0x40";
  EXPECT_THAT(kernel.calls, ElementsAre("smbus 3 pec"));
  transfer({with_pec(I2cMessage::writing({0x21, 0xcd, 0x0c, 0x39}))});
  EXPECT_THAT(kernel.parts[0x40][0x21], ElementsAre(0xcd, 0x0c)) << "the adapter adds 0x39 itself";
  const I2cResult block = transfer({I2cMessage::writing({0x99}), I2cMessage::reading_block(32, 1)});
  EXPECT_EQ(block.data.size(), 5U);
  transfer({I2cMessage::writing({0x8b}), I2cMessage::reading(2)});
  EXPECT_FALSE(kernel.pec) << "switched off again for a part without PEC";
}

TEST_F(I2cAdapter, SendsThePecAsDataWhenTheAdapterKnowsNone) {
  kernel.functionality = I2C_FUNC_SMBUS_WORD_DATA | I2C_FUNC_SMBUS_I2C_BLOCK;
  EXPECT_THAT(transfer({I2cMessage::writing({0x8b}), with_pec(I2cMessage::reading(3))}).data,
              ElementsAre(0x00, 0x98, 0x8d));
  transfer({with_pec(I2cMessage::writing({0x00, 0x01, 0x0c}))});
  EXPECT_THAT(kernel.parts[0x40][0x00], ElementsAre(0x01, 0x0c));
}

TEST_F(I2cAdapter, SaysWhatSmbusCannotDo) {
  kernel.functionality = I2C_FUNC_SMBUS_BYTE_DATA;
  EXPECT_THAT(transfer({I2cMessage::writing({0x8b}), I2cMessage::reading(2)}).detail,
              HasSubstr("neither plain I2C nor SMBus read word"));
  EXPECT_THAT(transfer({I2cMessage::writing({0x00, 0x10}), I2cMessage::reading(4)}).detail,
              HasSubstr("several bytes with a read after it is not SMBus"));
  EXPECT_THAT(transfer({I2cMessage::writing({0x99}), I2cMessage::reading_block(32, 1)}).detail, HasSubstr("no_pec"));
  EXPECT_TRUE(kernel.calls.empty());
}

TEST_F(I2cAdapter, RefusesWhatI2cDevWould) {
  EXPECT_EQ(transfer({}).status, I2cStatus::io_error);
  EXPECT_EQ(transfer(std::vector<I2cMessage>(43, I2cMessage::reading(1))).status, I2cStatus::io_error);
  EXPECT_EQ(transfer({I2cMessage::reading(8193)}).status, I2cStatus::io_error);
}

}  // namespace
}  // namespace firstlight::i2c
