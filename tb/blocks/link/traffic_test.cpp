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

/// Random traffic both ways on a bad channel: no access fails, no wrong byte is read or stands in memory, nothing
/// hangs.
void traffic_with_errors(LinkBench& bench, double error_rate, bool retrain) {
  SCOPED_TRACE(fmt::format("bit error rate {} seed {}", error_rate, seed()));
  for (unsigned side = 0; side < 2; ++side) {
    bench.write(side, "limits.recovery", 0);
    bench.write(side, "limits.retry", 0);
  }
  ASSERT_GE(bench.train(), 0) << bench.stories();
  Path forth(bench, 0, 5);
  Path back(bench, 1, 5);
  Scoreboard forth_board(forth.requester, peer_base, seed() + 3);
  Scoreboard back_board(back.requester, peer_base, seed() + 4);
  for (unsigned side = 0; side < 2; ++side)
    for (unsigned l = 0; l < 4; ++l) bench.channel(side).set_bit_error_rate(l, error_rate);
  Dice dice(seed() + 9);
  for (unsigned i = 0; i < 6000; ++i) {
    forth_board.step(8);
    back_board.step(8);
    bench.cycle(4);
    if (retrain && dice.one_in(150)) bench.command(dice.below(2), "command.retrain");
  }
  for (unsigned side = 0; side < 2; ++side) bench.channel(side).repair();
  ASSERT_TRUE(finish(bench, forth, 60000)) << "an access hangs\n" << bench.stories();
  ASSERT_TRUE(finish(bench, back, 60000)) << "an access hangs\n" << bench.stories();
  forth_board.settle();
  back_board.settle();
  forth_board.compare(forth.memory.memory(), AxiResponder::base);
  back_board.compare(back.memory.memory(), AxiResponder::base);
  for (unsigned side = 0; side < 2; ++side)
    for (const char* counter :
         {"bridge_timeouts", "bridge_refusals", "sessions_lost", "stale_responses", "framing_errors", "rx_overflows"})
      EXPECT_EQ(bench.read(side, fmt::format("{}.count", counter)), 0U) << counter << "\n" << bench.stories();
  EXPECT_EQ(forth_board.failed() + back_board.failed(), 0U);
  EXPECT_GT(forth_board.finished(), 20U);
  EXPECT_GT(bench.read(0, "replays.count") + bench.read(1, "replays.count"), 0U) << "bad enough to matter";
  std::cout << fmt::format("rate {:g}: {} accesses, {} crc errors, {} replays, {} recoveries at side 0\n", error_rate,
                           forth_board.finished() + back_board.finished(), bench.read(0, "crc_errors.count"),
                           bench.read(0, "replays.count"), bench.read(0, "recoveries.count"));
  if (!retrain) {
    EXPECT_GT(bench.read(0, "crc_errors.count") + bench.read(1, "crc_errors.count"), 0U);
  }
  expect_clean(forth);
  expect_clean(back);
}

TEST(LinkErrors, NoWrongByteAtABitErrorRateOf1em5) { traffic_with_errors(fresh_bench(), 1e-5, false); }
TEST(LinkErrors, NoWrongByteAtABitErrorRateOf1em4) { traffic_with_errors(fresh_bench(), 1e-4, false); }
TEST(LinkErrors, NoWrongByteAtABitErrorRateOf5em4) { traffic_with_errors(fresh_bench(), 5e-4, false); }
TEST(LinkErrors, RetrainsUnderTraffic) { traffic_with_errors(fresh_bench(), 0, true); }
TEST(LinkErrors, RetrainsUnderTrafficWithErrors) { traffic_with_errors(fresh_bench(), 1e-4, true); }

