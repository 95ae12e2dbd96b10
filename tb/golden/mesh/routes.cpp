#include "tb/golden/mesh/routes.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <set>
#include <stdexcept>
#include <utility>

namespace tb::golden::mesh {
namespace {

constexpr unsigned unreached = std::numeric_limits<unsigned>::max();

Port step(unsigned at, unsigned to, unsigned size, bool torus, Port up, Port down) {
  if (!torus) return to > at ? up : down;
  const unsigned ahead = (to + size - at) % size;
  return 2 * ahead <= size ? up : down;
}

std::vector<unsigned> distances(const Topology& topology, Node from) {
  std::vector<unsigned> distance(topology.nodes(), unreached);
  std::deque<Node> queue{from};
  distance.at(from) = 0;
  while (!queue.empty()) {
    const Node node = queue.front();
    queue.pop_front();
    for (const Port port : directions) {
      const auto other = topology.neighbour(node, port);
      if (!other || distance.at(*other) != unreached) continue;
      distance.at(*other) = distance.at(node) + 1;
      queue.push_back(*other);
    }
  }
  return distance;
}

/// The island of routers around `node`, in the order of their ranks; the root is the one from which the farthest is
/// nearest.
std::vector<Node> ranked_island(const Topology& topology, Node node) {
  const auto island = distances(topology, node);
  std::vector<unsigned> from_root;
  unsigned best = unreached;
  for (Node root = 0; root < topology.nodes(); ++root) {
    if (island.at(root) == unreached) continue;
    const auto distance = distances(topology, root);
    unsigned farthest = 0;
    for (const unsigned d : distance)
      if (d != unreached) farthest = std::max(farthest, d);
    if (farthest < best) {
      best = farthest;
      from_root = distance;
    }
  }
  std::vector<Node> ranked;
  for (Node n = 0; n < topology.nodes(); ++n)
    if (island.at(n) != unreached) ranked.push_back(n);
  std::stable_sort(ranked.begin(), ranked.end(), [&](Node a, Node b) { return from_root.at(a) < from_root.at(b); });
  return ranked;
}

/// Of the ways that are as short, destinations take different ones.
bool preferred(Port port, Port before, Node dst) { return (index(port) + dst) % 4 < (index(before) + dst) % 4; }

/// Routes to `dst` in its island. `rank` is by router.
void route_island(const Topology& topology, const std::vector<Node>& ranked, const std::vector<unsigned>& rank,
                  Node dst, Routes& routes) {
  std::vector<unsigned> length(topology.nodes(), unreached);
  length.at(dst) = 0;
  routes.set(dst, dst, Port::local);
  const auto improve = [&](Node node, bool down) {
    for (const Port port : directions) {
      const auto other = topology.neighbour(node, port);
      if (!other || (rank.at(*other) > rank.at(node)) != down || length.at(*other) == unreached) continue;
      const unsigned through = length.at(*other) + 1;
      const bool better = through < length.at(node);
      if (better || (through == length.at(node) && preferred(port, routes.out(node, dst), dst))) {
        length.at(node) = through;
        routes.set(node, dst, port);
      }
    }
  };
  // Down only: from the destination towards the root, so what lies below a router is settled before it.
  for (auto node = ranked.rbegin(); node != ranked.rend(); ++node)
    if (*node != dst) improve(*node, true);
  // All others go up; what lies above a router is settled before it. The root reaches everything by going down.
  const auto settled = length;
  for (const Node node : ranked)
    if (settled.at(node) == unreached) improve(node, false);
}

}  // namespace

Routes::Routes(unsigned nodes) : out_(nodes, std::vector<Port>(nodes, Port::nowhere)) {}

Port Routes::next(const Topology& topology, Node at, Node dst) const {
  const Port port = out(at, dst);
  if (port == Port::nowhere) return Port::nowhere;
  const auto other = topology.wired(at, port);
  return other ? out(*other, dst) : Port::local;
}

std::vector<Node> Routes::path(const Topology& topology, Node src, Node dst) const {
  std::vector<Node> path{src};
  while (out(path.back(), dst) != Port::local) {
    const Port port = out(path.back(), dst);
    if (port == Port::nowhere) return {};
    const auto other = topology.neighbour(path.back(), port);
    if (!other) throw std::logic_error("a way leads over a dead link");
    if (path.size() > topology.nodes()) throw std::logic_error("a way goes in circles");
    path.push_back(*other);
  }
  return path;
}

Routes dimension_order(const Topology& topology) {
  Routes routes(topology.nodes());
  for (Node at = 0; at < topology.nodes(); ++at) {
    for (Node dst = 0; dst < topology.nodes(); ++dst) {
      Port port = Port::local;
      if (topology.x(at) != topology.x(dst))
        port = step(topology.x(at), topology.x(dst), topology.columns(), topology.torus(), Port::east, Port::west);
      else if (topology.y(at) != topology.y(dst))
        port = step(topology.y(at), topology.y(dst), topology.rows(), topology.torus(), Port::south, Port::north);
      routes.set(at, dst, port);
    }
  }
  return routes;
}

Routes up_down(const Topology& topology) {
  Routes routes(topology.nodes());
  for (Node dst = 0; dst < topology.nodes(); ++dst) {
    if (!topology.alive(dst)) continue;
    const auto ranked = ranked_island(topology, dst);
    std::vector<unsigned> rank(topology.nodes(), unreached);
    for (unsigned r = 0; r < ranked.size(); ++r) rank.at(ranked.at(r)) = r;
    route_island(topology, ranked, rank, dst, routes);
  }
  return routes;
}

std::vector<Shares> shares(const Topology& topology, const Routes& routes) {
  constexpr unsigned most = 15;
  std::vector<std::array<std::array<std::set<Node>, ports>, ports>> sources(topology.nodes());
  for (Node src = 0; src < topology.nodes(); ++src) {
    for (Node dst = 0; dst < topology.nodes(); ++dst) {
      Port in = Port::local;
      for (const Node node : routes.path(topology, src, dst)) {
        const Port out = routes.out(node, dst);
        sources.at(node).at(index(out)).at(index(in)).insert(src);
        in = opposite(out);
      }
    }
  }
  std::vector<Shares> result(topology.nodes());
  for (Node node = 0; node < topology.nodes(); ++node) {
    for (unsigned out = 0; out < ports; ++out) {
      const auto& from = sources.at(node).at(out);
      std::size_t all = most;
      for (const auto& set : from) all = std::max(all, set.size());
      for (unsigned in = 0; in < ports; ++in) {
        const std::size_t share = (from.at(in).size() * most + all / 2) / all;
        result.at(node).at(out).at(in) = from.at(in).empty() ? 0 : std::max(1U, static_cast<unsigned>(share));
      }
    }
  }
  return result;
}

}  // namespace tb::golden::mesh
