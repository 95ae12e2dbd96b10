#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "tb/blocks/dice.h"
#include "tb/blocks/dma/axi_manager_agent.h"
#include "tb/blocks/dma/axi_memory_agent.h"
#include "tb/golden/axi/sparse_memory.h"

namespace tb::blocks::mesh {

/// The address at which a node of a mesh of two columns sees `addr` of node `of`; nodes count row by row.
inline std::uint64_t there(unsigned of, std::uint64_t addr) {
  return std::uint64_t{1} << 39 | std::uint64_t{of >> 1U} << 36 | std::uint64_t{of & 1U} << 33 | addr;
}

/// A bench of nodes, each with a manager that makes accesses and a memory that all others reach.
class NiNodes {
 public:
  explicit NiNodes(unsigned count) : count(count) {}
  NiNodes(const NiNodes&) = delete;
  NiNodes& operator=(const NiNodes&) = delete;
  NiNodes(NiNodes&&) = delete;
  NiNodes& operator=(NiNodes&&) = delete;
  virtual ~NiNodes() = default;

  virtual void cycle(std::uint64_t count) = 0;
  virtual AxiManagerAgent& manager(unsigned node) = 0;
  virtual AxiMemoryAgent& memory_port(unsigned node) = 0;
  virtual golden::axi::SparseMemory& memory(unsigned node) = 0;

  /// Until no access is open; false when that takes longer than `limit` cycles.
  bool drain(std::uint64_t limit);
  void expect_protocol_kept();

  const unsigned count;
  Dice dice{1};
};

/// Random accesses of one node to its own part of the others' memories. Knows of each byte which values it may hold:
/// the last one written with OKAY, and those of writes that ended with an error, which may or may not have happened.
class NiTraffic {
 public:
  NiTraffic(NiNodes& bench, unsigned node, std::vector<unsigned> targets);

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
  NiNodes& bench_;
  unsigned node_;
  std::vector<unsigned> targets_;
  unsigned next_tag_ = 0;
  std::map<unsigned, Open> open_;
  std::set<std::pair<unsigned, unsigned>> busy_;
  std::map<std::pair<unsigned, std::uint64_t>, std::set<std::uint8_t>> values_;  // absent: 0
  unsigned done_ = 0;
  unsigned failed_ = 0;
};

/// Random traffic of all nodes to all others.
class Everyone {
 public:
  explicit Everyone(NiNodes& bench);
  void run(unsigned cycles);
  void check();
  /// Until all has ended; then checks all memories and protocols.
  void settle(unsigned limit = 60'000);
  /// All is well again: of what is tried now nothing fails.
  void expect_no_more_failures();
  unsigned done() const { return sum(&NiTraffic::done); }
  unsigned failed() const { return sum(&NiTraffic::failed); }
  unsigned failed(unsigned node) const { return traffic_.at(node).failed(); }

 private:
  unsigned sum(unsigned (NiTraffic::*of)() const) const;

  NiNodes& bench_;
  std::vector<NiTraffic> traffic_;
};

}  // namespace tb::blocks::mesh
