#include "tb/bench/paced_time.h"

#include <gtest/gtest.h>

#include <ctime>
#include <systemc>
#include <thread>

#include "lab/runner/scheduler.h"
#include "lab/transports/time_base.h"

namespace tb {
namespace {

using firstlight::Duration;
using firstlight::Scheduler;
using firstlight::seconds;
using Wall = std::chrono::steady_clock;
using std::chrono::milliseconds;

double thread_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// A chip that takes so much processor time for each 0.1 ms of its own.
class Chip : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Chip);
  explicit Chip(const sc_core::sc_module_name& name) : sc_module(name) {
    SC_METHOD(tick);
    sensitive << due_;
    dont_initialize();
  }
  void run(double cost) {
    cost_ = cost;
    due_.notify(kTick);
  }
  void stop() { cost_ = -1; }

 private:
  const sc_core::sc_time kTick{100, sc_core::SC_US};
  void tick() {
    const double end = thread_seconds() + cost_;
    while (thread_seconds() < end) {
    }
    if (cost_ >= 0) due_.notify(kTick);
  }
  double cost_ = -1;
  sc_core::sc_event due_;
};

Chip& chip() {
  static Chip the("chip");
  return the;
}

/// SystemC's time goes on from test to test; each has a clock that begins where it is.
struct PacedTimeTest : ::testing::Test {
  PacedTimeTest() { chip(); }
  void run(const std::function<void(Scheduler&)>& body) {
    Scheduler::Options options;
    options.wall_clock = true;
    Scheduler scheduler(time, options);
    scheduler.run([&] { body(scheduler); });
  }
  static double since(Wall::time_point start) { return std::chrono::duration<double>(Wall::now() - start).count(); }
  PacedTime time;
};

TEST_F(PacedTimeTest, NeverRunsAheadOfTheWallClock) {
  run([&](Scheduler& scheduler) {
    const auto start = Wall::now();
    const auto from = scheduler.now();
    for (int i = 0; i < 50; ++i) {
      scheduler.sleep(milliseconds(2));
      ASSERT_LE(seconds(scheduler.now() - from), since(start) + 1e-9);
    }
    EXPECT_GE(seconds(scheduler.now() - from), 0.1 - 1e-9);
  });
}

TEST_F(PacedTimeTest, CostsNothingWhileNothingHappens) {
  run([&](Scheduler& scheduler) {
    const double before = thread_seconds();
    scheduler.sleep(milliseconds(400));
    EXPECT_LT(thread_seconds() - before, 0.02);
  });
  EXPECT_EQ(time.slipped(), Duration{}) << "what nobody was late for did not slip";
}

TEST_F(PacedTimeTest, IsInThePresentWhenSomethingComesFromOutside) {
  run([&](Scheduler& scheduler) {
    const auto event = scheduler.make_event();
    const auto start = Wall::now();
    const auto from = scheduler.now();
    std::thread other([&] {
      std::this_thread::sleep_for(milliseconds(150));
      scheduler.post([&] { event->fire(); });
    });
    EXPECT_TRUE(scheduler.wait(*event, firstlight::kNever));
    EXPECT_GE(seconds(scheduler.now() - from), 0.149);
    EXPECT_LE(seconds(scheduler.now() - from), since(start) + 1e-9);
    other.join();
  });
}

TEST_F(PacedTimeTest, SlipsByWhatItDidNotGetToRun) {
  chip().run(0);
  run([&](Scheduler& scheduler) {
    scheduler.sleep(milliseconds(20));
    const auto from = scheduler.now();
    const auto slipped = time.slipped();
    const auto start = Wall::now();
    std::this_thread::sleep_for(milliseconds(200));  // as when the machine gives the processor to others
    const auto event = scheduler.make_event();
    scheduler.post([&] { event->fire(); });
    scheduler.wait(*event, firstlight::kNever);
    EXPECT_GE(seconds(time.slipped() - slipped), 0.19);
    // It was as much as it may be behind already.
    EXPECT_LE(seconds(scheduler.now() - from + time.slipped() - slipped), since(start) + 0.0021);
    chip().stop();
    scheduler.sleep(milliseconds(1));
  });
}

TEST_F(PacedTimeTest, SlipsByWhatTheChipTakesLonger) {
  chip().run(300e-6);  // three times slower than the clock
  run([&](Scheduler& scheduler) {
    const auto from = scheduler.now();
    const auto start = Wall::now();
    const auto slipped = time.slipped();
    scheduler.sleep(milliseconds(50));
    EXPECT_GE(since(start), 0.14);
    const double lost = seconds(time.slipped() - slipped);
    EXPECT_GE(lost, 0.08) << "what did not pass was counted";
    EXPECT_LE(seconds(scheduler.now() - from) + lost, since(start) + 0.0021);
    chip().stop();
    scheduler.sleep(milliseconds(1));
  });
}

TEST_F(PacedTimeTest, TellsTheTimeSoThatOthersNeverRunAhead) {
  const std::string file = ::testing::TempDir() + "paced_time_base";
  firstlight::TimeBasePublisher publisher(file);
  time.when_time_passes([&](auto now, auto until) { publisher.publish(now, until); });
  chip().run(150e-6);  // slower than the clock
  run([&](Scheduler& scheduler) {
    scheduler.sleep(milliseconds(1));
    const auto begin = scheduler.now();
    const firstlight::TimeBaseSource other(file);
    const auto apart = begin.time_since_epoch() - other.now().time_since_epoch();
    for (int i = 0; i < 30; ++i) {
      scheduler.sleep(milliseconds(1));
      const double theirs = seconds(other.now() + apart);
      const double ours = seconds(scheduler.now());
      ASSERT_LE(theirs, ours + 0.0011) << "where nothing happens it may be as far as the next thing that does";
      ASSERT_GE(theirs, ours - 0.0011);
    }
    chip().stop();
    scheduler.sleep(milliseconds(1));
    const double before = seconds(other.now());
    const auto wall = Wall::now();
    std::this_thread::sleep_for(milliseconds(20));
    EXPECT_GE(seconds(other.now()) - before, 0.0) << "it passes, or the model did not get to say that it may";
    EXPECT_LE(seconds(other.now()) - before, since(wall) + 0.0011);
  });
  time.when_time_passes(nullptr);
}

}  // namespace
}  // namespace tb
