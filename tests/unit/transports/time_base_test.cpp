#include "lab/transports/time_base.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "lab/core/failure.h"

namespace firstlight {
namespace {

using Wall = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

struct TimeBaseTest : ::testing::Test {
  const std::string file = ::testing::TempDir() + "time_base_test";
  TimeBasePublisher table{file};

  static Instant at(Duration d) { return Instant(d); }
};

TEST_F(TimeBaseTest, StandsStillWhileTheTableDoes) {
  table.publish(at(seconds(5)), at(seconds(5)));
  const TimeBaseSource source(file);
  const Instant start = source.now();
  std::this_thread::sleep_for(milliseconds(20));
  EXPECT_EQ(source.now(), start);
  table.publish(at(seconds(5) + milliseconds(3)), at(seconds(5) + milliseconds(3)));
  EXPECT_EQ(source.now(), start + milliseconds(3));
}

TEST_F(TimeBaseTest, PassesByItselfWhereNothingHappensOnTheTable) {
  const auto begin = Wall::now();
  table.publish(at(seconds(5)), at(seconds(5) + milliseconds(30)));
  TimeBaseSource source(file);
  const Instant published = source.now() - std::chrono::duration_cast<Duration>(Wall::now() - begin);
  source.advance(source.now() + milliseconds(10));
  EXPECT_GE(Wall::now() - begin, milliseconds(10));
  std::this_thread::sleep_for(milliseconds(60));
  EXPECT_LE(source.now(), published + milliseconds(31)) << "but not past what the table said";
}

TEST_F(TimeBaseTest, NeverGoesBack) {
  table.publish(at(seconds(5)), at(seconds(6)));
  const TimeBaseSource source(file);
  std::this_thread::sleep_for(milliseconds(20));
  const Instant now = source.now();
  table.publish(at(seconds(5) + milliseconds(1)), at(seconds(5) + milliseconds(1)));
  EXPECT_GE(source.now(), now);
}

TEST_F(TimeBaseTest, ATableThatStoppedKeepsNobodyWaiting) {
  table.publish(at(seconds(5)), at(seconds(5)));
  TimeBaseSource source(file);
  const auto begin = Wall::now();
  source.advance(source.now() + milliseconds(50));
  EXPECT_GE(Wall::now() - begin, TimeBaseSource::kSilence + milliseconds(49));
}

TEST_F(TimeBaseTest, CallsByTheWallClockWhileASlowTableKeepsItWaiting) {
  table.publish(at(seconds(5)), at(seconds(5)));
  TimeBaseSource source(file);
  int calls = 0;
  source.while_waiting([&calls] { ++calls; });
  const Instant start = source.now();
  source.advance(start + milliseconds(10));
  EXPECT_GE(calls, 10) << "in the second that a table must be silent before its time passes by itself";
  source.while_waiting({});
  const int before = calls;
  source.advance(source.now() + milliseconds(1));
  EXPECT_EQ(calls, before) << "it was told to stop";
}

TEST_F(TimeBaseTest, WakesWhenItIsTold) {
  table.publish(at(seconds(5)), at(seconds(5000)));
  TimeBaseSource source(file);
  const Instant start = source.now();
  std::thread other([&] {
    std::this_thread::sleep_for(milliseconds(20));
    source.interrupt();
  });
  source.advance(start + seconds(1000));
  EXPECT_LT(source.now(), start + seconds(1000));
  other.join();
}

TEST_F(TimeBaseTest, StartsWhereAnotherProgramDid) {
  table.publish(at(seconds(50)), at(seconds(500)));
  const auto epoch = Wall::now() - seconds(7);
  const TimeBaseSource source(file, epoch);
  EXPECT_GE(source.now(), at(seconds(7)));
}

TEST_F(TimeBaseTest, ReadersNeverSeeHalf) {
  table.publish(at(seconds(1)), at(seconds(1)));
  const TimeBaseSource source(file);
  std::atomic<bool> over{false};
  std::thread writer([&] {
    for (int i = 1; i <= 200000; ++i)
      table.publish(at(seconds(1) + std::chrono::microseconds(i)), at(seconds(1) + std::chrono::microseconds(i)));
    over = true;
  });
  Instant before = source.now();
  while (!over) {
    const Instant now = source.now();
    EXPECT_GE(now, before);
    EXPECT_LE(now.time_since_epoch(), milliseconds(200) + TimeBaseSource::kSilence) << "a mix of two tellings";
    before = now;
  }
  writer.join();
  EXPECT_GE(source.now().time_since_epoch(), milliseconds(200));
}

TEST_F(TimeBaseTest, IsThisUsersAndGoesWithItsPublisher) {
  const std::string other = file + "_other";
  {
    const TimeBasePublisher publisher(other);
    EXPECT_EQ(std::filesystem::status(other).permissions() & std::filesystem::perms::all,
              std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  }
  EXPECT_FALSE(std::filesystem::exists(other));
}

std::string refusal(const std::string& path) {
  try {
    const TimeBaseSource source(path);
  } catch (const FailureError& error) {
    EXPECT_EQ(error.failure().error_class, ErrorClass::infrastructure);
    return error.failure().symptom + ": " + error.failure().message + "; " + error.failure().likely_cause;
  }
  return "none";
}

TEST_F(TimeBaseTest, SaysWhatIsWrongWithAFile) {
  EXPECT_EQ(refusal(file + "_none"), "no_time_base: time base " + file +
                                         "_none: No such file or directory; no model listens there; start it with: "
                                         "firstlight model --listen DIR");
  EXPECT_EQ(refusal(file),
            "bad_time_base: time base " + file +
                ": nothing was published in it yet, or in another layout; the model is only starting, or is of another "
                "version");
  const std::string text = file + "_text";
  std::ofstream(text) << "not a clock\n";
  EXPECT_EQ(refusal(text),
            "bad_time_base: time base " + text + ": this file is no time base; the bench file names another file");
}

}  // namespace
}  // namespace firstlight