TEST(LinkErrors, OneWrongBitCostsOneFrame) {
  LinkBench& bench = fresh_bench();
  ASSERT_GE(bench.train(), 0);
  for (unsigned i = 0; i < 50; ++i) {
    bench.channel(1).corrupt(i % 4, 1);
    bench.cycle(100 + i);
  }
  std::uint32_t markers = 0;
  for (unsigned l = 0; l < 4; ++l) markers += bench.read(1, fmt::format("lane_errors[{}].count", l));
  EXPECT_EQ(bench.read(1, "crc_errors.count") + markers, 50U) << "each hit a frame or a marker";
  EXPECT_GT(bench.read(1, "crc_errors.count"), 40U);
  EXPECT_EQ(bench.read(0, "crc_errors.count"), 0U);
  EXPECT_EQ(bench.read(1, "irq_status.crc_error"), 1U);
  EXPECT_EQ(bench.state(1), State::l0);
  bench.command(1, "command.clear_counters");
  EXPECT_EQ(bench.read(1, "crc_errors.count"), 0U);
}

TEST(LinkBridge, RefusesAtOnceWhileTheLinkIsDown) {
  LinkBench& bench = fresh_bench();
  Path path(bench, 0, 0);
  const std::uint64_t begin = bench.cycles();
  const auto write = path.requester.submit(AxiRequester::write(peer_base, std::vector<std::uint64_t>(16, 1)));
  const auto read = path.requester.submit(AxiRequester::read(peer_base, 16));
  ASSERT_TRUE(finish(bench, path, 200));
  EXPECT_LT(bench.cycles() - begin, 60U);
  EXPECT_EQ(path.requester.access(write).resp.at(0), Response::slverr);
  ASSERT_EQ(path.requester.access(read).resp.size(), 16U);
  for (const Response r : path.requester.access(read).resp) EXPECT_EQ(r, Response::slverr);
  EXPECT_EQ(bench.read(0, "bridge_refusals.count"), 2U);
  expect_clean(path);
}

TEST(LinkBridge, APeerThatAnswersNothingEndsInTimeouts) {
  LinkBench& bench = fresh_bench();
  bench.write(0, "stable_timing.bridge_timeout", 500);
  ASSERT_GE(bench.train(), 0);
  Path path(bench, 0, 0);
  path.memory.set_stuck(true);
  std::vector<std::size_t> handles;
  for (unsigned i = 0; i < 4; ++i) {
    handles.push_back(
        path.requester.submit(AxiRequester::write(peer_base + 128 * i, std::vector<std::uint64_t>(4, i))));
    handles.push_back(path.requester.submit(AxiRequester::read(peer_base + 128 * i, 4)));
  }
  ASSERT_TRUE(finish(bench, path, 5000)) << "bounded";
  for (const auto handle : handles) EXPECT_EQ(path.requester.access(handle).resp.at(0), Response::slverr);
  EXPECT_EQ(bench.read(0, "bridge_timeouts.count"), 8U);
  EXPECT_EQ(bench.read(0, "irq_status.bridge"), 1U);
  // When it wakes up, its late answers are dropped and new accesses work.
  path.memory.set_stuck(false);
  bench.cycle(500);
  EXPECT_EQ(bench.read(0, "stale_responses.count"), 8U);
  const auto write = path.requester.submit(AxiRequester::write(peer_base, {0x1122334455667788ULL}));
  ASSERT_TRUE(finish(bench, path, 1000));
  const auto read = path.requester.submit(AxiRequester::read(peer_base, 1));
  ASSERT_TRUE(finish(bench, path, 1000));
  EXPECT_TRUE(path.requester.access(write).okay());
  EXPECT_EQ(path.requester.access(read).data.at(0), 0x1122334455667788ULL);
  expect_clean(path);
}

