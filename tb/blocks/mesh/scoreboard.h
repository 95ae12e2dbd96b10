#pragma once

#include <deque>
#include <map>
#include <vector>

#include "tb/blocks/mesh/endpoint.h"

namespace tb::blocks {

/// Knows what is under way, by flow, and the way of each flow by the golden model. Each packet arrives once, whole, at
/// its destination, behind those of its flow that were sent before it; each head takes the links and virtual channels
/// that the model says. What may be lost need not arrive.
class Scoreboard {
 public:
  Scoreboard(const golden::mesh::Topology& topology, const golden::mesh::ChannelPlan& plan);

  /// The routes from now on; nothing may be under way.
  void routes(const golden::mesh::Topology& topology, const golden::mesh::Routes& routes);
  /// Of all that is under way or sent from now on, what passes this link may be lost.
  void cut(golden::mesh::Node node, golden::mesh::Port port);

  /// Numbers a packet.
  Packet sent(Packet packet);
  void arrived(golden::mesh::Node at, const Arrival& arrival, std::uint64_t now);
  /// A head comes into `node` by `in`.
  void passed(golden::mesh::Node node, golden::mesh::Port in, const Flit& flit);
  /// Nothing is under way any more: what has not arrived is lost.
  void settled();
  void forget();

  std::uint64_t packets_sent() const { return packets_sent_; }
  std::uint64_t packets_arrived() const { return packets_arrived_; }
  std::uint64_t flits_arrived() const { return flits_arrived_; }
  std::uint64_t packets_lost() const { return packets_lost_; }

  /// Called with each packet that arrives and how many cycles it took, from the one in which its node had it to the one
  /// in which its tail is out.
  std::function<void(const Packet&, std::uint64_t)> on_arrival;

 private:
  struct Hop {
    golden::mesh::Node node;
    golden::mesh::Place place;
    golden::mesh::Port out;
  };
  struct Flow {
    std::deque<Packet> under_way;
    std::uint32_t next = 0;
    std::vector<Hop> way;
    bool known = false;
    bool may_be_lost = false;
  };

  Flow& flow(golden::mesh::Node src, golden::mesh::Node dst, bool response);
  void find_way(Flow& flow, golden::mesh::Node src, golden::mesh::Node dst, bool response);
  golden::mesh::Node node(unsigned name) const;

  golden::mesh::Topology topology_;
  golden::mesh::ChannelPlan plan_;
  golden::mesh::Routes routes_;
  std::vector<Flow> flows_;
  std::vector<std::pair<golden::mesh::Node, golden::mesh::Port>> cuts_;
  std::uint64_t packets_sent_ = 0;
  std::uint64_t packets_arrived_ = 0;
  std::uint64_t flits_arrived_ = 0;
  std::uint64_t packets_lost_ = 0;
};

}  // namespace tb::blocks
