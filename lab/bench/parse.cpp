#include "lab/bench/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lab/bench/credentials.h"
#include "lab/bench/measures.h"
#include "lab/bench/parser.h"
#include "lab/bench/tables.h"
#include "lab/core/suggest.h"

namespace firstlight {
namespace {

template <class Specs, class Key>
auto find_spec(const Specs& specs, Key key, const std::string& name) -> const typename Specs::value_type* {
  const auto found = std::find_if(specs.begin(), specs.end(), [&](const auto& spec) { return spec.*key == name; });
  return found == specs.end() ? nullptr : &*found;
}

template <class Specs, class Key>
std::vector<std::string> names_in(const Specs& specs, Key key) {
  std::vector<std::string> names;
  names.reserve(specs.size());
  for (const auto& spec : specs) names.push_back(spec.*key);
  return names;
}

std::vector<std::string> keys_of(const Node& root, const std::string& key) {
  std::vector<std::string> names;
  if (const Entry* entry = root.find(key))
    for (const Entry& named : entry->value.entries) names.push_back(named.key);
  return names;
}

std::string text_or(const Value::Map& params, const std::string& key) {
  const auto found = params.find(key);
  return found == params.end() ? std::string() : found->second.text();
}

std::optional<BenchPlan> plan_of(const std::optional<Document>& document, const Vocabulary& vocabulary,
                                 Diagnostics& diagnostics, std::size_t before, const BenchVariables& variables) {
  if (document) {
    BenchParser parser(vocabulary, diagnostics);
    Document ready{document->file, document->text, with_variables(document->root, variables, diagnostics)};
    parser.parse(ready);
    if (diagnostics.list().size() == before) return parser.take();
  }
  diagnostics.sort();
  return std::nullopt;
}

}  // namespace

std::optional<BenchPlan> parse_bench(const std::string& path, const Vocabulary& vocabulary, Diagnostics& diagnostics,
                                     const BenchVariables& variables) {
  const std::size_t before = diagnostics.list().size();
  return plan_of(load_document(path, diagnostics), vocabulary, diagnostics, before, variables);
}

std::optional<BenchPlan> parse_bench_text(const std::string& file, const std::string& text,
                                          const Vocabulary& vocabulary, Diagnostics& diagnostics,
                                          const BenchVariables& variables) {
  const std::size_t before = diagnostics.list().size();
  return plan_of(parse_document(file, text, diagnostics), vocabulary, diagnostics, before, variables);
}

std::optional<FaultPlan> parse_fault(const std::string& text, const SourceLocation& where, const Vocabulary& vocabulary,
                                     Diagnostics& diagnostics) {
  const auto equals = text.find('=');
  FaultPlan fault{text.substr(0, equals), equals == std::string::npos ? "" : text.substr(equals + 1), where};
  const FaultSpec* spec = find_spec(vocabulary.faults, &FaultSpec::name, fault.name);
  if (spec == nullptr) {
    const auto known = names_in(vocabulary.faults, &FaultSpec::name);
    std::string near = nearest_name(fault.name, known);
    if (!near.empty() && equals != std::string::npos) near += text.substr(equals);
    diagnostics.add(where, fmt::format("no fault \"{}\"; there are: {}", fault.name, list_text(known)), near);
    return std::nullopt;
  }
  if (equals != std::string::npos && spec->value_doc.empty()) {
    diagnostics.add(where, fmt::format("the fault `{}` takes no value, found \"{}\"", fault.name, fault.value),
                    fault.name);
    return std::nullopt;
  }
  if ((equals != std::string::npos && fault.value.empty()) ||
      (fault.value.empty() && !spec->value_doc.empty() && spec->fallback.empty())) {
    diagnostics.add(where, fmt::format("the fault `{}` needs a value: {}", fault.name, spec->value_doc));
    return std::nullopt;
  }
  return fault;
}

void BenchParser::parse(const Document& document) {
  plan_.file = document.file;
  plan_.sha256 = sha256_of(document.text);
  MapReader top(reader_, {&document.root, ""}, "a bench");
  if (!top.valid()) return;
  if (const Entry* phases = document.root.find("phases"); phases != nullptr && document.root.find("bench") == nullptr)
    return reader_.error(phases->where, "phases", "this is a sequence file; a bench file was expected");
  gather_names(document.root);
  top.find("variables");  // put in already
  if (const auto name = top.require("bench")) plan_.name = reader_.identifier(*name).value_or("");
  if (const auto dut = top.require("dut")) read_dut(*dut);
  if (const auto scale = top.find("time_scale")) {
    ParamSpec spec;
    spec.name = "time_scale";
    spec.type = ParamType::quantity;
    spec.min = 1;
    spec.max = 1e9;
    const Value value = reader_.value(*scale, spec);
    if (value.is_set()) plan_.time_scale = value.quantity().value;
  }
  if (const auto base = top.find("time_base")) plan_.time_base = reader_.text(*base).value_or("");
  for (const auto& [name, place] : named_entries(top, "resources")) read_resource(name, place);
  for (const auto& [name, place] : named_entries(top, "drivers")) read_driver(name, place);
  const auto rails = named_entries(top, "rails");
  for (const auto& entry : rails) plan_.rails.emplace_back().name = entry.first;
  refresh_measurables();
  if (const auto sensors = top.find("sensors")) read_sensors(*sensors);
  refresh_measurables();
  plan_.rails.clear();
  for (const auto& [name, place] : rails) read_rail(name, place);
  check_exclusions(rails);
  check_order();
  check_feeders();
  if (const auto guardian = top.find("guardian")) read_guardian(*guardian);
  if (const auto labgrid = top.find("labgrid")) read_labgrid(*labgrid);
  if (const auto interlocks = top.find("interlocks"))
    for (const Place& item : reader_.items(*interlocks)) read_interlock(item);
  guard_currents();
  if (const auto faults = top.find("faults")) read_faults(*faults);
  if (const auto model = top.find("model")) {
    MapReader map(reader_, *model, "`model`");
    if (map.valid()) plan_.model = reader_.free_value(**model).map();
  }
  top.finish();
}

void BenchParser::gather_names(const Node& root) {
  names_.set(NameKind::resource, keys_of(root, "resources"));
  names_.set(NameKind::driver, keys_of(root, "drivers"));
  names_.set(NameKind::rail, keys_of(root, "rails"));
  names_.set(NameKind::reg, vocabulary_.register_names);
}

void BenchParser::refresh_measurables() {
  measurables_ = measurables_of(plan_, vocabulary_);
  std::vector<std::string> known;
  for (const auto& [name, spec] : measurables_) known.push_back(name);
  names_.set(NameKind::measurable, std::move(known));
  names_.set(NameKind::line, lines_of(plan_, vocabulary_));
}

std::vector<std::pair<std::string, Place>> BenchParser::named_entries(MapReader& top, const std::string& key) {
  std::vector<std::pair<std::string, Place>> out;
  const auto place = top.find(key);
  if (!place) return out;
  if (!(*place)->is_map()) {
    reader_.error(*place, fmt::format("expected a map of names under `{}`, found {}", key, describe(**place)));
    return out;
  }
  for (const Entry& entry : (*place)->entries) {
    const std::string path = key + '.' + entry.key;
    const Node name = Node::scalar(entry.key, entry.where);
    if (!reader_.identifier({&name, path})) continue;
    const auto [first, fresh] = taken_.emplace(entry.key, entry.where);
    if (!fresh)
      reader_.error(
          entry.where, path,
          fmt::format("the name `{}` is taken by line {}; resources, drivers and rails share one set of names",
                      entry.key, first->second.line));
    out.emplace_back(entry.key, Place{&entry.value, path});
  }
  return out;
}

void BenchParser::read_dut(const Place& place) {
  MapReader map(reader_, place, "the `dut`");
  if (!map.valid()) return;
  const Value::Map params = map.params(dut_params());
  plan_.dut = {text_or(params, "name"), text_or(params, "part_number"), text_or(params, "serial_number")};
  map.finish();
}

void BenchParser::read_guardian(const Place& place) {
  MapReader map(reader_, place, "`guardian`");
  if (!map.valid()) return;
  const Value::Map params = map.params(guardian_params());
  const auto time = [&](const char* key, Duration& into) {
    const auto found = params.find(key);
    if (found == params.end()) return;
    into = to_duration(found->second.quantity());
    // The run tells 20 times a second that it lives.
    if (into < std::chrono::milliseconds(200))
      reader_.error(place, fmt::format("`{}` of the guardian must be at least 200 ms", key));
  };
  time("heartbeat", plan_.guardian.heartbeat);
  time("safe_within", plan_.guardian.safe_within);
  map.finish();
}

void BenchParser::read_labgrid(const Place& place) {
  MapReader map(reader_, place, "`labgrid`");
  if (!map.valid()) return;
  const Value::Map params = map.params(labgrid_params());
  plan_.labgrid = LabgridPlan{text_or(params, "place"), text_or(params, "coordinator")};
  map.finish();
}

/// Whatever goes up the chain of what feeds what must come to an end.
void BenchParser::check_feeders() {
  for (const DriverPlan& start : plan_.drivers) {
    const DriverPlan* at = &start;
    for (std::size_t i = 0; i <= plan_.drivers.size() && at != nullptr && !at->fed_by.empty(); ++i) {
      at = find_spec(plan_.drivers, &DriverPlan::name, at->fed_by);
      if (at != &start) continue;
      reader_.error(start.where, "drivers." + start.name + ".fed_by",
                    fmt::format("`{}` feeds itself, by way of `{}`", start.name, start.fed_by));
      break;
    }
  }
}

void BenchParser::read_resource(const std::string& name, const Place& place) {
  MapReader map(reader_, place, fmt::format("the resource `{}`", name));
  if (!map.valid()) return;
  ResourcePlan resource;
  resource.name = name;
  resource.where = place->where;
  const auto type = map.require("type");
  const auto chosen =
      type ? reader_.choice(*type, names_in(vocabulary_.resources, &ResourceTypeSpec::type), "a type of resource")
           : std::nullopt;
  resource.address = text_or(map.params(resource_params()), "address");
  if (chosen) {
    resource.type = *chosen;
    const ResourceTypeSpec& spec = *find_spec(vocabulary_.resources, &ResourceTypeSpec::type, *chosen);
    if (!refuse_credentials(reader_, place, spec)) {
      resource.params = map.params(spec.params);
      map.finish();  // without its type the keys are not known
    }
  }
  resource_types_[name] = resource.type;
  plan_.resources.push_back(std::move(resource));
}

void BenchParser::read_driver(const std::string& name, const Place& place) {
  MapReader map(reader_, place, fmt::format("the driver `{}`", name));
  if (!map.valid()) return;
  DriverPlan driver;
  driver.name = name;
  driver.where = place->where;
  const auto type = map.require("driver");
  const auto chosen =
      type ? reader_.choice(*type, names_in(vocabulary_.drivers, &DriverTypeSpec::driver), "a driver") : std::nullopt;
  if (chosen) {
    const DriverTypeSpec& spec = *find_spec(vocabulary_.drivers, &DriverTypeSpec::driver, *chosen);
    driver.driver = *chosen;
    const auto uses = spec.uses.empty() ? map.find("uses") : map.require("uses");
    if (uses) driver.uses = read_uses(*uses, spec);
    driver.fed_by = text_or(map.params(driver_params()), "fed_by");
    driver.params = map.params(spec.params);
    map.finish();
    check_named_measures(driver, spec, place.path, reader_.diagnostics());
  }
  plan_.drivers.push_back(std::move(driver));
}

std::vector<Place> BenchParser::uses_in_order(const Place& place, const DriverTypeSpec& type) {
  if (!place->is_map()) return reader_.items(place);
  std::vector<Place> out;
  MapReader map(reader_, place, fmt::format("`uses` of the driver `{}`", type.driver));
  for (const std::string& resource_type : type.uses)
    if (const auto named = map.require(resource_type)) out.push_back(*named);
  map.finish();
  return out;
}

std::vector<std::string> BenchParser::read_uses(const Place& place, const DriverTypeSpec& type) {
  const auto items = uses_in_order(place, type);
  if (items.size() != type.uses.size() && !place->is_map())
    reader_.error(place,
                  fmt::format("the driver `{}` uses {} ({}), found {}", type.driver,
                              type.uses.size() == 1 ? "1 resource" : fmt::format("{} resources", type.uses.size()),
                              list_text(type.uses), items.size()));
  std::vector<std::string> out;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto name = reader_.name(items[i], NameKind::resource);
    if (!name) continue;
    out.push_back(*name);
    const std::string& found = resource_types_[*name];
    if (i < type.uses.size() && !found.empty() && found != type.uses[i])
      reader_.error(items[i], fmt::format("the driver `{}` uses a resource of type {} here, but `{}` is of type {}",
                                          type.driver, type.uses[i], *name, found));
  }
  return out;
}

