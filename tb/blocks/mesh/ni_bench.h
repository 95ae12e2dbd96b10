#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "Vmesh_ni_bench_top.h"
#include "tb/blocks/block_bench.h"
#include "tb/blocks/dice.h"
#include "tb/blocks/dma/axi_manager_agent.h"
#include "tb/blocks/dma/axi_memory_agent.h"
#include "tb/golden/axi/sparse_memory.h"
#include "tb/golden/mesh/routes.h"

namespace tb::blocks::mesh {

/// Four nodes, 2 x 2, row by row: each with a manager that makes accesses and a memory that all others reach.
class NiBench {
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

  /// The address at which a node sees `addr` of node `of`.
  static std::uint64_t there(unsigned of, std::uint64_t addr) {
    return std::uint64_t{1} << 39 | std::uint64_t{of >> 1U} << 36 | std::uint64_t{of & 1U} << 33 | addr;
  }
  /// Both ends of the link between two neighbours.
  void enable_link(unsigned node, golden::mesh::Port port, bool on);
  void use_tables(const golden::mesh::Topology& topology, const golden::mesh::Routes& routes);
  /// Turns a random bit of one in `one_in` flits between neighbours in x; 0 of none.
  void set_flips(unsigned one_in) { wires_.one_in = one_in; }
  std::uint64_t flips() const { return wires_.flips; }

  /// Until no access is open; false when that takes longer.
  bool drain(std::uint64_t limit);
  void expect_protocol_kept();

  Vmesh_ni_bench_top& dut() { return block.dut(); }
  AxiManagerAgent& manager(unsigned node) { return *managers_.at(node); }
  AxiMemoryAgent& memory_port(unsigned node) { return *ports_.at(node); }
  golden::axi::SparseMemory& memory(unsigned node) { return memories_.at(node); }
  std::uint64_t events(unsigned node, Event event) const { return watch_.counts.at(node).at(event); }
  std::uint64_t events(Event event) const;

  BlockBench<Vmesh_ni_bench_top> block;
  Dice dice{1};

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

/// Random accesses of one node to its own part of the others' memories. Knows of each byte which values it may hold:
/// the last one written with OKAY, and those of writes that ended with an error, which may or may not have happened.
class NiTraffic {
 public:
  NiTraffic(NiBench& bench, unsigned node, std::vector<unsigned> targets);

  /// Makes an access, unless the place that was drawn is in use.
  void issue();
  /// Checks what has ended.
  void check();
  /// Of the memory of each target every byte is one that it may hold.
  void compare();

  unsigned done() const { return done_; }
  unsigned failed() const { return failed_; }

 private:
  static constexpr unsigned blocks = 24;  // of 256 bytes, in two parts of the address space
  std::uint64_t base(unsigned block) const;
  std::set<std::uint8_t>& may_hold(unsigned target, std::uint64_t addr);
  void check_read(const AxiManagerAgent::Burst& burst);
  void check_write(const AxiManagerAgent::Burst& burst);

  struct Open {
    unsigned target = 0;
    unsigned block = 0;
  };
  NiBench& bench_;
  unsigned node_;
  std::vector<unsigned> targets_;
  unsigned next_tag_ = 0;
  std::map<unsigned, Open> open_;
  std::set<std::pair<unsigned, unsigned>> busy_;
  std::map<std::pair<unsigned, std::uint64_t>, std::set<std::uint8_t>> values_;  // absent: 0
  unsigned done_ = 0;
  unsigned failed_ = 0;
};

}  // namespace tb::blocks::mesh
