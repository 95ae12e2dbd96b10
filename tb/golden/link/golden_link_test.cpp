#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tb/golden/link/crc32.h"
#include "tb/golden/link/prbs.h"

namespace tb::golden::link {
namespace {

TEST(GoldenCrc32, GivesThePublishedCheckValue) {
  const std::string digits = "123456789";
  EXPECT_EQ(crc32({digits.begin(), digits.end()}), 0xCBF43926U);
  EXPECT_EQ(crc32({}), 0U);
}

TEST(GoldenPrbs, HasTheFullPeriod) {
  for (const auto kind : {Prbs::Kind::prbs7, Prbs::Kind::prbs15}) {
    const unsigned n = Prbs::length(kind);
    Prbs prbs(kind, std::deque<bool>(n, true));
    std::uint32_t window = (1U << n) - 1;
    std::set<std::uint32_t> seen;
    do {
      seen.insert(window);
      window = ((window << 1) | (prbs.next() ? 1U : 0U)) & ((1U << n) - 1);
    } while (seen.count(window) == 0);
    EXPECT_EQ(seen.size(), (1U << n) - 1) << "every state but 0";
  }
}

TEST(GoldenPrbs, RefusesARegisterThatCannotRun) {
  EXPECT_THROW(Prbs(Prbs::Kind::prbs7, std::deque<bool>(7, false)), std::invalid_argument);
  EXPECT_THROW(Prbs(Prbs::Kind::prbs7, std::deque<bool>(8, true)), std::invalid_argument);
}

}  // namespace
}  // namespace tb::golden::link
