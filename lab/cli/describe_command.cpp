#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <ostream>

#include "lab/bench/parse.h"
#include "lab/cli/commands.h"
#include "lab/cli/plans.h"
#include "lab/cli/terminal.h"
#include "lab/core/suggest.h"

namespace firstlight::cli {

namespace {

using Json = nlohmann::ordered_json;

/// What describes a thing: text for people and the same for programs.
struct Description {
  std::string text;
  Json json = Json::object();
};

std::string type_text(const ParamSpec& param) {
  const auto of = [&](ParamType type) -> std::string {
    switch (type) {
      case ParamType::quantity:
        return std::string(name_of(param.dimension)) +
               (usual_unit(param.dimension).empty() ? "" : fmt::format(" ({})", usual_unit(param.dimension)));
      case ParamType::integer:
        return "whole number";
      case ParamType::boolean:
        return "true or false";
      case ParamType::text:
        return "text";
      case ParamType::name:
        return "name";
      case ParamType::map:
        return "map";
      case ParamType::list:
        return "list";
      case ParamType::enumeration:
        break;
    }
    std::string choices;
    for (const auto& choice : param.choices) choices += (choices.empty() ? "" : " | ") + choice;
    return choices;
  };
  return param.type == ParamType::list ? "list of " + of(param.element) : of(param.type);
}

void add_params(Description& d, const std::vector<ParamSpec>& params, const char* heading) {
  Json list = Json::array();
  if (!params.empty()) d.text += fmt::format("\n{}\n", heading);
  for (const auto& param : params) {
    const std::string need = param.required           ? "required"
                             : param.fallback.empty() ? "optional"
                                                      : "default " + param.fallback;
    d.text += fmt::format("  {:<18} {}; {}\n", param.name, type_text(param), need);
    for (const auto& line : wrapped(param.doc, 80)) d.text += fmt::format("  {:<18} {}\n", "", line);
    list.push_back({{"name", param.name},
                    {"type", type_text(param)},
                    {"required", param.required},
                    {"default", param.fallback},
                    {"doc", param.doc}});
  }
  d.json["params"] = std::move(list);
}

void add_measures(Description& d, const std::vector<MeasurableSpec>& measures, const char* heading) {
  if (measures.empty()) return;
  Json list = Json::array();
  d.text += fmt::format("\n{}\n", heading);
  for (const auto& one : measures) {
    d.text +=
        fmt::format("  {:<18} {} ({})\n", one.name.empty() ? "(main)" : one.name, one.doc, name_of(one.dimension));
    list.push_back({{"name", one.name}, {"dimension", name_of(one.dimension)}, {"doc", one.doc}});
  }
  d.json["measures"] = std::move(list);
}

Description described(const StepSpec& spec) {
  Description d{fmt::format("step {}\n\n{}\n", spec.verb, spec.doc),
                {{"kind", "step"}, {"name", spec.verb}, {"doc", spec.doc}, {"needs", spec.needs}}};
  if (!spec.needs.empty()) d.text += fmt::format("\nNeeds a bench with: {}\n", spec.needs);
  add_params(d, spec.params, "with:");
  add_measures(d, spec.measures, "measures (what `limit:` and `limits:` speak of):");
  if (!spec.example.empty()) d.text += fmt::format("\nExample\n{}\n", spec.example);
  d.json["example"] = spec.example;
  return d;
}

Description described(const DriverTypeSpec& spec) {
  Description d{
      fmt::format("driver {}\n\n{}\n", spec.driver, spec.doc),
      {{"kind", "driver"}, {"name", spec.driver}, {"doc", spec.doc}, {"uses", spec.uses}, {"offers", spec.offers}}};
  d.text += "\nuses: " + Json(spec.uses).dump() + "  offers: " + Json(spec.offers).dump() + "\n";
  add_params(d, spec.params, "keys:");
  add_measures(d, spec.measures, "measurables (<driver>.<name>):");
  return d;
}

Description described(const ResourceTypeSpec& spec) {
  Description d{fmt::format("resource type {}\n\n{}\n", spec.type, spec.doc),
                {{"kind", "resource"}, {"name", spec.type}, {"doc", spec.doc}}};
  add_params(d, spec.params, "keys:");
  return d;
}

Description described(const InstrumentSpec& spec) {
  const std::string tried = spec.hardware.empty() ? "no hardware yet" : spec.hardware;
  Description d{fmt::format("personality {} ({})\n\n{}\n\nFrom: {}\nTried on: {}\n\n{}", spec.name, spec.kind, spec.doc,
                            spec.source, tried, spec.details),
                {{"kind", "personality"},
                 {"name", spec.name},
                 {"instrument", spec.kind},
                 {"doc", spec.doc},
                 {"source", spec.source},
                 {"hardware", spec.hardware}}};
  d.text += fmt::format("\nExample\n  {{driver: scpi_{}, uses: RESOURCE, personality: {}}}\n", spec.kind, spec.name);
  return d;
}

Description described(const FaultSpec& spec) {
  Description d{fmt::format("fault {} ({})\n\n{}\n", spec.name, spec.domain, spec.doc),
                {{"kind", "fault"},
                 {"name", spec.name},
                 {"domain", spec.domain},
                 {"doc", spec.doc},
                 {"value", spec.value_doc},
                 {"default", spec.fallback},
                 {"seen_as", spec.seen_as}}};
  if (!spec.value_doc.empty())
    d.text +=
        fmt::format("\nValue: {}{}\n", spec.value_doc, spec.fallback.empty() ? "" : " (default " + spec.fallback + ")");
  if (!spec.seen_as.empty()) d.text += fmt::format("Bring-up sees it as: {}\n", spec.seen_as);
  d.text += fmt::format("\nExample\n  firstlight run SEQUENCE --bench BENCH --fault {}{}\n", spec.name,
                        spec.fallback.empty() ? "" : "=" + spec.fallback);
  return d;
}

std::string field_line(const FieldInfo& field) {
  const std::string bits =
      field.width == 1 ? std::to_string(field.lsb) : fmt::format("{}:{}", field.lsb + field.width - 1, field.lsb);
  std::string text =
      fmt::format("  [{:>5}] {:<5} {:<20} reset {:#x}", bits, to_string(field.access), field.name, field.reset);
  if (!field.unit.empty()) text += fmt::format("  {} {} per count", field.scale, field.unit);
  text += "\n";
  for (const auto& line : wrapped(field.doc, 80)) text += "                " + line + "\n";
  for (const auto& [name, value] : field.values) text += fmt::format("                {} = {}\n", value, name);
  return text;
}

Description described(const std::string& name, const RegisterRef& ref) {
  Description d;
  const bool memory = ref.memory != nullptr;
  const std::string& doc = memory ? ref.memory->doc : ref.field != nullptr ? ref.field->doc : ref.reg->doc;
  d.text = fmt::format("{} {} at {:#08x}\n\n{}\n",
                       memory                 ? "memory"
                       : ref.field != nullptr ? "field"
                                              : "register",
                       name, ref.address, doc);
  d.json = {{"kind", memory                 ? "memory"
                     : ref.field != nullptr ? "field"
                                            : "register"},
            {"name", name},
            {"address", ref.address},
            {"doc", doc}};
  if (memory) return d;
  d.text += "\n";
  if (ref.field != nullptr) {
    d.text += field_line(*ref.field);
    return d;
  }
  for (const auto& field : ref.reg->fields) d.text += field_line(field);
  return d;
}

Description described(const RailPlan& rail) {
  Description d;
  d.text = fmt::format("rail {}\n\nBy {} page {}; nominal {} +/- {}, at most {}; off at or below {}.\n", rail.name,
                       rail.driver, rail.page, to_text(rail.nominal), to_text(rail.tolerance), to_text(rail.max),
                       to_text(rail.residual));
  for (const auto& after : rail.after) d.text += "On only when " + after + " is good.\n";
  if (!rail.sense.empty()) d.text += "Sensed independently by " + rail.sense + ".\n";
  d.json = {{"kind", "rail"},
            {"name", rail.name},
            {"driver", rail.driver},
            {"page", rail.page},
            {"nominal_v", rail.nominal.base()},
            {"max_v", rail.max.base()}};
  return d;
}

template <class Specs, class Key>
std::optional<Description> find_in(const Specs& specs, const std::string& name, Key key,
                                   std::vector<std::string>& known) {
  std::optional<Description> found;
  for (const auto& spec : specs) {
    known.push_back(key(spec));
    if (!found && key(spec) == name) found = described(spec);
  }
  return found;
}

std::optional<Description> find(const std::string& name, const Surroundings& s, const BenchPlan* bench,
                                std::vector<std::string>& known) {
  const auto& v = s.vocabulary;
  if (auto d = find_in(
          v.steps, name, [](const auto& x) { return x.verb; }, known))
    return d;
  if (auto d = find_in(
          v.drivers, name, [](const auto& x) { return x.driver; }, known))
    return d;
  if (auto d = find_in(
          v.faults, name, [](const auto& x) { return x.name; }, known))
    return d;
  if (auto d = find_in(
          v.resources, name, [](const auto& x) { return x.type; }, known))
    return d;
  if (auto d = find_in(
          v.instruments, name, [](const auto& x) { return x.name; }, known))
    return d;
  if (bench != nullptr) {
    if (auto d = find_in(
            bench->rails, name, [](const auto& x) { return x.name; }, known))
      return d;
    for (const auto& [measurable, spec] : measurables_of(*bench, v)) {
      known.push_back(measurable);
      if (measurable != name) continue;
      return Description{
          fmt::format("measurable {} ({})\n\n{}\n", name, name_of(spec.dimension), spec.doc),
          {{"kind", "measurable"}, {"name", name}, {"dimension", name_of(spec.dimension)}, {"doc", spec.doc}}};
    }
  }
  if (s.registers == nullptr) return {};
  const auto reg = s.registers->find(name);
  if (reg) return described(name, *reg.found);
  for (auto& one : s.registers->names()) known.push_back(std::move(one));
  return {};
}

bool is_personality_file(const std::string& name) {
  constexpr std::string_view kExtension = ".yaml";
  return name.size() > kExtension.size() &&
         name.compare(name.size() - kExtension.size(), kExtension.size(), kExtension) == 0;
}

}  // namespace

int describe_command(const Options& options, const Surroundings& surroundings) {
  if (options.operands.size() != 1)
    return bad_input("describe takes one name, as in: firstlight describe rail.on", options, surroundings);
  std::optional<BenchPlan> bench;
  if (!options.bench.empty()) {
    Diagnostics diagnostics;
    bench = load_bench(options, surroundings, diagnostics);
    if (!bench || !diagnostics.empty()) return tell(diagnostics, options, surroundings);
  }
  const std::string& name = options.operands[0];
  if (is_personality_file(name) && surroundings.check_personality) {
    Diagnostics diagnostics;
    const auto spec = surroundings.check_personality(name, diagnostics);
    if (!spec) return tell(diagnostics, options, surroundings);
    const Description d = described(*spec);
    *surroundings.out << (options.json ? d.json.dump(2) + "\n" : d.text);
    return kExitPass;
  }
  std::vector<std::string> known;
  const auto found = find(name, surroundings, bench ? &*bench : nullptr, known);
  if (!found) {
    const std::string near = nearest_name(name, known);
    return bad_input("nothing is called \"" + name + "\"" + (near.empty() ? "" : "; did you mean " + near + "?") +
                         (bench ? "" : " (rails and measurables need --bench)"),
                     options, surroundings);
  }
  *surroundings.out << (options.json ? found->json.dump(2) + "\n" : found->text);
  return kExitPass;
}

}  // namespace firstlight::cli
