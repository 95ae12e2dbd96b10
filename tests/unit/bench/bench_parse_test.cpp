#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/bench/parse.h"
#include "lab/document/document.h"
#include "tests/corpus/vocabulary.h"

namespace firstlight {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

BenchPlan good() {
  Diagnostics diagnostics;
  auto plan = parse_bench(std::string(FIRSTLIGHT_CORPUS_DIR) + "/good/bench.yaml", corpus_vocabulary(), diagnostics);
  EXPECT_TRUE(plan) << to_text(diagnostics);
  return plan.value_or(BenchPlan{});
}

TEST(BenchParse, ReadsWhatIsOnTheTable) {
  const BenchPlan bench = good();
  EXPECT_EQ(bench.name, "desk");
  EXPECT_EQ(bench.dut.serial_number, "SIM-0001");
  EXPECT_DOUBLE_EQ(bench.time_scale, 5000);
  ASSERT_EQ(bench.resources.size(), 8U);
  EXPECT_EQ(bench.resources[1].address, "tcp://psu-3:5025");
  EXPECT_EQ(bench.resources[1].params.at("idn").text(), "Firstlight,FL-PS1230,.*");
  ASSERT_EQ(bench.drivers.size(), 9U);
  EXPECT_EQ(bench.drivers[0].params.at("address").integer(), 0x40);
  EXPECT_EQ(bench.drivers[0].params.at("quirks").map().at("min_gap").quantity(), (Quantity{500e-6, Dimension::time}));
  EXPECT_EQ(bench.model.at("channel").map().at("lanes").list().size(), 2U);
}

TEST(BenchParse, PutsUsesInTheOrderOfTheDriversTable) {
  EXPECT_THAT(good().drivers[7].uses, ElementsAre("regs0", "hostmem0"));
  EXPECT_EQ(good().drivers[7].params.at("link").text(), "near") << "a default of the table";
}

TEST(BenchParse, ReadsRailsWithTheirEnvelope) {
  const BenchPlan bench = good();
  ASSERT_EQ(bench.rails.size(), 4U);
  const RailPlan& core = bench.rails[1];
  EXPECT_DOUBLE_EQ(core.nominal.base(), 0.85);
  EXPECT_DOUBLE_EQ(core.tolerance.base(), 0.03);
  EXPECT_DOUBLE_EQ(core.slew.value_or(VoltageSlew()).base(), 5000);
  EXPECT_THAT(core.after, ElementsAre("vdd_aon"));
  EXPECT_EQ(core.pgood_within, std::chrono::milliseconds(5));
  EXPECT_EQ(core.pgood_line, "board.pg_vdd_core");
  EXPECT_EQ(core.sense, "meter.ch2");
  EXPECT_EQ(core.safe_ramp, std::chrono::milliseconds(10));
  EXPECT_THAT(bench.rails[2].after, ElementsAre("vdd_core")) << "one name stands for a list of one";
  EXPECT_DOUBLE_EQ(bench.rails[2].tolerance.base(), 0.05) << "a default";
  EXPECT_FALSE(bench.rails[0].min);
  EXPECT_THAT(bench.rails[3].excludes, ElementsAre("vdd_sram"));
}

TEST(BenchParse, WatchesWhatARailMayDraw) {
  const BenchPlan bench = good();
  const InterlockPlan& guard = bench.interlocks.back();
  EXPECT_EQ(guard.name, "vdd_core.max_current");
  EXPECT_EQ(guard.watch, "vdd_core.current");
  EXPECT_EQ(guard.above, (Quantity{60, Dimension::current}));
  EXPECT_EQ(guard.action, InterlockAction::trip);
  EXPECT_EQ(guard.when, "vdd_core");
}

TEST(BenchParse, ReadsInterlocksInTheDimensionOfWhatTheyWatch) {
  const BenchPlan bench = good();
  ASSERT_EQ(bench.interlocks.size(), 4U);
  EXPECT_EQ(bench.interlocks[0].above, (Quantity{105, Dimension::temperature}));
  EXPECT_EQ(bench.interlocks[0].hysteresis, (Quantity{5, Dimension::temperature_change}));
  EXPECT_EQ(bench.interlocks[0].dwell, std::chrono::milliseconds(20));
  EXPECT_EQ(bench.interlocks[1].action, InterlockAction::suspend);
  EXPECT_EQ(bench.interlocks[1].when, "vdd_core");
}

TEST(BenchParse, ReadsFaultsInEveryForm) {
  const auto faults = good().faults;
  ASSERT_EQ(faults.size(), 3U);
  EXPECT_EQ(faults[0].value, "");
  EXPECT_EQ(faults[1].name, "rail_no_pgood");
  EXPECT_EQ(faults[1].value, "vdd_hbm");
  EXPECT_EQ(faults[2].value, "2");
}

TEST(BenchParse, OffersMeasurablesLinesAndCapabilities) {
  const BenchPlan bench = good();
  const auto measurables = measurables_of(bench, corpus_vocabulary());
  EXPECT_EQ(measurables.at("vdd_core.voltage").dimension, Dimension::voltage);
  EXPECT_EQ(measurables.at("die.hottest").dimension, Dimension::temperature) << "an alias";
  EXPECT_EQ(measurables.at("board.leak_n").dimension, Dimension::none) << "a line";
  EXPECT_EQ(measurables.count("nothing.voltage"), 0U);
  EXPECT_THAT(lines_of(bench, corpus_vocabulary()),
              ElementsAre("board.pg_vdd_aon", "board.pg_vdd_core", "board.leak_n"));
  EXPECT_THAT(capabilities_of(bench, corpus_vocabulary()),
              UnorderedElementsAre("rails", "supply", "meter", "coolant", "setpoints", "lines", "registers", "thermal",
                                   "dma", "memories", "links"));
}

TEST(BenchParse, HashesWhatItRead) {
  EXPECT_EQ(sha256_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");  // FIPS 180-4
  EXPECT_EQ(good().sha256.size(), 64U);
}

TEST(BenchParse, SaysThatAFileIsMissing) {
  Diagnostics diagnostics;
  EXPECT_FALSE(parse_bench("/nowhere/bench.yaml", corpus_vocabulary(), diagnostics));
  ASSERT_EQ(diagnostics.list().size(), 1U);
  EXPECT_EQ(to_text(diagnostics), "/nowhere/bench.yaml: error: there is no such file\n");
}

TEST(Fault, FromTheCommandLine) {
  Diagnostics diagnostics;
  const auto fault = parse_fault("rail_no_pgood=vdd_core", {"--fault", 0, 0}, corpus_vocabulary(), diagnostics);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->value, "vdd_core");
  EXPECT_FALSE(parse_fault("rail_no_pgod=vdd_core", {"--fault", 0, 0}, corpus_vocabulary(), diagnostics));
  EXPECT_EQ(diagnostics.list().back().suggestion, "rail_no_pgood=vdd_core");
}

TEST(Document, AliasesAreCopiesAndByteOrderMarksAreIgnored) {
  Diagnostics diagnostics;
  const auto document = parse_document("x",
                                       "\xef\xbb\xbf"
                                       "a: &v [1, 2]\nb: *v\n",
                                       diagnostics);
  ASSERT_TRUE(document) << to_text(diagnostics);
  ASSERT_NE(document->root.find("b"), nullptr);
  EXPECT_EQ(document->root.find("b")->value.items.size(), 2U);
  EXPECT_EQ(document->root.find("b")->where.line, 2);
}

TEST(Document, RefusesWhatIsTooLarge) {
  Diagnostics diagnostics;
  EXPECT_FALSE(parse_document("x", std::string(kMaxDocumentBytes + 1, '#'), diagnostics));
  EXPECT_EQ(diagnostics.list().size(), 1U);
}

}  // namespace
}  // namespace firstlight
