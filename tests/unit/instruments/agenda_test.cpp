#include "tb/instruments/agenda.h"

#include <gtest/gtest.h>

#include "tests/unit/instruments/desk.h"

namespace tb::instruments::testing {
namespace {

TEST(Agenda, RunsEntriesAtTheirTimesInOrder) {
  const sc_core::sc_time start = sc_core::sc_time_stamp();
  std::vector<std::pair<int, sc_core::sc_time>> seen;
  const auto note = [&](int n) { return [&seen, n] { seen.emplace_back(n, sc_core::sc_time_stamp()); }; };
  agenda().after({3, sc_core::SC_US}, note(3));
  agenda().after({1, sc_core::SC_US}, note(1));
  agenda().after({3, sc_core::SC_US}, note(4));
  agenda().after({2, sc_core::SC_US}, note(2));
  pass(10e-6);
  ASSERT_EQ(seen.size(), 4U);
  const std::vector<int> order{1, 2, 3, 4};
  const std::vector<int> micros{1, 2, 3, 3};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(seen[i].first, order[i]);
    EXPECT_EQ(seen[i].second, start + sc_core::sc_time(micros[i], sc_core::SC_US));
  }
}

TEST(Agenda, AnEntryMayMakeAnotherAtTheSameTime) {
  int depth = 0;
  std::function<void()> again = [&] {
    if (++depth < 3) agenda().after(sc_core::SC_ZERO_TIME, again);
  };
  agenda().after({1, sc_core::SC_US}, again);
  pass(2e-6);
  EXPECT_EQ(depth, 3);
}

TEST(Agenda, ACancelledEntryDoesNotRun) {
  bool ran = false;
  Agenda::Entry entry = agenda().after({1, sc_core::SC_US}, [&] { ran = true; });
  EXPECT_TRUE(entry.valid());
  agenda().cancel(entry);
  EXPECT_FALSE(entry.valid());
  pass(2e-6);
  EXPECT_FALSE(ran);
}

TEST(Agenda, ATimeThatHasPassedIsNow) {
  pass(1e-6);
  const sc_core::sc_time now = sc_core::sc_time_stamp();
  sc_core::sc_time seen;
  agenda().at(sc_core::SC_ZERO_TIME, [&] { seen = sc_core::sc_time_stamp(); });
  pass(1e-9);
  EXPECT_EQ(seen, now);
}

TEST(Agenda, CostsNothingWhileNothingIsDue) {
  bool ran = false;
  agenda().after({1, sc_core::SC_SEC}, [&] { ran = true; });
  const std::uint64_t before = agenda().calls();
  pass(0.9);
  EXPECT_EQ(agenda().calls(), before);
  pass(0.2);
  EXPECT_TRUE(ran);
}

}  // namespace
}  // namespace tb::instruments::testing
