#include "tb/blocks/mesh/endpoint.h"

#include <numeric>
#include <stdexcept>

namespace tb::blocks {

Endpoint::Endpoint(const golden::mesh::Topology& topology, unsigned vcs, unsigned depth)
    : topology_(topology), queue_(vcs), places_(vcs, depth), receiving_(vcs), held_(vcs), depth_(depth) {}

void Endpoint::send(const Packet& packet, unsigned vc, golden::mesh::Port first) {
  queue_.at(vc).push_back({packet, first});
  ++queued_;
}

Flit Endpoint::inject() {
  std::optional<unsigned> best;
  for (unsigned vc = 0; vc < queue_.size(); ++vc) {
    if (queue_[vc].empty() || places_[vc] == 0) continue;
    if (!best || queue_[vc].front().packet.born < queue_[*best].front().packet.born) best = vc;
  }
  if (!best) return {};
  Sending& sending = queue_[*best].front();
  const std::uint64_t head = Header::pack(topology_, sending.packet);
  Flit flit;
  flit.valid = true;
  flit.head = sending.sent == 0;
  flit.tail = sending.sent + 1 == sending.packet.length;
  flit.vc = *best;
  flit.port = sending.first;
  flit.data = flit.head ? head : body_data(head, sending.sent);
  ++sending.sent;
  --places_[*best];
  if (flit.tail) {
    queue_[*best].pop_front();
    --queued_;
  }
  return flit;
}

void Endpoint::credit(unsigned vcs) {
  for (unsigned vc = 0; vc < places_.size(); ++vc) {
    if ((vcs >> vc & 1U) == 0) continue;
    if (++places_[vc] > depth_) throw std::runtime_error("the router gives more credits than it has places");
  }
}

std::optional<Arrival> Endpoint::take(const Flit& flit) {
  Receiving& packet = receiving_.at(flit.vc);
  if (++held_[flit.vc] > depth_) throw std::runtime_error("the router sends more flits than it has credits");
  if (flit.head == packet.open) throw std::runtime_error("packets are mixed in a virtual channel");
  if (flit.head)
    packet = {true, flit.data, 0, false};
  else if (flit.data != body_data(packet.head, packet.flits))
    packet.damaged = true;
  ++packet.flits;
  packet.open = !flit.tail;
  if (packet.open) return std::nullopt;
  const Header header = Header::unpack(packet.head);
  return Arrival{header, packet.damaged || header.length != packet.flits};
}

unsigned Endpoint::drain(Dice& dice, unsigned slow) {
  unsigned credits = 0;
  for (unsigned vc = 0; vc < held_.size(); ++vc) {
    if (held_[vc] == 0 || (slow != 0 && dice.one_in(slow))) continue;
    --held_[vc];
    credits |= 1U << vc;
  }
  return credits;
}

bool Endpoint::idle() const { return queued_ == 0 && std::accumulate(held_.begin(), held_.end(), 0U) == 0; }

}  // namespace tb::blocks
