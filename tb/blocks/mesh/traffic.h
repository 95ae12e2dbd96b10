#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tb/blocks/mesh/fabric.h"

namespace tb::blocks {

/// Who sends to whom (Dally and Towles, Principles and Practices of Interconnection Networks, section 3.2).
/// uniform: any node, itself too; transpose: (x, y) to (y, x); bit_complement: (x, y) to the opposite corner's side;
/// hotspot: one in eight to the node in the middle, else uniform; neighbour: the next one east, round the corner;
/// tornado: half way round less one, in both dimensions.
enum class Pattern { uniform, transpose, bit_complement, hotspot, neighbour, tornado };
constexpr std::array<Pattern, 6> patterns{Pattern::uniform, Pattern::transpose, Pattern::bit_complement,
                                          Pattern::hotspot, Pattern::neighbour, Pattern::tornado};
std::string name(Pattern pattern);
/// A destination for a packet of `src`. Transpose needs a square.
golden::mesh::Node destination(Pattern pattern, const golden::mesh::Topology& topology, golden::mesh::Node src,
                               Dice& dice);

struct Load {
  Pattern pattern = Pattern::uniform;
  unsigned length = 1;  // flits a packet
  double flits = 0.1;   // a node and cycle, offered
};

/// Nodes that send at random: in each cycle each node has a new packet with the probability that the load says.
class Traffic {
 public:
  Traffic(Fabric& fabric, const Load& load, std::uint64_t seed) : fabric_(fabric), load_(load), dice_(seed) {}
  void cycle();

 private:
  Fabric& fabric_;
  Load load_;
  Dice dice_;
};

struct Effort {
  unsigned warm_up = 2000;
  unsigned measured = 4000;
};

/// One point of a curve.
struct Point {
  Load load;
  double accepted = 0;  // flits a node and cycle that arrived
  double least = 0;     // the same of the node that got the fewest of its packets through
  std::optional<double>
      latency;  // mean, in cycles, of the packets born while it was measured; none: they do not arrive in time
};

/// Measures one point on an empty fabric, and leaves it reset. A latency beyond `worst` is not waited for.
Point measure(Fabric& fabric, const Load& load, const Effort& effort, std::uint64_t seed, double worst = 1000);

struct Saturation {
  double zero_load = 0;  // mean latency of packets that meet no other
  double flits = 0;      // the largest load, to 0.005, whose latency is not above three times that
};
Saturation saturation(Fabric& fabric, Pattern pattern, unsigned length, const Effort& effort, std::uint64_t seed);

/// The mean of hops and serialisation: one cycle a router, and one a flit.
double zero_load(const golden::mesh::Topology& topology, const golden::mesh::Routes& routes, Pattern pattern,
                 unsigned length);
/// The largest load that any routing of this kind could carry, 1 at the most: what the busiest link or sink leaves.
double bound(const golden::mesh::Topology& topology, const golden::mesh::Routes& routes, Pattern pattern);

}  // namespace tb::blocks
