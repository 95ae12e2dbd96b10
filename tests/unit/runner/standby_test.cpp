// The run and who stands by; the guardian's watch; what is known of a run that was cut off.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "lab/runner/guardian_watch.h"
#include "lab/runner/record_tail.h"
#include "lab/runner/takeover.h"
#include "tests/unit/runner/fake_run.h"

namespace firstlight {
namespace {

using test::FakeRun;
using test::ms;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Notes what a run tells whoever stands by.
class FakeStandby final : public Standby {
 public:
  void wait_until_ready(Instant) override {
    if (!ready) throw FailureError({ErrorClass::infrastructure, "guardian_not_ready", "not ready", "", "", "", ""});
  }
  void when_lost(std::function<void(const Failure&)> lost) override { lose = std::move(lost); }
  void tell(const std::string& line) override { lines.push_back(line); }
  void confirm(Instant) override {
    if (deaf) throw FailureError({ErrorClass::infrastructure, "guardian_lost", "no answer", "", "", "", ""});
  }
  void beat() override { ++beats; }
  void making_safe() override { order.emplace_back("making safe"); }
  void ended(bool safe) override { order.emplace_back(safe ? "safe" : "unsafe"); }

  bool ready = true;
  bool deaf = false;
  int beats = 0;
  std::vector<std::string> lines;
  std::vector<std::string> order;
  std::function<void(const Failure&)> lose;
};

struct Guarded {
  Guarded() {
    run.standby = &standby;
    run.rail("vdd");
    run.verb("on", test::power_on("vdd"));
    run.phase("p").steps = {FakeRun::step("on", "on"), FakeRun::step("work", "slow")};
  }
  FakeRun run;
  FakeStandby standby;
};

TEST(Standby, HearsTheHeartTheLedgerAndTheEnd) {
  Guarded guarded;
  EXPECT_EQ(guarded.run.run().verdict, Verdict::pass);
  EXPECT_GE(guarded.standby.beats, 2);
  ASSERT_EQ(guarded.standby.lines.size(), 3U);
  EXPECT_THAT(guarded.standby.lines[0], HasSubstr(R"("undo_action":{"kind":"rail_off","target":"vdd"})"));
  EXPECT_THAT(guarded.standby.lines[1], HasSubstr("undone"));
  EXPECT_THAT(guarded.standby.order, ElementsAre("making safe", "safe"));
}

TEST(Standby, WithoutItNothingIsEnergised) {
  Guarded guarded;
  guarded.standby.ready = false;
  const RunEnded end = guarded.run.run();
  EXPECT_EQ(end.first_failure->event.failure.symptom, "guardian_not_ready");
  EXPECT_EQ(end.exit_status, 3);
  EXPECT_EQ(guarded.standby.lines.size(), 1U) << "only that the bench is safe";
}

TEST(Standby, AnActionThatItDoesNotHaveIsNotDone) {
  Guarded guarded;
  guarded.standby.deaf = true;
  bool done = false;
  guarded.run.verb("on", [&](StepContext& c) {
    c.energise(guarded.run.action("psu", [] {}));
    done = true;
  });
  const RunEnded end = guarded.run.run();
  EXPECT_FALSE(done);
  EXPECT_EQ(end.first_failure->event.failure.symptom, "guardian_lost");
  EXPECT_EQ(guarded.run.notes.safe->undone, 1) << "undoing what was not done does no harm";
}

TEST(Standby, ItsLossStopsTheRunAtOnce) {
  Guarded guarded;
  guarded.run.verb("slow", [&](StepContext& c) {
    guarded.standby.lose({ErrorClass::infrastructure, "guardian_lost", "gone", "guardian", "", "", ""});
    c.time().sleep(std::chrono::seconds(10));
  });
  const RunEnded end = guarded.run.run();
  EXPECT_EQ(end.first_failure->event.failure.symptom, "guardian_lost");
  EXPECT_EQ(end.exit_status, 3);
  EXPECT_TRUE(end.safe);
  EXPECT_LT(end.bench_time, ms(100));
}

TEST(Standby, IsAskedToTryWhenTheBenchIsNotSafe) {
  Guarded guarded;
  guarded.run.rail("stuck").stuck_on = true;
  guarded.run.verb("on", test::power_on("stuck"));
  EXPECT_FALSE(guarded.run.run().safe);
  EXPECT_THAT(guarded.standby.order, ElementsAre("making safe", "unsafe", "unsafe"));
}

/// Both ends of the socket between a run and its guardian.
struct Wire {
  Wire() { EXPECT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends.data()), 0); }
  ~Wire() {
    for (const int one : ends) ::close(one);
  }
  void say(const std::string& words) { EXPECT_GT(::send(ends[0], words.data(), words.size(), MSG_NOSIGNAL), 0); }
  void hang_up() { ::shutdown(ends[0], SHUT_RDWR); }
  std::array<int, 2> ends{};
};

