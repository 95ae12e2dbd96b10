#include "lab/report/views.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/report/folder.h"
#include "tests/report/sample_run.h"

namespace firstlight::report {
namespace {

using test::Folder;
using test::Sample;
using testing::HasSubstr;
using testing::Not;
using Tree = boost::property_tree::ptree;

RunRecord record_of(Sample sample) {
  const Folder folder;
  test::write_sample(folder.path(), sample);
  return read_record(folder.path());
}

Tree junit_of(const RunRecord& run) {
  std::istringstream in(junit_xml(run));
  Tree tree;
  boost::property_tree::read_xml(in, tree, boost::property_tree::xml_parser::trim_whitespace);
  return tree.get_child("testsuites");
}

/// What a CI server counts, against what the totals claim.
struct Counted {
  int tests = 0;
  int failures = 0;
  int errors = 0;
  int skipped = 0;
};
Counted count(const Tree& suites) {
  Counted out;
  for (const auto& [suite_tag, suite] : suites) {
    if (suite_tag != "testsuite") continue;
    for (const auto& [tag, entry] : suite) {
      if (tag != "testcase") continue;
      ++out.tests;
      out.failures += entry.count("failure") != 0 ? 1 : 0;
      out.errors += entry.count("error") != 0 ? 1 : 0;
      out.skipped += entry.count("skipped") != 0 ? 1 : 0;
    }
  }
  return out;
}

class EverySample : public testing::TestWithParam<Sample> {};
INSTANTIATE_TEST_SUITE_P(Junit, EverySample,
                         testing::Values(Sample::failed, Sample::passed, Sample::killed, Sample::tripped));

TEST_P(EverySample, HasTotalsThatAddUp) {
  const Tree suites = junit_of(record_of(GetParam()));
  const Counted counted = count(suites);
  EXPECT_GT(counted.tests, 0);
  EXPECT_EQ(suites.get<int>("<xmlattr>.tests"), counted.tests);
  EXPECT_EQ(suites.get<int>("<xmlattr>.failures"), counted.failures);
  EXPECT_EQ(suites.get<int>("<xmlattr>.errors"), counted.errors);
  EXPECT_EQ(suites.get<int>("<xmlattr>.skipped"), counted.skipped);
}

TEST_P(EverySample, IsRedExactlyWhenTheRunIsBad) {
  const RunRecord run = record_of(GetParam());
  const Counted counted = count(junit_of(run));
  EXPECT_EQ(counted.failures + counted.errors > 0, !is_good(run.verdict));
}

TEST(Junit, TellsWhatFailed) {
  const std::string xml = junit_xml(record_of(Sample::failed));
  EXPECT_THAT(xml, HasSubstr("lane 2 of link0 saw 900 errors"));
  EXPECT_THAT(xml, HasSubstr("likely cause: a lane that is dead, or a bad joint &amp; more"));
}

TEST(Junit, ATripIsACaseOfItsOwn) {
  const Tree suites = junit_of(record_of(Sample::tripped));
  bool found = false;
  for (const auto& [tag, suite] : suites)
    if (tag == "testsuite" && suite.get<std::string>("<xmlattr>.name") == "bench")
      found = suite.get_child("testcase").get<std::string>("<xmlattr>.name") == "interlock overtemp";
  EXPECT_TRUE(found);
}

TEST(Junit, MarginalPassesAndSaysSo) {
  const std::string xml = junit_xml(record_of(Sample::passed));
  EXPECT_THAT(xml, HasSubstr("passed only after a retry"));
  EXPECT_THAT(xml, Not(HasSubstr("<failure")));
}

TEST(Junit, EarlierAttemptsOfAGroupAreNoCases) {
  RunRecord run = record_of(Sample::passed);
  StepRecord earlier = run.steps.back();
  earlier.kind = "verb";
  earlier.verdict = Verdict::fail;
  earlier.ended = true;
  earlier.superseded = true;
  run.steps.push_back(earlier);
  EXPECT_EQ(count(junit_of(run)).failures, 0);
}

TEST(Junit, HoldsNoCharacterThatXmlForbids) {
  const std::string xml = junit_xml(record_of(Sample::failed));
  for (const char c : xml)
    EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t') << static_cast<int>(c);
  EXPECT_THAT(xml, Not(HasSubstr("\xef\xbf\xbf")));
  EXPECT_THAT(xml, Not(HasSubstr("<script")));
}

TEST(Summary, SaysTheSameAsTheRecord) {
  const RunRecord run = record_of(Sample::failed);
  const auto json = nlohmann::json::parse(summary_json(run));
  EXPECT_EQ(json.at("verdict"), "fail");
  EXPECT_EQ(json.at("exit_status"), 1);
  EXPECT_EQ(json.at("counts").at("fail"), 1);
  EXPECT_EQ(json.at("counts").at("aborted"), 0);
  EXPECT_EQ(json.at("seed"), "7");
  EXPECT_EQ(json.at("safe"), true);
  EXPECT_EQ(json.at("first_failure").at("where"), "lab/sequences/sample.yaml:30");
  EXPECT_EQ(json.at("first_failure").at("symptom"), "lane_dead");
}

TEST(Summary, OfAGoodRunHasNoFirstFailure) {
  const auto json = nlohmann::json::parse(summary_json(record_of(Sample::passed)));
  EXPECT_TRUE(json.at("first_failure").is_null());
  EXPECT_EQ(json.at("verdict"), "marginal");
}

TEST(Summary, OfAKilledRunIsAnError) {
  const auto json = nlohmann::json::parse(summary_json(record_of(Sample::killed)));
  EXPECT_EQ(json.at("verdict"), "error");
  EXPECT_EQ(json.at("complete"), false);
  EXPECT_EQ(json.at("safe"), false);
  EXPECT_EQ(json.at("first_failure").at("symptom"), "run_incomplete");
  EXPECT_EQ(json.at("first_failure").at("step"), "link/prbs");
}

/// The text between the data element's tags, up to the first thing that ends it for a browser.
std::string data_element(const std::string& page) {
  const std::string mark = "<script type=\"application/json\" id=\"run\">";
  const std::size_t begin = page.find(mark) + mark.size();
  return page.substr(begin, page.find('<', begin) - begin);
}

TEST(Page, HostileTextsStayInTheirData) {
  const std::string page = report_html(record_of(Sample::failed));
  const auto json = nlohmann::json::parse(data_element(page));
  bool found = false;
  for (const auto& step : json.at("steps")) found = found || step.at("title") == test::kHostile;
  EXPECT_TRUE(found) << "the text must come through as it was";
  EXPECT_THAT(page, Not(HasSubstr("alert(1)</script>")));
}

TEST(Page, HostileTextsStayTextsInTheHeader) {
  RunRecord run = record_of(Sample::failed);
  run.name = run.bench = run.seed = run.reproduce = run.wall_start = test::kHostile;
  run.first_failure->step = run.first_failure->title = run.first_failure->phase = test::kHostile;
  run.first_failure->failure.message = run.first_failure->failure.sent = test::kHostile;
  run.first_failure->during = {test::kHostile};
  const std::string page = report_html(run);
  const std::string header = page.substr(0, page.find("<script type=\"application/json\""));
  EXPECT_THAT(header, Not(HasSubstr("<script")));
  EXPECT_THAT(header, Not(HasSubstr("<!--")));
  EXPECT_THAT(header, Not(HasSubstr("\x1b")));
  EXPECT_THAT(header, HasSubstr("&lt;script&gt;"));
}

TEST(Page, AsksTheNetworkForNothing) {
  const std::string page = report_html(record_of(Sample::failed));
  const std::string ours = page.substr(0, page.find("<script type=\"application/json\""));
  for (const char* forbidden : {"src=\"http", "href=\"http", "url(http", "@import", "<link rel=\"stylesheet"})
    EXPECT_THAT(ours, Not(HasSubstr(forbidden)));
  EXPECT_THAT(ours, HasSubstr("default-src 'none'"));
}

TEST(WriteViews, LeavesThreeFilesAndNoOther) {
  const Folder folder;
  test::write_sample(folder.path(), Sample::failed);
  write_views(folder.path());
  EXPECT_THAT(folder.read("summary.json"), HasSubstr("\"verdict\": \"fail\""));
  EXPECT_THAT(folder.read("junit.xml"), HasSubstr("<testsuites"));
  EXPECT_THAT(folder.read("report.html"), HasSubstr("<!doctype html>"));
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) names.push_back(entry.path().filename());
  EXPECT_THAT(names,
              testing::UnorderedElementsAre("events.jsonl", "files", "summary.json", "junit.xml", "report.html"));
}

TEST(WriteViews, AreTheSameWhenMadeAgain) {
  const Folder folder;
  test::write_sample(folder.path(), Sample::failed);
  write_views(folder.path());
  const std::string page = folder.read("report.html");
  write_views(folder.path());
  EXPECT_EQ(folder.read("report.html"), page);
}

TEST(WriteViews, SaysWhenItCannotWrite) {
  const Folder folder;
  test::write_sample(folder.path(), Sample::failed);
  std::filesystem::create_directories(folder.path() + "/junit.xml/occupied");
  try {
    write_views(folder.path());
    FAIL() << "was written";
  } catch (const FailureError& error) {
    EXPECT_EQ(error.failure().symptom, "report_not_written");
    EXPECT_THAT(error.failure().message, HasSubstr("junit.xml"));
  }
}

}  // namespace
}  // namespace firstlight::report
