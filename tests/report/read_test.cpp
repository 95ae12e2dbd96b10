#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "lab/report/page_data.h"
#include "lab/report/record.h"
#include "tests/report/folder.h"
#include "tests/report/sample_run.h"

namespace firstlight::report {
namespace {

using test::Folder;
using testing::HasSubstr;

constexpr const char* kStart =
    R"({"testRunArtifact":{"testRunStart":{"name":"s","version":"1","commandLine":"firstlight run s","parameters":{"seed":"18446744073709551615","bench":"b"},"dutInfo":{"dutInfoId":"dut"}}},"sequenceNumber":1,"timestamp":"x"})"
    "\n";

std::string in_step(const std::string& step, const std::string& artifact) {
  return R"({"testStepArtifact":{"testStepId":")" + step + R"(",)" + artifact + "}}\n";
}
std::string extension(const std::string& step, const std::string& name, const std::string& content) {
  return in_step(step, R"("extension":{"name":"firstlight.)" + name + R"(","content":)" + content + "}");
}
std::string begin(const std::string& step, const std::string& kind = "verb") {
  return extension(step, "step",
                   R"({"t":1.0,"kind":")" + kind + R"(","id":")" + step + R"(","phase":"p","section":"steps"})");
}
std::string end(const std::string& step, const std::string& verdict) {
  return extension(step, "step_end", R"({"t":2.0,"duration_s":1.0,"attempts":1,"verdict":")" + verdict + R"("})");
}

RunRecord read(const std::string& lines) {
  const Folder folder;
  folder.write("events.jsonl", lines);
  return read_record(folder.path());
}
Failure refusal(const std::string& lines) {
  try {
    read(lines);
  } catch (const FailureError& error) {
    return error.failure();
  }
  ADD_FAILURE() << "was read";
  return {};
}

TEST(ReadRecord, KeepsEveryBitOfTheSeed) { EXPECT_EQ(read(kStart).seed, "18446744073709551615"); }

TEST(ReadRecord, RefusesAFolderWithoutARecord) {
  const Folder folder;
  try {
    read_record(folder.path());
    FAIL() << "was read";
  } catch (const FailureError& error) {
    EXPECT_EQ(error.failure().symptom, "no_record");
    EXPECT_EQ(error.failure().error_class, ErrorClass::infrastructure);
    EXPECT_THAT(error.failure().message, HasSubstr(folder.path()));
  }
}

TEST(ReadRecord, RefusesAnEmptyRecord) { EXPECT_EQ(refusal("").symptom, "no_record"); }

TEST(ReadRecord, NamesTheLineThatIsNoJson) {
  const Failure failure = refusal(std::string(kStart) + "{\"testStep\n" + begin("p/a"));
  EXPECT_EQ(failure.symptom, "bad_record");
  EXPECT_THAT(failure.message, HasSubstr("events.jsonl:2"));
}

TEST(ReadRecord, RefusesALineThatIsNoObject) {
  EXPECT_THAT(refusal(std::string(kStart) + "42\n" + begin("p/a")).message, HasSubstr("events.jsonl:2"));
}

TEST(ReadRecord, OfAKilledRunBlamesTheStepThatWasRunning) {
  const RunRecord run =
      read(std::string(kStart) + begin("p/a") + end("p/a", "pass") + begin("p/b") +
           extension("p/b", "ledger",
                     R"({"t":1.5,"event":"energise","entry":1,"key":"k","what":"enable vdd_core","undo":"u"})") +
           extension("p/b", "ledger",
                     R"({"t":1.5,"event":"energise","entry":2,"key":"l","what":"enable vdd_io","undo":"u"})") +
           extension("p/b", "ledger", R"({"t":1.6,"event":"released","entry":2,"key":"l"})") +
           R"({"testStepArtifact":{"testSt)");
  EXPECT_FALSE(run.complete);
  EXPECT_FALSE(run.safe);
  EXPECT_EQ(run.verdict, Verdict::error);
  EXPECT_EQ(run.exit_status, 3);
  EXPECT_EQ(run.unreadable_lines, 1);
  EXPECT_EQ(run.counts.at("pass"), 1);
  ASSERT_TRUE(run.first_failure);
  EXPECT_EQ(run.first_failure->step, "p/b");
  EXPECT_EQ(run.first_failure->failure.symptom, "run_incomplete");
  EXPECT_THAT(run.first_failure->failure.likely_cause, HasSubstr("enable vdd_core"));
  EXPECT_THAT(run.first_failure->failure.likely_cause, testing::Not(HasSubstr("enable vdd_io")));
}

TEST(ReadRecord, CanBeCutAtAnyByte) {
  const Folder whole;
  test::write_sample(whole.path(), test::Sample::failed);
  const std::string lines = whole.read("events.jsonl");
  const std::size_t first_line = lines.find('\n') + 1;
  for (std::size_t length = first_line; length + 1 < lines.size(); length += 97) {
    const RunRecord run = read(lines.substr(0, length));
    EXPECT_EQ(run.verdict, Verdict::error) << "cut after " << length << " bytes";
    ASSERT_TRUE(run.first_failure) << "cut after " << length << " bytes";
    EXPECT_EQ(run.first_failure->failure.symptom, "run_incomplete") << "cut after " << length << " bytes";
  }
}

TEST(ReadRecord, OfAStepThatHadOnlyBegunSaysItsId) {
  const RunRecord run = read(std::string(kStart) + begin("p/a") + end("p/a", "pass") +
                             in_step("p/b", R"("testStepStart":{"name":"The b of p"})") + R"({"testStepArt)");
  EXPECT_EQ(run.steps.at(1).kind, "verb");
  EXPECT_EQ(run.first_failure->step, "p/b");
  EXPECT_EQ(run.first_failure->phase, "p");
  EXPECT_EQ(run.first_failure->title, "The b of p");
}

TEST(ReadRecord, TakesNumbersThatJsonLacks) {
  const auto measurement = [](const char* value) {
    return in_step("p/a", std::string(R"("measurement":{"name":"m","value":)") + value +
                              R"(,"unit":"V","metadata":{"t":1,"verdict":"fail","text":"x"}})");
  };
  const RunRecord run = read(std::string(kStart) + begin("p/a") + measurement("\"NaN\"") + measurement("\"Infinity\"") +
                             measurement("\"-Infinity\"") + measurement("1.5"));
  const auto& all = run.steps.at(0).measurements;
  ASSERT_EQ(all.size(), 4U);
  EXPECT_TRUE(std::isnan(*all[0].value));
  EXPECT_EQ(*all[1].value, std::numeric_limits<double>::infinity());
  EXPECT_EQ(*all[2].value, -std::numeric_limits<double>::infinity());
  EXPECT_EQ(*all[3].value, 1.5);
}

TEST(ReadRecord, ReadsLimitsFromValidators) {
  const RunRecord run = read(
      std::string(kStart) + begin("p/a") +
      in_step(
          "p/a",
          R"("measurement":{"name":"m","value":1,"validators":[{"type":"EQUAL","value":3}],"metadata":{"verdict":"fail"}})") +
      in_step(
          "p/a",
          R"("measurement":{"name":"m","value":1,"validators":[{"type":"LESS_THAN_OR_EQUAL","value":2}],"metadata":{"verdict":"pass"}})"));
  const auto& all = run.steps.at(0).measurements;
  EXPECT_EQ(all.at(0).min, 3.0);
  EXPECT_EQ(all.at(0).max, 3.0);
  EXPECT_FALSE(all.at(1).min);
  EXPECT_EQ(all.at(1).max, 2.0);
}

TEST(ReadRecord, CountsOnlyTheLastAttemptOfAGroup) {
  const RunRecord run = read(std::string(kStart) + begin("p/g", "sequential") + begin("p/a") + end("p/a", "fail") +
                             begin("p/a#2") + end("p/a#2", "fail") + begin("p/a#3") + end("p/a#3", "pass"));
  EXPECT_TRUE(run.steps.at(1).superseded);
  EXPECT_TRUE(run.steps.at(2).superseded);
  EXPECT_FALSE(run.steps.at(3).superseded);
  EXPECT_EQ(run.counts.count("fail"), 0U);
  EXPECT_EQ(run.counts.at("pass"), 1);
}

TEST(ReadRecord, UnknownExtensionsAndArtifactsDoNoHarm) {
  const RunRecord run = read(std::string(kStart) + begin("p/a") + extension("p/a", "of_the_future", R"({"x":[1]})") +
                             in_step("p/a", R"("novelty":{"x":1})") + extension("p/a", "step_end", "7"));
  EXPECT_EQ(run.steps.size(), 1U);
}

TEST(ReadRecord, SaysWhatTheRecorderSaid) {
  const Folder folder;
  test::write_sample(folder.path(), test::Sample::failed);
  const RunRecord run = read_record(folder.path());
  EXPECT_TRUE(run.complete);
  EXPECT_EQ(run.verdict, Verdict::fail);
  EXPECT_EQ(run.exit_status, 1);
  EXPECT_EQ(run.counts.at("pass"), 3);
  EXPECT_EQ(run.counts.at("marginal"), 1);
  EXPECT_EQ(run.counts.at("fail"), 1);
  EXPECT_EQ(run.counts.at("skip"), 1);
  ASSERT_TRUE(run.first_failure);
  EXPECT_EQ(run.first_failure->failure.part, "link0 lane 2");
  EXPECT_EQ(run.first_failure->line, 30);
  EXPECT_EQ(run.data.size(), 14U);
  EXPECT_EQ(run.files.size(), 1U);
  std::size_t points = 0;
  for (const SeriesRecord& series : run.series) points += series.points.size();
  EXPECT_EQ(points, 160U);
}

TEST(ReadRecord, OfAnInterlockSaysWhatWasRunning) {
  const Folder folder;
  test::write_sample(folder.path(), test::Sample::tripped);
  const RunRecord run = read_record(folder.path());
  ASSERT_TRUE(run.first_failure);
  EXPECT_EQ(run.first_failure->step, "@bench");
  EXPECT_THAT(run.first_failure->during, testing::ElementsAre("link/prbs"));
}

TEST(Thinned, KeepsEndsAndExcursions) {
  Points points;
  for (int i = 0; i < 100000; ++i) points.emplace_back(i, std::sin(i * 0.01));
  points[54321].second = 99;
  points[54322].second = -99;
  const Points thin = thinned(points, 500);
  EXPECT_LE(thin.size(), 500U);
  EXPECT_GE(thin.size(), 400U);
  EXPECT_EQ(thin.front(), points.front());
  EXPECT_EQ(thin.back(), points.back());
  EXPECT_THAT(thin, testing::Contains(points[54321]));
  EXPECT_THAT(thin, testing::Contains(points[54322]));
  EXPECT_TRUE(std::is_sorted(thin.begin(), thin.end(), [](const auto& a, const auto& b) { return a.first < b.first; }));
}

TEST(Thinned, LeavesShortSeriesAlone) {
  const Points points{{0, 1}, {1, 2}, {2, 3}};
  EXPECT_EQ(thinned(points, 3), points);
}

TEST(Thinned, TakesFewPointsAndNoNumbers) {
  const double nan = std::nan("");
  const Points points{{0, nan}, {1, nan}, {2, 5}, {3, nan}, {4, 1}, {5, nan}, {6, nan}, {7, 2}};
  for (std::size_t most = 0; most < 8; ++most) EXPECT_LE(thinned(points, most).size(), std::max<std::size_t>(most, 4));
}

/// A long soak: the record grows without bound, its reading stays quick and its page small.
TEST(LargeRecord, IsReadQuicklyAndDrawnSmall) {
  const Folder folder;
  constexpr int kLines = 200000;
  {
    std::ofstream out(folder.path() + "/events.jsonl");
    out << kStart << begin("p/a");
    for (int s = 0; s < 20; ++s)
      out << in_step("p/a", R"("measurementSeriesStart":{"name":"rail)" + std::to_string(s) +
                                R"(","unit":"V","measurementSeriesId":")" + std::to_string(s) + R"("})");
    for (int i = 0; i < kLines; ++i)
      out << in_step("p/a", R"("measurementSeriesElement":{"index":)" + std::to_string(i / 20) + R"(,"value":)" +
                                std::to_string(0.85 + i * 1e-7) +
                                R"(,"timestamp":"2026-01-02T03:04:05.123456Z","measurementSeriesId":")" +
                                std::to_string(i % 20) + R"(","metadata":{"t":)" + std::to_string(i * 1e-3) + "}}");
    for (int i = 0; i < 5000; ++i)
      out << in_step("p/a",
                     R"("measurement":{"name":"m","value":1,"unit":"V","metadata":{"verdict":"pass","text":"1 V"}})")
          << in_step("p/a", R"("log":{"severity":"INFO","message":"a line"})")
          << extension("@bench", "interlock", R"({"t":1,"name":"i","event":"pending"})");
    out << in_step(
        "p/a",
        R"("measurement":{"name":"the bad one","value":1,"unit":"V","metadata":{"verdict":"fail","text":"1 V"}})");
  }
  const auto start = std::chrono::steady_clock::now();
  const RunRecord run = read_record(folder.path());
  const std::string page = page_data(run);
  const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  RecordProperty("seconds", std::to_string(took));
  std::size_t points = 0;
  for (const SeriesRecord& series : run.series) points += series.points.size();
  EXPECT_EQ(points, static_cast<std::size_t>(kLines));
  EXPECT_LT(page.size(), 3000000U);
  EXPECT_THAT(page, HasSubstr("the bad one"));
  std::printf("%d lines read and drawn in %.2f s, %zu bytes\n", kLines + 15000, took, page.size());
}

}  // namespace
}  // namespace firstlight::report
