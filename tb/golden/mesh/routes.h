#pragma once

#include <array>
#include <vector>

#include "tb/golden/mesh/topology.h"

namespace tb::golden::mesh {

/// By which output packets leave each router on their way to each destination: all routing of the mesh depends on
/// nothing else.
class Routes {
 public:
  explicit Routes(unsigned nodes);

  Port out(Node at, Node dst) const { return out_.at(at).at(dst); }
  void set(Node at, Node dst, Port port) { out_.at(at).at(dst) = port; }
  unsigned nodes() const { return static_cast<unsigned>(out_.size()); }

  /// What the table of router `at` holds for `dst`: the output at the router behind `out(at, dst)`.
  Port next(const Topology& topology, Node at, Node dst) const;
  /// The routers from `src` to `dst`, both included. Empty when no way leads there. Throws std::logic_error when the
  /// way meets a dead link or does not end.
  std::vector<Node> path(const Topology& topology, Node src, Node dst) const;

 private:
  std::vector<std::vector<Port>> out_;
};

/// Dimension order, x before y; in a torus the shorter way round, east and south when both are as long. Knows nothing
/// of dead links.
Routes dimension_order(const Topology& topology);

/// up*/down* (Schroeder and others, Autonet, 1991): routers are ranked by their distance from a root, a link goes up to
/// the lower rank, and no packet goes up once it has gone down. Dependencies between links then make no ring, whatever
/// is dead. A packet goes down as soon as it can reach its destination by going down only, so that the way depends on
/// router and destination alone. What a packet cannot reach is `Port::nowhere`.
Routes up_down(const Topology& topology);

/// shares[output][input] of a router, 0 to 15: in proportion to the number of nodes whose packets come in there and
/// leave here.
using Shares = std::array<std::array<unsigned, ports>, ports>;
std::vector<Shares> shares(const Topology& topology, const Routes& routes);

}  // namespace tb::golden::mesh
