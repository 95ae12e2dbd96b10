#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/version.hpp>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <ostream>

#include "lab/cli/commands.h"
#include "lab/cli/doctor_findings.h"
#include "lab/cli/terminal.h"
#include "lab/cli/version.h"

namespace firstlight::cli {

namespace {

namespace fs = std::filesystem;

/// Where a program is on the PATH, or an empty text.
std::string on_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::string rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const auto colon = rest.find(':');
    const std::string candidate = rest.substr(0, colon) + "/" + program;
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
    if (colon == std::string::npos) break;
    rest.erase(0, colon + 1);
  }
  return {};
}

Finding results_folder(const std::string& folder) {
  std::error_code error;
  fs::path at = fs::absolute(folder, error);
  while (!fs::exists(at, error) && at.has_parent_path() && at != at.parent_path()) at = at.parent_path();
  if (::access(at.c_str(), W_OK) != 0)
    return {"results folder", Health::bad, at.string() + " is not writable",
            "give --results a folder that you may write to"};
  const auto space = fs::space(at, error);
  constexpr std::uintmax_t kMegabyte = 1024 * 1024;
  const std::string free = fmt::format("{} ({} MB free)", at.string(), space.available / kMegabyte);
  if (space.available < 200 * kMegabyte)
    return {"results folder", Health::bad, free, "free some space: a run takes up to 50 MB"};
  return {"results folder", Health::good, free, ""};
}

Finding tool(const std::string& program, const std::string& what_for, const std::string& package) {
  const std::string at = on_path(program);
  if (!at.empty()) return {program, Health::good, at, ""};
  return {program, Health::note, "not found", fmt::format("only for {}: apt-get install {}", what_for, package)};
}

std::vector<Finding> findings(const Options& options, const Surroundings& s) {
  std::vector<Finding> all;
  all.push_back({"firstlight", Health::good,
                 fmt::format("{} (Boost {}, fmt {}, C++ {})", kVersion, BOOST_LIB_VERSION, FMT_VERSION, __cplusplus),
                 ""});
  const bool model = static_cast<bool>(s.model);
  all.push_back({"model", model ? Health::good : Health::bad, model ? "built in" : "not built in",
                 model ? "" : "build the target `firstlight` with tb/ (scripts/setup, then cmake --preset release)"});
  all.push_back(
      {"vocabulary", s.vocabulary.steps.empty() ? Health::bad : Health::good,
       fmt::format("{} steps, {} drivers, {} faults, {} registers and fields", s.vocabulary.steps.size(),
                   s.vocabulary.drivers.size(), s.vocabulary.faults.size(), s.vocabulary.register_names.size()),
       ""});
  all.push_back(results_folder(options.results));
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  all.push_back({"open files", files.rlim_cur >= 256 ? Health::good : Health::bad,
                 fmt::format("up to {}", files.rlim_cur), files.rlim_cur >= 256 ? "" : "ulimit -n 1024"});
  const bool examples = fs::exists("lab/benches/model.yaml") && fs::exists("lab/sequences/bringup.yaml");
  all.push_back({"lab/sequences, lab/benches", examples ? Health::good : Health::note,
                 examples ? "here" : "not below this folder",
                 examples ? "" : "run from the repository's root, or name your own files"});
  const char* schema = std::getenv("FIRSTLIGHT_OCP_SCHEMA");
  const bool has_schema = schema != nullptr && fs::exists(fs::path(schema) / "root.json");
  if (schema != nullptr && !has_schema) {
    all.push_back({"FIRSTLIGHT_OCP_SCHEMA", Health::bad, std::string(schema) + " has no root.json",
                   "point it to json_spec/output of ocp-diag-core"});
  } else {
    all.push_back({"OCP schemas", has_schema ? Health::good : Health::note, has_schema ? schema : "not set",
                   has_schema ? "" : "only for the test of records: set FIRSTLIGHT_OCP_SCHEMA to their folder"});
  }
  all.push_back(tool("verilator", "building the model", "verilator"));
  all.push_back(tool("cmake", "building", "cmake"));
  all.push_back(tool("ninja", "building", "ninja-build"));
  return all;
}

struct Section {
  const char* name;   // in JSON
  const char* title;  // for people; empty: none
  std::vector<Finding> findings;
};

std::vector<Section> sections(const Options& options, const Surroundings& s) {
  return {{"station", "", findings(options, s)},
          {"transports", "Ways to reach hardware, by the type of a bench's resource:", transport_findings()},
          {"hardware", "At this machine now:", hardware_findings()}};
}

}  // namespace

int doctor_command(const Options& options, const Surroundings& surroundings) {
  static constexpr std::array<const char*, 3> kWords = {"ok", "note", "BAD"};
  bool bad = false;
  auto list = nlohmann::ordered_json::array();
  for (const Section& section : sections(options, surroundings)) {
    if (!options.json && *section.title != '\0') *surroundings.out << "\n" << section.title << "\n";
    for (const Finding& one : section.findings) {
      bad = bad || one.health == Health::bad;
      const char* word = kWords.at(static_cast<std::size_t>(one.health));
      list.push_back({{"section", section.name},
                      {"what", one.what},
                      {"health", word},
                      {"found", one.found},
                      {"advice", one.advice}});
      if (options.json) continue;
      *surroundings.out << fmt::format("{:<5} {:<26} {}\n", word, one.what, one.found);
      if (!one.advice.empty()) *surroundings.out << fmt::format("{:<5} {:<26}   {}\n", "", "", one.advice);
    }
  }
  if (options.json) *surroundings.out << list.dump(2) << "\n";
  return bad ? kExitInfrastructure : kExitPass;
}

}  // namespace firstlight::cli
