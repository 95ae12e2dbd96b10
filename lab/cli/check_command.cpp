#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <ostream>

#include "lab/bench/parse.h"
#include "lab/cli/commands.h"
#include "lab/cli/plans.h"
#include "lab/document/document.h"
#include "lab/sequence/parse.h"

namespace firstlight::cli {

namespace {

enum class Kind { bench, sequence, personality, neither };

/// By what stands at its top; a file that cannot be read at all is told later, by the parser.
Kind kind_of(const std::string& text) {
  const auto has_key = [&](const std::string& key) {
    return text.rfind(key, 0) == 0 || text.find("\n" + key) != std::string::npos;
  };
  if (has_key("personality:")) return Kind::personality;
  if (has_key("sequence:") || has_key("phases:")) return Kind::sequence;
  return has_key("bench:") || has_key("resources:") || has_key("drivers:") ? Kind::bench : Kind::neither;
}

int count_steps(const std::vector<StepPlan>& steps) {
  int n = 0;
  for (const auto& step : steps) n += step.kind == StepPlan::Kind::verb ? 1 : count_steps(step.children);
  return n;
}

std::string counted(std::size_t n, const char* what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); }

std::string summary_of(const SequencePlan& plan) {
  int steps = 0;
  for (const auto& phase : plan.phases)
    steps += count_steps(phase.setup) + count_steps(phase.steps) + count_steps(phase.teardown);
  return fmt::format("sequence {}: {}, {}", plan.name, counted(plan.phases.size(), "phase"),
                     counted(static_cast<std::size_t>(steps), "step"));
}

std::string summary_of(const BenchPlan& plan) {
  // A rail's `max_current` is an interlock, too; who counts those in the file would miss it there.
  const auto of_rails = static_cast<std::size_t>(
      std::count_if(plan.rails.begin(), plan.rails.end(), [](const RailPlan& rail) { return rail.max_current; }));
  return fmt::format("bench {}: {}, {}, {}, {}{}", plan.name, counted(plan.resources.size(), "resource"),
                     counted(plan.drivers.size(), "driver"), counted(plan.rails.size(), "rail"),
                     counted(plan.interlocks.size(), "interlock"),
                     of_rails == 0 ? "" : fmt::format(" ({} of them by max_current)", of_rails));
}

/// One file; what it is when it is right.
std::string check_file(const std::string& file, const Options& options, const Surroundings& surroundings,
                       const BenchPlan* bench, Diagnostics& diagnostics) {
  const auto document = load_document(file, diagnostics);
  if (!document) return {};
  switch (kind_of(document->text)) {
    case Kind::bench: {
      const std::size_t before = diagnostics.list().size();
      const auto plan = parse_bench(file, surroundings.vocabulary, diagnostics);
      if (plan) is_on_model(*plan, diagnostics);
      if (plan && surroundings.check_drivers && diagnostics.list().size() == before)
        surroundings.check_drivers(*plan, diagnostics);
      return plan ? summary_of(*plan) : "";
    }
    case Kind::sequence: {
      const auto plan = parse_sequence(file, surroundings.vocabulary, bench, options.sets, diagnostics);
      return plan ? summary_of(*plan) : "";
    }
    case Kind::personality: {
      if (!surroundings.check_personality) break;
      const auto spec = surroundings.check_personality(file, diagnostics);
      return spec ? fmt::format("personality {}: {}", spec->name, spec->doc) : "";
    }
    case Kind::neither:
      break;
  }
  Diagnostic unknown;
  unknown.where = {file, 1, 1};
  unknown.message =
      "neither a sequence (with `sequence:` and `phases:`), nor a bench (with `bench:`), nor a personality";
  diagnostics.add(std::move(unknown));
  return {};
}

}  // namespace

int check_command(const Options& options, const Surroundings& surroundings) {
  if (options.operands.empty() && options.bench.empty())
    return bad_input("check takes the files to check, as in: firstlight check lab/sequences/bringup.yaml", options,
                     surroundings);
  Diagnostics diagnostics;
  std::optional<BenchPlan> bench;
  std::vector<std::pair<std::string, std::string>> good;
  if (!options.bench.empty()) {
    bench = load_bench(options, surroundings, diagnostics);
    if (bench && surroundings.check_drivers && diagnostics.empty()) surroundings.check_drivers(*bench, diagnostics);
    if (bench && diagnostics.empty()) good.emplace_back(options.bench, summary_of(*bench));
  }
  for (const auto& file : options.operands) {
    const std::string summary = check_file(file, options, surroundings, bench ? &*bench : nullptr, diagnostics);
    if (!summary.empty()) good.emplace_back(file, summary);
  }
  if (!diagnostics.empty()) return tell(diagnostics, options, surroundings);
  if (options.json) {
    auto files = nlohmann::ordered_json::array();
    for (const auto& [file, summary] : good) files.push_back({{"file", file}, {"is", summary}});
    *surroundings.out
        << nlohmann::ordered_json{{"errors", nlohmann::ordered_json::array()}, {"files", std::move(files)}}.dump(2)
        << "\n";
  } else {
    for (const auto& [file, summary] : good) *surroundings.out << file << ": " << summary << "\n";
  }
  return kExitPass;
}

}  // namespace firstlight::cli
