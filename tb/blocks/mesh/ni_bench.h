#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "Vmesh_ni_bench_top.h"
#include "tb/blocks/block_bench.h"
#include "tb/blocks/mesh/ni_traffic.h"
#include "tb/golden/mesh/routes.h"

namespace tb::blocks::mesh {

/// Four nodes, 2 x 2, row by row: each with a manager that makes accesses and a memory that all others reach.
class NiBench : public NiNodes {
 public:
  static constexpr unsigned nodes = 4;
  /// Counters of a network interface's events; of a write and a read, damaged of a request and a response.
  enum Event : unsigned {
    damaged_request,
    damaged_response,
    stale_write,
    stale_read,
    refused_write,
    refused_read,
    late_write,
    late_read
  };

  static NiBench& instance();
  void restart(std::uint64_t salt);

  /// Both ends of the link between two neighbours.
  void enable_link(unsigned node, golden::mesh::Port port, bool on);
  void use_tables(const golden::mesh::Topology& topology, const golden::mesh::Routes& routes);
  /// Turns a random bit of one in `one_in` flits between neighbours in x; 0 of none.
  void set_flips(unsigned one_in) { wires_.one_in = one_in; }
  std::uint64_t flips() const { return wires_.flips; }

  Vmesh_ni_bench_top& dut() { return block.dut(); }
  void cycle(std::uint64_t count) override { block.cycle(count); }
  AxiManagerAgent& manager(unsigned node) override { return *managers_.at(node); }
  AxiMemoryAgent& memory_port(unsigned node) override { return *ports_.at(node); }
  golden::axi::SparseMemory& memory(unsigned node) override { return memories_.at(node); }
  std::uint64_t events(unsigned node, Event event) const { return watch_.counts.at(node).at(event); }
  std::uint64_t events(Event event) const;

  BlockBench<Vmesh_ni_bench_top> block;

 private:
  /// Turns bits on the wires in x.
  struct Wires : Agent {
    explicit Wires(NiBench& bench) : bench(bench) {}
    void sample() override;
    void drive() override;
    NiBench& bench;
    unsigned one_in = 0;
    std::uint64_t flips = 0;
  };
  struct Watch : Agent {
    explicit Watch(NiBench& bench) : bench(bench) {}
    void sample() override;
    void drive() override {}
    NiBench& bench;
    std::array<std::array<std::uint64_t, 8>, nodes> counts{};
  };

  NiBench();
  void set_defaults();

  std::array<golden::axi::SparseMemory, nodes> memories_;
  std::vector<std::unique_ptr<AxiManagerAgent>> managers_;
  std::vector<std::unique_ptr<AxiMemoryAgent>> ports_;
  Wires wires_{*this};
  Watch watch_{*this};
};

}  // namespace tb::blocks::mesh
