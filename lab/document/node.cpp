#include "lab/document/node.h"

#include <utility>

namespace firstlight {

const Entry* Node::find(const std::string& key) const {
  for (const Entry& entry : entries)
    if (entry.key == key) return &entry;
  return nullptr;
}

Node Node::scalar(std::string text, SourceLocation where) {
  Node node;
  node.kind = Kind::scalar;
  node.text = std::move(text);
  node.where = std::move(where);
  return node;
}

std::string describe(const Node& node) {
  switch (node.kind) {
    case Node::Kind::null:
      return "nothing";
    case Node::Kind::list:
      return "a list";
    case Node::Kind::map:
      return "a map";
    case Node::Kind::scalar:
      break;
  }
  constexpr std::size_t kShown = 60;
  return '"' + (node.text.size() > kShown ? node.text.substr(0, kShown) + "..." : node.text) + '"';
}

}  // namespace firstlight
