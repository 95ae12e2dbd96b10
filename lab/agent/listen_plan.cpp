#include <fmt/format.h>

#include <algorithm>

#include "lab/agent/model_server.h"
#include "lab/core/failure.h"

namespace firstlight {

namespace {

constexpr const char* kFreePort = "tcp://127.0.0.1:0";
constexpr const char* kTerminal = "pty";

[[noreturn]] void refuse(const BenchPlan& bench, const std::string& why, const std::string& cause) {
  throw FailureError({ErrorClass::bench, "bad_model_setting", fmt::format("{}: `model: listen` {}", bench.file, why),
                      "model", "", "", cause});
}

const ResourcePlan* resource_of(const BenchPlan& bench, const std::string& name) {
  const auto found = std::find_if(bench.resources.begin(), bench.resources.end(),
                                  [&](const ResourcePlan& one) { return one.name == name; });
  return found == bench.resources.end() ? nullptr : &*found;
}

agent::Endpoint endpoint_of(const BenchPlan& bench, const std::string& name, const std::string& text) {
  const auto endpoint = agent::parse_endpoint(text);
  if (!endpoint)
    refuse(bench, fmt::format("puts {} at \"{}\"", name, text),
           "write tcp://HOST:PORT, unix:PATH, or pty for a serial line");
  return *endpoint;
}

void read_entry(const BenchPlan& bench, const std::string& name, const Value& value, ListenPlan& plan) {
  const auto* text = std::get_if<std::string>(&value.data);
  if (text == nullptr) refuse(bench, fmt::format("has no text for {}", name), "as in: psu0: tcp://127.0.0.1:5025");
  if (name == "agent") {
    plan.agent = endpoint_of(bench, name, *text);
    return;
  }
  const ResourcePlan* resource = resource_of(bench, name);
  if (resource == nullptr || resource->type != "scpi")
    refuse(bench, fmt::format("names \"{}\", which is no scpi resource of the bench", name),
           "buses, registers, lines and memory are reached through the agent");
  if (*text == kTerminal)
    plan.terminals.push_back(name);
  else
    plan.sockets[name] = endpoint_of(bench, name, *text);
}

}  // namespace

ListenPlan listen_plan(const BenchPlan& bench) {
  ListenPlan plan;
  plan.agent = *agent::parse_endpoint(kFreePort);
  if (const auto listen = bench.model.find("listen"); listen != bench.model.end()) {
    const auto* map = std::get_if<Value::Map>(&listen->second.data);
    if (map == nullptr) refuse(bench, "is no map", "as in: listen: {psu0: tcp://127.0.0.1:5025}");
    for (const auto& [name, value] : *map) read_entry(bench, name, value, plan);
  }
  for (const ResourcePlan& one : bench.resources) {
    const bool placed = plan.sockets.count(one.name) != 0 ||
                        std::find(plan.terminals.begin(), plan.terminals.end(), one.name) != plan.terminals.end();
    if (one.type == "scpi" && !placed) plan.sockets[one.name] = *agent::parse_endpoint(kFreePort);
  }
  return plan;
}

}  // namespace firstlight
