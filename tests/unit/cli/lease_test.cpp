// Who has a bench: runs, people, labgrid.
#include "lab/cli/lease.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "lab/core/failure.h"

namespace firstlight::cli {
namespace {

using ::testing::HasSubstr;

class Leases : public ::testing::Test {
 protected:
  Leases() {
    std::string name = (std::filesystem::temp_directory_path() / "firstlight-locks-XXXXXX").string();
    folder = ::mkdtemp(name.data());
    ::setenv("FIRSTLIGHT_LOCKS", folder.c_str(), 1);
    bench.name = "desk";
    bench.resources = {{"psu0", "scpi", "tcp://psu-3:5025", {}, {}}};
  }
  Leases(const Leases&) = delete;
  Leases& operator=(const Leases&) = delete;
  ~Leases() override {
    ::unsetenv("FIRSTLIGHT_LOCKS");
    std::filesystem::remove_all(folder);
  }
  static Holder person(const std::string& who, long long seconds) {
    Holder holder = myself(Holder::Kind::person);
    holder.who = who;
    holder.why = "probing";
    holder.expires = static_cast<long long>(std::time(nullptr)) + seconds;
    return holder;
  }
  static Holder run(const std::string& who = "anna@lab-3") {
    Holder holder = myself(Holder::Kind::run);
    holder.who = who;
    return holder;
  }
  /// "" when the lease could be had.
  std::string refusal(const Holder& holder, bool force = false) {
    try {
      const Lease lease(bench, holder, force);
      return "";
    } catch (const FailureError& error) {
      EXPECT_EQ(error.failure().error_class, ErrorClass::infrastructure);
      return error.failure().symptom + ": " + error.failure().message;
    }
  }
  std::string hot_run() {
    const std::string path = folder + "/run-1";
    std::filesystem::create_directory(path);
    std::ofstream(path + "/ledger.jsonl")
        << R"({"event":"energise","entry":1,"key":"rail x","undo_action":{"kind":"rail_off","target":"x"}})"
        << "\n";
    return path;
  }

  std::string folder;
  BenchPlan bench;
};

TEST_F(Leases, OneRunAtATimeAndTheOtherIsToldWhoHasIt) {
  const Lease lease(bench, run("anna@lab-3"), false);
  EXPECT_THAT(refusal(run("bob@lab-3")), HasSubstr("bench_locked: bench \"desk\" is in use by anna@lab-3 since"));
  EXPECT_THAT(refusal(run("bob@lab-3"), true), HasSubstr("bench_locked"))
      << "no force takes it from a run that goes on";
  ASSERT_TRUE(lease_of(bench).run);
  EXPECT_EQ(lease_of(bench).run->who, "anna@lab-3");
}

TEST_F(Leases, AnotherNameOrAnotherTableIsAnotherLock) {
  const Lease lease(bench, run(), false);
  bench.resources[0].address = "tcp://psu-4:5025";
  EXPECT_EQ(refusal(run("bob@lab-3")), "");
}

TEST_F(Leases, EndsWithItsProcessesHoweverTheyEnd) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const Lease lease(bench, run(), false);
    ::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_FALSE(lease_of(bench).run);
  EXPECT_EQ(refusal(run("bob@lab-3")), "");
}

TEST_F(Leases, ALockThatAnotherProcessInheritedIsHeldUntilThatEnds) {
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  pid_t child = 0;
  {
    const Lease lease(bench, run(), false);
    child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      char end = 0;
      ::close(pipe[1]);
      [[maybe_unused]] const auto ignored = ::read(pipe[0], &end, 1);
      ::_exit(0);
    }
  }
  EXPECT_THAT(refusal(run("bob@lab-3")), HasSubstr("bench_locked"));
  ::close(pipe[1]);
  int status = 0;
  ::waitpid(child, &status, 0);
  ::close(pipe[0]);
  EXPECT_EQ(refusal(run("bob@lab-3")), "");
}

TEST_F(Leases, APersonKeepsOthersOutUntilTheTimeIsOverOrTheHostBoots) {
  hold_for_person(bench, person("anna@lab-3", 3600), false);
  EXPECT_THAT(refusal(run("bob@lab-3")), HasSubstr("anna@lab-3"));
  EXPECT_THAT(refusal(run("bob@lab-3")), HasSubstr("probing"));
  EXPECT_EQ(refusal(run("bob@lab-3"), true), "");
  EXPECT_EQ(refusal(run("anna@lab-3")), "") << "her own runs go on";
  EXPECT_TRUE(lease_of(bench).person) << "and leave the bench kept";
  EXPECT_THROW(hold_for_person(bench, person("bob@lab-3", 60), false), FailureError);
  hold_for_person(bench, person("anna@lab-3", -1), false);
  EXPECT_EQ(refusal(run("bob@lab-3")), "") << "expired";
  Holder before_boot = person("anna@lab-3", 3600);
  before_boot.boot = "another";
  hold_for_person(bench, before_boot, false);
  EXPECT_EQ(refusal(run("bob@lab-3")), "") << "of another boot";
}

