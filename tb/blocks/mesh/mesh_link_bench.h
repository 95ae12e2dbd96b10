#pragma once

#include <Vmesh_end.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tb/blocks/link/link_pair.h"
#include "tb/blocks/mesh/ni_traffic.h"

namespace tb::blocks::mesh {

/// Two nodes, (0, 0) and (1, 0), whose routers are joined by a whole link.
class MeshLinkBench : public link::LinkPair<Vmesh_end>, public NiNodes {
 public:
  MeshLinkBench();
  /// After a reset; the link is not trained, and no node is in the mesh.
  void restart(std::uint64_t salt);

  using link::LinkPair<Vmesh_end>::cycle;
  void cycle(std::uint64_t count) override { link::LinkPair<Vmesh_end>::cycle(count); }
  AxiManagerAgent& manager(unsigned node) override { return *sides_[node].manager; }
  AxiMemoryAgent& memory_port(unsigned node) override { return *sides_[node].port; }
  golden::axi::SparseMemory& memory(unsigned node) override { return sides_[node].memory; }
  /// The link's own accesses: who makes them at a side, and that side's SRAM.
  AxiManagerAgent& direct(unsigned side) { return *sides_[side].direct; }
  golden::axi::SparseMemory& sram(unsigned side) { return sides_[side].sram; }

  // Registers of the mesh, by names without the block.
  std::uint32_t mesh_read(unsigned node, std::string_view name);
  void mesh_write(unsigned node, std::string_view name, std::uint32_t raw);
  /// What differs from rtl/regs/mesh.yaml, just after a reset.
  std::vector<std::string> walk_mesh_registers(unsigned node);

  /// Takes both nodes into the mesh.
  void join();
  /// The routers' ports to the link, at one end and then at the other.
  void enable_ports(bool on);
  void set_timeout(unsigned cycles);
  /// Flits of the link wait in a router.
  bool ports_wait();

 protected:
  void quiet(Vmesh_end& dut) override;

 private:
  static constexpr std::uint32_t port_of(unsigned node) { return node == 0 ? 1 : 3; }  ///< to the link: east, west
  template <class Access>
  auto with_mesh(unsigned node, Access access);

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