const DriverTypeSpec* BenchParser::driver_type(const std::string& driver_name) const {
  const DriverPlan* driver = find_spec(plan_.drivers, &DriverPlan::name, driver_name);
  return driver == nullptr ? nullptr : find_spec(vocabulary_.drivers, &DriverTypeSpec::driver, driver->driver);
}

void BenchParser::read_sensors(const Place& place) {
  MapReader map(reader_, place, "`sensors`");
  if (!map.valid()) return;
  for (const Entry& entry : place->entries) {
    const std::string path = place.path + '.' + entry.key;
    const Node name = Node::scalar(entry.key, entry.where);
    if (!reader_.identifier({&name, path}, true)) continue;
    if (names_.knows(NameKind::measurable, entry.key)) {
      reader_.error(entry.where, path, fmt::format("the bench has a measurable `{}` already", entry.key));
      continue;
    }
    if (const auto target = reader_.name({&entry.value, path}, NameKind::measurable))
      plan_.aliases[entry.key] = *target;
  }
}

void BenchParser::read_faults(const Place& place) {
  for (const Place& item : reader_.items(place)) {
    std::string text;
    if (item->is_map()) {
      MapReader map(reader_, item, "a fault");
      const auto name = map.required_text("name");
      const auto value = map.text("value");
      map.finish();
      if (!name) continue;
      text = value ? *name + '=' + *value : *name;
    } else if (const auto scalar = reader_.text(item)) {
      text = *scalar;
    } else {
      continue;
    }
    if (auto fault = parse_fault(text, item->where, vocabulary_, reader_.diagnostics()))
      plan_.faults.push_back(std::move(*fault));
  }
}

}  // namespace firstlight
