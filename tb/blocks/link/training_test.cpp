#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tb/blocks/dice.h"
#include "tb/blocks/link/link_bench.h"

namespace tb::blocks::link {
namespace {

using Condition = SerdesChannel::Condition;
using Wiring = std::array<unsigned, 4>;

TEST(LinkTraining, ComesUpOnACleanChannel) {
  LinkBench& bench = fresh_bench();
  EXPECT_EQ(bench.state(0), State::disabled);
  EXPECT_EQ(bench.dut(0).tx_idle_o, 0xF) << "DISABLED is electrical idle";
  const auto cycles = bench.train();
  ASSERT_GE(cycles, 0) << bench.stories();
  RecordProperty("cycles_to_train", static_cast<int>(cycles));
  std::cout << "cycles to train: " << cycles << "\n" << bench.story(0) << "\n";
  for (unsigned side = 0; side < 2; ++side) {
    EXPECT_EQ(bench.read(side, "status.width"), 4U);
    EXPECT_EQ(bench.read(side, "status.reversed"), 0U);
    EXPECT_EQ(bench.read(side, "status.active_lanes"), 0xFU);
    EXPECT_EQ(bench.value_name(side, "status.last_failure"), "none");
    for (unsigned l = 0; l < 4; ++l) {
      EXPECT_EQ(bench.read(side, fmt::format("lane_status[{}].lane", l)), l);
      EXPECT_EQ(bench.read(side, fmt::format("lane_status[{}].locked", l)), 1U);
      EXPECT_EQ(bench.read(side, fmt::format("lane_status[{}].active", l)), 1U);
      EXPECT_EQ(bench.read(side, fmt::format("lane_status[{}].inverted", l)), 0U);
    }
  }
  bench.cycle(2000);
  EXPECT_EQ(bench.state(0), State::l0) << "stays up";
  for (const char* counter : {"crc_errors", "framing_errors", "sequence_errors", "alignment_losses", "unexpected_sets"})
    EXPECT_EQ(bench.read(0, fmt::format("{}.count", counter)), 0U) << counter;
}

}  // namespace
}  // namespace tb::blocks::link
