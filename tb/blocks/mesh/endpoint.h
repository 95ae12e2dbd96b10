#pragma once

#include <array>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "tb/blocks/dice.h"
#include "tb/blocks/mesh/packet.h"
#include "tb/blocks/mesh/router_model.h"

namespace tb::blocks {

/// What came out of the mesh: a whole packet, or, `damaged`, one whose flits are not those that were sent.
struct Arrival {
  Header header;
  bool damaged = false;
};

/// A node behind the local port of its router: a queue for each virtual channel, as long as need be, and a sink that
/// can be slow.
class Endpoint {
 public:
  Endpoint(const golden::mesh::Topology& topology, unsigned vcs, unsigned depth);

  /// Puts a packet into the queue of `vc`; `first` is its output at the router.
  void send(const Packet& packet, unsigned vc, golden::mesh::Port first);
  /// The flit for the router in this cycle, if a credit and a packet are there: the oldest packet goes first.
  Flit inject();
  void credit(unsigned vcs);
  /// A flit from the router.
  std::optional<Arrival> take(const Flit& flit);
  /// The credits that the sink gives back in this cycle. It keeps a flit for a while in one of `slow` cycles, 0: never.
  unsigned drain(Dice& dice, unsigned slow);

  /// Whether there is nothing here to send or to give back.
  bool idle() const;
  std::size_t queued() const { return queued_; }

 private:
  struct Sending {
    Packet packet;
    golden::mesh::Port first;
    unsigned sent = 0;
  };
  struct Receiving {
    bool open = false;
    std::uint64_t head = 0;
    unsigned flits = 0;
    bool damaged = false;
  };

  const golden::mesh::Topology& topology_;
  std::vector<std::deque<Sending>> queue_;
  std::vector<unsigned> places_;
  std::vector<Receiving> receiving_;
  std::vector<unsigned> held_;  // flits that the sink has not let go
  unsigned depth_;
  std::size_t queued_ = 0;
};

}  // namespace tb::blocks
