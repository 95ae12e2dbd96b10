#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <ostream>
#include <vector>

#include "lab/capabilities/clock_source.h"
#include "lab/capabilities/coolant.h"
#include "lab/capabilities/supply.h"
#include "lab/cli/commands.h"
#include "lab/cli/lease.h"
#include "lab/cli/making_safe.h"
#include "lab/cli/plans.h"
#include "lab/cli/signal_watch.h"
#include "lab/core/failure.h"
#include "lab/runner/ledger.h"
#include "lab/runner/recorder.h"
#include "lab/runner/safe_state.h"
#include "lab/steps/undo.h"

namespace firstlight::cli {

namespace {

/// A ledger as a run that turned everything on would have written: coolant, supplies, clocks, and the rails as they
/// depend on each other. Also of what cannot be reached: it may be on all the same.
class EverythingOn {
 public:
  EverythingOn(const BenchPlan& bench, const Vocabulary& vocabulary) : bench_(bench) {
    const auto offering = [&](std::string_view capability) { return drivers_offering(vocabulary, capability); };
    for (const auto& driver : offering(CoolantUnit::kName)) add("coolant " + driver, steps::undo_coolant(driver));
    for (const auto& driver : offering(Supply::kName)) add("supply " + driver, {"supply_off", driver, {}});
    for (const auto& driver : offering(ClockSource::kName)) add("clock " + driver, steps::undo_clock(driver));
    for (const RailPlan& rail : bench.rails) add_rail(rail);
  }
  const LedgerState& state() const { return state_; }

 private:
  std::vector<std::string> drivers_offering(const Vocabulary& vocabulary, std::string_view capability) const {
    std::vector<std::string> names;
    for (const DriverPlan& driver : bench_.drivers)
      for (const DriverTypeSpec& type : vocabulary.drivers)
        if (type.driver == driver.driver && std::count(type.offers.begin(), type.offers.end(), capability) != 0)
          names.push_back(driver.name);
    return names;
  }
  void add(const std::string& key, const Undo& undo) {
    state_.add({++made_, {key + " may be on", "off, read back", key, undo}});
  }
  void add_rail(const RailPlan& rail) {
    const std::string key = "rail " + rail.name;
    if (state_.ever_live(key)) return;
    for (const std::string& before : rail.after)
      for (const RailPlan& other : bench_.rails)
        if (other.name == before) add_rail(other);
    add(key, steps::undo_rail(rail.name));
  }

  const BenchPlan& bench_;
  LedgerState state_;
  int made_ = 0;
};

}  // namespace

int safe_command(const Options& options, const Surroundings& surroundings) {
  if (options.bench.empty()) return bad_input("safe needs --bench FILE", options, surroundings);
  Diagnostics diagnostics;
  const auto plan = load_bench(options, surroundings, diagnostics);
  if (!plan || !diagnostics.empty()) return tell(diagnostics, options, surroundings);
  if (is_on_model(*plan, diagnostics)) {
    *surroundings.out << "bench \"" << plan->name << "\" is a model: nothing of it outlives its run\n";
    return kExitPass;
  }
  const SignalBlock block;  // what turns a bench off is not stopped half way
  Holder holder = myself(Holder::Kind::run);
  holder.why = "firstlight safe";
  const Lease lease(*plan, holder, true);
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  const auto station = make_second_station(*plan, std::chrono::duration_cast<std::chrono::nanoseconds>(now));
  Scheduler::Options how;
  how.wall_clock = true;
  Scheduler scheduler(station->time_source(), how);
  SafeStatePrinter printer(*surroundings.out);
  MadeSafe made;
  scheduler.run([&] {
    station->connect_early(scheduler);
    ReachableBenches benches(*plan, surroundings);
    const auto bench = benches.connect(scheduler, station->held());
    Ledger ledger(EverythingOn(*plan, surroundings.vocabulary).state(), nullptr, printer, scheduler);
    std::vector<std::unique_ptr<Bench>> anew;  // one whose connections died may still be in use
    made = make_safe({scheduler, bench.get(), ledger, printer, surroundings.undo, "by hand", kSafeStateStep, [&] {
                        anew.push_back(benches.connect(scheduler, station->anew()));
                        return anew.back().get();
                      }});
  });
  if (made.safe) lease.made_safe();
  return made.safe ? kExitPass : kExitInfrastructure;
}

}  // namespace firstlight::cli
