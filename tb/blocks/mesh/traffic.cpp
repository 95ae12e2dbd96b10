#include "tb/blocks/mesh/traffic.h"

#include <algorithm>
#include <map>

namespace tb::blocks {

using golden::mesh::Node;
using golden::mesh::Port;
using golden::mesh::Routes;
using golden::mesh::Topology;

namespace {

constexpr unsigned hot_one_in = 8;

Node hot_node(const Topology& topology) { return topology.at(topology.columns() / 2, topology.rows() / 2); }

/// What share of a node's packets goes where.
std::map<Node, double> distribution(Pattern pattern, const Topology& topology, Node src) {
  std::map<Node, double> share;
  const double even = 1.0 / topology.nodes();
  Dice unused(0);
  switch (pattern) {
    case Pattern::uniform:
      for (Node dst = 0; dst < topology.nodes(); ++dst) share[dst] = even;
      return share;
    case Pattern::hotspot:
      for (Node dst = 0; dst < topology.nodes(); ++dst) share[dst] = even * (1 - 1.0 / hot_one_in);
      share[hot_node(topology)] += 1.0 / hot_one_in;
      return share;
    default:
      share[destination(pattern, topology, src, unused)] = 1;
      return share;
  }
}

}  // namespace

std::string name(Pattern pattern) {
  switch (pattern) {
    case Pattern::uniform:
      return "uniform";
    case Pattern::transpose:
      return "transpose";
    case Pattern::bit_complement:
      return "bit_complement";
    case Pattern::hotspot:
      return "hotspot";
    case Pattern::neighbour:
      return "neighbour";
    case Pattern::tornado:
      return "tornado";
  }
  return {};
}

Node destination(Pattern pattern, const Topology& topology, Node src, Dice& dice) {
  const unsigned columns = topology.columns();
  const unsigned rows = topology.rows();
  const unsigned x = topology.x(src);
  const unsigned y = topology.y(src);
  switch (pattern) {
    case Pattern::uniform:
      return dice.below(topology.nodes());
    case Pattern::transpose:
      return topology.at(y, x);
    case Pattern::bit_complement:
      return topology.at(columns - 1 - x, rows - 1 - y);
    case Pattern::hotspot:
      return dice.one_in(hot_one_in) ? hot_node(topology) : dice.below(topology.nodes());
    case Pattern::neighbour:
      return topology.at((x + 1) % columns, y);
    case Pattern::tornado:
      return topology.at((x + (columns + 1) / 2 - 1) % columns, (y + (rows + 1) / 2 - 1) % rows);
  }
  return src;
}

void Traffic::cycle() {
  constexpr double scale = 4294967296.0;
  const auto threshold = static_cast<std::uint64_t>(load_.flits / load_.length * scale);
  const Topology& topology = fabric_.topology();
  for (Node src = 0; src < topology.nodes(); ++src) {
    if (dice_.word() >= threshold || !topology.alive(src)) continue;
    const bool response = fabric_.plan().classes == 2 && dice_.coin();
    fabric_.send(src, destination(load_.pattern, topology, src, dice_), response, load_.length);
  }
}

Point measure(Fabric& fabric, const Load& load, const Effort& effort, std::uint64_t seed, double worst) {
  Traffic traffic(fabric, load, seed);
  const std::uint64_t begin = fabric.now() + effort.warm_up;
  const std::uint64_t end = begin + effort.measured;
  std::uint64_t total = 0;
  std::uint64_t packets = 0;
  std::uint64_t flits = 0;
  std::uint64_t born = 0;
  std::vector<std::uint64_t> through(fabric.topology().nodes());
  fabric.scoreboard().on_arrival = [&](const Packet& packet, std::uint64_t latency) {
    if (fabric.now() >= begin && fabric.now() < end) {
      flits += packet.length;
      through.at(packet.src) += packet.length;
    }
    if (packet.born < begin || packet.born >= end) return;
    total += latency;
    ++packets;
  };
  while (fabric.now() < end) {
    const std::uint64_t before = fabric.scoreboard().packets_sent();
    traffic.cycle();
    if (fabric.now() >= begin) born += fabric.scoreboard().packets_sent() - before;
    fabric.cycle();
  }
  // The others go on sending while those that were measured are still under way.
  const auto patience = end + static_cast<std::uint64_t>(worst) * 4;
  while (packets < born && fabric.now() < patience) {
    traffic.cycle();
    fabric.cycle();
  }
  Point point{load, 0, 0, std::nullopt};
  const double cycles = effort.measured;
  point.accepted = static_cast<double>(flits) / cycles / fabric.topology().nodes();
  point.least = static_cast<double>(*std::min_element(through.begin(), through.end())) / cycles;
  if (packets == born && packets > 0) point.latency = static_cast<double>(total) / static_cast<double>(packets);
  fabric.scoreboard().on_arrival = nullptr;
  fabric.reset();
  return point;
}

Saturation saturation(Fabric& fabric, Pattern pattern, unsigned length, const Effort& effort, std::uint64_t seed) {
  constexpr unsigned steps = 200;  // of 0.005
  Saturation result;
  result.zero_load = zero_load(fabric.topology(), fabric.routes(), pattern, length);
  const double worst = 3 * result.zero_load;
  unsigned good = 0;
  unsigned bad = steps + 1;
  while (bad - good > 1) {
    const unsigned middle = (good + bad) / 2;
    const Point point = measure(fabric, {pattern, length, static_cast<double>(middle) / steps}, effort, seed, worst);
    (point.latency && *point.latency <= worst ? good : bad) = middle;
  }
  result.flits = static_cast<double>(good) / steps;
  return result;
}

double zero_load(const Topology& topology, const Routes& routes, Pattern pattern, unsigned length) {
  double sum = 0;
  for (Node src = 0; src < topology.nodes(); ++src)
    for (const auto& [dst, share] : distribution(pattern, topology, src))
      sum += share * static_cast<double>(routes.path(topology, src, dst).size() + length);
  return sum / topology.nodes();
}

double bound(const Topology& topology, const Routes& routes, Pattern pattern) {
  std::map<std::pair<Node, Port>, double> flow;
  for (Node src = 0; src < topology.nodes(); ++src)
    for (const auto& [dst, share] : distribution(pattern, topology, src))
      for (const Node node : routes.path(topology, src, dst)) flow[{node, routes.out(node, dst)}] += share;
  double busiest = 1;
  for (const auto& entry : flow) busiest = std::max(busiest, entry.second);
  return 1 / busiest;
}

}  // namespace tb::blocks
