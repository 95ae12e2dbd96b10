#include "lab/cli/making_safe.h"

#include <fmt/format.h>

#include "lab/runner/safe_state.h"

namespace firstlight::cli {

void SafeStatePrinter::logged(const Logged& event) { out_ << "firstlight: " << event.message << "\n" << std::flush; }

void SafeStatePrinter::ledger(const LedgerEvent& event) {
  if (event.event == "undo") {
    out_ << "  " << event.key << ": to do: " << event.undo << "\n";
  } else if (event.event == "undone") {
    out_ << "  " << event.key << ": done\n";
  } else if (event.event == "cut") {
    out_ << "  " << event.what << ": turned off\n";
  } else if (event.failure) {
    out_ << "  " << event.key << ": FAILED: " << event.failure->failure.message << "\n";
  }
  out_ << std::flush;
}

void SafeStatePrinter::made_safe(const MadeSafe& event) {
  for (const auto& rail : event.verified) {
    out_ << fmt::format("  {}: {}", rail.rail, rail.safe ? "off" : rail.voltage ? "STILL ON" : "NOT SEEN TO BE OFF");
    if (rail.voltage) out_ << ", " << to_text(Voltage(*rail.voltage));
    if (!rail.note.empty()) out_ << " (" << rail.note << ")";
    out_ << "\n";
  }
  if (event.safe) {
    out_ << "the bench is safe\n" << std::flush;
  } else {
    const Failure failure = bench_unsafe(event).failure;
    out_ << "THE BENCH IS NOT SAFE: " << failure.message << "\n  " << failure.likely_cause << "\n" << std::flush;
  }
}

std::unique_ptr<Bench> ReachableBenches::connect(BenchTime& time, TransportProvider& transports) {
  auto bench = std::make_unique<Bench>(plan_, time);
  for (const Failure& failure : surroundings_.build_reachable_drivers(*bench, transports))
    if (told_.insert(failure.message).second)
      *surroundings_.err << "firstlight: left out: " << failure.message << "\n" << std::flush;
  return bench;
}

bool take_over_run(SecondStation& station, Scheduler& scheduler, const BenchPlan& bench, TakeoverRequest request,
                   const Surroundings& surroundings) {
  request.undo = surroundings.undo;
  ReachableBenches benches(bench, surroundings);
  request.connect = [&](BenchTime& time) { return benches.connect(time, station.held()); };
  request.connect_anew = [&](BenchTime& time) { return benches.connect(time, station.anew()); };
  SafeStatePrinter printer(*surroundings.err);
  TakenOver over;
  scheduler.run([&] { over = take_over(scheduler, printer, request); });
  if (!over.trouble.empty()) *surroundings.err << "firstlight: the record is not whole: " << over.trouble << "\n";
  try {
    surroundings.write_views(request.folder);
    *surroundings.err << "Report " << request.folder << "/report.html\n" << std::flush;
  } catch (const FailureError& error) {
    *surroundings.err << "firstlight: the report could not be made: " << error.failure().message << "\n";
  }
  return over.made.safe;
}

}  // namespace firstlight::cli