TEST_F(Leases, IsGivenBackByWhoHasItOrByForce) {
  EXPECT_FALSE(give_back(bench, false));
  hold_for_person(bench, person(myself(Holder::Kind::person).who, 3600), false);
  EXPECT_TRUE(give_back(bench, false));
  EXPECT_FALSE(lease_of(bench).person);
  hold_for_person(bench, person("anna@lab-3", 3600), false);
  EXPECT_THROW(give_back(bench, false), FailureError);
  EXPECT_TRUE(give_back(bench, true));
}

TEST_F(Leases, ABenchThatWasLeftHotIsRefusedUntilItIsSafe) {
  Holder hot = run();
  hot.run = hot_run();
  { const Lease lease(bench, hot, false); }
  EXPECT_THAT(refusal(run()), HasSubstr("bench_left_hot"));
  ASSERT_TRUE(lease_of(bench).left_hot);
  {
    Holder recover = run();
    const Lease lease(bench, recover, true);
    lease.made_safe();
  }
  EXPECT_EQ(refusal(run()), "");
  { const Lease lease(bench, hot, false); }
  std::ofstream(hot.run + "/ledger.jsonl", std::ios::app) << R"({"event":"safe","safe":true})"
                                                          << "\n";
  EXPECT_EQ(refusal(run()), "");
}

TEST_F(Leases, ADamagedLockFileIsFree) {
  { const Lease lease(bench, run(), false); }
  for (const auto& entry : std::filesystem::directory_iterator(folder)) std::ofstream(entry.path()) << "{\"who\": ";
  EXPECT_EQ(refusal(run("bob@lab-3")), "");
}

/// A labgrid-client that says what it is told to.
class Labgrid : public Leases {
 protected:
  Labgrid() {
    old_path = std::getenv("PATH");
    ::setenv("PATH", (folder + ":" + old_path).c_str(), 1);
    ::setenv("LG_HOSTNAME", "lab-3", 1);
    ::setenv("LG_USERNAME", "anna", 1);
  }
  Labgrid(const Labgrid&) = delete;
  Labgrid& operator=(const Labgrid&) = delete;
  ~Labgrid() override {
    ::setenv("PATH", old_path.c_str(), 1);
    ::unsetenv("LG_HOSTNAME");
    ::unsetenv("LG_USERNAME");
  }
  void says(const std::string& script) const {
    const std::string path = folder + "/labgrid-client";
    std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
    ::chmod(path.c_str(), 0755);
  }
  static std::string refusal() {
    try {
      check_labgrid({"desk-3", "lab-server:20408"});
      return "";
    } catch (const FailureError& error) {
      return error.failure().symptom;
    }
  }
  std::string old_path;
};

TEST_F(Labgrid, ThePlaceMustBeOurs) {
  says(R"(echo "Place 'desk-3':"; echo "  aliases: "; echo "  acquired: lab-3/anna"; echo "  acquired resources:")");
  EXPECT_EQ(refusal(), "");
  says(R"(echo "Place 'desk-3':"; echo "  acquired: None")");
  EXPECT_EQ(refusal(), "labgrid_not_acquired");
  says(R"(echo "Place 'desk-3':"; echo "  acquired: lab-3/bob")");
  EXPECT_EQ(refusal(), "labgrid_not_ours");
}

TEST_F(Labgrid, IsAskedByTheCoordinatorOfTheBenchWhateverItsVersion) {
  says(R"([ "$*" = "-p desk-3 show" ] && [ "$LG_COORDINATOR" = lab-server:20408 ] &&
[ "$LG_CROSSBAR" = ws://lab-server:20408/ws ] && echo "  acquired: lab-3/anna")");
  EXPECT_EQ(refusal(), "");
}

TEST_F(Labgrid, WhatCannotBeToldIsRefused) {
  says("echo 'could not connect to coordinator'; exit 1");
  EXPECT_EQ(refusal(), "labgrid_unknown");
  ::setenv("PATH", (folder + "/nothing").c_str(), 1);
  EXPECT_EQ(refusal(), "labgrid_unknown");
}

TEST_F(Leases, ALockIsForWhomItsFolderIsForWhateverTheUmask) {
  const auto mode_of_locks = [&] {
    std::vector<unsigned> modes;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      struct stat status {};
      EXPECT_EQ(::stat(entry.path().c_str(), &status), 0);
      modes.push_back(status.st_mode & 0777U);
    }
    return modes;
  };
  ASSERT_EQ(::chmod(folder.c_str(), 0770), 0);
  const mode_t before = ::umask(0077);
  { const Lease lease(bench, run(), false); }
  ::umask(before);
  EXPECT_THAT(mode_of_locks(), testing::UnorderedElementsAre(0660, 0660)) << "of the run and of the person";
}

TEST_F(Leases, WhatCannotBeReadIsNotFree) {
  hold_for_person(bench, person("anna@lab-3", 3600), false);
  for (const auto& entry : std::filesystem::directory_iterator(folder)) ::chmod(entry.path().c_str(), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    if (::geteuid() == 0 && ::seteuid(65534) != 0) ::_exit(2);
    ::_exit(lease_of(bench).free() || lease_of(bench).unknown.empty() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace firstlight::cli
