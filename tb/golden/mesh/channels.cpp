#include "tb/golden/mesh/channels.h"

namespace tb::golden::mesh {
namespace {

/// Local output: spread by where packets come from.
unsigned leaving(unsigned count, const Place& place) {
  const unsigned sum = (place.vc + index(place.in)) % 4;
  switch (count) {
    case 1:
      return 0;
    case 2:
      return sum % 2;
    case 3:
      return sum % 3;
    default:
      return sum;
  }
}

/// Mesh: by the turn at the next router.
unsigned by_turn(unsigned count, Port port, Port next) {
  if (count == 1 || next == port) return 0;
  if (count == 2) return 1;
  if (next == Port::local) return count - 1;
  if (count == 3) return 1;
  return index(next) == (index(port) + 1) % 4 ? 1 : 2;
}

}  // namespace

unsigned ChannelPlan::count(bool response) const {
  if (classes == 1) return vcs;
  return response ? vcs / 2 : vcs - vcs / 2;
}

unsigned ChannelPlan::first(bool response) const { return classes == 1 || !response ? 0 : vcs - vcs / 2; }

unsigned channel(const ChannelPlan& plan, const Topology& topology, const Routes& routes, Node at, const Place& place,
                 Node dst) {
  const unsigned first = plan.first(place.response);
  const unsigned count = plan.count(place.response);
  const Port port = routes.out(at, dst);
  if (port == Port::local) return first + leaving(count, place);
  const Port next = routes.next(topology, at, dst);
  if (!topology.torus() || count == 1) return first + by_turn(count, port, next);
  // The dateline: behind the link that closes a ring a packet stays in odd channels until it leaves the ring.
  const bool behind = topology.wraps(at, port) || (place.in == opposite(port) && place.vc % 2 != 0);
  return first + (count == 4 && next != port ? 2 : 0) + (behind ? 1 : 0);
}

unsigned injection_channel(const ChannelPlan& plan, const Topology&, const Routes& routes, Node src, Node dst,
                           bool response) {
  return plan.first(response) + index(routes.out(src, dst)) % plan.count(response);
}

}  // namespace tb::golden::mesh
