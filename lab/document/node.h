#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/core/diagnostic.h"

namespace firstlight {

struct Entry;

/// A YAML node with its place. Scalars stay text: what a scalar means is decided by who reads it, never guessed.
struct Node {
  enum class Kind : std::uint8_t { null, scalar, list, map } kind = Kind::null;
  std::string text;            // of a scalar
  bool quoted = false;         // the scalar stood in quotes or in a block
  std::vector<Node> items;     // of a list
  std::vector<Entry> entries;  // of a map, in the order of the file; keys are unique
  SourceLocation where;
  bool broken = false;  // an error about it was told already, so that no other is

  bool is_null() const { return kind == Kind::null; }
  bool is_scalar() const { return kind == Kind::scalar; }
  bool is_list() const { return kind == Kind::list; }
  bool is_map() const { return kind == Kind::map; }
  const Entry* find(const std::string& key) const;

  static Node scalar(std::string text, SourceLocation where);
};

struct Entry {
  std::string key;
  SourceLocation where;  // of the key
  Node value;
};

/// "a map", "a list", "nothing", "\"850\"": what stands there, for messages.
std::string describe(const Node& node);

}  // namespace firstlight
