#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <nlohmann/json.hpp>
#include <ostream>

#include "lab/cli/commands.h"
#include "lab/cli/lease.h"
#include "lab/cli/plans.h"
#include "lab/core/failure.h"
#include "lab/core/quantity.h"

namespace firstlight::cli {

namespace {

constexpr const char* kUsualTime = "2 h";

/// A duration as people say it; quantities know seconds only.
std::optional<double> seconds_of(std::string text) {
  const auto ends = [&](std::string_view unit) {
    return text.size() > unit.size() && text.compare(text.size() - unit.size(), unit.size(), unit) == 0;
  };
  double factor = 1;
  constexpr double kDay = 86400;
  if (ends("d")) {
    factor = kDay;
    text.replace(text.size() - 1, 1, "s");
  }
  const auto value = parse_quantity(text, Dimension::time);
  return value && value->value > 0 ? std::optional(value->value * factor) : std::nullopt;
}

std::optional<BenchPlan> bench_of(const Options& options, const Surroundings& surroundings, Diagnostics& diagnostics) {
  auto bench = load_bench(options, surroundings, diagnostics);
  if (!diagnostics.empty()) return {};
  return bench;
}

int needs_bench(const Options& options, const Surroundings& surroundings) {
  return bad_input(options.command + " needs --bench FILE", options, surroundings);
}

nlohmann::ordered_json json_of(const Holder& holder) {
  nlohmann::ordered_json json = {{"who", holder.who}, {"since", holder.since}, {"why", holder.why}};
  if (!holder.until.empty()) json["until"] = holder.until;
  if (!holder.run.empty()) json["run"] = holder.run;
  return json;
}

nlohmann::ordered_json json_of(const LeaseState& state) {
  nlohmann::ordered_json json = {{"bench", state.bench}, {"free", state.free()}};
  if (state.run) json["run"] = json_of(*state.run);
  if (state.person) json["person"] = json_of(*state.person);
  if (state.left_hot) json["left_hot"] = json_of(*state.left_hot);
  if (!state.unknown.empty()) json["unknown"] = state.unknown;
  return json;
}

void print(const LeaseState& state, std::ostream& out) {
  const bool used = state.run || state.person;
  std::string what = used ? "in use" : state.left_hot ? "not made safe" : "free";
  if (!state.unknown.empty()) what = "not known: " + state.unknown;
  out << state.bench << ": " << what << "\n";
  if (state.run) out << "  " << to_text(*state.run) << "\n";
  if (state.person) out << "  kept for " << to_text(*state.person) << "\n";
  if (state.left_hot) {
    out << "  may still be energised: run " << state.left_hot->run
        << " ended without making it safe; `firstlight recover " << state.left_hot->run << "`\n";
  }
}

}  // namespace

int lock_command(const Options& options, const Surroundings& surroundings) {
  if (options.bench.empty()) return needs_bench(options, surroundings);
  const std::string time = options.for_time.empty() ? kUsualTime : options.for_time;
  const auto length = seconds_of(time);
  if (!length) return bad_input("--for takes a time, as in --for \"2 h\", not \"" + time + "\"", options, surroundings);
  Diagnostics diagnostics;
  const auto bench = bench_of(options, surroundings, diagnostics);
  if (!bench) return tell(diagnostics, options, surroundings);
  Holder holder = myself(Holder::Kind::person);
  holder.why = options.reason;
  holder.expires = static_cast<long long>(std::time(nullptr)) + static_cast<long long>(*length);
  holder.until = fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(static_cast<std::time_t>(holder.expires)));
  hold_for_person(*bench, holder, options.force);
  *surroundings.out << fmt::format("bench \"{}\" is kept for {}\n", bench->name, to_text(holder));
  return kExitPass;
}

int unlock_command(const Options& options, const Surroundings& surroundings) {
  if (options.bench.empty()) return needs_bench(options, surroundings);
  Diagnostics diagnostics;
  const auto bench = bench_of(options, surroundings, diagnostics);
  if (!bench) return tell(diagnostics, options, surroundings);
  const bool held = give_back(*bench, options.force);
  *surroundings.out << fmt::format("bench \"{}\" {}\n", bench->name, held ? "is given back" : "was kept for nobody");
  return kExitPass;
}

int who_command(const Options& options, const Surroundings& surroundings) {
  std::vector<LeaseState> states;
  if (options.bench.empty()) {
    states = all_leases();
  } else {
    Diagnostics diagnostics;
    const auto bench = bench_of(options, surroundings, diagnostics);
    if (!bench) return tell(diagnostics, options, surroundings);
    states.push_back(lease_of(*bench));
  }
  auto& out = *surroundings.out;
  if (options.json) {
    auto list = nlohmann::ordered_json::array();
    for (const auto& state : states) list.push_back(json_of(state));
    out << list.dump(2) << "\n";
    return kExitPass;
  }
  int told = 0;
  for (const auto& state : states) {
    // Every bench that was ever used has a lock; which are free is of interest for those that were asked for.
    if (options.bench.empty() && state.free() && !state.left_hot) continue;
    print(state, out);
    ++told;
  }
  if (told == 0) out << fmt::format("nobody has a bench ({} free; locks are in {})\n", states.size(), lock_folder());
  return kExitPass;
}

}  // namespace firstlight::cli
