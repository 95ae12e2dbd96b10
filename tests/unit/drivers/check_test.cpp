// What `firstlight check` finds in a bench file by its drivers, with nothing opened.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "lab/drivers/registry.h"

namespace firstlight {
namespace {

using testing::HasSubstr;

class CheckDrivers : public testing::Test {
 protected:
  CheckDrivers() {
    plan.file = "bench.yaml";
    resource("psu0", "scpi", "tcp://psu-3:5025");
    driver("psu", "scpi_supply", "psu0", {{"personality", "fl-ps1230"}});
  }
  void resource(const std::string& name, const std::string& type, const std::string& address) {
    ResourcePlan one;
    one.name = name;
    one.type = type;
    one.address = address;
    one.where = {plan.file, 4, 3};
    plan.resources.push_back(one);
  }
  void driver(const std::string& name, const std::string& kind, const std::string& uses,
              const std::map<std::string, std::string>& params) {
    DriverPlan one;
    one.name = name;
    one.driver = kind;
    one.uses = {uses};
    one.where = {plan.file, 7, 5};
    for (const auto& [key, value] : params) one.params[key] = Value{value, {plan.file, 7, 40}};
    plan.drivers.push_back(one);
  }
  /// The only error, as the terminal shows it; empty when there is none.
  std::string told() const {
    Diagnostics diagnostics;
    check_drivers(plan, diagnostics);
    diagnostics.sort();
    if (diagnostics.empty()) return {};
    EXPECT_EQ(diagnostics.list().size(), 1U);
    return to_text(diagnostics.list().front(), "");
  }

  BenchPlan plan;
};

TEST_F(CheckDrivers, SaysNothingOfABenchThatCanBeMeant) {
  resource("host0", "agent", "tcp://dut-3:5099");
  resource("i2c0", "i2c", "agent:host0/i2c4");
  resource("i2c1", "i2c", "/dev/i2c-99");
  driver("vr", "pmbus", "i2c0", {});
  driver("inlet", "lm75", "i2c1", {});
  resource("bar0", "registers", "pci:0000:03:00.0/bar0");
  resource("mem0", "dma_memory", "hugepages:16 MiB");
  driver("host", "registers", "bar0", {});
  driver("chip", "tern", "mem0", {{"registers", "host"}});
  EXPECT_EQ(told(), "");
}

TEST_F(CheckDrivers, FindsAPersonalityThatIsNotThere) {
  plan.drivers[0].params["personality"] = Value{std::string("fl-ps1320"), {}};
  EXPECT_THAT(told(),
              HasSubstr("bench.yaml:7:5: error: there is no personality \"fl-ps1320\"; did you mean \"fl-ps1230\"?"));
}

TEST_F(CheckDrivers, FindsAnOutputThatTheInstrumentDoesNotHave) {
  plan.drivers[0].params["personality"] = Value{std::string("rigol-dp832"), {}};
  EXPECT_THAT(told(), HasSubstr("bench.yaml:7:5: error: rigol-dp832 has the channels 1, 2, 3; say which one"));
  plan.drivers[0].params["channel"] = Value{std::int64_t{4}, {}};
  EXPECT_THAT(told(), HasSubstr("rigol-dp832 has no channel 4"));
}

TEST_F(CheckDrivers, FindsAnAddressOfNoKnownForm) {
  plan.resources[0].address = "tpc://psu-3:5025";
  EXPECT_THAT(told(), HasSubstr("bench.yaml:4: error: resource \"psu0\" of type scpi is at \"tpc://psu-3:5025\""));
  EXPECT_THAT(told(), HasSubstr("did you mean tcp:?"));
}

TEST_F(CheckDrivers, FindsAnAgentThatTheBenchDoesNotHave) {
  plan.resources[0].address = "agent:hots0/psu0";
  EXPECT_THAT(told(),
              HasSubstr("bench.yaml:4: error: resource \"psu0\" is at agent:hots0/psu0, and the bench has no agent"));
}

TEST_F(CheckDrivers, FindsAnExpressionThatIsNone) {
  plan.resources[0].params["idn"] = Value{std::string("SN(0001"), {plan.file, 4, 60}};
  EXPECT_THAT(told(), HasSubstr("bench.yaml:4:60: error: `idn` is no regular expression"));
}

TEST_F(CheckDrivers, DoesNotBlameADriverForTheOneBelowIt) {
  resource("bar0", "registers", "pic:0000:03:00.0/bar0");
  resource("mem0", "dma_memory", "hugepages:16 MiB");
  driver("host", "registers", "bar0", {});
  driver("chip", "tern", "mem0", {{"registers", "host"}});
  EXPECT_THAT(told(), HasSubstr("resource \"bar0\" of type registers is at \"pic:"));
}

TEST_F(CheckDrivers, FindsAPartThatIsNotThere) {
  resource("i2c0", "i2c", "/dev/i2c-4");
  driver("vr", "pmbus", "i2c0", {{"part", "isl96260"}});
  EXPECT_THAT(told(), HasSubstr("there is no PMBus part \"isl96260\""));
}

TEST_F(CheckDrivers, LooksForFilesBesideTheBench) {
  std::string folder = (std::filesystem::temp_directory_path() / "firstlight-check-XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  std::ofstream(folder + "/mine.yaml") << "personality: mine\nkind: nothing\n";
  plan.drivers[0].where.file = folder + "/bench.yaml";
  plan.drivers[0].params["personality"] = Value{std::string("mine.yaml"), {}};
  EXPECT_THAT(told(), HasSubstr(folder + "/mine.yaml is not a usable personality"));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace firstlight
