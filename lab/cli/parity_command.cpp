#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <ostream>

#include "lab/bench/parse.h"
#include "lab/cli/child_process.h"
#include "lab/cli/commands.h"
#include "lab/cli/plans.h"
#include "lab/cli/run_folder.h"
#include "lab/parity/compare.h"
#include "lab/parity/write.h"
#include "lab/report/record.h"
#include "lab/sequence/parse.h"

namespace firstlight::cli {

namespace {

constexpr int kKilled = 128;

/// One side of `parity SEQUENCE`: its bench, and what of the options is meant for it.
struct Side {
  const char* letter = "A";
  Options options;
  std::string sequence_name;
  bool on_model = false;
  Diagnostics diagnostics;
};

/// "A:lane_dead=2" is {'A', "lane_dead=2"}; without a letter and a colon it is {0, text}.
std::pair<char, std::string> addressed(const std::string& text) {
  if (text.size() > 2 && text[1] == ':' && (text[0] == 'A' || text[0] == 'B')) return {text[0], text.substr(2)};
  return {0, text};
}

std::vector<Side> sides_of(const Options& options) {
  std::vector<Side> sides(2);
  for (std::size_t i = 0; i < sides.size(); ++i) {
    sides[i].letter = i == 0 ? "A" : "B";
    sides[i].options = options;
    sides[i].options.bench = options.benches[i];
    sides[i].options.benches = {options.benches[i]};
    sides[i].options.faults.clear();
    sides[i].options.bench_variables.clear();
    for (const auto& [name, value] : options.bench_variables) {
      const auto [letter, bare] = addressed(name);
      if (letter == 0 || letter == *sides[i].letter) sides[i].options.bench_variables.emplace_back(bare, value);
    }
  }
  return sides;
}

/// Reads the side's files as `run` would; what is wrong with them is in its diagnostics.
void check(Side& side, const Surroundings& surroundings) {
  const auto bench = load_bench(side.options, surroundings, side.diagnostics);
  const auto sequence = parse_sequence(side.options.operands[0], surroundings.vocabulary, bench ? &*bench : nullptr,
                                       side.options.sets, side.diagnostics);
  if (sequence) side.sequence_name = sequence->name;
  Diagnostics ignored;  // load_bench has told it
  side.on_model = bench && is_on_model(*bench, ignored);
}

/// A fault without a letter is for the first bench that is a model.
bool share_out_faults(std::vector<Side>& sides, const Options& options, const Surroundings& surroundings) {
  for (const auto& text : options.faults) {
    const auto [letter, fault] = addressed(text);
    const auto side = std::find_if(sides.begin(), sides.end(), [letter = letter](const Side& one) {
      return letter == 0 ? one.on_model : *one.letter == letter;
    });
    if (side == sides.end()) return false;
    side->options.faults.push_back(fault);
  }
  for (Side& side : sides) {
    if (side.options.faults.empty()) continue;
    side.diagnostics = {};
    check(side, surroundings);
  }
  return true;
}

/// A variable without a letter is of both, and this side's bench has none of that name.
bool has_foreign_variable(const Side& side) {
  const auto& list = side.diagnostics.list();
  return std::any_of(list.begin(), list.end(),
                     [](const Diagnostic& one) { return one.where.file.rfind("--bench-var ", 0) == 0; });
}

int tell_foreign_variable(Side& side, const Options& options, const Surroundings& surroundings) {
  const int status = tell(side.diagnostics, options, surroundings);
  if (!options.json)
    *surroundings.err << fmt::format(
        "firstlight: --bench-var NAME=VALUE is of both benches, and {} ({}) does not have it; {}:NAME=VALUE is of the "
        "other one alone\n",
        side.letter, side.options.bench, *side.letter == 'A' ? 'B' : 'A');
  return status;
}

/// The sequence fits one bench and not the other: that is what is different.
int tell_misfit(std::vector<Side>& sides, const Options& options, const Surroundings& surroundings) {
  Side& misfit = sides[0].diagnostics.empty() ? sides[1] : sides[0];
  if (!options.json) {
    *surroundings.out << fmt::format("different: {} runs on {} and not on {} ({}):\n", options.operands[0],
                                     &misfit == sides.data() ? "B" : "A", misfit.letter, misfit.options.bench);
  }
  tell(misfit.diagnostics, options, surroundings);
  return kExitFail;
}

std::vector<std::string> run_arguments(const Side& side, const std::string& name, const Options& options) {
  std::vector<std::string> words = {"run",       options.operands[0], "--bench", side.options.bench,
                                    "--results", options.results,     "--name",  name};
  const auto add = [&](const char* option, const std::string& value) {
    words.emplace_back(option);
    words.push_back(value);
  };
  for (const auto& [key, value] : side.options.bench_variables) add("--bench-var", key + "=" + value);
  for (const auto& fault : side.options.faults) add("--fault", fault);
  for (const auto& [key, value] : options.sets) add("--set", key + "=" + value);
  if (options.seed) add("--seed", std::to_string(*options.seed));
  if (options.quiet) words.emplace_back("--quiet");
  if (options.plain) words.emplace_back("--plain");
  if (options.no_color) words.emplace_back("--no-color");
  return words;
}

/// A name such that neither run's folder is there.
std::string free_name(const Options& options, const std::string& sequence) {
  const std::string usual = fmt::format("parity-{}-{:%Y%m%d-%H%M%S}", sequence, fmt::localtime(std::time(nullptr)));
  const std::string base = options.name.empty() ? usual : options.name;
  std::string name = base;
  namespace fs = std::filesystem;
  const auto taken = [&] {
    return fs::exists(fs::path(options.results) / (name + "-a")) ||
           fs::exists(fs::path(options.results) / (name + "-b"));
  };
  for (int i = 2; options.name.empty() && taken(); ++i) name = fmt::format("{}-{}", base, i);
  return name;
}

int compare_folders(const std::string& a, const std::string& b, const Options& options,
                    const Surroundings& surroundings) {
  const report::RunRecord run_a = report::read_record(a);
  const report::RunRecord run_b = report::read_record(b);
  const parity::Comparison comparison = parity::compare(run_a, run_b);
  const parity::Side side_a{a, &run_a};
  const parity::Side side_b{b, &run_b};
  *surroundings.out << (options.json ? parity::to_json(comparison, side_a, side_b)
                                     : parity::to_text(comparison, side_a, side_b));
  return comparison.equal() ? kExitPass : kExitFail;
}

int compare_benches(const Options& options, const Surroundings& surroundings) {
  std::vector<Side> sides = sides_of(options);
  for (Side& side : sides) check(side, surroundings);
  if (sides[0].diagnostics.empty() && sides[1].diagnostics.empty() && !share_out_faults(sides, options, surroundings))
    return bad_input("--fault needs a bench that is a model, and neither is one", options, surroundings);
  const bool a_fits = sides[0].diagnostics.empty();
  const bool b_fits = sides[1].diagnostics.empty();
  if (!a_fits && !b_fits) return tell(sides[0].diagnostics, options, surroundings);
  for (Side& side : sides)
    if (has_foreign_variable(side)) return tell_foreign_variable(side, options, surroundings);
  if (a_fits != b_fits) return tell_misfit(sides, options, surroundings);

  const std::string name = free_name(options, sides[0].sequence_name);
  std::vector<std::string> folders;
  for (const Side& side : sides) {
    const std::string own = name + (*side.letter == 'A' ? "-a" : "-b");
    if (!options.json && !options.quiet) {
      *surroundings.out << fmt::format("{}: {} on {}\n", side.letter, sides[0].sequence_name, side.options.bench);
      surroundings.out->flush();
    }
    const int status = run_self(run_arguments(side, own, options), options.json || options.quiet);
    folders.push_back((std::filesystem::path(options.results) / own).string());
    if (status == kExitOperator || status > kKilled) return status;
    if (!find_run_folder(options.results, own)) {
      *surroundings.err << fmt::format("firstlight: side {} left no record (exit status {})\n", side.letter, status);
      return status == kExitBadInput ? kExitBadInput : kExitInfrastructure;
    }
  }
  return compare_folders(folders[0], folders[1], options, surroundings);
}

int compare_runs(const Options& options, const Surroundings& surroundings) {
  std::vector<std::string> folders;
  for (const auto& run : options.operands) {
    const auto folder = find_run_folder(options.results, run);
    if (!folder)
      return bad_input("no record (events.jsonl) in " + run + " or " + options.results + "/" + run, options,
                       surroundings);
    folders.push_back(*folder);
  }
  return compare_folders(folders[0], folders[1], options, surroundings);
}

}  // namespace

int parity_command(const Options& options, const Surroundings& surroundings) {
  if (options.operands.size() == 1 && options.benches.size() == 2) return compare_benches(options, surroundings);
  if (options.operands.size() == 2 && options.benches.empty()) return compare_runs(options, surroundings);
  return bad_input(
      "parity takes one sequence and two benches, or two runs, as in: firstlight parity lab/sequences/power.yaml "
      "--bench lab/benches/model.yaml --bench lab/benches/desk.yaml",
      options, surroundings);
}

}  // namespace firstlight::cli
