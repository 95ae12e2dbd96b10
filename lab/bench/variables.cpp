#include "lab/bench/variables.h"

#include <fmt/format.h>

#include "lab/core/suggest.h"
#include "lab/document/names.h"

namespace firstlight {
namespace {

using Table = std::map<std::string, std::string>;

std::vector<std::string> names_of(const Table& table) {
  std::vector<std::string> names;
  names.reserve(table.size());
  for (const auto& [name, text] : table) names.push_back(name);
  return names;
}

void put_in(Node& node, const Table& table, Diagnostics& diagnostics) {
  std::size_t at = 0;
  while ((at = node.text.find("${", at)) != std::string::npos) {
    const auto end = node.text.find('}', at);
    if (end == std::string::npos) {
      diagnostics.add(node.where, fmt::format("\"${{\" without its \"}}\" in {}", describe(node)));
      return;
    }
    const std::string name = node.text.substr(at + 2, end - at - 2);
    const auto found = table.find(name);
    if (found == table.end()) {
      diagnostics.add(node.where,
                      fmt::format("no variable \"{}\" in this bench; `variables` has: {}", name,
                                  table.empty() ? "none" : list_text(names_of(table))),
                      nearest_name(name, names_of(table)));
      at = end;
      node.broken = true;
      continue;
    }
    node.text.replace(at, end + 1 - at, found->second);
    at += found->second.size();
  }
}

void put_in_all(Node& node, const Table& table, Diagnostics& diagnostics) {
  if (node.is_scalar()) put_in(node, table, diagnostics);
  for (Node& item : node.items) put_in_all(item, table, diagnostics);
  for (Entry& entry : node.entries) put_in_all(entry.value, table, diagnostics);
}

}  // namespace

Table variables_of(const Node& root, Diagnostics& diagnostics) {
  Table table;
  const Entry* variables = root.find("variables");
  if (variables == nullptr) return table;
  if (!variables->value.is_map()) {
    diagnostics.add(variables->where, fmt::format("expected a map of names and texts under `variables`, found {}",
                                                  describe(variables->value)));
    return table;
  }
  for (const Entry& entry : variables->value.entries) {
    if (entry.value.is_scalar())
      table[entry.key] = entry.value.text;
    else
      diagnostics.add(entry.where,
                      fmt::format("the variable `{}` needs a text, found {}", entry.key, describe(entry.value)));
  }
  return table;
}

Node with_variables(const Node& root, const BenchVariables& given, Diagnostics& diagnostics) {
  Node out = root;
  if (!root.is_map()) return out;
  Table table = variables_of(root, diagnostics);
  for (const auto& [name, value] : given) {
    const auto found = table.find(name);
    if (found == table.end()) {
      diagnostics.add({"--bench-var " + name, 0, 0},
                      fmt::format("this bench has no variable \"{}\"; it has: {}", name,
                                  table.empty() ? "none" : list_text(names_of(table))),
                      nearest_name(name, names_of(table)));
      continue;
    }
    found->second = value;
  }
  for (Entry& entry : out.entries)
    if (entry.key != "variables") put_in_all(entry.value, table, diagnostics);
  return out;
}

}  // namespace firstlight
