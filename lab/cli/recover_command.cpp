#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <ostream>

#include "lab/cli/commands.h"
#include "lab/cli/lease.h"
#include "lab/cli/making_safe.h"
#include "lab/cli/plans.h"
#include "lab/cli/run_folder.h"
#include "lab/cli/signal_watch.h"
#include "lab/core/failure.h"
#include "lab/runner/record_tail.h"

namespace firstlight::cli {

namespace fs = std::filesystem;

namespace {

/// A run whose ledger does not end by saying that the bench is safe.
bool is_open(const std::string& folder) {
  if (!fs::is_regular_file(folder + "/ledger.jsonl")) return false;
  try {
    return !read_ledger(folder + "/ledger.jsonl").closed_safe().value_or(false);
  } catch (const FailureError&) {
    return true;  // whatever it says, not that
  }
}

std::vector<std::string> open_runs(const std::string& results) {
  std::vector<std::string> runs;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(results, ignored))
    if (entry.is_directory() && is_open(entry.path().string())) runs.push_back(entry.path().string());
  // The newest first: what was energised last is undone first.
  std::sort(runs.begin(), runs.end(), [&](const auto& a, const auto& b) {
    return fs::last_write_time(a + "/ledger.jsonl", ignored) > fs::last_write_time(b + "/ledger.jsonl", ignored);
  });
  return runs;
}

class Recovery {
 public:
  Recovery(const Options& options, const Surroundings& surroundings) : options_(options), surroundings_(surroundings) {}
  int run(const std::string& folder);

 private:
  std::optional<BenchPlan> bench_of(const RecordTail& tail, Diagnostics& diagnostics) const;

  const Options& options_;
  const Surroundings& surroundings_;
};

std::optional<BenchPlan> Recovery::bench_of(const RecordTail& tail, Diagnostics& diagnostics) const {
  Options options = options_;
  if (options.bench.empty()) options.bench = tail.bench_file;
  if (options.bench_variables.empty()) options.bench_variables = tail.bench_variables;
  auto bench = load_bench(options, surroundings_, diagnostics);
  if (bench && bench->sha256 != tail.bench_sha256)
    *surroundings_.err << "firstlight: " << options.bench << " is not as it was when the run began\n";
  return bench;
}

int Recovery::run(const std::string& folder) {
  auto& out = *surroundings_.out;
  const RecordTail tail = read_record_tail(folder);
  Diagnostics diagnostics;
  auto bench = bench_of(tail, diagnostics);
  if (!bench || !diagnostics.empty()) return tell(diagnostics, options_, surroundings_);
  if (is_on_model(*bench, diagnostics)) {
    out << folder << ": ran on a model, which is gone\n";
    return kExitPass;
  }
  out << folder << ": making bench \"" << bench->name << "\" safe\n" << std::flush;
  Holder holder = myself(Holder::Kind::run);
  holder.why = "recover";
  holder.run = fs::absolute(folder).string();
  const Lease lease(*bench, holder, true);
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  const auto spent = std::chrono::duration_cast<std::chrono::nanoseconds>(tail.last.time_since_epoch());
  const auto station = make_second_station(*bench, std::chrono::duration_cast<std::chrono::nanoseconds>(now) - spent);
  Scheduler::Options how;
  how.wall_clock = true;
  Scheduler scheduler(station->time_source(), how);
  scheduler.run([&] { station->connect_early(scheduler); });
  TakeoverRequest request;
  request.folder = folder;
  request.by = "recover";
  request.cause = {ErrorClass::infrastructure,
                   "run_incomplete",
                   "the run ended without making the bench safe, and so did its guardian",
                   "runner",
                   "",
                   "",
                   "the host lost its power or was reset"};
  request.ledger = read_ledger(folder + "/ledger.jsonl");
  request.safe_state_begun = tail.safe_states > 0;
  const bool safe = take_over_run(*station, scheduler, *bench, std::move(request), surroundings_);
  if (safe) lease.made_safe();
  return safe ? kExitPass : kExitInfrastructure;
}

}  // namespace

int recover_command(const Options& options, const Surroundings& surroundings) {
  if (options.operands.size() > 1) return bad_input("recover takes one run, or none", options, surroundings);
  std::vector<std::string> runs;
  if (options.operands.empty()) {
    runs = open_runs(options.results);
  } else {
    const auto folder = find_run_folder(options.results, options.operands[0]);
    if (!folder) return bad_input("there is no run " + options.operands[0], options, surroundings);
    if (is_open(*folder)) runs.push_back(*folder);
  }
  if (runs.empty())
    *surroundings.out << "nothing to recover in " << (options.operands.empty() ? options.results : options.operands[0])
                      << ": every ledger there says that its bench is safe\n";
  const SignalBlock block;  // what turns a bench off is not stopped half way
  int status = kExitPass;
  for (const auto& run : runs) {
    try {
      status = std::max(status, Recovery(options, surroundings).run(run));
    } catch (const FailureError& error) {
      // The others may be as hot.
      *surroundings.err << "firstlight: " << run << " is not recovered: " << error.failure().message
                        << "\n  likely: " << error.failure().likely_cause << "\n"
                        << std::flush;
      status = std::max(status, kExitInfrastructure);
    }
  }
  return status;
}

}  // namespace firstlight::cli
