#include "lab/transports/i2c/adapter_names.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "lab/core/failure.h"

namespace firstlight::i2c {

namespace {

namespace fs = std::filesystem;

std::string resolved(const fs::path& path) {
  std::error_code error;
  const fs::path canonical = fs::canonical(path, error);
  return error ? path.string() : canonical.string();
}

bool lies_below(const std::string& folder, const std::string& base) {
  return folder == base ||
         (folder.size() > base.size() && folder.compare(0, base.size(), base) == 0 && folder[base.size()] == '/');
}

/// Of the adapters below a path only the nearest: a mux's channels lie below the bus that the mux is on.
std::vector<AdapterEntry> nearest_below(const std::vector<AdapterEntry>& all, const std::string& base) {
  std::vector<AdapterEntry> found;
  for (const AdapterEntry& one : all)
    if (lies_below(one.folder, base)) found.push_back(one);
  const auto nested = [&](const AdapterEntry& one) {
    return std::any_of(found.begin(), found.end(), [&](const AdapterEntry& other) {
      return other.number != one.number && lies_below(one.folder, other.folder);
    });
  };
  std::vector<AdapterEntry> nearest;
  std::copy_if(found.begin(), found.end(), std::back_inserter(nearest), [&](const auto& one) { return !nested(one); });
  return nearest;
}

std::vector<AdapterEntry> fitting(const std::string& wanted, const std::vector<AdapterEntry>& all) {
  if (wanted.front() == '/') return nearest_below(all, resolved(wanted));
  std::vector<AdapterEntry> found;
  for (const AdapterEntry& one : all)
    if (::fnmatch(wanted.c_str(), one.name.c_str(), 0) == 0) found.push_back(one);
  return found;
}

std::string list_text(const std::vector<AdapterEntry>& adapters) {
  std::vector<std::string> texts;
  texts.reserve(adapters.size());
  for (const AdapterEntry& one : adapters) texts.push_back(fmt::format("\"{}\" (i2c-{})", one.name, one.number));
  return texts.empty() ? "none" : fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace

std::vector<AdapterEntry> list_adapters(const std::string& sysfs) {
  std::vector<AdapterEntry> adapters;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(sysfs + "/bus/i2c/devices", error)) {
    const std::string file = entry.path().filename().string();
    if (file.compare(0, 4, "i2c-") != 0 || file.find_first_not_of("0123456789", 4) != std::string::npos) continue;
    AdapterEntry adapter;
    adapter.number = std::stoi(file.substr(4));
    std::ifstream name(entry.path() / "name");
    std::getline(name, adapter.name);
    adapter.folder = resolved(entry.path());
    adapters.push_back(std::move(adapter));
  }
  std::sort(adapters.begin(), adapters.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
  return adapters;
}

std::string find_device_file(const std::string& wanted, const std::string& resource, const std::string& sysfs) {
  const std::vector<AdapterEntry> all = list_adapters(sysfs);
  const std::vector<AdapterEntry> found = wanted.empty() ? std::vector<AdapterEntry>{} : fitting(wanted, all);
  if (found.size() == 1) return fmt::format("/dev/i2c-{}", found.front().number);
  const bool none = found.empty();
  throw FailureError(
      {ErrorClass::bench, "i2c_no_adapter",
       fmt::format("resource \"{}\": {} I2C adapter{} \"{}\"; there are: {}", resource, none ? "no" : "more than one",
                   none ? " is" : " fits", wanted, list_text(none ? all : found)),
       resource, "list " + sysfs + "/bus/i2c/devices", list_text(all),
       none ? "the adapter's driver is not loaded, or its cable is out"
            : "several adapters have that name: write the path of the right one in /sys/devices"});
}

}  // namespace firstlight::i2c