constexpr const char* kEnergise =
    R"(line {"event":"energise","entry":1,"key":"rail x","what":"w","undo":"u","undo_action":{"kind":"rail_off","target":"x"}})";

TEST(GuardianWatch, IsDismissedByTheLastWord) {
  Wire wire;
  GuardianWatch watch(wire.ends[1], {});
  for (const char* words :
       {"beat", kEnergise, R"(line {"event":"undone","entry":1,"key":"rail x"})", "making safe", "safe"})
    wire.say(words);
  EXPECT_EQ(watch.watch(), RunnerEnd::dismissed);
  EXPECT_TRUE(watch.ledger().live().empty());
  EXPECT_TRUE(watch.ledger().ever_live("rail x"));
}

TEST(GuardianWatch, TakesOverWithTheLedgerWhenTheRunDies) {
  Wire wire;
  GuardianWatch watch(wire.ends[1], {});
  wire.say("beat");
  wire.say(kEnergise);
  wire.hang_up();
  EXPECT_EQ(watch.watch(), RunnerEnd::died);
  ASSERT_EQ(watch.ledger().live().size(), 1U);
  EXPECT_EQ(watch.ledger().live()[0].action.undo.kind, "rail_off");
}

TEST(GuardianWatch, NoticesAHeartThatStopsAndASafeStateThatTakesTooLong) {
  GuardianPlan plan;
  plan.heartbeat = ms(100);
  plan.safe_within = ms(300);
  {
    Wire wire;
    GuardianWatch watch(wire.ends[1], plan);
    wire.say("beat");
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(watch.watch(), RunnerEnd::hung);
    EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(99));
  }
  Wire wire;
  GuardianWatch watch(wire.ends[1], plan);
  wire.say("making safe");
  bool over = false;
  std::thread heart([&] {
    for (int i = 0; i < 200 && !over; ++i) {
      wire.say("beat");
      ::usleep(20'000);
    }
  });
  EXPECT_EQ(watch.watch(), RunnerEnd::safe_state_late);
  over = true;
  heart.join();
}

TEST(OtherProcess, EndsAStoppedProcessForCertain) {
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const pid_t grandchild = ::fork();
    if (grandchild == 0) {
      // The parent of this one stops itself and is ended.
      auto parent = OtherProcess::parent(::getppid());
      ::usleep(20'000);
      const char ended = parent && parent->end(std::chrono::seconds(2)) ? 'y' : 'n';
      [[maybe_unused]] const auto ignored = ::write(pipe[1], &ended, 1);
      ::_exit(0);
    }
    ::raise(SIGSTOP);
    ::_exit(1);
  }
  ::close(pipe[1]);
  char ended = '?';
  EXPECT_EQ(::read(pipe[0], &ended, 1), 1);
  EXPECT_EQ(ended, 'y');
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  ::close(pipe[0]);
  EXPECT_FALSE(OtherProcess::parent(1)) << "a number that is not our parent's is nobody's";
}

