#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "lab/cli/application.h"
#include "lab/cli/lab_station.h"
#include "lab/cli/run_folder.h"
#include "lab/cli/terminal.h"
#include "tests/unit/runner/fake_run.h"
#include "tests/unit/runner/fake_time.h"

namespace firstlight::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class FakeTransports final : public TransportProvider {
 public:
  std::unique_ptr<I2cBus> open_i2c(const ResourcePlan&) override { return nullptr; }
  std::unique_ptr<ByteStream> open_stream(const ResourcePlan&) override { return nullptr; }
  std::unique_ptr<RegisterBus> open_registers(const ResourcePlan&) override { return nullptr; }
  std::unique_ptr<DmaMemory> open_dma_memory(const ResourcePlan&) override { return nullptr; }
  std::unique_ptr<Gpio> open_gpio(const ResourcePlan&) override { return nullptr; }
};

class FakeStation final : public Station {
 public:
  TimeSource& time_source() override { return time_; }
  TransportProvider& connect(BenchTime&) override { return transports_; }
  bool simulated() const override { return true; }

 private:
  test::FakeTime time_;
  FakeTransports transports_;
};

/// The command line on a fake model, with a verb for each way to end.
class CommandLine : public ::testing::Test {
 protected:
  CommandLine() {
    add("ok", [](StepContext&) {});
    add("marginal", [](StepContext& c) {
      Limit limit = Limit::at_most({10, Dimension::none});
      limit.marginal = 2;
      c.measure("", {9, Dimension::none}, limit, "die.skew");
    });
    add("fail", [](StepContext& c) {
      c.fail({ErrorClass::dut, "rail_pgood_timeout", "vdd_hbm: power-good stayed low for 8 ms", "vr_io page 1", "tx",
              "rx", "a missing pull-up"});
    });
    add("io", [](StepContext& c) { c.fail({ErrorClass::infrastructure, "nack", "no answer", "i2c0", "", "", ""}); });
    add("envelope", [](StepContext& c) {
      c.fail({ErrorClass::interlock, "envelope", "over the maximum", "", "", "", ""});
    });
    add("ask", [](StepContext& c) { c.ask("lid closed?", {"yes", "no"}); });
    FaultSpec fault;
    fault.name = "no_flow";
    fault.domain = "thermal";
    fault.doc = "The pump does not turn.";
    at.vocabulary.faults = {fault};
    ResourceTypeSpec i2c;
    i2c.type = "i2c";
    at.vocabulary.resources = {i2c};
    at.model = [this](const BenchPlan& plan, std::uint64_t seed) {
      seen_faults = plan.faults.size();
      seen_seed = seed;
      return std::make_unique<FakeStation>();
    };
    at.lab = make_lab_station;
    at.build_drivers = [](Bench& bench, TransportProvider& provider) {
      for (const auto& resource : bench.plan().resources) provider.open_i2c(resource);
    };
    at.find_step = [this](std::string_view verb) {
      const auto found = steps.find(std::string(verb));
      return found == steps.end() ? nullptr : &found->second;
    };
    at.write_views = [](const std::string& folder) {
      std::ofstream(folder + "/summary.json") << "{\"verdict\":\"x\"}\n";
    };
    at.out = &out;
    at.err = &err;
    write("model.yaml", "bench: toy\ndut: {name: tern}\nresources:\n  i2c0: {type: i2c, address: model}\n");
  }

  void add(const std::string& verb, std::function<void(StepContext&)> run) {
    Step step;
    step.spec.verb = verb;
    step.spec.doc = "Does " + verb + ".";
    step.run = std::move(run);
    at.vocabulary.steps.push_back(step.spec);
    steps[verb] = std::move(step);
  }
  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder.path() + "/" + name) << text;
    return folder.path() + "/" + name;
  }
  std::string sequence(const std::string& verb) {
    return write(verb + ".yaml",
                 "sequence: {name: seq, version: 1}\nphases:\n  - name: power\n    steps:\n      - {id: one, do: " +
                     verb + "}\n");
  }
  std::string bench() const { return folder.path() + "/model.yaml"; }
  int call(const std::vector<std::string>& arguments) {
    out.str("");
    err.str("");
    return run_command_line(arguments, at);
  }
  int run(const std::string& verb, const std::vector<std::string>& more = {}) {
    std::vector<std::string> all = {"run", sequence(verb), "--bench", bench(), "--results", folder.path() + "/results"};
    all.insert(all.end(), more.begin(), more.end());
    return call(all);
  }

  test::Folder folder;
  std::map<std::string, Step> steps;
  Surroundings at;
  std::ostringstream out;
  std::ostringstream err;
  std::size_t seen_faults = 0;
  std::uint64_t seen_seed = 0;
};

