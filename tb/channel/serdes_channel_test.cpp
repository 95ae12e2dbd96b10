#include "tb/channel/serdes_channel.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <stdexcept>
#include <vector>

namespace {

using tb::SerdesChannel;
using Condition = SerdesChannel::Condition;

std::vector<bool> bits_of(std::uint64_t word, unsigned lane) {
  std::vector<bool> bits;
  for (unsigned b = 0; b < 16; ++b) bits.push_back((word >> (16 * lane + b)) & 1U);
  return bits;
}

/// Sends random words and collects each lane's bits, sent and received.
struct Traffic {
  std::array<std::vector<bool>, 4> sent;
  std::array<std::vector<bool>, 4> received;
  std::vector<std::uint8_t> idle;
};
Traffic run(SerdesChannel& channel, unsigned cycles, std::uint64_t seed = 7) {
  std::mt19937_64 random(seed);
  Traffic r;
  for (unsigned i = 0; i < cycles; ++i) {
    const std::uint64_t word = random();
    const auto got = channel.exchange(word, 0);
    r.idle.push_back(got.idle);
    for (unsigned l = 0; l < 4; ++l) {
      for (const bool b : bits_of(word, l)) r.sent[l].push_back(b);
      for (const bool b : bits_of(got.word, l)) r.received[l].push_back(b);
    }
  }
  return r;
}

TEST(SerdesChannel, PassesWordsWhenClean) {
  SerdesChannel channel(1);
  for (std::uint64_t i = 0; i < 100; ++i) {
    const std::uint64_t word = i * 0x9E3779B97F4A7C15ULL;
    EXPECT_EQ(channel.exchange(word, 0), (SerdesChannel::Received{word, 0}));
  }
}

TEST(SerdesChannel, DelaysByItsLatency) {
  for (const unsigned latency : {1U, 5U, 64U}) {
    SerdesChannel channel(1, latency);
    for (std::uint64_t i = 0; i < 200; ++i) {
      const auto got = channel.exchange(i + 1, 0);
      if (i < latency)
        EXPECT_EQ(got.idle, 0xF) << "nothing was sent yet";
      else
        EXPECT_EQ(got, (SerdesChannel::Received{i + 1 - latency, 0}));
    }
  }
}

TEST(SerdesChannel, SkewsEachLaneByBits) {
  for (unsigned skew = 0; skew <= 63; ++skew) {
    SerdesChannel channel(1, 2);
    channel.set_skew(2, skew);
    const Traffic r = run(channel, 40);
    for (unsigned l = 0; l < 4; ++l) {
      const unsigned delay = 32 + (l == 2 ? skew : 0);
      for (unsigned i = 128; i < r.received[l].size(); ++i)
        ASSERT_EQ(r.received[l][i], r.sent[l][i - delay]) << "skew " << skew << " lane " << l << " bit " << i;
    }
  }
}

TEST(SerdesChannel, InvertsAndRewires) {
  SerdesChannel channel(1);
  channel.set_wiring({3, 0, 2, 1});
  channel.set_inverted(1, true);
  const Traffic r = run(channel, 20);
  EXPECT_EQ(r.received[0], r.sent[3]);
  EXPECT_EQ(r.received[2], r.sent[2]);
  EXPECT_EQ(r.received[3], r.sent[1]);
  for (unsigned i = 0; i < r.sent[0].size(); ++i) EXPECT_NE(r.received[1][i], r.sent[0][i]);
}

TEST(SerdesChannel, KillsLanes) {
  SerdesChannel channel(1);
  channel.set_condition(0, Condition::electrical_idle);
  channel.set_condition(1, Condition::stuck_low);
  channel.set_condition(2, Condition::stuck_high);
  for (unsigned i = 0; i < 20; ++i) {
    const auto got = channel.exchange(0x1234'5678'9ABC'DEF0ULL, 0);
    EXPECT_EQ(got.idle, 1);
    EXPECT_EQ(got.word, 0x1234'FFFF'0000'0000ULL);
  }
}

TEST(SerdesChannel, PassesIdleOfTheSender) {
  SerdesChannel channel(1);
  channel.set_wiring({3, 2, 1, 0});
  EXPECT_EQ(channel.exchange(~0ULL, 0b0001), (SerdesChannel::Received{0x0000'FFFF'FFFF'FFFFULL, 0b1000}));
}

TEST(SerdesChannel, CountsExactlyTheBitsItInverts) {
  SerdesChannel channel(99);
  for (unsigned l = 0; l < 4; ++l) channel.set_bit_error_rate(l, l == 0 ? 0 : std::pow(10.0, -static_cast<double>(l)));
  channel.corrupt(3, 17);
  const Traffic r = run(channel, 20000);
  for (unsigned l = 0; l < 4; ++l) {
    std::uint64_t wrong = 0;
    for (unsigned i = 0; i < r.sent[l].size(); ++i) wrong += r.sent[l][i] != r.received[l][i] ? 1 : 0;
    EXPECT_EQ(wrong, channel.errors(l));
    // 6 standard deviations of a binomial count around its mean
    const double mean = 320000 * channel.bit_error_rate(l) + (l == 3 ? 17 : 0);
    EXPECT_NEAR(static_cast<double>(wrong), mean, 6 * std::sqrt(mean) + 1) << "lane " << l;
  }
}

TEST(SerdesChannel, EveryBitIsWrongAtRateOne) {
  SerdesChannel channel(1);
  channel.set_bit_error_rate(1, 1);
  EXPECT_EQ(channel.exchange(0, 0).word, 0xFFFF'0000ULL);
  EXPECT_EQ(channel.errors(1), 16U);
}

TEST(SerdesChannel, ErrorsFallOnAllBitsAlike) {
  SerdesChannel channel(5);
  channel.set_bit_error_rate(0, 0.01);
  std::array<unsigned, 16> at{};
  for (unsigned i = 0; i < 100000; ++i) {
    const std::uint64_t word = channel.exchange(0, 0).word;
    for (unsigned b = 0; b < 16; ++b) at[b] += (word >> b) & 1U;
  }
  for (const unsigned count : at) EXPECT_NEAR(count, 1000, 6 * std::sqrt(1000));
}

TEST(SerdesChannel, IsDeterministicFromItsSeed) {
  const auto record = [](std::uint64_t seed) {
    SerdesChannel channel(seed);
    for (unsigned l = 0; l < 4; ++l) channel.set_bit_error_rate(l, 1e-2);
    channel.corrupt(1, 5);
    return run(channel, 500).received;
  };
  EXPECT_EQ(record(3), record(3));
  EXPECT_NE(record(3), record(4));
}

TEST(SerdesChannel, RepairLeavesACleanChannel) {
  SerdesChannel channel(1);
  channel.set_wiring({3, 2, 1, 0});
  channel.set_skew(1, 20);
  channel.set_inverted(0, true);
  channel.set_bit_error_rate(2, 0.5);
  channel.set_condition(3, Condition::stuck_high);
  run(channel, 10);
  channel.repair();
  EXPECT_EQ(channel.exchange(0x1234'5678'9ABC'DEF0ULL, 0), (SerdesChannel::Received{0x1234'5678'9ABC'DEF0ULL, 0}));
  EXPECT_GT(channel.errors(2), 0U) << "counts stay";
}

TEST(SerdesChannel, RefusesValuesOutOfRange) {
  SerdesChannel channel(1);
  EXPECT_THROW(channel.set_skew(0, 64), std::out_of_range);
  EXPECT_THROW(channel.set_skew(4, 1), std::out_of_range);
  EXPECT_THROW(channel.set_bit_error_rate(0, -0.1), std::out_of_range);
  EXPECT_THROW(channel.set_bit_error_rate(0, 1.1), std::out_of_range);
  EXPECT_THROW(channel.set_wiring({0, 1, 2, 2}), std::out_of_range);
  EXPECT_THROW(channel.set_wiring({0, 1, 2, 4}), std::out_of_range);
  EXPECT_THROW(channel.set_latency(65), std::out_of_range);
  EXPECT_THROW(SerdesChannel(1, 65), std::out_of_range);
}

}  // namespace