/// A run that is cut off while its rail is on, as a kill would.
struct CutOff {
  CutOff() {
    run.rail("vdd");
    run.verb("on", test::power_on("vdd"));
    run.phase("p").steps = {FakeRun::step("on", "on"), FakeRun::step("work", "slow")};
    run.run();
    // Cut both files where `work` was running.
    cut("events.jsonl", "p/work");
    cut("ledger.jsonl", "undone");
  }
  void cut(const std::string& name, const std::string& at) {
    std::vector<std::string> lines = run.folder.lines(name);
    std::ofstream out(run.folder.path() + "/" + name);
    std::size_t i = 0;
    for (; i < lines.size() && lines[i].find(at) == std::string::npos; ++i) out << lines[i] << "\n";
    if (name == "events.jsonl") {
      for (int started = 0; started < 2; ++started) out << lines[i++] << "\n";
      out << lines[i].substr(0, 20);  // in the middle of a line
    }
  }
  FakeRun run;
};

TEST(RecordTail, KnowsWhatIsOpenAndHowToGoOn) {
  const CutOff cut;
  const RecordTail tail = read_record_tail(cut.run.folder.path());
  EXPECT_TRUE(tail.started);
  EXPECT_FALSE(tail.ended);
  ASSERT_EQ(tail.open.size(), 3U);
  EXPECT_EQ(tail.open[0].id, "@bench");
  EXPECT_EQ(tail.open[2].id, "p/work");
  EXPECT_EQ(tail.open[2].kind, "verb");
  EXPECT_EQ(tail.counts.at(Verdict::pass), 1);
  EXPECT_EQ(tail.next_sequence, next_sequence_number(cut.run.folder.path()));
  EXPECT_EQ(tail.seed, 7U);
}

TEST(Takeover, MakesSafeAndEndsTheRecordInTheRunsPlace) {
  CutOff cut;
  const std::string folder = cut.run.folder.path();
  bool on = true;
  TakeoverRequest request;
  request.folder = folder;
  request.by = "guardian";
  request.cause = {ErrorClass::infrastructure, "runner_died", "the run died", "runner", "", "", ""};
  request.ledger = read_ledger(folder + "/ledger.jsonl");
  ASSERT_EQ(request.ledger.live().size(), 1U);
  BenchPlan plan = cut.run.plan;
  int connects = 0;
  const auto connect = [&](BenchTime& time) {
    ++connects;
    auto bench = std::make_unique<Bench>(plan, time);
    auto rail = std::make_unique<test::FakeRail>(plan.rails[0]);
    rail->on = on;
    bench->add(std::move(rail));
    return bench;
  };
  request.connect = [&](BenchTime&) -> std::unique_ptr<Bench> {
    throw FailureError({ErrorClass::infrastructure, "connect_failed", "the connections died too", "", "", "", ""});
  };
  request.connect_anew = connect;
  request.undo = {[&](Bench& bench, const Undo& undo) { bench.rail(undo.target).disable(); },
                  [](const Undo&) { return false; },
                  [](const Bench&, const std::string&) { return std::optional<Undo>(); }};
  test::Notes notes;
  test::FakeTime time;
  Scheduler scheduler(time, {false, ms(1)});
  TakenOver over;
  scheduler.run([&] { over = take_over(scheduler, notes, request); });
  EXPECT_TRUE(over.made.safe);
  EXPECT_EQ(over.trouble, "");
  EXPECT_EQ(connects, 1);
  EXPECT_THAT(cut.run.folder.lines("ledger.jsonl").back(), HasSubstr(R"("safe":true)"));
  const auto lines = cut.run.folder.lines("events.jsonl");
  EXPECT_THAT(lines.back(), HasSubstr("testRunEnd"));
  const RecordTail tail = read_record_tail(folder);
  EXPECT_TRUE(tail.ended);
  EXPECT_TRUE(tail.open.empty()) << tail.open[0].id;
  EXPECT_EQ(tail.next_sequence, lines.size()) << "no number is left out";
  EXPECT_EQ(tail.counts.at(Verdict::aborted), 1);
  bool told = false;
  for (const auto& line : lines) told = told || line.find(R"("made_safe_by":"guardian")") != std::string::npos;
  EXPECT_TRUE(told);
}

}  // namespace
}  // namespace firstlight
