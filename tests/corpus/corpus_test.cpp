#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lab/bench/parse.h"
#include "lab/document/document.h"
#include "lab/sequence/parse.h"
#include "tests/corpus/expectation.h"
#include "tests/corpus/vocabulary.h"

namespace firstlight {
namespace {

const std::filesystem::path kCorpus = FIRSTLIGHT_CORPUS_DIR;

std::vector<std::string> broken_files() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kCorpus / "bad"))
    if (entry.path().extension() == ".yaml" && entry.path().filename().string()[0] != '_')
      names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

BenchPlan good_bench(const std::string& name = "bench") {
  Diagnostics diagnostics;
  auto plan = parse_bench((kCorpus / "good" / (name + ".yaml")).string(), corpus_vocabulary(), diagnostics);
  EXPECT_TRUE(plan) << to_text(diagnostics);
  return plan.value_or(BenchPlan{});
}

class Broken : public testing::TestWithParam<std::string> {};

TEST_P(Broken, GivesEveryErrorInOneGo) {
  const std::string file = (kCorpus / "bad" / (GetParam() + ".yaml")).string();
  const Expectation expectation = read_expectation((kCorpus / "bad" / (GetParam() + ".expect")).string());
  Diagnostics diagnostics;
  bool planned = false;
  if (GetParam().rfind("bench_", 0) == 0) {
    planned = parse_bench(file, corpus_vocabulary(), diagnostics).has_value();
  } else {
    const BenchPlan bench = good_bench(expectation.bench);
    const BenchPlan* checked = expectation.with_bench ? &bench : nullptr;
    planned = parse_sequence(file, corpus_vocabulary(), checked, expectation.set, diagnostics).has_value();
  }
  EXPECT_FALSE(planned);
  std::string all;
  for (const Diagnostic& found : diagnostics.list()) all += as_expectation(found, file) + '\n';
  ASSERT_EQ(diagnostics.list().size(), expectation.diagnostics.size()) << all << to_text(diagnostics);
  for (std::size_t i = 0; i < expectation.diagnostics.size(); ++i)
    EXPECT_EQ(difference(diagnostics.list()[i], expectation.diagnostics[i], file), "")
        << as_expectation(diagnostics.list()[i], file);
}

INSTANTIATE_TEST_SUITE_P(Corpus, Broken, testing::ValuesIn(broken_files()),
                         [](const auto& info) { return info.param; });

TEST(Corpus, HoldsAtLeastSixtyFiles) { EXPECT_GE(broken_files().size(), 60U); }

TEST(Corpus, TakesTheGoodSequenceWithAndWithoutABench) {
  const BenchPlan good = good_bench();
  for (const BenchPlan* bench : {&good, static_cast<const BenchPlan*>(nullptr)}) {
    Diagnostics diagnostics;
    const auto plan =
        parse_sequence((kCorpus / "good/sequence.yaml").string(), corpus_vocabulary(), bench, {}, diagnostics);
    EXPECT_TRUE(plan) << to_text(diagnostics);
  }
}

}  // namespace
}  // namespace firstlight
