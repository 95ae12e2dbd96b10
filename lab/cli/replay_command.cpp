#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <ostream>

#include "lab/cli/child_process.h"
#include "lab/cli/commands.h"
#include "lab/cli/plans.h"
#include "lab/cli/run_folder.h"
#include "lab/replay/player.h"
#include "lab/replay/write.h"
#include "lab/report/record.h"
#include "lab/trace/trace_reader.h"

namespace firstlight::cli {

namespace {

/// Waves begin so long before the access that differs, follow a repeated one for so long, and end so long after.
constexpr Duration kBefore = std::chrono::milliseconds(5);
constexpr Duration kLongestLook = std::chrono::milliseconds(20);
constexpr Duration kAfter = std::chrono::milliseconds(2);

struct Window {
  Instant from{};
  Instant until{};
};

Window window_around(const replay::Difference& difference) {
  return {std::max(Instant{}, difference.began - kBefore),
          std::min(difference.found, difference.began + kLongestLook) + kAfter};
}

std::string window_text(const Window& window) {
  return replay::time_text(window.from) + " to " + replay::time_text(window.until);
}

/// "3.2 s..3.25 s".
std::optional<Window> parse_window(const std::string& text) {
  const auto dots = text.find("..");
  if (dots == std::string::npos) return {};
  const auto from = parse_quantity(text.substr(0, dots), Dimension::time);
  const auto until = parse_quantity(text.substr(dots + 2), Dimension::time);
  if (!from || !until || from->value < 0 || !(until->value > from->value)) return {};
  return Window{Instant(to_duration(*from)), Instant(to_duration(*until))};
}

/// In the record's folder, with a name that is free: nothing is ever overwritten.
std::string waves_file(const std::string& folder, const std::string& what) {
  namespace fs = std::filesystem;
  for (int i = 1;; ++i) {
    const fs::path file = fs::path(folder) / fmt::format("waves-{}{}.fst", what, i == 1 ? "" : fmt::format("-{}", i));
    if (!fs::exists(file)) return file.string();
  }
}

class ReplaySession {
 public:
  ReplaySession(const Options& options, const Surroundings& surroundings, BenchPlan bench, std::string folder)
      : options_(options), surroundings_(surroundings), bench_(std::move(bench)), folder_(std::move(folder)) {}
  int run();

 private:
  replay::Outcome play();
  void add_waves(const replay::Difference& difference);

  const Options& options_;
  const Surroundings& surroundings_;
  const BenchPlan bench_;
  const std::string folder_;
  std::vector<trace::Transaction> record_;
  std::uint64_t seed_ = 0;
  std::optional<Window> window_;
  replay::Subject subject_;
};

int ReplaySession::run() {
  if (!options_.window.empty()) {
    window_ = parse_window(options_.window);
    if (!window_)
      return bad_input("--window takes two times of the replay, as in --window \"3.2 s..3.25 s\"", options_,
                       surroundings_);
  }
  const report::RunRecord run = report::read_record(folder_);
  record_ = trace::read_trace(folder_).transactions;
  seed_ = options_.seed.value_or(run.seed.empty() ? 1 : std::stoull(run.seed));
  subject_ = {folder_,
              fmt::format("{} on {}, seed {}", run.name, run.bench, run.seed),
              options_.bench,
              std::to_string(seed_),
              record_.size(),
              "",
              ""};
  const replay::Outcome outcome = play();
  if (options_.waves && !window_ && outcome.difference) add_waves(*outcome.difference);
  if (std::error_code ignored; !subject_.waves.empty() && !std::filesystem::exists(subject_.waves, ignored))
    subject_.waves.clear();
  *surroundings_.out << (options_.json ? replay::to_json(outcome, subject_) : replay::to_text(outcome, subject_));
  return outcome.difference ? kExitFail : kExitPass;
}

replay::Outcome ReplaySession::play() {
  const std::unique_ptr<Station> station = surroundings_.model(bench_, seed_);
  replay::PlayOptions play_options;
  if (window_) {
    play_options.until = window_->until;
    if (options_.waves) {
      subject_.waves = options_.waves_file.empty() ? waves_file(folder_, "window") : options_.waves_file;
      subject_.waves_window = window_text(*window_);
      if (!station->record_waves({subject_.waves, window_->from, window_->until}))
        throw FailureError({ErrorClass::infrastructure, "no_waves", "this model cannot record waves", "model", "", "",
                            "the build has none of the verilated model's tracing"});
    }
  }
  Scheduler::Options scheduling;
  scheduling.slice = std::chrono::milliseconds(1);
  Scheduler scheduler(station->time_source(), scheduling);
  replay::Judge judge(bench_, surroundings_.registers);
  replay::Player player(scheduler, station->connect(scheduler), bench_, judge, record_, play_options);
  return player.play();
}

/// The model is deterministic: another one that plays the same comes to the same difference, and looks closer.
void ReplaySession::add_waves(const replay::Difference& difference) {
  const Window window = window_around(difference);
  const std::string file = waves_file(folder_, std::to_string(difference.recorded.number));
  std::vector<std::string> words = {
      "replay",
      folder_,
      "--bench",
      options_.bench,
      "--seed",
      std::to_string(seed_),
      "--waves",
      "--waves-file",
      file,
      "--window",
      fmt::format("{} ps..{} ps", window.from.time_since_epoch().count(), window.until.time_since_epoch().count())};
  for (const auto& fault : options_.faults) words.insert(words.end(), {"--fault", fault});
  for (const auto& [name, value] : options_.bench_variables)
    words.insert(words.end(), {"--bench-var", name + "=" + value});
  const int status = run_self(words, true);
  if (status != kExitFail && status != kExitPass) {
    *surroundings_.err << fmt::format("firstlight: the second pass, for the waves, ended with {}\n", status);
    return;
  }
  subject_.waves = file;
  subject_.waves_window = window_text(window);
}

}  // namespace

int replay_command(const Options& options, const Surroundings& surroundings) {
  if (options.operands.size() != 1 || options.bench.empty()) {
    return bad_input(
        "replay takes one run and a bench, as in: firstlight replay results/RUN --bench lab/benches/model.yaml",
        options, surroundings);
  }
  const auto folder = find_run_folder(options.results, options.operands[0]);
  if (!folder) {
    return bad_input(
        "no record (events.jsonl) in " + options.operands[0] + " or " + options.results + "/" + options.operands[0],
        options, surroundings);
  }
  Diagnostics diagnostics;
  auto bench = load_bench(options, surroundings, diagnostics);
  if (!bench || !diagnostics.empty()) return tell(diagnostics, options, surroundings);
  if (!is_on_model(*bench, diagnostics))
    return bad_input("replay plays into a model, and bench \"" + bench->name +
                         "\" is hardware: its envelope and interlocks would not be in force",
                     options, surroundings);
  if (!surroundings.model)
    throw FailureError(
        {ErrorClass::infrastructure, "no_station", "this build has no model", "", "", "", "build with the model"});
  return ReplaySession(options, surroundings, std::move(*bench), *folder).run();
}

}  // namespace firstlight::cli
