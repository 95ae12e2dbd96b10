#include "tb/blocks/mesh/fabric.h"

#include <algorithm>
#include <stdexcept>

namespace tb::blocks {

using golden::mesh::directions;
using golden::mesh::Node;
using golden::mesh::Port;

Fabric::Fabric(const golden::mesh::Topology& topology, const golden::mesh::ChannelPlan& plan, const Make& make,
               std::uint64_t seed)
    : topology_(topology),
      plan_(plan),
      routes_(dimension_order(topology)),
      in_(topology.nodes()),
      scoreboard_(topology, plan),
      dice_(seed) {
  for (Node node = 0; node < topology.nodes(); ++node) routers_.push_back(make(node));
  reset();
}

void Fabric::reset() {
  endpoints_.clear();
  for (Node node = 0; node < topology_.nodes(); ++node) endpoints_.emplace_back(topology_, plan_.vcs, depth);
  enable_.assign(topology_.nodes(), 1U << index(Port::local));
  for (Node node = 0; node < topology_.nodes(); ++node)
    for (const Port port : directions)
      if (topology_.wired(node, port)) enable_[node] |= 1U << index(port);
  by_table_ = false;
  routes_ = dimension_order(topology_);
  configure();
  for (const auto& router : routers_) router->reset();
  scoreboard_.forget();
  scoreboard_.routes(topology_, routes_);
}

void Fabric::configure() {
  const auto all = shares(topology_, routes_);
  const unsigned last = topology_.name(topology_.nodes() - 1);
  for (Node node = 0; node < topology_.nodes(); ++node)
    routers_[node]->settings({topology_.name(node), last, by_table_, enable_[node], all.at(node)});
}

void Fabric::route_by_table(const golden::mesh::Topology& topology) {
  if (!empty()) throw std::logic_error("routes change while packets are under way");
  topology_ = topology;
  by_table_ = true;
  routes_ = up_down(topology);
  for (Node node = 0; node < topology.nodes(); ++node) {
    enable_[node] = topology.alive(node) ? 1U << index(Port::local) : 0;
    for (const Port port : directions)
      if (topology.neighbour(node, port)) enable_[node] |= 1U << index(port);
  }
  configure();
  for (Node node = 0; node < topology.nodes(); ++node)
    for (Node dst = 0; dst < topology.nodes(); ++dst)
      routers_[node]->write_table(topology.name(dst), routes_.next(topology, node, dst));
  scoreboard_.routes(topology, routes_);
}

void Fabric::cut(Node node, Port port) {
  scoreboard_.cut(node, port);
  const Node other = topology_.wired(node, port).value();
  enable_[node] &= ~(1U << index(port));
  enable_[other] &= ~(1U << index(opposite(port)));
  configure();
}

void Fabric::send(Node src, Node dst, bool response, unsigned length) {
  Packet packet{src, dst, response, length, 0, now_};
  packet = scoreboard_.sent(packet);
  endpoints_.at(src).send(packet, injection_channel(plan_, topology_, routes_, src, dst, response),
                          routes_.out(src, dst));
}

void Fabric::wire(Node node, Links& in) {
  for (const Port port : directions) {
    const unsigned p = index(port);
    const auto other = topology_.wired(node, port);
    in.flit[p].valid = false;
    in.credit[p] = 0;
    if (!other) continue;
    const Links& from = routers_[*other]->out();
    in.flit[p] = from.flit[index(opposite(port))];
    in.credit[p] = from.credit[index(opposite(port))];
    if (in.flit[p].valid && in.flit[p].head && (enable_[node] >> p & 1U) != 0)
      scoreboard_.passed(node, port, in.flit[p]);
  }
}

void Fabric::cycle() {
  const unsigned local = index(Port::local);
  for (Node node = 0; node < topology_.nodes(); ++node) {
    Links& in = in_[node];
    wire(node, in);
    Endpoint& endpoint = endpoints_[node];
    const Links& out = routers_[node]->out();
    if (out.flit[local].valid)
      if (const auto arrival = endpoint.take(out.flit[local])) scoreboard_.arrived(node, *arrival, now_);
    in.credit[local] = endpoint.drain(dice_, slow_sinks);
    in.flit[local] = endpoint.inject();
    endpoint.credit(out.credit[local]);
  }
  for (Node node = 0; node < topology_.nodes(); ++node) {
    routers_[node]->cycle(in_[node]);
    if (watch) watch(node, routers_[node]->events());
  }
  ++now_;
}

bool Fabric::empty() const {
  const auto silent = [](const RouterModel& router) {
    return router.waiting() == 0 &&
           std::none_of(router.out().flit.begin(), router.out().flit.end(), [](const Flit& f) { return f.valid; });
  };
  return std::all_of(endpoints_.begin(), endpoints_.end(), [](const Endpoint& e) { return e.idle(); }) &&
         std::all_of(routers_.begin(), routers_.end(), [&](const auto& router) { return silent(*router); });
}

bool Fabric::settle(std::uint64_t limit) {
  unsigned quiet = 0;
  for (std::uint64_t i = 0; i < limit && quiet < 4; ++i) {
    cycle();
    quiet = empty() ? quiet + 1 : 0;
  }
  if (quiet < 4) return false;
  scoreboard_.settled();
  return true;
}

}  // namespace tb::blocks
