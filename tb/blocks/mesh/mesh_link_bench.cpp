#include "tb/blocks/mesh/mesh_link_bench.h"

#include <string>

#include "tb/blocks/register_walk.h"

namespace tb::blocks::mesh {

namespace {
constexpr unsigned kTimeout = 8000;  // cycles
}  // namespace

MeshLinkBench::MeshLinkBench() : NiNodes(2) {
  for (unsigned n = 0; n < 2; ++n) {
    const std::string name = "node" + std::to_string(n);
    Side& side = sides_.at(n);
    side.manager = std::make_unique<AxiManagerAgent>(name + ".manager", FL_AXI_PINS(dut(n), s), seed() + 1 + n);
    side.port =
        std::make_unique<AxiMemoryAgent>(name + ".memory", FL_AXI_PINS(dut(n), m), side.memory, seed() + 11 + n);
    side.direct = std::make_unique<AxiManagerAgent>(name + ".direct", FL_AXI_PINS(dut(n), d), seed() + 21 + n);
    side.direct_port =
        std::make_unique<AxiMemoryAgent>(name + ".sram", FL_AXI_PINS(dut(n), n), side.sram, seed() + 31 + n);
  }
}

void MeshLinkBench::quiet(Vmesh_end& dut) {
  dut.s_aw_valid = dut.s_w_valid = dut.s_ar_valid = 0;
  dut.d_aw_valid = dut.d_w_valid = dut.d_ar_valid = 0;
  dut.m_b_valid = dut.m_r_valid = dut.n_b_valid = dut.n_r_valid = 0;
  dut.reg_mesh_i = 0;
}

void MeshLinkBench::restart(std::uint64_t salt) {
  dice = Dice(seed() * 7919 + salt);
  reset();
  for (unsigned n = 0; n < 2; ++n) {
    Side& side = sides_.at(n);
    side.memory = golden::axi::SparseMemory();
    side.sram = golden::axi::SparseMemory();
    for (AxiManagerAgent* manager : {side.manager.get(), side.direct.get()}) {
      manager->reset();
      manager->eager = 1.0;
      LinkPair::side(n).add(*manager);
    }
    for (AxiMemoryAgent* port : {side.port.get(), side.direct_port.get()}) {
      port->reset();
      port->manners = {};
      LinkPair::side(n).add(*port);
    }
  }
}

/// The pin chooses whose registers the bus means.
template <class Access>
auto MeshLinkBench::with_mesh(unsigned node, Access access) {
  struct Chosen {
    explicit Chosen(CData& pin) : pin(pin) { pin = 1; }
    Chosen(const Chosen&) = delete;
    Chosen& operator=(const Chosen&) = delete;
    Chosen(Chosen&&) = delete;
    Chosen& operator=(Chosen&&) = delete;
    ~Chosen() { pin = 0; }
    CData& pin;
  };
  const Chosen chosen(dut(node).reg_mesh_i);
  return access(registers(node));
}

std::uint32_t MeshLinkBench::mesh_read(unsigned node, std::string_view name) {
  return with_mesh(node, [&](auto& port) { return port.read("mesh." + std::string(name)); });
}

void MeshLinkBench::mesh_write(unsigned node, std::string_view name, std::uint32_t raw) {
  with_mesh(node, [&](auto& port) { port.write("mesh." + std::string(name), raw); });
}

std::vector<std::string> MeshLinkBench::walk_mesh_registers(unsigned node) {
  return with_mesh(node, [&](auto& port) { return walk_registers(port, "mesh", seed()); });
}

void MeshLinkBench::join() {
  for (unsigned n = 0; n < 2; ++n) {
    mesh_write(n, "place", n | 1U << 8U);  // the last column is 1
    mesh_write(n, "ctrl.link_port", port_of(n));
    mesh_write(n, "ctrl.enable", 1);
  }
  set_timeout(kTimeout);
  enable_ports(true);
}

void MeshLinkBench::enable_ports(bool on) {
  constexpr std::uint32_t kLocal = 1U << 4U;
  for (unsigned n = 0; n < 2; ++n) mesh_write(n, "ctrl.ports", kLocal | (on ? 1U << port_of(n) : 0));
}

void MeshLinkBench::set_timeout(unsigned cycles) {
  for (unsigned n = 0; n < 2; ++n) mesh_write(n, "timeout.cycles", cycles);
}

bool MeshLinkBench::ports_wait() {
  for (unsigned n = 0; n < 2; ++n)
    if ((mesh_read(n, "status.waiting") >> port_of(n) & 1U) != 0) return true;
  return false;
}

}  // namespace tb::blocks::mesh
