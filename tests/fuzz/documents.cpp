#include "tests/fuzz/documents.h"

#include <cstdlib>
#include <iostream>
#include <optional>

#include "lab/bench/parse.h"
#include "lab/document/document.h"
#include "lab/sequence/parse.h"
#include "tests/corpus/vocabulary.h"

namespace firstlight {
namespace {

const BenchPlan& bench() {
  static const BenchPlan plan = [] {
    Diagnostics diagnostics;
    auto parsed =
        parse_bench(std::string(FIRSTLIGHT_CORPUS_DIR) + "/good/bench.yaml", corpus_vocabulary(), diagnostics);
    return parsed.value_or(BenchPlan{});
  }();
  return plan;
}

/// A plan without a diagnostic, or diagnostics without a plan, each with a message and a place within the text.
void check(bool planned, const Diagnostics& diagnostics, const std::string& text) {
  bool sound = planned == diagnostics.empty();
  for (const Diagnostic& diagnostic : diagnostics.list()) {
    sound = sound && !diagnostic.message.empty() && diagnostic.where.line >= 0 && diagnostic.where.column >= 0;
    sound = sound && !to_text(diagnostic, text).empty();
  }
  if (sound) return;
  std::cerr << "planned: " << planned << "\n" << to_text(diagnostics);
  std::abort();
}

}  // namespace

void parse_anything(const std::string& text) {
  Diagnostics of_bench;
  check(parse_bench_text("fuzz", text, corpus_vocabulary(), of_bench).has_value(), of_bench, text);
  for (const BenchPlan* on : {&bench(), static_cast<const BenchPlan*>(nullptr)}) {
    Diagnostics diagnostics;
    check(parse_sequence_text("fuzz", text, corpus_vocabulary(), on, {}, diagnostics).has_value(), diagnostics, text);
  }
}

}  // namespace firstlight
