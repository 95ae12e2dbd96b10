#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tb/blocks/dice.h"
#include "tb/blocks/link/axi_requester.h"
#include "tb/blocks/link/axi_responder.h"
#include "tb/blocks/link/link_bench.h"
#include "tb/blocks/link/scoreboard.h"

namespace tb::blocks::link {
namespace {

constexpr std::uint64_t peer_base = 0x3'0000'0000;
using golden::axi::Response;

/// A requester on one side and the memory behind the other.
struct Path {
  Path(LinkBench& bench, unsigned from, unsigned idle_in)
      : memory(bench.side(1 - from), seed() * 10 + 2 * from + 1, idle_in),
        requester(bench.side(from), seed() * 10 + 2 * from + 2, idle_in) {}
  AxiResponder memory;
  AxiRequester requester;
};

void expect_clean(const Path& path) {
  for (const auto* checker : {&path.memory.checker(), &path.requester.checker()})
    for (const std::string& violation : checker->violations()) ADD_FAILURE() << violation;
  EXPECT_EQ(path.memory.strays(), 0U);
}

bool finish(LinkBench& bench, const Path& path, std::uint64_t limit) {
  const std::uint64_t begin = bench.cycles();
  while (!path.requester.idle() && bench.cycles() - begin < limit) bench.cycle(10);
  return path.requester.idle();
}

class LinkTraffic : public testing::TestWithParam<unsigned> {};

TEST_P(LinkTraffic, CarriesRandomBurstsBothWaysAtEveryWidth) {
  LinkBench& bench = fresh_bench();
  Dice dice(seed() + 77);
  for (unsigned side = 0; side < 2; ++side) {
    bench.write(side, "ctrl.max_width", GetParam());
    for (unsigned l = 0; l < 4; ++l) bench.channel(side).set_skew(l, dice.below(64));
  }
  ASSERT_GE(bench.train(), 0) << bench.stories();
  EXPECT_EQ(bench.read(0, "status.width"), 1U << GetParam());
  Path forth(bench, 0, 4);
  Path back(bench, 1, 4);
  Scoreboard forth_board(forth.requester, peer_base, seed() + 1);
  Scoreboard back_board(back.requester, peer_base, seed() + 2);
  for (unsigned i = 0; i < 4000; ++i) {
    forth_board.step(8);
    back_board.step(8);
    bench.cycle(4);
  }
  ASSERT_TRUE(finish(bench, forth, 20000));
  ASSERT_TRUE(finish(bench, back, 20000));
  forth_board.settle();
  back_board.settle();
  EXPECT_GT(forth_board.finished(), 100U);
  EXPECT_EQ(forth_board.failed(), 0U);
  EXPECT_EQ(back_board.failed(), 0U);
  forth_board.compare(forth.memory.memory(), AxiResponder::base);
  back_board.compare(back.memory.memory(), AxiResponder::base);
  for (const char* counter : {"crc_errors", "framing_errors", "sequence_errors", "rx_overflows", "stale_responses"})
    EXPECT_EQ(bench.read(0, fmt::format("{}.count", counter)), 0U) << counter;
  expect_clean(forth);
  expect_clean(back);
}

INSTANTIATE_TEST_SUITE_P(Widths, LinkTraffic, testing::Values(0U, 1U, 2U),
                         [](const auto& info) { return fmt::format("x{}", 1U << info.param); });

TEST(LinkBridge, MovesMoreThanHalfTheLinkRateInLongBursts) {
  LinkBench& bench = fresh_bench();
  ASSERT_GE(bench.train(), 0);
  Path path(bench, 0, 0);
  constexpr unsigned bursts = 200;
  for (const bool write : {true, false}) {
    const std::uint64_t begin = bench.cycles();
    for (unsigned i = 0; i < bursts; ++i) {
      const std::uint64_t addr = peer_base + 128ULL * i;
      path.requester.submit(write ? AxiRequester::write(addr, std::vector<std::uint64_t>(16, i))
                                  : AxiRequester::read(addr, 16));
    }
    ASSERT_TRUE(finish(bench, path, 50000));
    const double rate = bursts * 16.0 / static_cast<double>(bench.cycles() - begin);
    std::cout << (write ? "write" : "read") << " throughput: " << rate << " of a beat a cycle (link rate 1)\n";
    EXPECT_GT(rate, 0.5);
  }
  expect_clean(path);
}

}  // namespace
}  // namespace tb::blocks::link
