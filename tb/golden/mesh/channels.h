#pragma once

#include "tb/golden/mesh/routes.h"

namespace tb::golden::mesh {

/// How a fabric divides its virtual channels (docs/mesh.md): `classes` 1 or 2, `vcs` 2 to 4.
struct ChannelPlan {
  unsigned vcs = 4;
  unsigned classes = 2;

  /// The channels of requests (`response` false) or responses: the first, and how many.
  unsigned first(bool response) const;
  unsigned count(bool response) const;
};

/// Where a packet is: the input and the virtual channel in which it waits, and its class.
struct Place {
  Port in = Port::local;
  unsigned vc = 0;
  bool response = false;
};

/// The virtual channel in which a packet for `dst` that waits at `place` of router `at` waits next.
unsigned channel(const ChannelPlan& plan, const Topology& topology, const Routes& routes, Node at, const Place& place,
                 Node dst);

/// The virtual channel in which a node puts a packet into its own router.
unsigned injection_channel(const ChannelPlan& plan, const Topology& topology, const Routes& routes, Node src, Node dst,
                           bool response);

}  // namespace tb::golden::mesh
