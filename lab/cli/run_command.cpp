#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <ostream>
#include <random>
#include <sstream>

#include "lab/cli/commands.h"
#include "lab/cli/console_operator.h"
#include "lab/cli/final_lines.h"
#include "lab/cli/lease.h"
#include "lab/cli/plans.h"
#include "lab/cli/run_folder.h"
#include "lab/cli/run_view.h"
#include "lab/cli/shell_word.h"
#include "lab/cli/signal_watch.h"
#include "lab/cli/version.h"
#include "lab/document/document.h"
#include "lab/runner/guardian_link.h"
#include "lab/runner/recorder.h"
#include "lab/runner/runner.h"
#include "lab/sequence/parse.h"
#include "lab/trace/recording_provider.h"

namespace firstlight::cli {

namespace {

/// How to run the same again: what decides the run, without where the record goes and how it is shown.
std::string reproduce_line(const Options& options, std::uint64_t seed) {
  std::string line = "firstlight run " + shell_word(options.operands[0]) + " --bench " + shell_word(options.bench);
  for (const auto& [name, value] : options.bench_variables) line += " --bench-var " + shell_word(name + "=" + value);
  for (const auto& fault : options.faults) line += " --fault " + shell_word(fault);
  for (const auto& [name, value] : options.sets) line += " --set " + shell_word(name + "=" + value);
  return line + fmt::format(" --seed {}", seed);
}

std::string typed_line(const std::vector<std::string>& typed) {
  std::string line = "firstlight";
  for (const auto& word : typed) line += " " + shell_word(word);
  return line;
}

std::string own_hash() {
  std::ifstream in("/proc/self/exe", std::ios::binary);
  std::ostringstream bytes;
  bytes << in.rdbuf();
  return sha256_of(bytes.str());
}

std::uint64_t fresh_seed() { return std::random_device{}(); }

Scheduler::Options scheduler_options(bool simulated) {
  Scheduler::Options options;
  options.wall_clock = !simulated;
  // A model cannot be interrupted from the thread that hears Ctrl-C.
  if (simulated) options.slice = std::chrono::milliseconds(1);
  return options;
}

struct Prepared {
  BenchPlan bench;
  SequencePlan sequence;
  bool on_model = true;
};

std::optional<Prepared> prepare(const Options& options, const Surroundings& surroundings, Diagnostics& diagnostics) {
  auto bench = load_bench(options, surroundings, diagnostics);
  auto sequence = parse_sequence(options.operands[0], surroundings.vocabulary, bench ? &*bench : nullptr, options.sets,
                                 diagnostics);
  if (!diagnostics.empty() || !bench || !sequence) return {};
  Prepared prepared{std::move(*bench), std::move(*sequence), true};
  prepared.on_model = is_on_model(prepared.bench, diagnostics);
  return prepared;
}

class RunSession {
 public:
  RunSession(const Options& options, const std::vector<std::string>& typed, const Surroundings& surroundings)
      : options_(options), typed_(typed), surroundings_(surroundings) {}
  int run(Prepared prepared);

 private:
  RunEnded execute(Prepared& prepared, Station& station, std::uint64_t seed);
  void take_bench(const Prepared& prepared);
  std::unique_ptr<GuardianLink> start_guardian(BenchTime& time) const;
  int conclude(const RunEnded& ended, const Prepared& prepared);

