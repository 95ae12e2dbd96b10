#include "lab/sequence/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "lab/core/suggest.h"
#include "lab/sequence/parser.h"
#include "lab/sequence/tables.h"

namespace firstlight {
namespace {

constexpr std::size_t kDeepestInclude = 16;

std::string text_or(const Value::Map& params, const std::string& key) {
  const auto found = params.find(key);
  return found == params.end() ? std::string() : found->second.text();
}

std::optional<Duration> duration_or_nothing(const Value::Map& params, const std::string& key) {
  const auto found = params.find(key);
  return found == params.end() ? std::nullopt : std::optional(to_duration(found->second.quantity()));
}

std::string canonical(const std::string& path) {
  std::error_code error;
  const auto out = std::filesystem::weakly_canonical(path, error);
  return error ? path : out.string();
}

std::vector<std::string> names_of(const std::vector<RailPlan>& rails) {
  std::vector<std::string> names;
  names.reserve(rails.size());
  for (const RailPlan& rail : rails) names.push_back(rail.name);
  return names;
}

/// Every capability that the vocabulary speaks of.
std::vector<std::string> all_capabilities(const Vocabulary& vocabulary) {
  std::vector<std::string> out = {"rails"};
  const auto add = [&](const std::string& name) {
    if (!name.empty() && std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
  };
  for (const DriverTypeSpec& driver : vocabulary.drivers)
    for (const std::string& offer : driver.offers) add(offer);
  for (const StepSpec& step : vocabulary.steps) add(step.needs);
  return out;
}

std::optional<SequencePlan> plan_of(const std::optional<Document>& document, const Vocabulary& vocabulary,
                                    const BenchPlan* bench, const ParameterOverrides& overrides,
                                    Diagnostics& diagnostics, std::size_t before) {
  if (document) {
    SequenceParser parser(vocabulary, bench, diagnostics);
    parser.parse(*document, overrides);
    if (diagnostics.list().size() == before) return parser.take();
  }
  diagnostics.sort();
  return std::nullopt;
}

}  // namespace

std::optional<SequencePlan> parse_sequence(const std::string& path, const Vocabulary& vocabulary,
                                           const BenchPlan* bench, const ParameterOverrides& overrides,
                                           Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.list().size();
  return plan_of(load_document(path, diagnostics), vocabulary, bench, overrides, diagnostics, before);
}

std::optional<SequencePlan> parse_sequence_text(const std::string& file, const std::string& text,
                                                const Vocabulary& vocabulary, const BenchPlan* bench,
                                                const ParameterOverrides& overrides, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.list().size();
  return plan_of(parse_document(file, text, diagnostics), vocabulary, bench, overrides, diagnostics, before);
}

SequenceParser::SequenceParser(const Vocabulary& vocabulary, const BenchPlan* bench, Diagnostics& diagnostics)
    : vocabulary_(vocabulary), bench_(bench), reader_(diagnostics, names_) {
  if (bench_ != nullptr) envelope_.emplace(*bench_);
  if (!vocabulary.register_names.empty()) names_.set(NameKind::reg, vocabulary.register_names);
  if (bench == nullptr) return;
  measurables_ = measurables_of(*bench, vocabulary);
  capabilities_ = capabilities_of(*bench, vocabulary);
  names_.set(NameKind::rail, names_of(bench->rails));
  std::vector<std::string> measurables;
  std::vector<std::string> drivers;
  std::vector<std::string> resources;
  for (const auto& [name, spec] : measurables_) measurables.push_back(name);
  for (const DriverPlan& driver : bench->drivers) drivers.push_back(driver.name);
  for (const ResourcePlan& resource : bench->resources) resources.push_back(resource.name);
  names_.set(NameKind::measurable, std::move(measurables));
  names_.set(NameKind::driver, std::move(drivers));
  names_.set(NameKind::resource, std::move(resources));
  names_.set(NameKind::line, lines_of(*bench, vocabulary));
}

void SequenceParser::parse(const Document& document, const ParameterOverrides& overrides) {
  plan_.file = document.file;
  read_file(document, nodes_of(reader_, overrides), true);
  check_pending();
  plan_.sha256 = sha256_of(hashed_);
}

void SequenceParser::read_file(const Document& document, const Scope& set, bool top) {
  hashed_ += document.text;
  including_.push_back(canonical(document.file));
  MapReader map(reader_, {&document.root, ""}, "a sequence file");
  if (const Entry* bench = document.root.find("bench"); bench != nullptr && document.root.find("phases") == nullptr) {
    reader_.error(bench->where, "bench", "this is a bench file; a sequence file was expected");
  } else if (map.valid()) {
    if (const auto header = map.require("sequence")) read_header(*header, top);
    const Parameters parameters = parameters_of(map, set);
    if (top) plan_.parameters = parameters.values;
    if (const auto phases = map.require("phases")) read_phases(*phases, parameters.scope, document.file);
    map.finish();
  }
  including_.pop_back();
}

Parameters SequenceParser::parameters_of(MapReader& map, const Scope& set) {
  const auto place = map.find("parameters");
  const Node nothing{Node::Kind::map, {}, false, {}, {}, map.place()->where, false};
  const Place declared = place.value_or(Place{&nothing, "parameters"});
  std::vector<std::string> known;
  for (const Entry& entry : declared->entries) known.push_back(entry.key);
  for (const auto& [name, node] : set)
    if (declared->is_map() && declared->find(name) == nullptr)
      reader_.error(node.where, "parameters." + name,
                    fmt::format("the sequence has no parameter \"{}\"; there are: {}", name, list_text(known)),
                    nearest_name(name, known));
  return read_parameters(reader_, declared, set);
}

void SequenceParser::read_header(const Place& place, bool top) {
  MapReader map(reader_, place, "`sequence`");
  if (!map.valid()) return;
  const Value::Map params = map.params(header_params());
  if (const Entry* name = place->find("name"))
    if (name->value.is_scalar()) reader_.identifier({&name->value, place.path + ".name"});
  map.finish();
  if (top) {
    plan_.name = text_or(params, "name");
    plan_.version = text_or(params, "version");
    plan_.doc = text_or(params, "doc");
    plan_.timeout = duration_or_nothing(params, "timeout");
    if (plan_.timeout && plan_.timeout->count() == 0)
      reader_.error(place->find("timeout")->value.where, place.path + ".timeout", "a timeout must be above 0 s");
  }
  if (const Entry* needs = place->find("requires"); needs != nullptr && !needs->value.is_null())
    check_requires({&needs->value, place.path + ".requires"});
}

void SequenceParser::check_requires(const Place& place) {
  if (place->is_map()) return;  // told already
  const auto known = all_capabilities(vocabulary_);
  for (const Place& item : reader_.items(place)) {
    if (!item->is_scalar()) continue;
    const auto has = [&](const std::vector<std::string>& list) {
      return std::find(list.begin(), list.end(), item->text) != list.end();
    };
    if (!has(known)) {
      reader_.error(item, fmt::format("no capability \"{}\"; there are: {}", item->text, list_text(known)),
                    nearest_name(item->text, known));
    } else if (bench_ != nullptr && !has(capabilities_)) {
      reader_.error(item, fmt::format("the bench `{}` does not offer `{}`; it offers: {}", bench_->name, item->text,
                                      list_text(capabilities_)));
    } else if (!has(plan_.requires_)) {
      plan_.requires_.push_back(item->text);
    }
  }
}

void SequenceParser::read_phases(const Place& place, const Scope& scope, const std::string& file) {
  if (!place->is_list()) {
    reader_.error(place, fmt::format("expected a list of phases, found {}", describe(*place)));
    return;
  }
  if (place->items.empty()) reader_.error(place, "a sequence without phases does nothing");
  for (std::size_t i = 0; i < place->items.size(); ++i) {
    const Place item = place.item(i);
    if (item->is_map() && item->find("include") != nullptr) {
      read_include(item, scope, file);
    } else {
      read_phase(item, scope);
    }
  }
}

void SequenceParser::read_include(const Place& place, const Scope& scope, const std::string& file) {
  const Node own = substitute(place, scope, reader_);
  MapReader map(reader_, {&own, place.path}, "an include");
  const auto name = map.require("include");
  const auto with = map.find("with");
  map.finish();
  const auto text = name ? reader_.text(*name) : std::nullopt;
  Scope set;
  if (with && MapReader(reader_, *with, "`with`").valid())
    for (const Entry& entry : (*with)->entries) set[entry.key] = entry.value;
  if (!text || (*name)->broken) return;
  const std::string path = (std::filesystem::path(file).parent_path() / *text).lexically_normal().string();
  if (std::find(including_.begin(), including_.end(), canonical(path)) != including_.end()) {
    reader_.error(*name, fmt::format("\"{}\" includes itself, directly or by way of others", *text));
    return;
  }
  if (including_.size() >= kDeepestInclude) {
    reader_.error(*name, fmt::format("includes are nested more than {} deep", kDeepestInclude));
    return;
  }
  Diagnostics problems;
  const auto document = load_document(path, problems);
  for (const Diagnostic& problem : problems.list()) {
    if (problem.where.line > 0) reader_.diagnostics().add(problem);
    if (problem.where.line == 0) reader_.error(*name, fmt::format("cannot include \"{}\": {}", path, problem.message));
  }
  if (document) read_file(*document, set, false);
}

void SequenceParser::read_phase(const Place& place, const Scope& scope) {
  if (!MapReader(reader_, place, "a phase").valid()) return;
  Node own = *place;
  Surroundings around;
  around.scope = &scope;
  for (const std::string list : {"setup", "steps", "teardown"})
    own.entries.erase(
        std::remove_if(own.entries.begin(), own.entries.end(), [&](const Entry& entry) { return entry.key == list; }),
        own.entries.end());
  own = substitute({&own, place.path}, scope, reader_);
  MapReader map(reader_, {&own, place.path}, "a phase");
  const Value::Map params = map.params(phase_params());
  PhasePlan phase;
  phase.name = text_or(params, "name");
  phase.title = text_or(params, "title");
  phase.timeout = duration_or_nothing(params, "timeout");
  phase.on_fail = text_or(params, "on_fail") == "continue" ? OnFail::continue_ : OnFail::stop;
  phase.where = place->where;
  if (const Entry* name = own.find("name"); name != nullptr && name->value.is_scalar())
    reader_.identifier({&name->value, place.path + ".name"});
  const auto timeout_error = [&](std::string message) {
    reader_.error(own.find("timeout")->value.where, place.path + ".timeout", std::move(message));
  };
  if (phase.timeout && phase.timeout->count() == 0) timeout_error("a timeout must be above 0 s");
  if (phase.timeout && plan_.timeout && *phase.timeout > *plan_.timeout)
    timeout_error(fmt::format("the phase may take {}, but the sequence only {}", to_text(to_quantity(*phase.timeout)),
                              to_text(to_quantity(*plan_.timeout))));
  for (const PhasePlan& other : plan_.phases)
    if (!phase.name.empty() && other.name == phase.name)
      reader_.error(own.find("name")->value.where, place.path + ".name",
                    fmt::format("there is a phase `{}` already, on line {}", other.name, other.where.line));
  around.timeout = phase.timeout ? phase.timeout : plan_.timeout;
  around.timeout_of = phase.timeout ? fmt::format("the phase `{}`", phase.name) : "the sequence";
  const auto read = [&](const std::string& list) {
    map.find(list);  // known, though it was taken out
    const Entry* entry = place->find(list);
    if (entry == nullptr) return std::vector<StepPlan>{};
    around.label = phase.name + '.' + list;
    return read_steps({&entry->value, place.path + '.' + list}, around);
  };
  phase.setup = read("setup");
  phase.steps = read("steps");
  phase.teardown = read("teardown");
  if (place->find("steps") == nullptr) reader_.error(place, "a phase needs `steps`");
  map.find("include");
  map.finish();
  plan_.phases.push_back(std::move(phase));
}

}  // namespace firstlight
