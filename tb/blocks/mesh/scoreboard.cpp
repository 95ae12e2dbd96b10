#include "tb/blocks/mesh/scoreboard.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace tb::blocks {

using golden::mesh::Node;
using golden::mesh::Place;
using golden::mesh::Port;

Scoreboard::Scoreboard(const golden::mesh::Topology& topology, const golden::mesh::ChannelPlan& plan)
    : topology_(topology),
      plan_(plan),
      routes_(topology.nodes()),
      flows_(std::size_t{2} * topology.nodes() * topology.nodes()) {}

void Scoreboard::routes(const golden::mesh::Topology& topology, const golden::mesh::Routes& routes) {
  topology_ = topology;
  routes_ = routes;
  cuts_.clear();
  for (Flow& flow : flows_) {
    if (!flow.under_way.empty()) throw std::logic_error("routes change while packets are under way");
    flow.known = flow.may_be_lost = false;
  }
}

void Scoreboard::cut(Node node, Port port) {
  const auto other = topology_.wired(node, port);
  if (!other) throw std::invalid_argument("there is no such link");
  cuts_.emplace_back(node, port);
  cuts_.emplace_back(*other, opposite(port));
  for (Flow& flow : flows_)
    if (flow.known)
      for (const Hop& hop : flow.way)
        for (const auto& [at, by] : cuts_) flow.may_be_lost |= hop.node == at && hop.out == by;
}

Scoreboard::Flow& Scoreboard::flow(Node src, Node dst, bool response) {
  Flow& flow = flows_.at((std::size_t{src} * topology_.nodes() + dst) * 2 + (response ? 1 : 0));
  if (!flow.known) find_way(flow, src, dst, response);
  return flow;
}

void Scoreboard::find_way(Flow& flow, Node src, Node dst, bool response) {
  flow.known = true;
  flow.way.clear();
  const auto path = routes_.path(topology_, src, dst);
  flow.may_be_lost = path.empty();
  Place place{Port::local, injection_channel(plan_, topology_, routes_, src, dst, response), response};
  for (const Node at : path) {
    const Port out = routes_.out(at, dst);
    flow.way.push_back({at, place, out});
    place.vc = channel(plan_, topology_, routes_, at, place, dst);
    place.in = opposite(out);
    for (const auto& [node, port] : cuts_) flow.may_be_lost |= node == at && port == out;
  }
}

Node Scoreboard::node(unsigned name) const {
  const unsigned x = name & 7U;
  const unsigned y = name >> 3;
  if (x >= topology_.columns() || y >= topology_.rows()) throw std::runtime_error("a header names no node");
  return topology_.at(x, y);
}

Packet Scoreboard::sent(Packet packet) {
  Flow& flow = this->flow(packet.src, packet.dst, packet.response);
  packet.number = flow.next++;
  flow.under_way.push_back(packet);
  ++packets_sent_;
  return packet;
}

void Scoreboard::arrived(Node at, const Arrival& arrival, std::uint64_t now) {
  const Header& header = arrival.header;
  Flow& flow = this->flow(node(header.src), node(header.dst), header.response);
  const auto name = [&] {
    return fmt::format("{} {} of node {} for node {}", header.response ? "response" : "request", header.number,
                       node(header.src), node(header.dst));
  };
  if (node(header.dst) != at) throw std::runtime_error(fmt::format("{} arrives at node {}", name(), at));
  while (!flow.under_way.empty() && flow.under_way.front().number != header.number && flow.may_be_lost) {
    flow.under_way.pop_front();
    ++packets_lost_;
  }
  if (flow.under_way.empty() || flow.under_way.front().number != header.number)
    throw std::runtime_error(fmt::format("{} arrives out of order or twice", name()));
  const Packet packet = flow.under_way.front();
  flow.under_way.pop_front();
  if (arrival.damaged) {
    if (!flow.may_be_lost) throw std::runtime_error(fmt::format("{} arrives damaged", name()));
    ++packets_lost_;
    return;
  }
  ++packets_arrived_;
  flits_arrived_ += packet.length;
  if (on_arrival) on_arrival(packet, now + 1 - packet.born);
}

void Scoreboard::passed(Node node, Port in, const Flit& flit) {
  const Header header = Header::unpack(flit.data);
  const Flow& flow = this->flow(this->node(header.src), this->node(header.dst), header.response);
  const auto hop = std::find_if(flow.way.begin(), flow.way.end(), [&](const Hop& h) { return h.node == node; });
  const auto way = [&] {
    return fmt::format("a packet of node {} for node {}", this->node(header.src), this->node(header.dst));
  };
  if (hop == flow.way.end()) throw std::runtime_error(fmt::format("{} is at node {}, not on its way", way(), node));
  if (hop->place.in != in || hop->place.vc != flit.vc || hop->out != flit.port)
    throw std::runtime_error(fmt::format(
        "{} comes into node {} by port {} in channel {} for port {}; expected port {}, channel {}, port {}", way(),
        node, index(in), flit.vc, index(flit.port), index(hop->place.in), hop->place.vc, index(hop->out)));
}

void Scoreboard::settled() {
  for (std::size_t i = 0; i < flows_.size(); ++i) {
    Flow& flow = flows_[i];
    if (flow.under_way.empty()) continue;
    if (!flow.may_be_lost)
      throw std::runtime_error(fmt::format("{} packets of node {} for node {} are lost", flow.under_way.size(),
                                           i / 2 / topology_.nodes(), i / 2 % topology_.nodes()));
    packets_lost_ += flow.under_way.size();
    flow.under_way.clear();
  }
}

void Scoreboard::forget() {
  for (Flow& flow : flows_) flow = {};
  cuts_.clear();
  packets_sent_ = packets_arrived_ = flits_arrived_ = packets_lost_ = 0;
}

}  // namespace tb::blocks
