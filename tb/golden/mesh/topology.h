#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace tb::golden::mesh {

/// The ports of a router by their numbers in a flit (docs/mesh.md). The four directions go round clockwise.
enum class Port : std::uint8_t { north = 0, east = 1, south = 2, west = 3, local = 4, nowhere = 7 };
constexpr unsigned ports = 5;
constexpr std::array<Port, 4> directions{Port::north, Port::east, Port::south, Port::west};

constexpr unsigned index(Port port) { return static_cast<unsigned>(port); }
/// The port at the other end of a link.
Port opposite(Port port);

/// A router, counted from the north-west corner row by row.
using Node = unsigned;

/// Routers in a grid of up to 8 x 8 and the links between them, some of which may be dead. In a torus the links go
/// round; rows and columns of a torus have three routers at least.
class Topology {
 public:
  /// Throws std::invalid_argument for sizes that there are not.
  Topology(unsigned columns, unsigned rows, bool torus = false);

  unsigned columns() const { return columns_; }
  unsigned rows() const { return rows_; }
  bool torus() const { return torus_; }
  unsigned nodes() const { return columns_ * rows_; }
  unsigned x(Node node) const { return node % columns_; }
  unsigned y(Node node) const { return node / columns_; }
  Node at(unsigned x, unsigned y) const { return y * columns_ + x; }
  /// How a header names it: x in bits 2:0, y in bits 5:3.
  unsigned name(Node node) const { return y(node) << 3 | x(node); }

  /// The router at the other end, dead or alive; none at the edge of a mesh.
  std::optional<Node> wired(Node node, Port port) const;
  /// The same when the link and both its ends are alive.
  std::optional<Node> neighbour(Node node, Port port) const;
  /// Whether the link that leaves `node` by `port` closes a ring.
  bool wraps(Node node, Port port) const;

  /// Kills a link in both directions. Throws std::invalid_argument when there is none.
  void fail_link(Node node, Port port);
  void fail_router(Node node);
  bool alive(Node node) const { return !dead_router_.at(node); }

 private:
  unsigned columns_;
  unsigned rows_;
  bool torus_;
  std::vector<bool> dead_router_;
  std::vector<std::array<bool, 4>> dead_link_;
};

}  // namespace tb::golden::mesh
