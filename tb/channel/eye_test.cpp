#include "tb/channel/eye.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tb/channel/serdes_channel.h"

namespace {

using tb::error_ratio;
using tb::Eye;
using tb::EyePlace;
using tb::SerdesChannel;

TEST(Eye, MiddleOfAQuietEyeIsOpenAndItsEdgesAreShut) {
  const Eye eye;
  EXPECT_LT(error_ratio(eye, 0, 0), 1e-30);
  // At the crossing half of the bits that have another beside them are taken for it.
  EXPECT_NEAR(error_ratio(eye, 0.5, 0), 0.25, 0.01);
  EXPECT_NEAR(error_ratio(eye, 0, 400), 0.5, 1e-9) << "above every level all ones are wrong";
}

TEST(Eye, WithoutJitterAndEdgesItIsTheGaussianTail) {
  const Eye eye{100, 0, 25, 0};
  // Q(4) and Q(2) as tables have them.
  EXPECT_NEAR(error_ratio(eye, 0, 0) / 3.16712e-5, 1, 1e-4);
  EXPECT_NEAR(error_ratio(eye, 0, 50) / (0.5 * (2.27501e-2 + 9.86588e-10)), 1, 1e-4);
}

TEST(Eye, LossIsInDecibelsOfAmplitude) {
  EXPECT_NEAR(error_ratio({100, 20, 5, 0}, 0, 0), error_ratio({10, 0, 5, 0}, 0, 0), 1e-12);
}

TEST(Eye, IsSymmetricAndClosesOutwards) {
  const Eye eye{200, 6, 20, 0.05};
  for (double phase = 0; phase < 0.5; phase += 0.03)
    for (double offset = 0; offset < 120; offset += 10) {
      const double here = error_ratio(eye, phase, offset);
      EXPECT_NEAR(here, error_ratio(eye, -phase, offset), 1e-12);
      EXPECT_NEAR(here, error_ratio(eye, phase, -offset), 1e-12);
      EXPECT_LE(here, error_ratio(eye, phase + 0.02, offset) * (1 + 1e-9));
      EXPECT_LE(here, error_ratio(eye, phase, offset + 5) * (1 + 1e-9));
    }
}

TEST(Eye, MatchesBitsDrawnOneByOne) {
  const Eye eye{120, 3, 30, 0.06};
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  const double level = 120 * std::pow(10, -3.0 / 20);
  for (const auto& [phase, offset] : {std::pair{0.0, 0.0}, {0.2, 0.0}, {0.1, 40.0}, {-0.35, -20.0}}) {
    constexpr unsigned bits = 400'000;
    unsigned wrong = 0;
    for (unsigned i = 0; i < bits; ++i) {
      const bool one = (random() & 1U) != 0;
      const bool edge = (random() & 1U) != 0;
      const double at =
          edge ? level * std::cos(3.14159265358979 * std::abs(phase + eye.jitter_ui * normal(random))) : level;
      const double seen = (one ? at : -at) + eye.noise_mv * normal(random);
      wrong += (seen > offset) != one ? 1 : 0;
    }
    const double mean = bits * error_ratio(eye, phase, offset);
    EXPECT_NEAR(wrong, mean, 6 * std::sqrt(mean)) << phase << " " << offset;
  }
}

TEST(Eye, PlacesAreTwosComplement) {
  EXPECT_EQ((EyePlace{0x1F, 0x3F}.phase_ui()), 31 / 64.0);
  EXPECT_EQ((EyePlace{0x20, 0x40}.phase_ui()), -0.5);
  EXPECT_EQ((EyePlace{0x3F, 0x7F}.phase_ui()), -1 / 64.0);
  EXPECT_EQ((EyePlace{0x20, 0x3F}.offset_mv()), 252.0);
  EXPECT_EQ((EyePlace{0x20, 0x40}.offset_mv()), -256.0);
}

TEST(SerdesChannel, ANoisyEyeMakesErrorsWhereDataIsSampled) {
  SerdesChannel channel(3);
  channel.set_eye(1, {100, 0, 40, 0.05});
  constexpr unsigned cycles = 40'000;
  for (unsigned i = 0; i < cycles; ++i) channel.exchange(0, 0);
  const double mean = 16.0 * cycles * error_ratio(channel.eye(1), 0, 0);
  EXPECT_GT(mean, 1000);
  EXPECT_NEAR(static_cast<double>(channel.errors(1)), mean, 6 * std::sqrt(mean));
  EXPECT_EQ(channel.errors(0), 0U);
  channel.repair();
  EXPECT_EQ(channel.bit_error_rate(1), 0) << "open again";
}

TEST(SerdesChannel, LookingChangesNothing) {
  const auto received = [](bool look) {
    SerdesChannel channel(8);
    for (unsigned l = 0; l < 4; ++l) channel.set_bit_error_rate(l, 1e-2);
    std::vector<std::uint64_t> words;
    for (std::uint64_t i = 0; i < 500; ++i) {
      words.push_back(channel.exchange(i * 0x9E3779B97F4A7C15ULL, 0).word);
      if (look) channel.look(i % 4, {16, 8});
    }
    return words;
  };
  EXPECT_EQ(received(true), received(false));
}

}  // namespace
