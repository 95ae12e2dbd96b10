#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <iostream>

#include "tb/blocks/link/flit_bench.h"

namespace tb::blocks::link {
namespace {

struct Counted {
  std::uint32_t bits;
  std::uint32_t errors;
};

Counted look(FlitBench& bench, unsigned side, unsigned lane, int phase, int offset, unsigned words_log2) {
  bench.write(side, "eye_ctrl",
              lane | (static_cast<unsigned>(phase) & 0x3FU) << 8U | (static_cast<unsigned>(offset) & 0x7FU) << 16U |
                  words_log2 << 24U);
  bench.command(side, "eye_command.go");
  bench.cycle((1U << words_log2) + 20);
  EXPECT_EQ(bench.read(side, "eye_status"), 2U) << "done";
  return {bench.read(side, "eye_bits"), bench.read(side, "eye_errors")};
}

TEST(LinkEye, IsTheEyeOfTheChannel) {
  FlitBench& bench = fresh_flit_bench();
  ASSERT_GE(bench.train(), 0);
  const std::array<Eye, 4> eyes{Eye{}, Eye{200, 6, 20, 0.05}, Eye{150, 9, 10, 0.08}, Eye{120, 0, 45, 0.01}};
  for (unsigned l = 0; l < 4; ++l) bench.channel(1).set_eye(l, eyes[l]);
  double worst = 0;
  for (unsigned l = 0; l < 4; ++l) {
    const double own = error_ratio(eyes[l], 0, 0);
    for (int phase = -32; phase < 32; phase += 7)
      for (int offset = -60; offset < 64; offset += 12) {
        const Counted counted = look(bench, 1, l, phase, offset, 7);
        ASSERT_EQ(counted.bits, 128U * 16);
        // Counted is where the two samplers differ.
        const double there = error_ratio(eyes[l], phase / 64.0, offset * 4.0);
        const double ratio = there * (1 - own) + own * (1 - there);
        const double mean = ratio * counted.bits;
        const double deviation = std::sqrt(std::max(mean * (1 - ratio), 1e-3));
        worst = std::max(worst, std::abs(counted.errors - mean) / std::max(deviation, 1.0));
        EXPECT_NEAR(counted.errors, mean, 6 * deviation + 1)
            << "lane " << l << " phase " << phase << " offset " << offset;
      }
  }
  std::cout << "worst difference: " << worst << " standard deviations\n";
}

TEST(LinkEye, LooksWithoutDisturbingTheLink) {
  FlitBench& bench = fresh_flit_bench();
  ASSERT_GE(bench.train(), 0);
  const Counted open = look(bench, 0, 2, 0, 0, 12);
  EXPECT_EQ(open.bits, 65536U);
  EXPECT_EQ(open.errors, 0U);
  const Counted shut = look(bench, 0, 2, 31, 63, 10);
  EXPECT_GT(shut.errors, shut.bits / 3);
  EXPECT_EQ(bench.state(0), State::l0);
  EXPECT_EQ(bench.read(0, "crc_errors.count"), 0U);
}

TEST(LinkEye, ALaneWithoutASignalBringsNoBits) {
  FlitBench& bench = fresh_flit_bench();
  const Counted none = look(bench, 0, 1, 0, 0, 8);
  EXPECT_EQ(none.bits, 0U);
  EXPECT_EQ(none.errors, 0U);
}

}  // namespace
}  // namespace tb::blocks::link
