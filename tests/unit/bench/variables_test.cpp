#include <gtest/gtest.h>

#include "lab/bench/parse.h"

namespace firstlight {
namespace {

constexpr const char* kBench = R"(bench: desk
dut: {name: tern}
variables: {host: 127.0.0.1, psu_port: 5025}
resources:
  psu0: {type: scpi, address: "tcp://${host}:${psu_port}"}
)";

Vocabulary vocabulary() {
  Vocabulary all;
  all.resources = {{"scpi", "An instrument.", {}}};
  return all;
}

TEST(BenchVariables, StandForTheirText) {
  Diagnostics diagnostics;
  const auto bench = parse_bench_text("desk.yaml", kBench, vocabulary(), diagnostics);
  ASSERT_TRUE(bench) << diagnostics.list().front().message;
  EXPECT_EQ(bench->resources.front().address, "tcp://127.0.0.1:5025");
}

TEST(BenchVariables, AreReplacedByTheCommandLine) {
  Diagnostics diagnostics;
  const auto bench = parse_bench_text("desk.yaml", kBench, vocabulary(), diagnostics, {{"psu_port", "7001"}});
  ASSERT_TRUE(bench);
  EXPECT_EQ(bench->resources.front().address, "tcp://127.0.0.1:7001");
}

TEST(BenchVariables, UnknownOnesAreToldWithTheNearest) {
  Diagnostics diagnostics;
  EXPECT_FALSE(parse_bench_text("desk.yaml", kBench, vocabulary(), diagnostics, {{"psu_prot", "7001"}}));
  ASSERT_EQ(diagnostics.list().size(), 1U);
  EXPECT_EQ(diagnostics.list().front().suggestion, "psu_port");
  Diagnostics in_file;
  std::string text = kBench;
  text.replace(text.find("${host}"), 7, "${hots}");
  EXPECT_FALSE(parse_bench_text("desk.yaml", text, vocabulary(), in_file));
  ASSERT_EQ(in_file.list().size(), 1U);
  EXPECT_EQ(in_file.list().front().suggestion, "host");
  EXPECT_EQ(in_file.list().front().where.line, 5);
}

TEST(BenchVariables, AnOpenPlaceholderIsAnError) {
  Diagnostics diagnostics;
  std::string text = kBench;
  text.replace(text.find("${host}"), 7, "${host:");
  EXPECT_FALSE(parse_bench_text("desk.yaml", text, vocabulary(), diagnostics));
  EXPECT_GE(diagnostics.list().size(), 1U);
}

}  // namespace
}  // namespace firstlight
