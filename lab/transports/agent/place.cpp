#include "lab/transports/agent/place.h"

#include <fmt/format.h>

#include <algorithm>

#include "lab/core/failure.h"
#include "lab/transports/agent/endpoint.h"

namespace firstlight::agent {

Place place_of(const ResourcePlan& resource, const std::string& rest) {
  const auto slash = rest.find('/');
  if (slash != std::string::npos && slash != 0 && slash + 1 < rest.size())
    return {rest.substr(0, slash), rest.substr(slash + 1)};
  throw FailureError({ErrorClass::bench, "bad_address",
                      fmt::format("{}:{}: resource \"{}\" is at \"{}\"; an address behind an agent is "
                                  "agent:AGENT/RESOURCE",
                                  resource.where.file, resource.where.line, resource.name, resource.address),
                      resource.name, "", "", "AGENT is a resource of type agent, RESOURCE a name on its host"});
}

const ResourcePlan& agent_of(const std::string& agent, const ResourcePlan& asks, const BenchPlan& bench) {
  const auto& all = bench.resources;
  const auto plan = std::find_if(all.begin(), all.end(),
                                 [&](const ResourcePlan& one) { return one.name == agent && one.type == "agent"; });
  if (plan == all.end())
    throw FailureError({ErrorClass::bench, "no_agent",
                        fmt::format("{}:{}: resource \"{}\" is at {}, and the bench has no agent \"{}\"",
                                    asks.where.file, asks.where.line, asks.name, asks.address, agent),
                        asks.name, "", "", "add a resource of type agent with that name"});
  if (!parse_endpoint(plan->address))
    throw FailureError({ErrorClass::bench, "bad_address",
                        fmt::format("{}:{}: agent \"{}\" is at \"{}\"; an agent's address is tcp://HOST:PORT or "
                                    "unix:PATH",
                                    plan->where.file, plan->where.line, agent, plan->address),
                        agent, "", "", ""});
  return *plan;
}

}  // namespace firstlight::agent