TEST(LinkBridge, ANeighbourThatTakesNothingMoreHangsNoAccess) {
  LinkBench& bench = fresh_bench();
  bench.write(0, "stable_timing.bridge_timeout", 400);
  ASSERT_GE(bench.train(), 0);
  Path path(bench, 0, 0);
  path.memory.set_stuck(true);
  std::vector<std::size_t> handles;
  for (unsigned i = 0; i < 20; ++i) {
    handles.push_back(path.requester.submit(AxiRequester::write(peer_base, std::vector<std::uint64_t>(16, i))));
    handles.push_back(path.requester.submit(AxiRequester::read(peer_base, 16)));
    handles.push_back(path.requester.submit(AxiRequester::read(peer_base, 1)));
  }
  ASSERT_TRUE(finish(bench, path, 40'000)) << "more than there is credit for";
  for (const auto handle : handles) EXPECT_EQ(path.requester.access(handle).resp.at(0), Response::slverr);
  EXPECT_EQ(bench.read(0, "bridge_timeouts.count"), 60U);
  EXPECT_EQ(bench.read(1, "rx_overflows.count"), 0U);
  path.memory.set_stuck(false);
  bench.cycle(2000);
  const auto write = path.requester.submit(AxiRequester::write(peer_base, {0x55}));
  ASSERT_TRUE(finish(bench, path, 1000));
  const auto read = path.requester.submit(AxiRequester::read(peer_base, 1));
  ASSERT_TRUE(finish(bench, path, 1000));
  EXPECT_TRUE(path.requester.access(write).okay());
  EXPECT_EQ(path.requester.access(read).data.at(0), 0x55U);
  expect_clean(path);
}

TEST(LinkBridge, ErrorsOfTheFarMemoryComeBack) {
  LinkBench& bench = fresh_bench();
  ASSERT_GE(bench.train(), 0);
  Path path(bench, 1, 3);
  path.memory.fail_next_write();
  path.memory.fail_next_read();
  const auto write = path.requester.submit(AxiRequester::write(peer_base, {1, 2, 3}));
  const auto read = path.requester.submit(AxiRequester::read(peer_base + 64, 3));
  ASSERT_TRUE(finish(bench, path, 1000));
  EXPECT_EQ(path.requester.access(write).resp.at(0), Response::slverr);
  for (const Response r : path.requester.access(read).resp) EXPECT_EQ(r, Response::slverr);
  EXPECT_EQ(bench.read(1, "bridge_timeouts.count"), 0U);
  expect_clean(path);
}

TEST(LinkBridge, AccessesBeyondTheSramAreDecodeErrorsAndNeverMade) {
  LinkBench& bench = fresh_bench();
  ASSERT_GE(bench.train(), 0);
  Path path(bench, 0, 0);
  std::vector<std::size_t> bad;
  for (const std::uint64_t offset : {0x1'0000ULL, 0xFFF8ULL, 0xFFFF'FFF8ULL, 0x8000'0000ULL}) {
    bad.push_back(path.requester.submit(AxiRequester::write(peer_base + offset, {1, 2})));
    bad.push_back(path.requester.submit(AxiRequester::read(peer_base + offset, 2)));
  }
  const auto good = path.requester.submit(AxiRequester::write(peer_base + 0xFFF0, {7, 8}));
  ASSERT_TRUE(finish(bench, path, 2000));
  for (const auto handle : bad) EXPECT_EQ(path.requester.access(handle).resp.at(0), Response::decerr);
  EXPECT_TRUE(path.requester.access(good).okay());
  EXPECT_EQ(path.memory.memory().read64(AxiResponder::base + 0xFFF8), 8U);
  EXPECT_EQ(path.memory.strays(), 0U);
  for (const std::string& violation : path.memory.checker().violations()) ADD_FAILURE() << violation;
}

TEST(LinkBridge, BurstsOfMoreThanSixteenBeatsAreRefused) {
  LinkBench& bench = fresh_bench();
  ASSERT_GE(bench.train(), 0);
  Path path(bench, 0, 2);
  const auto write = path.requester.submit(AxiRequester::write(peer_base, std::vector<std::uint64_t>(32, 1)));
  const auto read = path.requester.submit(AxiRequester::read(peer_base, 32));
  const auto good = path.requester.submit(AxiRequester::write(peer_base, std::vector<std::uint64_t>(16, 2)));
  ASSERT_TRUE(finish(bench, path, 2000));
  EXPECT_EQ(path.requester.access(write).resp.at(0), Response::slverr);
  EXPECT_EQ(path.requester.access(read).resp.size(), 32U);
  EXPECT_EQ(path.requester.access(read).resp.at(31), Response::slverr);
  EXPECT_TRUE(path.requester.access(good).okay());
  expect_clean(path);
}

}  // namespace
}  // namespace tb::blocks::link
