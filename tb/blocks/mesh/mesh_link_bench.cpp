#include "tb/blocks/mesh/mesh_link_bench.h"

#include <string>

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
  dut.timeout_i = kTimeout;
  dut.link_enable_i = 1;
}

void MeshLinkBench::restart(std::uint64_t salt) {
  dice = Dice(seed() * 7919 + salt);
  reset();
  for (unsigned n = 0; n < 2; ++n) {
    Side& side = sides_.at(n);
    dut(n).west_i = n == 1;
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

}  // namespace tb::blocks::mesh