TEST_F(CommandLine, ExitStatusSaysHowTheRunEnded) {
  EXPECT_EQ(run("ok"), 0) << err.str();
  EXPECT_EQ(run("marginal"), 0);
  EXPECT_EQ(run("fail"), 1);
  EXPECT_EQ(run("io"), 3);
  EXPECT_EQ(run("envelope"), 4);
  EXPECT_EQ(run("ask"), 130);
}

TEST_F(CommandLine, TheLastLinesSayWhatFailedWhereWhyAndHowToRunItAgain) {
  EXPECT_EQ(run("fail", {"--seed", "7", "--fault", "no_flow", "--name", "r1"}), 1);
  EXPECT_THAT(out.str(), AllOf(HasSubstr("FAIL  seq on toy"), HasSubstr("power / one"), HasSubstr("rail_pgood_timeout"),
                               HasSubstr("vdd_hbm: power-good stayed low for 8 ms"), HasSubstr("vr_io page 1"),
                               HasSubstr("a missing pull-up")));
  EXPECT_THAT(out.str(), HasSubstr("--bench " + bench() + " --fault no_flow --seed 7\n"));
  EXPECT_THAT(out.str(), HasSubstr(folder.path() + "/results/r1/report.html"));
  EXPECT_EQ(seen_faults, 1U);
  EXPECT_EQ(seen_seed, 7U);
}

TEST_F(CommandLine, PlainOutputHasNoEscapesAndQuietOnlyTheResult) {
  EXPECT_EQ(run("ok"), 0);
  EXPECT_THAT(out.str(), AllOf(Not(HasSubstr("\x1b")), HasSubstr("pass  one")));
  EXPECT_EQ(run("ok", {"--quiet"}), 0);
  EXPECT_THAT(out.str(), AllOf(StartsWith("\nPASS"), Not(HasSubstr("pass  one"))));
  EXPECT_EQ(run("ok", {"--json"}), 0);
  EXPECT_TRUE(nlohmann::json::accept(out.str())) << out.str();
}

TEST_F(CommandLine, NeverOverwritesARun) {
  EXPECT_EQ(run("ok", {"--name", "r1"}), 0);
  EXPECT_EQ(run("ok", {"--name", "r1"}), 2);
  EXPECT_THAT(err.str(), HasSubstr("is there already, and no run is ever overwritten"));
  const std::string a = make_run_folder(folder.path() + "/x", "", "s", "b");
  const std::string b = make_run_folder(folder.path() + "/x", "", "s", "b");
  EXPECT_NE(a, b);
}

TEST_F(CommandLine, EveryErrorOfBothFilesIsToldAtOnce) {
  const std::string bad = write("bad.yaml",
                                "sequence: {name: seq, version: 1}\nphases:\n  - name: power\n    steps:\n"
                                "      - {id: one, do: okk}\n      - {id: two, do: fial}\n");
  EXPECT_EQ(call({"run", bad, "--bench", bench(), "--fault", "no_flwo", "--results", folder.path() + "/none"}), 2);
  EXPECT_THAT(err.str(),
              AllOf(HasSubstr("bad.yaml:5"), HasSubstr("bad.yaml:6"), HasSubstr("no_flow"), HasSubstr("3 errors")));
  EXPECT_FALSE(std::filesystem::exists(folder.path() + "/none")) << "bad input leaves no run";
  EXPECT_EQ(call({"check", bad, bench(), "--json"}), 2);
  EXPECT_EQ(nlohmann::json::parse(out.str()).at("errors").size(), 2U);
}

TEST_F(CommandLine, CheckSaysWhatItFound) {
  EXPECT_EQ(call({"check", sequence("ok"), bench()}), 0) << err.str();
  EXPECT_THAT(out.str(), AllOf(HasSubstr("sequence seq: 1 phase, 1 step"), HasSubstr("bench toy: 1 resource,")));
  EXPECT_EQ(call({"check", write("other.yaml", "colour: blue\n")}), 2);
  EXPECT_THAT(err.str(), HasSubstr("neither a sequence"));
  EXPECT_EQ(call({"check", folder.path() + "/absent.yaml"}), 2);
}

