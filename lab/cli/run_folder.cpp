#include "lab/cli/run_folder.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <filesystem>

#include "lab/core/failure.h"

namespace firstlight::cli {

namespace fs = std::filesystem;

namespace {

constexpr const char* kElsewhere = "--results DIR puts runs into another folder";

[[noreturn]] void refuse(ErrorClass error_class, const std::string& message, const std::string& cause) {
  throw FailureError({error_class, "run_folder", message, "disk", "", "", cause});
}

}  // namespace

std::string make_run_folder(const std::string& results, const std::string& name, const std::string& sequence,
                            const std::string& bench) {
  std::error_code error;
  fs::create_directories(results, error);
  if (error) refuse(ErrorClass::infrastructure, "cannot make folder " + results + ": " + error.message(), kElsewhere);
  const std::string usual = fmt::format("{}-{}-{:%Y%m%d-%H%M%S}", sequence, bench, fmt::localtime(std::time(nullptr)));
  const std::string base = name.empty() ? usual : name;
  constexpr int kMost = 1000;
  for (int i = 1; i < kMost; ++i) {
    const fs::path folder = fs::path(results) / (i == 1 ? base : fmt::format("{}-{}", base, i));
    // create_directory tells who was first, so two runs that start in one second get a folder each.
    if (fs::create_directory(folder, error)) return folder.string();
    if (error)
      refuse(ErrorClass::infrastructure, "cannot make folder " + folder.string() + ": " + error.message(), kElsewhere);
    if (!name.empty()) {
      refuse(ErrorClass::sequence, folder.string() + " is there already, and no run is ever overwritten",
             "give another --name, or leave it out");
    }
  }
  refuse(ErrorClass::infrastructure, "no free name for a run in " + results, "");
}

std::optional<std::string> find_run_folder(const std::string& results, const std::string& run) {
  const auto holds_a_record = [](const fs::path& folder) {
    std::error_code ignored;
    return fs::is_regular_file(folder / "events.jsonl", ignored);
  };
  if (!run.empty()) {
    for (const fs::path& folder : {fs::path(run), fs::path(results) / run})
      if (holds_a_record(folder)) return folder.string();
    return {};
  }
  std::error_code ignored;
  fs::path newest;
  fs::file_time_type when{};
  for (const auto& entry : fs::directory_iterator(results, ignored)) {
    if (!holds_a_record(entry.path())) continue;
    const auto written = fs::last_write_time(entry.path() / "events.jsonl", ignored);
    if (newest.empty() || written > when) {
      newest = entry.path();
      when = written;
    }
  }
  if (newest.empty()) return {};
  return newest.string();
}

}  // namespace firstlight::cli
