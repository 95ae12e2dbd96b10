#include "tb/blocks/mesh/ni_bench.h"

#include <string>

namespace tb::blocks::mesh {

using golden::axi::SparseMemory;
using golden::mesh::Port;

namespace {

constexpr unsigned kDefaultTimeout = 4000;

// As FL_AXI_PINS, of a port that is an array.
#define FL_AXI_PINS_AT(model, prefix, i)                                                                             \
  tb::blocks::AxiPins {                                                                                              \
    (model).prefix##_aw_valid[i], (model).prefix##_aw_ready[i], (model).prefix##_aw_id[i],                           \
        (model).prefix##_aw_addr[i], (model).prefix##_aw_len[i], (model).prefix##_w_valid[i],                        \
        (model).prefix##_w_ready[i], (model).prefix##_w_data[i], (model).prefix##_w_strb[i],                         \
        (model).prefix##_w_last[i], (model).prefix##_b_valid[i], (model).prefix##_b_ready[i],                        \
        (model).prefix##_b_id[i], (model).prefix##_b_resp[i], (model).prefix##_ar_valid[i],                          \
        (model).prefix##_ar_ready[i], (model).prefix##_ar_id[i], (model).prefix##_ar_addr[i],                        \
        (model).prefix##_ar_len[i], (model).prefix##_r_valid[i], (model).prefix##_r_ready[i],                        \
        (model).prefix##_r_id[i], (model).prefix##_r_data[i], (model).prefix##_r_resp[i], (model).prefix##_r_last[i] \
  }

}  // namespace

void NiBench::Wires::sample() {
  if (one_in == 0) return;
  const unsigned passed = bench.dut().passes_o & bench.dut().flip_i;
  for (unsigned n = 0; n < nodes; ++n) flips += passed >> n & 1U;
}

void NiBench::Wires::drive() {
  unsigned flip = 0;
  for (unsigned n = 0; n < nodes; ++n)
    if (one_in != 0 && bench.dice.one_in(one_in)) flip |= 1U << n;
  bench.dut().flip_i = static_cast<CData>(flip);
  bench.dut().flip_bit_i = static_cast<CData>(bench.dice.below(64));
}

void NiBench::Watch::sample() {
  for (unsigned n = 0; n < nodes; ++n)
    for (unsigned e = 0; e < 8; ++e) counts.at(n).at(e) += bench.dut().events_o[n] >> e & 1U;
}

NiBench& NiBench::instance() {
  static NiBench bench;
  return bench;
}

NiBench::NiBench() : NiNodes(nodes), block("bench") {
  for (unsigned n = 0; n < nodes; ++n) {
    const std::string name = "node" + std::to_string(n);
    managers_.push_back(
        std::make_unique<AxiManagerAgent>(name + ".manager", FL_AXI_PINS_AT(dut(), s, n), seed() + 1 + n));
    ports_.push_back(std::make_unique<AxiMemoryAgent>(name + ".memory", FL_AXI_PINS_AT(dut(), m, n), memories_.at(n),
                                                      seed() + 11 + n));
    block.add(*managers_.back());
    block.add(*ports_.back());
  }
  block.add(wires_);
  block.add(watch_);
}

void NiBench::set_defaults() {
  dut().enable_i = 0xF;
  dut().link_enable_i = 0;
  for (unsigned n = 0; n < nodes; ++n) dut().link_enable_i |= 1U << (5 * n + golden::mesh::index(Port::local));
  for (const auto& [node, port] : {std::pair{0U, Port::east}, {2U, Port::east}, {0U, Port::south}, {1U, Port::south}})
    enable_link(node, port, true);
  dut().table_mode_i = 0;
  dut().timeout_i = kDefaultTimeout;
  dut().table_write_i = dut().first_write_i = 0;
  set_flips(0);
}

void NiBench::restart(std::uint64_t salt) {
  dice = Dice(seed() * 7919 + salt);
  set_defaults();
  for (auto& memory : memories_) memory = SparseMemory();
  for (auto& manager : managers_) {
    manager->reset();
    manager->eager = 1.0;
  }
  block.reset();
  for (auto& manager : managers_) manager->reset();
  for (auto& port : ports_) {
    port->reset();
    port->manners = {};
    port->reads.clear();
    port->writes.clear();
    port->read_faults.clear();
    port->write_faults.clear();
  }
  watch_.counts = {};
  wires_.flips = 0;
}

void NiBench::enable_link(unsigned node, Port port, bool on) {
  const unsigned other = node ^ (port == Port::east || port == Port::west ? 1U : 2U);
  const std::uint32_t mask = 1U << (5 * node + golden::mesh::index(port)) |
                             1U << (5 * other + golden::mesh::index(golden::mesh::opposite(port)));
  dut().link_enable_i = on ? dut().link_enable_i | mask : dut().link_enable_i & ~mask;
}

void NiBench::use_tables(const golden::mesh::Topology& topology, const golden::mesh::Routes& routes) {
  for (unsigned at = 0; at < nodes; ++at) {
    for (unsigned dst = 0; dst < nodes; ++dst) {
      dut().table_node_i = static_cast<CData>(topology.name(dst));
      dut().table_port_i = static_cast<CData>(golden::mesh::index(routes.next(topology, at, dst)));
      dut().table_write_i = static_cast<CData>(1U << at);
      block.cycle();
      dut().table_write_i = 0;
      dut().table_port_i = static_cast<CData>(golden::mesh::index(routes.out(at, dst)));
      dut().first_write_i = static_cast<CData>(1U << at);
      block.cycle();
      dut().first_write_i = 0;
    }
  }
  dut().table_mode_i = 1;
}

std::uint64_t NiBench::events(Event event) const {
  std::uint64_t all = 0;
  for (unsigned n = 0; n < nodes; ++n) all += events(n, event);
  return all;
}

}  // namespace tb::blocks::mesh
