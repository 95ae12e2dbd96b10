#pragma once

#include <Vmesh_end.h>

#include <array>
#include <memory>

#include "tb/blocks/link/link_pair.h"
#include "tb/blocks/mesh/ni_traffic.h"

namespace tb::blocks::mesh {

/// Two nodes, (0, 0) and (1, 0), whose routers are joined by a whole link.
class MeshLinkBench : public link::LinkPair<Vmesh_end>, public NiNodes {
 public:
  MeshLinkBench();
  /// After a reset; the link is not trained.
  void restart(std::uint64_t salt);

  using link::LinkPair<Vmesh_end>::cycle;
  void cycle(std::uint64_t count) override { link::LinkPair<Vmesh_end>::cycle(count); }
  AxiManagerAgent& manager(unsigned node) override { return *sides_[node].manager; }
  AxiMemoryAgent& memory_port(unsigned node) override { return *sides_[node].port; }
  golden::axi::SparseMemory& memory(unsigned node) override { return sides_[node].memory; }
  /// The link's own accesses: who makes them at a side, and that side's SRAM.
  AxiManagerAgent& direct(unsigned side) { return *sides_[side].direct; }
  golden::axi::SparseMemory& sram(unsigned side) { return sides_[side].sram; }

  /// The routers' ports to the link, both ends.
  void enable_ports(bool on) {
    for (unsigned n = 0; n < 2; ++n) dut(n).link_enable_i = on;
  }
  bool ports_wait() { return dut(0).waiting_o || dut(1).waiting_o; }

 protected:
  void quiet(Vmesh_end& dut) override;

 private:
  struct Side {
    golden::axi::SparseMemory memory;
    golden::axi::SparseMemory sram;
    std::unique_ptr<AxiManagerAgent> manager;
    std::unique_ptr<AxiMemoryAgent> port;
    std::unique_ptr<AxiManagerAgent> direct;
    std::unique_ptr<AxiMemoryAgent> direct_port;
  };
  std::array<Side, 2> sides_;
};

}  // namespace tb::blocks::mesh