TEST_F(CommandLine, WrongArgumentsAreToldWithWhatWasMeant) {
  EXPECT_EQ(call({"rum"}), 2);
  EXPECT_THAT(err.str(), HasSubstr("did you mean run?"));
  EXPECT_EQ(call({"run", "--bnech", "x"}), 2);
  EXPECT_THAT(err.str(), HasSubstr("did you mean --bench?"));
  EXPECT_EQ(call({"run", "--seed", "soon"}), 2);
  EXPECT_THAT(err.str(), HasSubstr("--seed takes a whole number"));
  EXPECT_EQ(call({"run", "--seed", "-1"}), 2);
  EXPECT_EQ(call({"run", "x.yaml", "--bench", bench(), "--set", "novalue"}), 2);
  EXPECT_THAT(err.str(), HasSubstr("PARAMETER=VALUE"));
  EXPECT_EQ(call({"run", "x.yaml"}), 2);
  EXPECT_THAT(err.str(), HasSubstr("needs --bench"));
  EXPECT_EQ(call({"list", "step"}), 2);
  EXPECT_THAT(err.str(), HasSubstr("did you mean steps?"));
  EXPECT_EQ(call({"describe", "fali"}), 2);
  EXPECT_THAT(err.str(), HasSubstr("did you mean fail?"));
  EXPECT_EQ(call({"schema", "chip"}), 2);
  EXPECT_EQ(call({"report", "absent"}), 2);
  EXPECT_EQ(call({}), 2);
}

TEST_F(CommandLine, HelpTeachesByExamples) {
  EXPECT_EQ(call({"--help"}), 0);
  EXPECT_THAT(out.str(), AllOf(HasSubstr("Examples"), HasSubstr("Exit status")));
  for (const std::string command : {"run", "check", "list", "describe", "schema", "faults", "report", "doctor"}) {
    EXPECT_EQ(call({command, "--help"}), 0);
    EXPECT_THAT(out.str(), StartsWith("firstlight " + command));
  }
}

TEST_F(CommandLine, EveryListingSpeaksJson) {
  for (const std::string what :
       {"steps", "drivers", "resources", "faults", "registers", "rails", "measurables", "sequences", "benches"}) {
    EXPECT_EQ(call({"list", what, "--bench", bench(), "--json"}), 0) << what << err.str();
    EXPECT_TRUE(nlohmann::json::accept(out.str())) << what;
  }
  EXPECT_EQ(call({"faults", "--json"}), 0);
  EXPECT_EQ(nlohmann::json::parse(out.str()).at(0).at("name"), "no_flow");
  EXPECT_EQ(call({"describe", "fail", "--json"}), 0);
  EXPECT_EQ(nlohmann::json::parse(out.str()).at("kind"), "step");
  EXPECT_EQ(call({"list", "rails"}), 2);
}

TEST_F(CommandLine, ReportFindsARunByNameOrTheNewest) {
  ASSERT_EQ(run("ok", {"--name", "r1"}), 0);
  EXPECT_EQ(call({"report", "r1", "--results", folder.path() + "/results"}), 0);
  EXPECT_THAT(out.str(), HasSubstr("r1/report.html"));
  EXPECT_EQ(call({"report", "--results", folder.path() + "/results"}), 0);
  EXPECT_EQ(call({"report", folder.path() + "/results/r1"}), 0);
}

TEST_F(CommandLine, HardwareThatIsNotThereIsAFailureThatNamesTheResourceAndTheAddress) {
  write("model.yaml", "bench: toy\ndut: {name: tern}\nresources:\n  i2c0: {type: i2c, address: /dev/i2c-4094}\n");
  EXPECT_EQ(run("ok"), 3);
  EXPECT_THAT(out.str(), AllOf(HasSubstr("connect"), HasSubstr("i2c0"), HasSubstr("/dev/i2c-4094")));
  EXPECT_EQ(run("ok", {"--fault", "no_flow"}), 2);
  EXPECT_THAT(err.str(), HasSubstr("faults are for models"));
}

TEST_F(CommandLine, AnAddressWithoutAKnownSchemeIsABadAddress) {
  write("model.yaml", "bench: toy\ndut: {name: tern}\nresources:\n  i2c0: {type: i2c, address: pigeon:4}\n");
  EXPECT_EQ(run("ok"), 3);
  EXPECT_THAT(out.str(), AllOf(HasSubstr("bad_address"), HasSubstr("pigeon:4")));
}

