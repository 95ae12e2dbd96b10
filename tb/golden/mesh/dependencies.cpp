#include "tb/golden/mesh/dependencies.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>

namespace tb::golden::mesh {
namespace {

/// A virtual channel of an input.
struct Channel {
  Node node;
  Port in;
  unsigned vc;
  bool operator<(const Channel& other) const {
    return std::tie(node, in, vc) < std::tie(other.node, other.in, other.vc);
  }
};

using Graph = std::map<Channel, std::set<Channel>>;

Graph dependencies(const ChannelPlan& plan, const Topology& topology, const Routes& routes) {
  Graph graph;
  for (Node src = 0; src < topology.nodes(); ++src) {
    for (Node dst = 0; dst < topology.nodes(); ++dst) {
      for (unsigned response = 0; response < plan.classes; ++response) {
        const auto path = routes.path(topology, src, dst);
        if (path.empty()) continue;
        Place place{Port::local, injection_channel(plan, topology, routes, src, dst, response != 0), response != 0};
        Channel held{src, place.in, place.vc};
        for (std::size_t i = 1; i < path.size(); ++i) {
          const Port port = routes.out(path.at(i - 1), dst);
          place.vc = channel(plan, topology, routes, path.at(i - 1), place, dst);
          place.in = opposite(port);
          const Channel wanted{path.at(i), place.in, place.vc};
          graph[held].insert(wanted);
          held = wanted;
        }
      }
    }
  }
  return graph;
}

std::string name(const Topology& topology, const Channel& channel) {
  constexpr const char* from = "NESWL";
  return fmt::format("({},{}) from {} channel {}", topology.x(channel.node), topology.y(channel.node),
                     from[index(channel.in)], channel.vc);
}

/// Depth first; `path` is the way from where the search began.
bool closes(const Graph& graph, const Channel& at, std::set<Channel>& done, std::vector<Channel>& path) {
  const auto same = [&](const Channel& c) { return !(c < at) && !(at < c); };
  const auto seen = std::find_if(path.begin(), path.end(), same);
  if (seen != path.end()) {
    path.erase(path.begin(), seen);
    return true;
  }
  if (done.count(at) != 0) return false;
  path.push_back(at);
  const auto next = graph.find(at);
  if (next != graph.end())
    for (const Channel& wanted : next->second)
      if (closes(graph, wanted, done, path)) return true;
  path.pop_back();
  done.insert(at);
  return false;
}

}  // namespace

std::optional<std::vector<std::string>> find_ring(const ChannelPlan& plan, const Topology& topology,
                                                  const Routes& routes) {
  const Graph graph = dependencies(plan, topology, routes);
  std::set<Channel> done;
  for (const auto& entry : graph) {
    std::vector<Channel> path;
    if (!closes(graph, entry.first, done, path)) continue;
    std::vector<std::string> names;
    names.reserve(path.size());
    for (const Channel& channel : path) names.push_back(name(topology, channel));
    return names;
  }
  return std::nullopt;
}

}  // namespace tb::golden::mesh