  const Options& options_;
  const std::vector<std::string>& typed_;
  const Surroundings& surroundings_;
  std::string folder_;
  std::unique_ptr<Lease> lease_;
};

/// The bench is ours until this process and its guardian have ended.
void RunSession::take_bench(const Prepared& prepared) {
  if (prepared.on_model) return;
  if (prepared.bench.labgrid) check_labgrid(*prepared.bench.labgrid);
  Holder holder = myself(Holder::Kind::run);
  holder.why = options_.reason.empty() ? "sequence " + prepared.sequence.name : options_.reason;
  holder.run = std::filesystem::absolute(folder_).string();
  lease_ = std::make_unique<Lease>(prepared.bench, holder, options_.force);
}

std::unique_ptr<GuardianLink> RunSession::start_guardian(BenchTime& time) const {
  if (!lease_ || !surroundings_.guarded) return nullptr;
  std::vector<std::string> arguments = {"guardian", folder_, "--bench", options_.bench};
  for (const auto& [name, value] : options_.bench_variables) {
    arguments.emplace_back("--bench-var");
    arguments.push_back(name + "=" + value);
  }
  return std::make_unique<GuardianLink>(arguments, std::vector<int>{lease_->descriptor()}, time);
}

int RunSession::run(Prepared prepared) {
  const std::uint64_t seed = options_.seed.value_or(fresh_seed());
  const auto& factory = prepared.on_model ? surroundings_.model : surroundings_.lab;
  if (!factory) {
    throw FailureError({ErrorClass::infrastructure, "no_station",
                        std::string("this build has no ") + (prepared.on_model ? "model" : "hardware transports"), "",
                        "", "", "build with the part that is missing, or use another bench"});
  }
  std::optional<SignalBlock> block;
  if (surroundings_.watch_signals) block.emplace();
  // Before the folder, so that a model that cannot be had leaves none.
  const std::unique_ptr<Station> station = factory(prepared.bench, seed);
  folder_ = make_run_folder(options_.results, options_.name, prepared.sequence.name, prepared.bench.name);
  try {
    take_bench(prepared);
  } catch (const FailureError&) {
    std::error_code ignored;
    std::filesystem::remove(folder_, ignored);  // nothing ran
    throw;
  }
  const RunEnded ended = execute(prepared, *station, seed);
  return conclude(ended, prepared);
}

RunEnded RunSession::execute(Prepared& prepared, Station& station, std::uint64_t seed) {
  Style style{surroundings_.out_is_terminal && !options_.no_color && colours_wanted(), terminal_width()};
  if (!surroundings_.out_is_terminal) style.width = 120;
  const bool shown = !options_.quiet && !options_.json;
  RunView view(*surroundings_.out, style, surroundings_.out_is_terminal && !options_.plain);
  Recorder recorder(folder_);
  Listeners listeners;
  listeners.add(recorder);
  if (shown) listeners.add(view);

  Scheduler scheduler(station.time_source(), scheduler_options(station.simulated()));
  trace::TraceWriter trace(folder_);
  trace::RecordingProvider transports(station.connect(scheduler), scheduler, trace,
                                      [&scheduler] { return scheduler.fiber_name(); });
  ConsoleOperator person(*surroundings_.out, [&view] { view.clear(); });
  RunRequest request;
  request.sequence = prepared.sequence;
  request.bench = prepared.bench;
  request.reproduce = reproduce_line(options_, seed);
  request.info = {std::filesystem::path(folder_).filename().string(),
                  request.reproduce,
                  typed_line(typed_),
                  kVersion,
                  own_hash(),
                  seed,
                  station.simulated(),
                  options_.bench_variables};
  request.connect = [&](BenchTime& time) {
    auto bench = std::make_unique<Bench>(prepared.bench, time);
    surroundings_.build_drivers(*bench, transports);
    return bench;
  };
  request.find_step = surroundings_.find_step;
  request.undo = surroundings_.undo;
  request.folder = folder_;
  if (surroundings_.in_is_terminal && surroundings_.out_is_terminal) request.person = &person;
  const std::unique_ptr<GuardianLink> guardian = start_guardian(scheduler);
  request.standby = guardian.get();
  Runner runner(scheduler, listeners, std::move(request));
  std::optional<SignalWatch> signals;
  if (surroundings_.watch_signals) {
    signals.emplace([&](int signal) {
      scheduler.post([&, signal] {
        runner.stop(signal == SIGINT   ? Runner::Stop::operator_
                    : signal == SIGHUP ? Runner::Stop::hung_up
                                       : Runner::Stop::terminated);
      });
    });
  }
  const auto tell_next = [&] {
    if (lease_ && runner.bench_is_safe()) lease_->made_safe();
  };
  RunEnded ended;
  try {
    ended = runner.run();
  } catch (...) {
    tell_next();
    throw;
  }
  tell_next();
  if (!trace.trouble().empty()) {
    *surroundings_.err << "firstlight: the trace of the bus is not whole, so the run cannot be replayed to its end: "
                       << trace.trouble() << "\n";
  }
  return ended;
}

int RunSession::conclude(const RunEnded& ended, const Prepared& prepared) {
  std::string trouble;
  try {
    surroundings_.write_views(folder_);
  } catch (const FailureError& error) {
    trouble = error.failure().message;
  }
  if (options_.json) {
    std::ifstream in(folder_ + "/summary.json");
    *surroundings_.out << in.rdbuf();
  } else {
    Style style{surroundings_.out_is_terminal && !options_.no_color && colours_wanted(),
                surroundings_.out_is_terminal ? terminal_width() : 120};
    *surroundings_.out << final_lines(ended, prepared.sequence, prepared.bench, folder_, style);
  }
  if (trouble.empty()) return ended.exit_status;
  *surroundings_.err << "firstlight: the report could not be made: " << trouble
                     << "\n  the record is whole; `firstlight report " << folder_ << "` tries again\n";
  return ended.exit_status == kExitPass ? kExitInfrastructure : ended.exit_status;
}

}  // namespace

int run_command(const Options& options, const std::vector<std::string>& typed, const Surroundings& surroundings) {
  if (options.operands.size() != 1) {
    return bad_input(
        "run takes one sequence, as in: firstlight run lab/sequences/bringup.yaml --bench lab/benches/model.yaml",
        options, surroundings);
  }
  if (options.bench.empty())
    return bad_input("run needs --bench FILE (`firstlight list benches` shows what is there)", options, surroundings);
  Diagnostics diagnostics;
  auto prepared = prepare(options, surroundings, diagnostics);
  if (!prepared || !diagnostics.empty()) return tell(diagnostics, options, surroundings);
  return RunSession(options, typed, surroundings).run(std::move(*prepared));
}

}  // namespace firstlight::cli
