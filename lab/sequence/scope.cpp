#include "lab/sequence/scope.h"

#include <fmt/format.h>

#include <optional>

#include "lab/core/suggest.h"

namespace firstlight {
namespace {

constexpr std::size_t kLongestText = 10'000;  // a text that grows beyond this by substitution is no honest one

std::vector<std::string> names_in(const Scope& scope) {
  std::vector<std::string> names;
  for (const auto& [name, node] : scope) names.push_back(name);
  return names;
}

void move_to(Node& node, const SourceLocation& where) {
  node.where = where;
  for (Node& item : node.items) move_to(item, where);
}

const Node* look_up(const Place& place, const std::string& name, const Scope& scope, const Reader& reader) {
  const auto found = scope.find(name);
  if (found != scope.end()) return &found->second;
  const std::string near = nearest_name(name, names_in(scope));
  reader.error(place, fmt::format("no parameter \"{}\"; there are: {}", name, list_text(names_in(scope))),
               near.empty() ? "" : "${" + near + "}");
  return nullptr;
}

Node broken(const Place& place) {
  Node node = *place;
  node.broken = true;
  return node;
}

Node substitute_scalar(const Place& place, const Scope& scope, const Reader& reader) {
  const std::string& text = place->text;
  std::string out;
  std::size_t at = 0;
  for (std::size_t begin = text.find("${"); begin != std::string::npos; begin = text.find("${", at)) {
    const std::size_t end = text.find('}', begin);
    if (end == std::string::npos) {
      reader.error(place, "a `${` is not closed by a `}`");
      return broken(place);
    }
    const Node* value = look_up(place, text.substr(begin + 2, end - begin - 2), scope, reader);
    if (value == nullptr || value->broken) return broken(place);
    if (begin == 0 && end + 1 == text.size()) {
      Node whole = *value;
      move_to(whole, place->where);
      return whole;
    }
    if (!value->is_scalar()) {
      reader.error(place, fmt::format("{} cannot stand inside of a text", describe(*value)));
      return broken(place);
    }
    out += text.substr(at, begin - at) + value->text;
    at = end + 1;
    if (out.size() > kLongestText) {
      reader.error(place, fmt::format("the text grows beyond {} bytes", kLongestText));
      return broken(place);
    }
  }
  Node node = *place;
  node.text = out + text.substr(at);
  return node;
}

}  // namespace

Node substitute(const Place& place, const Scope& scope, const Reader& reader) {
  if (place->is_scalar()) return substitute_scalar(place, scope, reader);
  Node out = *place;
  for (std::size_t i = 0; i < out.items.size(); ++i) out.items[i] = substitute(place.item(i), scope, reader);
  for (Entry& entry : out.entries) {
    const Node value = entry.value;
    entry.value = substitute({&value, place.path + '.' + entry.key}, scope, reader);
  }
  return out;
}

}  // namespace firstlight
