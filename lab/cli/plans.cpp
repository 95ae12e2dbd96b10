#include "lab/cli/plans.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "lab/bench/parse.h"
#include "lab/document/document.h"

namespace firstlight::cli {

std::optional<BenchPlan> load_bench(const Options& options, const Surroundings& surroundings,
                                    Diagnostics& diagnostics) {
  auto bench = parse_bench(options.bench, surroundings.vocabulary, diagnostics, options.bench_variables);
  for (const auto& text : options.faults) {
    const SourceLocation where{"--fault " + text, 0, 0};
    const auto fault = parse_fault(text, where, surroundings.vocabulary, diagnostics);
    if (!fault || !bench) continue;
    auto& faults = bench->faults;
    // The command line replaces the file's value of the same fault.
    faults.erase(
        std::remove_if(faults.begin(), faults.end(), [&](const FaultPlan& f) { return f.name == fault->name; }),
        faults.end());
    faults.push_back(*fault);
  }
  if (!bench) return {};
  const bool model = is_on_model(*bench, diagnostics);
  if (!model && !bench->faults.empty()) {
    diagnostics.add(
        {bench->faults.front().where, "faults are for models, and bench \"" + bench->name + "\" is hardware", "", ""});
  }
  return bench;
}

bool is_on_model(const BenchPlan& bench, Diagnostics& diagnostics) {
  const ResourcePlan* on_model = nullptr;
  const ResourcePlan* hardware = nullptr;
  for (const auto& resource : bench.resources) {
    const bool simulated = resource.address == "model" || resource.address.rfind("model:", 0) == 0;
    (simulated ? on_model : hardware) = &resource;
  }
  if (on_model != nullptr && hardware != nullptr) {
    diagnostics.add({hardware->where,
                     "resource \"" + hardware->name + "\" has the address " + hardware->address + " while \"" +
                         on_model->name + "\" is on the model; a bench is one or the other",
                     "", ""});
  }
  return hardware == nullptr;
}

int tell(Diagnostics& diagnostics, const Options& options, const Surroundings& surroundings) {
  diagnostics.sort();
  if (!options.json) {
    const auto count = diagnostics.list().size();
    *surroundings.err << to_text(diagnostics) << "\n" << count << (count == 1 ? " error\n" : " errors\n");
    return kExitBadInput;
  }
  auto list = nlohmann::ordered_json::array();
  for (const auto& one : diagnostics.list()) {
    list.push_back({{"file", one.where.file},
                    {"line", one.where.line},
                    {"column", one.where.column},
                    {"message", one.message},
                    {"suggestion", one.suggestion},
                    {"path", one.path}});
  }
  *surroundings.out << nlohmann::ordered_json{{"errors", std::move(list)}}.dump(
                           2, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
                    << "\n";
  return kExitBadInput;
}

int bad_input(const std::string& message, const Options& options, const Surroundings& surroundings) {
  if (options.json) {
    *surroundings.out << nlohmann::ordered_json{{"errors", {{{"message", message}}}}}.dump(2) << "\n";
  } else {
    *surroundings.err << "firstlight: " << message << "\n";
  }
  return kExitBadInput;
}

}  // namespace firstlight::cli
