#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ostream>

#include "lab/agent/server.h"
#include "lab/cli/commands.h"
#include "lab/cli/plans.h"
#include "lab/cli/signal_watch.h"
#include "lab/core/failure.h"
#include "lab/transports/agent/token.h"

namespace firstlight::cli {

namespace {

constexpr const char* kListen = "tcp://127.0.0.1:5099";
constexpr const char* kTokenVariable = "FIRSTLIGHT_AGENT_TOKEN";
constexpr std::array<std::string_view, 6> kServed = {"i2c", "registers", "dma_memory", "gpio", "hwmon", "scpi"};

std::vector<ResourcePlan> served(const BenchPlan& bench) {
  std::vector<ResourcePlan> out;
  std::copy_if(bench.resources.begin(), bench.resources.end(), std::back_inserter(out), [](const ResourcePlan& one) {
    return std::find(kServed.begin(), kServed.end(), one.type) != kServed.end();
  });
  return out;
}

void announce(std::ostream& out, const agent::Endpoint& endpoint, const std::vector<ResourcePlan>& resources) {
  out << fmt::format("The agent listens at {} and serves:\n", endpoint.text());
  for (const ResourcePlan& one : resources) out << fmt::format("  {:<12} {:<12} {}\n", one.name, one.type, one.address);
  if (!agent::is_loopback(endpoint))
    out << "Others on this network reach it. It asks for the token, but nothing is encrypted: on a network that is not "
           "the lab's own, listen on 127.0.0.1 and use `ssh -L`.\n";
  out << std::flush;
}

int serve(const Options& options, const Surroundings& surroundings, const BenchPlan& bench, agent::Endpoint listen,
          std::string token) {
  const SignalBlock block;
  const auto station = surroundings.lab(bench, options.seed.value_or(0));
  Scheduler::Options how;
  how.wall_clock = true;
  Scheduler scheduler(station->time_source(), how);
  const auto stop = scheduler.make_event();
  std::optional<SignalWatch> signals;
  if (surroundings.watch_signals) signals.emplace([&](int) { scheduler.post([&] { stop->fire(); }); });
  IoThread io;
  TransportProvider& wires = station->connect(scheduler);
  scheduler.run([&] {
    const auto resources = served(bench);
    const agent::AgentServer server(scheduler, io, wires, {std::move(listen), std::move(token), resources});
    announce(*surroundings.out, server.endpoint(), resources);
    while (!scheduler.wait(*stop, kNever)) {
    }
  });
  return kExitPass;
}

}  // namespace

int agent_command(const Options& options, const Surroundings& surroundings) {
  if (options.bench.empty())
    return bad_input("agent needs --bench FILE, which names the resources of this host that it serves", options,
                     surroundings);
  const auto listen = agent::parse_endpoint(options.listen.empty() ? kListen : options.listen);
  if (!listen)
    return bad_input("--listen takes tcp://HOST:PORT or unix:PATH, not \"" + options.listen + "\"", options,
                     surroundings);
  Diagnostics diagnostics;
  const auto bench = load_bench(options, surroundings, diagnostics);
  if (!bench || !diagnostics.empty()) return tell(diagnostics, options, surroundings);
  if (is_on_model(*bench, diagnostics) && !bench->resources.empty())
    return bad_input(options.bench + " is a model's bench; `firstlight model --listen DIR` serves a model", options,
                     surroundings);
  std::string token = options.token_file.empty() ? agent::token_from_environment(kTokenVariable)
                                                 : agent::token_from_file(options.token_file);
  return serve(options, surroundings, *bench, *listen, std::move(token));
}

}  // namespace firstlight::cli
