#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "tb/blocks/mesh/endpoint.h"
#include "tb/blocks/mesh/scoreboard.h"

namespace tb::blocks {

/// Verilated routers wired as a mesh or a torus, a node behind each. All outputs of a router are registers, so a cycle
/// of the whole is a cycle of each, in any order.
class Fabric {
 public:
  using Make = std::function<std::unique_ptr<RouterModel>(golden::mesh::Node)>;
  static constexpr unsigned depth = 8;

  Fabric(const golden::mesh::Topology& topology, const golden::mesh::ChannelPlan& plan, const Make& make,
         std::uint64_t seed);

  /// Forgets everything and begins anew, by dimension order.
  void reset();
  /// Routes by tables from now on, around what is dead in `topology`; the fabric must be empty.
  void route_by_table(const golden::mesh::Topology& topology);
  /// Takes a link out of service at both ends, at any moment: what is on it is lost.
  void cut(golden::mesh::Node node, golden::mesh::Port port);

  void send(golden::mesh::Node src, golden::mesh::Node dst, bool response, unsigned length);
  void cycle();
  /// Cycles until nothing is under way, `limit` at the most. True when it is so.
  bool settle(std::uint64_t limit);
  bool empty() const;

  std::uint64_t now() const { return now_; }
  const golden::mesh::Topology& topology() const { return topology_; }
  const golden::mesh::ChannelPlan& plan() const { return plan_; }
  const golden::mesh::Routes& routes() const { return routes_; }
  Scoreboard& scoreboard() { return scoreboard_; }
  RouterModel& router(golden::mesh::Node node) { return *routers_.at(node); }
  std::size_t queued(golden::mesh::Node node) const { return endpoints_.at(node).queued(); }

  /// In how many cycles of this many a sink keeps a flit; 0: it never does.
  unsigned slow_sinks = 0;
  /// Called with each cycle's events of each router, when it is set.
  std::function<void(golden::mesh::Node, const Events&)> watch;

 private:
  void configure();
  void wire(golden::mesh::Node node, Links& in);

  golden::mesh::Topology topology_;
  golden::mesh::ChannelPlan plan_;
  golden::mesh::Routes routes_;
  bool by_table_ = false;
  std::vector<unsigned> enable_;
  std::vector<std::unique_ptr<RouterModel>> routers_;
  std::vector<Endpoint> endpoints_;
  std::vector<Links> in_;
  Scoreboard scoreboard_;
  Dice dice_;
  std::uint64_t now_ = 0;
};

}  // namespace tb::blocks
