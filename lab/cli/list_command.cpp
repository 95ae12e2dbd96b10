#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>

#include "lab/bench/parse.h"
#include "lab/bench/schema.h"
#include "lab/cli/commands.h"
#include "lab/cli/plans.h"
#include "lab/cli/terminal.h"
#include "lab/core/suggest.h"
#include "lab/sequence/schema.h"

namespace firstlight::cli {

namespace {

using Json = nlohmann::ordered_json;

/// A listing: a name, what it is, and more columns for programs.
struct Row {
  std::string name;
  std::string doc;
  std::string group;  // heading for people
  Json more = Json::object();
};
using Rows = std::vector<Row>;

std::string first_sentence(const std::string& text) {
  const auto end = text.find(". ");
  const auto line = text.find('\n');
  const auto at = std::min(end == std::string::npos ? text.size() : end + 1, line);
  return text.substr(0, at);
}

Rows step_rows(const Surroundings& s, const BenchPlan*) {
  Rows rows;
  for (const auto& spec : s.vocabulary.steps)
    rows.push_back({spec.verb, first_sentence(spec.doc), "", {{"needs", spec.needs}}});
  return rows;
}

Rows driver_rows(const Surroundings& s, const BenchPlan*) {
  Rows rows;
  for (const auto& spec : s.vocabulary.drivers)
    rows.push_back({spec.driver, first_sentence(spec.doc), "", {{"uses", spec.uses}, {"offers", spec.offers}}});
  return rows;
}

Rows resource_rows(const Surroundings& s, const BenchPlan*) {
  Rows rows;
  for (const auto& spec : s.vocabulary.resources)
    rows.push_back({spec.type, first_sentence(spec.doc), "", Json::object()});
  return rows;
}

Rows fault_rows(const Surroundings& s, const BenchPlan*) {
  Rows rows;
  for (const auto& spec : s.vocabulary.faults) {
    std::string name = spec.name;
    if (!spec.value_doc.empty() || !spec.fallback.empty())
      name += "=" + (spec.fallback.empty() ? "VALUE" : spec.fallback);
    rows.push_back({name,
                    first_sentence(spec.doc),
                    spec.domain,
                    {{"fault", spec.name},
                     {"domain", spec.domain},
                     {"value", spec.value_doc},
                     {"default", spec.fallback},
                     {"seen_as", spec.seen_as}}});
  }
  return rows;
}

Rows rail_rows(const Surroundings&, const BenchPlan* bench) {
  Rows rows;
  for (const auto& rail : bench->rails) {
    std::string after;
    for (const auto& one : rail.after) after += (after.empty() ? ", after " : " ") + one;
    rows.push_back({rail.name,
                    fmt::format("{} by {} page {}, at most {}{}", to_text(rail.nominal), rail.driver, rail.page,
                                to_text(rail.max), after),
                    "",
                    {{"driver", rail.driver},
                     {"page", rail.page},
                     {"nominal_v", rail.nominal.base()},
                     {"max_v", rail.max.base()},
                     {"after", rail.after}}});
  }
  return rows;
}

Rows measurable_rows(const Surroundings& s, const BenchPlan* bench) {
  Rows rows;
  for (const auto& [name, spec] : measurables_of(*bench, s.vocabulary)) {
    const std::string unit(base_unit(spec.dimension));
    rows.push_back({name,
                    spec.doc + (unit.empty() ? "" : " (" + unit + ")"),
                    "",
                    {{"dimension", name_of(spec.dimension)}, {"unit", unit}}});
  }
  return rows;
}

Rows register_rows(const Surroundings& s, const BenchPlan*) {
  Rows rows;
  if (s.registers == nullptr) return rows;
  for (const auto& block : s.registers->blocks()) {
    for (const auto& reg : block.registers) {
      const std::string name = block.name + "." + reg.name + (reg.is_array ? fmt::format("[{}]", reg.count) : "");
      Json fields = Json::array();
      for (const auto& field : reg.fields)
        fields.push_back({{"name", field.name},
                          {"lsb", field.lsb},
                          {"width", field.width},
                          {"access", to_string(field.access)},
                          {"unit", field.unit},
                          {"doc", field.doc}});
      rows.push_back({name,
                      first_sentence(reg.doc),
                      block.name,
                      {{"address", block.base + reg.offset}, {"fields", std::move(fields)}}});
    }
  }
  return rows;
}

Rows file_rows(const std::string& kind) {
  Rows rows;
  for (const auto& folder : {"lab/" + kind, kind}) {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
      const auto ext = entry.path().extension();
      if (ext == ".yaml" || ext == ".yml") rows.push_back({entry.path().string(), "", "", Json::object()});
    }
  }
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.name < b.name; });
  return rows;
}

