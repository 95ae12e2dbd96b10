// Writes sequences that mean the bench no good, runs them on the model, and looks at the pins of the rails whether any
// was ever above its maximum.
//
//   envelope_fuzz --seconds 600                  ten minutes from a seed of its own, which it prints
//   envelope_fuzz --seed 42 --runs 1 --show      one attack again, with what it was
//   envelope_fuzz --prove                        the same without the envelope: rails must be seen above their maximum

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iostream>
#include <limits>
#include <optional>
#include <random>
#include <sstream>
#include <stdexcept>

#include "tests/envelope/attack_run.h"

namespace {

using envelope::Attack;
using envelope::Report;

// What a voltage may be above its bound by the arithmetic of the model.
constexpr double kRounding = 1e-9;

struct Options {
  double seconds = 20;
  std::optional<std::uint64_t> seed;
  std::optional<std::uint64_t> runs;
  bool prove = false;
  bool show = false;
};

Options options_of(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto value = [&]() -> std::string {
      if (i + 1 >= argc) throw std::runtime_error(word + " takes a value");
      return argv[++i];
    };
    if (word == "--seconds")
      options.seconds = std::stod(value());
    else if (word == "--seed")
      options.seed = std::stoull(value());
    else if (word == "--runs")
      options.runs = std::stoull(value());
    else if (word == "--prove")
      options.prove = true;
    else if (word == "--show")
      options.show = true;
    else
      throw std::runtime_error("no option " + word + "; there are --seconds, --seed, --runs, --prove, --show");
  }
  return options;
}

std::string model_bench() {
  std::ifstream in(MODEL_BENCH);
  std::ostringstream text;
  text << in.rdbuf();
  if (text.str().empty()) throw std::runtime_error("cannot read " MODEL_BENCH);
  return text.str();
}

struct RailTotal {
  double highest = 0;
  double least_margin = std::numeric_limits<double>::infinity();  // V below the bound, over all runs
  std::uint64_t seed = 0;                                         // of that run
};

class Totals {
 public:
  void add(const Report& report, std::uint64_t seed) {
    ++runs_;
    steps_ += static_cast<std::uint64_t>(report.steps);
    refused_ += static_cast<std::uint64_t>(report.refused);
    before_ += report.refused_before ? 1U : 0U;
    ++first_failures_[report.first_failure.empty() ? "none" : report.first_failure];
    for (const auto& [rail, highest] : report.highest) {
      RailTotal& total = rails_[rail];
      total.highest = std::max(total.highest, highest);
      const double margin = report.bound.at(rail) - highest;
      if (margin < total.least_margin) total = {total.highest, margin, seed};
    }
  }
  void print(double wall) const {
    std::cout << fmt::format(
        "{} attacks in {:.0f} s: {} steps, {} refused by the envelope; {} sequences refused before\n", runs_, wall,
        steps_, refused_, before_);
    std::cout << "first failures:\n";
    for (const auto& [symptom, count] : first_failures_) std::cout << fmt::format("  {:<28} {}\n", symptom, count);
    std::cout << "rail         highest     least below its maximum\n";
    for (const auto& [rail, total] : rails_)
      std::cout << fmt::format("{:<12} {:.6f} V  {:+.6f} V (seed {})\n", rail, total.highest, total.least_margin,
                               total.seed);
  }
  std::uint64_t refused() const { return refused_; }

 private:
  std::uint64_t runs_ = 0;
  std::uint64_t steps_ = 0;
  std::uint64_t refused_ = 0;
  std::uint64_t before_ = 0;
  std::map<std::string, std::uint64_t> first_failures_;
  std::map<std::string, RailTotal> rails_;
};

/// A rail that is fed from elsewhere though nobody has turned it on is not the run's to turn off.
bool is_fed_from_elsewhere(const Attack& attack) { return attack.fault.rfind("residual_voltage", 0) == 0; }

/// What must not be, in words; empty when all is well.
std::string wrong_with(const Attack& attack, const Report& report) {
  if (!report.trouble.empty()) return report.trouble;
  for (const auto& [rail, highest] : report.highest)
    if (highest > report.bound.at(rail) + kRounding)
      return fmt::format("{} was at {:.6f} V; its maximum is {:.6f} V", rail, highest, report.bound.at(rail));
  if (report.safe && !report.all_off && !is_fed_from_elsewhere(attack))
    return "the run says that the bench is safe, and a rail is not off";
  return {};
}

int fuzz(const Options& options) {
  const std::string model = model_bench();
  const std::uint64_t first = options.seed.value_or(std::random_device{}());
  std::cout << fmt::format("seed {}\n", first);
  Totals totals;
  std::uint64_t wrong = 0;
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  for (std::uint64_t i = 0; options.runs ? i < *options.runs : elapsed() < options.seconds; ++i) {
    const std::uint64_t seed = first + i;
    const Attack attack = envelope::Generator(seed).attack(model);
    if (options.show)
      std::cout << "fault: " << (attack.fault.empty() ? "none" : attack.fault) << "\n" << attack.sequence;
    const Report report = envelope::run_attack(attack, seed, !options.prove, options.show);
    if (report.trouble.empty()) totals.add(report, seed);
    const std::string what = wrong_with(attack, report);
    if (what.empty()) continue;
    ++wrong;
    if (!options.prove || !report.trouble.empty())
      std::cout << fmt::format("seed {}: {}\n  again: envelope_fuzz --seed {} --runs 1 --show{}\n", seed, what, seed,
                               options.prove ? " --prove" : "");
  }
  totals.print(elapsed());
  if (options.prove) {
    std::cout << fmt::format("without the envelope, {} attacks got a rail past its maximum\n", wrong);
    return wrong > 0 ? 0 : 1;
  }
  if (totals.refused() == 0) std::cout << "nothing was refused: these attacks prove nothing\n";
  return wrong == 0 && totals.refused() > 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return fuzz(options_of(argc, argv));
  } catch (const std::exception& error) {
    std::cerr << "envelope_fuzz: " << error.what() << "\n";
    return 2;
  }
}
