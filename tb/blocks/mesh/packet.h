#pragma once

#include <cstdint>

#include "tb/golden/mesh/topology.h"

namespace tb::blocks {

/// A packet on its way. Its number counts the packets of its flow: one class from one node to another.
struct Packet {
  golden::mesh::Node src = 0;
  golden::mesh::Node dst = 0;
  bool response = false;
  unsigned length = 1;  // flits, 1 to 255
  std::uint32_t number = 0;
  std::uint64_t born = 0;  // the cycle in which its node has it
};

/// What a head flit says (mesh_pkg::header_t). `user` is the bench's: number and length.
struct Header {
  unsigned dst = 0;
  bool response = false;
  unsigned src = 0;
  std::uint32_t number = 0;
  unsigned length = 0;

  static std::uint64_t pack(const golden::mesh::Topology& topology, const Packet& packet) {
    return std::uint64_t{topology.name(packet.dst)} | std::uint64_t{packet.response} << 6 |
           std::uint64_t{topology.name(packet.src)} << 7 | std::uint64_t{packet.number} << 13 |
           std::uint64_t{packet.length} << 45;
  }
  static Header unpack(std::uint64_t data) {
    return {static_cast<unsigned>(data & 0x3f), (data >> 6 & 1) != 0, static_cast<unsigned>(data >> 7 & 0x3f),
            static_cast<std::uint32_t>(data >> 13), static_cast<unsigned>(data >> 45 & 0xff)};
  }
};

/// The data of flit `index` of a packet behind its head; no two flits of a run have the same.
inline std::uint64_t body_data(std::uint64_t head, unsigned index) {
  return (head ^ std::uint64_t{index} << 53) * 0x9e37'79b9'7f4a'7c15U;
}

}  // namespace tb::blocks