Rows personality_rows(const Surroundings& s, const BenchPlan*) {
  Rows rows;
  for (const auto& spec : s.vocabulary.instruments)
    rows.push_back(
        {spec.name, spec.doc, spec.kind, {{"kind", spec.kind}, {"source", spec.source}, {"hardware", spec.hardware}}});
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.group < b.group; });
  return rows;
}

struct Listing {
  std::function<Rows(const Surroundings&, const BenchPlan*)> rows;
  bool needs_bench = false;
};

const std::map<std::string, Listing>& listings() {
  static const std::map<std::string, Listing> all = {
      {"steps", {step_rows}},
      {"drivers", {driver_rows}},
      {"resources", {resource_rows}},
      {"personalities", {personality_rows}},
      {"faults", {fault_rows}},
      {"registers", {register_rows}},
      {"rails", {rail_rows, true}},
      {"measurables", {measurable_rows, true}},
      {"sequences", {[](const Surroundings&, const BenchPlan*) { return file_rows("sequences"); }}},
      {"benches", {[](const Surroundings&, const BenchPlan*) { return file_rows("benches"); }}}};
  return all;
}

void print(const Rows& rows, const Surroundings& surroundings) {
  const int width = surroundings.out_is_terminal ? terminal_width() : 120;
  int name_width = 0;
  for (const auto& row : rows) name_width = std::max(name_width, display_width(row.name));
  name_width = std::min(name_width, width / 2);
  std::string group;
  for (const auto& row : rows) {
    if (row.group != group) *surroundings.out << (group.empty() ? "" : "\n") << row.group << "\n";
    group = row.group;
    const std::string indent = group.empty() ? "" : "  ";
    const int doc_width = std::max(20, width - name_width - 2 - static_cast<int>(indent.size()));
    const auto lines = wrapped(row.doc, doc_width);
    *surroundings.out << indent << (row.doc.empty() ? row.name : padded(row.name, name_width) + "  " + lines[0])
                      << "\n";
    for (std::size_t i = 1; i < lines.size(); ++i)
      *surroundings.out << indent << padded("", name_width) << "  " << lines[i] << "\n";
  }
}

}  // namespace

int list_command(const Options& options, const Surroundings& surroundings) {
  std::vector<std::string> known;
  std::string words;
  for (const auto& [name, listing] : listings()) {
    known.push_back(name);
    words += (words.empty() ? "" : ", ") + name;
  }
  if (options.operands.size() != 1) return bad_input("list takes one of: " + words, options, surroundings);
  const std::string& what = options.operands[0];
  const auto found = listings().find(what);
  if (found == listings().end()) {
    const std::string near = nearest_name(what, known);
    return bad_input("nothing to list that is called \"" + what + "\"; there are " + words +
                         (near.empty() ? "" : "; did you mean " + near + "?"),
                     options, surroundings);
  }
  std::optional<BenchPlan> bench;
  if (found->second.needs_bench) {
    if (options.bench.empty()) return bad_input("list " + what + " needs --bench FILE", options, surroundings);
    Diagnostics diagnostics;
    bench = load_bench(options, surroundings, diagnostics);
    if (!bench || !diagnostics.empty()) return tell(diagnostics, options, surroundings);
  }
  const Rows rows = found->second.rows(surroundings, bench ? &*bench : nullptr);
  if (!options.json) {
    print(rows, surroundings);
    return kExitPass;
  }
  Json list = Json::array();
  for (const auto& row : rows) {
    Json one = {{"name", row.name}};
    if (!row.doc.empty()) one["doc"] = row.doc;
    one.update(row.more);
    list.push_back(std::move(one));
  }
  *surroundings.out << list.dump(2) << "\n";
  return kExitPass;
}

int schema_command(const Options& options, const Surroundings& surroundings) {
  const std::string what = options.operands.size() == 1 ? options.operands[0] : "";
  if (what == "bench") {
    *surroundings.out << bench_schema(surroundings.vocabulary) << "\n";
  } else if (what == "sequence") {
    *surroundings.out << sequence_schema(surroundings.vocabulary) << "\n";
  } else if (what == "personality" && surroundings.personality_schema) {
    *surroundings.out << surroundings.personality_schema() << "\n";
  } else {
    return bad_input("schema takes `bench`, `sequence` or `personality`", options, surroundings);
  }
  return kExitPass;
}

}  // namespace firstlight::cli
