#include "lab/runner/scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

#include "lab/core/failure.h"
#include "lab/runner/wall_time_source.h"
#include "tests/unit/runner/fake_time.h"

namespace firstlight {
namespace {

using test::at_ms;
using test::FakeTime;
using test::ms;
using ::testing::ElementsAre;
using Trace = std::vector<std::string>;

TEST(Scheduler, WakesByTimeThenByTheMomentAtWhichTheWaitBegan) {
  FakeTime time;
  Scheduler scheduler(time);
  Trace trace;
  scheduler.run([&] {
    std::vector<Scheduler::Handle> fibers;
    const auto sleeper = [&](const std::string& name, int first, int second) {
      fibers.push_back(scheduler.spawn(name, [&trace, &scheduler, name, first, second] {
        scheduler.sleep_until(at_ms(first));
        trace.push_back(name);
        scheduler.sleep_until(at_ms(second));
        trace.push_back(name);
      }));
    };
    sleeper("a", 3, 10);
    sleeper("b", 1, 10);
    sleeper("c", 3, 5);
    for (const auto& fiber : fibers) EXPECT_TRUE(scheduler.join(fiber, kNever));
  });
  // At 10 ms b comes first: it began to wait at 1 ms, a at 3 ms.
  EXPECT_THAT(trace, ElementsAre("b", "a", "c", "c", "b", "a"));
  EXPECT_EQ(scheduler.now(), at_ms(10));
  EXPECT_EQ(scheduler.fibers(), 0U);
}

TEST(Scheduler, LetsTimePassOnlyWhenEveryFiberWaits) {
  FakeTime time;
  Scheduler scheduler(time);
  scheduler.run([&] {
    for (int i = 0; i < 100; ++i) scheduler.sleep_until(scheduler.now());
    EXPECT_EQ(time.advances, 0);
    const auto other = scheduler.spawn("other", [&] { scheduler.sleep(ms(1)); });
    scheduler.sleep(ms(1));
    EXPECT_EQ(time.advances, 1) << "both wait for the same instant";
    scheduler.join(other, kNever);
  });
}

TEST(Scheduler, AnEventWakesItsWaiterAtTheTimeOfTheFire) {
  FakeTime time;
  Scheduler scheduler(time);
  const auto event = scheduler.make_event();
  time.at(ms(7), [&] { event->fire(); });
  scheduler.run([&] {
    EXPECT_TRUE(scheduler.wait(*event, at_ms(100)));
    EXPECT_EQ(scheduler.now(), at_ms(7));
    EXPECT_TRUE(scheduler.wait(*event, at_ms(100))) << "it stays fired";
    EXPECT_EQ(scheduler.now(), at_ms(7));
    event->reset();
    EXPECT_FALSE(scheduler.wait(*event, at_ms(20)));
    EXPECT_EQ(scheduler.now(), at_ms(20));
    EXPECT_FALSE(scheduler.wait(*event, at_ms(3))) << "a deadline in the past";
    EXPECT_EQ(scheduler.now(), at_ms(20));
  });
}

TEST(Scheduler, AFireThatMeetsTheDeadlineWinsOverIt) {
  FakeTime time;
  Scheduler scheduler(time);
  const auto event = scheduler.make_event();
  time.at(ms(5), [&] { event->fire(); });
  scheduler.run([&] { EXPECT_TRUE(scheduler.wait(*event, at_ms(5))); });
}

TEST(Scheduler, CancellationThrowsAtTheWaitAndAtEveryWaitAfterIt) {
  FakeTime time;
  Scheduler scheduler(time);
  Trace trace;
  scheduler.run([&] {
    const auto victim = scheduler.spawn("victim", [&] {
      try {
        scheduler.sleep(ms(1000));
      } catch (const Cancelled&) {
        trace.emplace_back("first");
      }
      try {
        scheduler.sleep(ms(1));
      } catch (const Cancelled&) {
        trace.emplace_back("second");
        throw;
      }
      trace.emplace_back("never");
    });
    scheduler.sleep(ms(2));
    scheduler.cancel(victim);
    EXPECT_TRUE(scheduler.join(victim, kNever));
    EXPECT_EQ(scheduler.now(), at_ms(2));
    EXPECT_EQ(Scheduler::error(victim), nullptr);
  });
  EXPECT_THAT(trace, ElementsAre("first", "second"));
}

TEST(Scheduler, AFiberThatIsCancelledBeforeItRanNeverRuns) {
  FakeTime time;
  Scheduler scheduler(time);
  bool ran = false;
  scheduler.run([&] {
    const auto fiber = scheduler.spawn("late", [&] { ran = true; });
    scheduler.cancel(fiber);
    EXPECT_TRUE(scheduler.join(fiber, kNever));
  });
  EXPECT_FALSE(ran);
}

TEST(Scheduler, AShieldHoldsCancellationOff) {
  FakeTime time;
  Scheduler scheduler(time);
  Trace trace;
  scheduler.run([&] {
    const auto fiber = scheduler.spawn("shielded", [&] {
      {
        const Scheduler::Shield shield(scheduler);
        scheduler.sleep(ms(10));
        trace.emplace_back("slept");
      }
      scheduler.sleep(ms(10));
      trace.emplace_back("never");
    });
    scheduler.sleep(ms(1));
    scheduler.cancel(fiber);
    scheduler.join(fiber, kNever);
    EXPECT_EQ(scheduler.now(), at_ms(10));
  });
  EXPECT_THAT(trace, ElementsAre("slept"));
}

TEST(Scheduler, RunBoundedSaysHowItEnded) {
  FakeTime time;
  Scheduler scheduler(time);
  scheduler.run([&] {
    EXPECT_EQ(scheduler.run_bounded("quick", at_ms(10), [&] { scheduler.sleep(ms(3)); }), Scheduler::Bounded::done);
    EXPECT_EQ(scheduler.now(), at_ms(3));
    EXPECT_EQ(scheduler.run_bounded("slow", at_ms(10), [&] { scheduler.sleep(ms(100)); }),
              Scheduler::Bounded::timed_out);
    EXPECT_EQ(scheduler.now(), at_ms(10));
    EXPECT_THROW(scheduler.run_bounded("bad", at_ms(20), [] { throw std::runtime_error("x"); }), std::runtime_error);
    auto inner = Scheduler::Bounded::done;
    const auto outer = scheduler.spawn(
        "outer", [&] { inner = scheduler.run_bounded("inner", kNever, [&] { scheduler.sleep(ms(1000)); }); });
    scheduler.sleep(ms(1));
    scheduler.cancel(outer);
    scheduler.join(outer, kNever);
    EXPECT_EQ(inner, Scheduler::Bounded::cancelled);
    EXPECT_EQ(scheduler.now(), at_ms(11));
  });
}

TEST(Scheduler, ABranchThatFailsCancelsTheOthers) {
  FakeTime time;
  Scheduler scheduler(time);
  Trace trace;
  scheduler.run([&] {
    scheduler.run_parallel({[&] {
                              scheduler.sleep(ms(50));
                              trace.emplace_back("never");
                              return true;
                            },
                            [&] {
                              scheduler.sleep(ms(1));
                              trace.emplace_back("good");
                              return true;
                            },
                            [&] {
                              scheduler.sleep(ms(5));
                              trace.emplace_back("bad");
                              return false;
                            }});
  });
  EXPECT_THAT(trace, ElementsAre("good", "bad"));
  EXPECT_EQ(scheduler.now(), at_ms(5));
}

TEST(Scheduler, CancellingAGroupCancelsEveryBranchAtAnyDepth) {
  FakeTime time;
  Scheduler scheduler(time);
  int unwound = 0;
  struct Count {
    int& n;
    ~Count() { ++n; }
  };
  scheduler.run([&] {
    const auto group = scheduler.spawn("group", [&] {
      const auto branch = [&] {
        const Count count{unwound};
        scheduler.run_parallel({[&] {
          const Count deep{unwound};
          scheduler.sleep(ms(1000));
          return true;
        }});
        return true;
      };
      scheduler.run_parallel({branch, branch});
    });
    scheduler.sleep(ms(1));
    scheduler.cancel(group);
    scheduler.join(group, kNever);
    EXPECT_EQ(unwound, 4);
  });
}

TEST(Scheduler, FibersThatWaitInCatchBlocksKeepTheirExceptions) {
  FakeTime time;
  Scheduler scheduler(time);
  Trace trace;
  scheduler.run([&] {
    const auto handler = [&](const std::string& name, int first) {
      return [&trace, &scheduler, name, first] {
        try {
          throw std::runtime_error(name);
        } catch (const std::runtime_error& error) {
          scheduler.sleep(ms(first));
          try {
            throw;
          } catch (const std::runtime_error& again) {
            trace.push_back(name + "=" + again.what());
          }
          trace.push_back(error.what());
        }
        return true;
      };
    };
    scheduler.run_parallel({handler("a", 1), handler("b", 2), handler("c", 1)});
  });
  EXPECT_THAT(trace, ElementsAre("a=a", "a", "c=c", "c", "b=b", "b"));
}

TEST(Scheduler, WhatMainThrowsComesOutAndEverythingElseIsUnwound) {
  FakeTime time;
  Scheduler scheduler(time);
  bool unwound = false;
  EXPECT_THROW(scheduler.run([&] {
    scheduler.spawn("left over", [&] {
      try {
        scheduler.sleep(ms(1000));
      } catch (const Cancelled&) {
        unwound = true;
        throw;
      }
    });
    scheduler.sleep(ms(1));
    throw std::runtime_error("main");
  }),
               std::runtime_error);
  EXPECT_TRUE(unwound);
  EXPECT_EQ(scheduler.fibers(), 0U);
}

TEST(Scheduler, SaysWhenNothingCanEverWakeAFiber) {
  FakeTime time;
  Scheduler scheduler(time);
  const auto event = scheduler.make_event();
  EXPECT_THROW(scheduler.run([&] { scheduler.wait(*event, kNever); }), std::logic_error);
}

TEST(Scheduler, WaitingOutsideOfAFiberIsAnError) {
  FakeTime time;
  Scheduler scheduler(time);
  EXPECT_THROW(scheduler.sleep(ms(1)), std::logic_error);
}

TEST(Scheduler, TenThousandFibers) {
  FakeTime time;
  Scheduler scheduler(time);
  int woken = 0;
  scheduler.run([&] {
    std::vector<Scheduler::Handle> fibers;
    for (int i = 0; i < 10000; ++i) {
      fibers.push_back(scheduler.spawn("f", [&, i] {
        scheduler.sleep_until(at_ms(1 + i % 7));
        ++woken;
      }));
    }
    for (const auto& fiber : fibers) scheduler.join(fiber, kNever);
  });
  EXPECT_EQ(woken, 10000);
  EXPECT_EQ(time.advances, 7);
}

TEST(WallClock, SleepsAndWakesByWorkers) {
  WallTimeSource time;
  Scheduler scheduler(time, {true});
  scheduler.run([&] {
    const Instant start = scheduler.now();
    scheduler.sleep(ms(5));
    EXPECT_GE(scheduler.now() - start, ms(5));
    std::atomic<bool> worked{false};
    int ticks = 0;
    const auto ticker = scheduler.spawn("interlock", [&] {
      while (!worked) {
        scheduler.sleep(ms(1));
        ++ticks;
      }
    });
    scheduler.offload([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      worked = true;
    });
    scheduler.join(ticker, kNever);
    EXPECT_GE(ticks, 5) << "blocking I/O must not hold up other fibers";
    EXPECT_THROW(scheduler.offload([] { throw std::runtime_error("EIO"); }), std::runtime_error);
  });
}

TEST(WallClock, APostFromAnotherThreadInterruptsALongWait) {
  WallTimeSource time;
  Scheduler scheduler(time, {true});
  std::thread other;
  scheduler.run([&] {
    const auto sleeper = scheduler.spawn("sleeper", [&] { scheduler.sleep(std::chrono::hours(1)); });
    other = std::thread([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      scheduler.post([&, sleeper] { scheduler.cancel(sleeper); });
    });
    EXPECT_TRUE(scheduler.join(sleeper, Instant(std::chrono::seconds(10))));
  });
  other.join();
  EXPECT_LT(time.now(), Instant(std::chrono::seconds(5)));
}

}  // namespace
}  // namespace firstlight
