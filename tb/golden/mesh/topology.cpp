#include "tb/golden/mesh/topology.h"

#include <stdexcept>

namespace tb::golden::mesh {

Port opposite(Port port) {
  switch (port) {
    case Port::north:
      return Port::south;
    case Port::east:
      return Port::west;
    case Port::south:
      return Port::north;
    case Port::west:
      return Port::east;
    default:
      return port;
  }
}

Topology::Topology(unsigned columns, unsigned rows, bool torus)
    : columns_(columns),
      rows_(rows),
      torus_(torus),
      dead_router_(std::size_t{columns} * rows),
      dead_link_(std::size_t{columns} * rows) {
  const unsigned least = torus ? 3 : 1;
  if (columns < least || rows < least || columns > 8 || rows > 8)
    throw std::invalid_argument("a mesh has 1 to 8 routers in a row and a column, a torus 3 to 8");
}

std::optional<Node> Topology::wired(Node node, Port port) const {
  const unsigned column = x(node);
  const unsigned row = y(node);
  if (wraps(node, port)) {
    if (!torus_) return std::nullopt;
    switch (port) {
      case Port::north:
        return at(column, rows_ - 1);
      case Port::east:
        return at(0, row);
      case Port::south:
        return at(column, 0);
      default:
        return at(columns_ - 1, row);
    }
  }
  switch (port) {
    case Port::north:
      return at(column, row - 1);
    case Port::east:
      return at(column + 1, row);
    case Port::south:
      return at(column, row + 1);
    case Port::west:
      return at(column - 1, row);
    default:
      return std::nullopt;
  }
}

std::optional<Node> Topology::neighbour(Node node, Port port) const {
  const auto other = wired(node, port);
  if (!other || !alive(node) || !alive(*other) || dead_link_.at(node).at(index(port))) return std::nullopt;
  return other;
}

bool Topology::wraps(Node node, Port port) const {
  switch (port) {
    case Port::north:
      return y(node) == 0;
    case Port::east:
      return x(node) == columns_ - 1;
    case Port::south:
      return y(node) == rows_ - 1;
    case Port::west:
      return x(node) == 0;
    default:
      return false;
  }
}

void Topology::fail_link(Node node, Port port) {
  const auto other = wired(node, port);
  if (!other) throw std::invalid_argument("there is no such link");
  dead_link_.at(node).at(index(port)) = true;
  dead_link_.at(*other).at(index(opposite(port))) = true;
}

void Topology::fail_router(Node node) { dead_router_.at(node) = true; }

}  // namespace tb::golden::mesh