TEST(Terminal, WrapsAndCutsByCharactersAndDropsControls) {
  EXPECT_EQ(wrapped("one two three", 8), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(wrapped("abcdefgh", 3), (std::vector<std::string>{"abc", "def", "gh"}));
  EXPECT_EQ(wrapped("", 8).size(), 1U);
  EXPECT_EQ(cut("a\x1b[31mb", 20), "a[31mb");
  EXPECT_EQ(cut("0123456789", 6), "012...");
  EXPECT_EQ(cut("\xc2\xb5\xc2\xb5\xc2\xb5", 3), "\xc2\xb5\xc2\xb5\xc2\xb5");
}

TEST_F(CommandLine, CheckAsksTheDriversWhatOnlyTheyKnow) {
  at.check_drivers = [](const BenchPlan& plan, Diagnostics& diagnostics) {
    diagnostics.add({plan.file, 3, 7}, "there is no personality \"x\"");
  };
  EXPECT_EQ(call({"check", bench()}), 2);
  EXPECT_THAT(err.str(), HasSubstr("model.yaml:3:7: error: there is no personality"));
  EXPECT_EQ(call({"check", sequence("ok"), "--bench", bench()}), 2);
  EXPECT_THAT(err.str(), HasSubstr("there is no personality"));
}

TEST_F(CommandLine, WhatIsWrongOnTheCommandLineIsToldByItsOption) {
  EXPECT_EQ(run("ok", {"--fault", "no_flwo"}), 2);
  EXPECT_THAT(err.str(), StartsWith("--fault no_flwo: error: "));
  EXPECT_EQ(run("ok", {"--bench-var", "x=1"}), 2);
  EXPECT_THAT(err.str(), StartsWith("--bench-var x: error: "));
}

TEST_F(CommandLine, WhoTellsOfBenchesThatAreNotFree) {
  ::setenv("FIRSTLIGHT_LOCKS", (folder.path() + "/locks").c_str(), 1);
  std::filesystem::create_directory(folder.path() + "/locks");
  EXPECT_EQ(call({"lock", "--bench", bench(), "--reason", "probing"}), 0);
  EXPECT_EQ(call({"who"}), 0);
  EXPECT_THAT(out.str(), AllOf(HasSubstr("toy: in use"), HasSubstr("probing")));
  EXPECT_EQ(call({"unlock", "--bench", bench()}), 0);
  EXPECT_EQ(call({"who"}), 0);
  EXPECT_THAT(out.str(), AllOf(HasSubstr("nobody has a bench"), Not(HasSubstr("toy"))));
  EXPECT_EQ(call({"who", "--bench", bench()}), 0);
  EXPECT_EQ(out.str(), "toy: free\n");
  ::unsetenv("FIRSTLIGHT_LOCKS");
}

TEST_F(CommandLine, ParityTellsAVariableThatOneSideDoesNotHaveFromAMisfit) {
  const std::string other =
      write("other.yaml",
            "bench: other\ndut: {name: tern}\nvariables: {x: 1}\nresources:\n  i2c0: {type: i2c, address: model}\n");
  EXPECT_EQ(call({"parity", sequence("ok"), "--bench", bench(), "--bench", other, "--bench-var", "x=2"}), 2);
  EXPECT_THAT(err.str(),
              AllOf(HasSubstr("--bench-var x: error: "), HasSubstr("B:NAME=VALUE is of the other one alone")));
  EXPECT_THAT(out.str(), Not(HasSubstr("different")));
}

TEST_F(CommandLine, RecoverGoesOnAfterALedgerThatCannotBeRead) {
  for (const auto* run : {"/results/one", "/results/two"}) {
    std::filesystem::create_directories(folder.path() + run);
    std::ofstream(folder.path() + run + "/ledger.jsonl") << "{\"event\":\"energise\"}\n";
  }
  EXPECT_EQ(call({"recover", "--results", folder.path() + "/results"}), 3);
  EXPECT_THAT(err.str(), AllOf(HasSubstr("/one is not recovered: "), HasSubstr("/two is not recovered: ")));
}

TEST_F(CommandLine, TheSafeStateSaysWhatItCouldNotTakeBack) {
  add("hot", [](StepContext& c) { c.energise({"psu on", "psu off", "supply psu", {"supply_off", "psu", ""}}); });
  at.undo.perform = [](Bench&, const Undo&) {
    throw FailureError({ErrorClass::infrastructure, "scpi_connection", "psu0 is lost", "psu", "", "", ""});
  };
  at.undo.needs_rails = [](const Undo&) { return false; };
  at.undo.turn_off = [](const Bench&, const std::string&) { return std::optional<Undo>(); };
  EXPECT_EQ(run("hot"), 3);
  EXPECT_THAT(out.str(), AllOf(HasSubstr("0 taken back, 1 NOT"), Not(HasSubstr("nothing left on"))));
  EXPECT_EQ(run("ok"), 0);
  EXPECT_THAT(out.str(), HasSubstr("nothing left on"));
}

}  // namespace
}  // namespace firstlight::cli
