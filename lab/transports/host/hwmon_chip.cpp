#include "lab/transports/host/hwmon_chip.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <map>
#include <regex>
#include <utility>

#include "lab/transports/blocking_worker.h"
#include "lab/transports/file_descriptor.h"
#include "lab/transports/host/refusal.h"

namespace firstlight::host {

namespace {

namespace fs = std::filesystem;

constexpr const char* kLabel = "_label";

HwmonResult failed(int error) {
  switch (error) {
    case ENODATA:
    case EAGAIN:
      return {HwmonStatus::no_value, 0, fmt::format("the sensor has no value: {}", error_text(error))};
    case ETIMEDOUT:
      return {HwmonStatus::timeout, 0, error_text(error)};
    case ENOENT:
    case ENODEV:
      return {HwmonStatus::io_error, 0, "the chip is gone"};
    default:
      return {HwmonStatus::io_error, 0, error_text(error)};
  }
}

HwmonResult read_attribute(const fs::path& file) {
  const FileDescriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!opened) return failed(errno);
  std::array<char, 64> text{};
  const ssize_t count = ::read(opened.get(), text.data(), text.size());
  if (count < 0) return failed(errno);
  HwmonResult result;
  const char* const end = text.data() + count;
  const auto parsed = std::from_chars(text.data(), end, result.value);
  if (parsed.ec == std::errc() && (parsed.ptr == end || *parsed.ptr == '\n')) return result;
  return {HwmonStatus::io_error, 0,
          fmt::format("\"{}\" is no number", std::string(text.data(), static_cast<std::size_t>(count)))};
}

class HwmonChip final : public Hwmon {
 public:
  HwmonChip(std::string name, fs::path folder, BenchTime& time)
      : name_(std::move(name)),
        folder_(std::move(folder)),
        chip_(read_text(folder_ / "name").value_or("")),
        worker_(time) {
    static const std::regex attribute("(in|temp|curr|power|energy|humidity|fan|freq|pwm)[0-9]+(_[a-z0-9_]+)?");
    for (const std::string& entry : names_in(folder_)) {
      if (!std::regex_match(entry, attribute) || ::access((folder_ / entry).c_str(), R_OK) != 0) continue;
      attributes_.push_back(entry);
      const auto label = entry.rfind(kLabel);
      if (label != std::string::npos) labels_[entry.substr(0, label)] = read_text(folder_ / entry).value_or("");
    }
  }

  std::string chip() const override { return chip_; }
  std::vector<std::string> attributes() const override { return attributes_; }
  std::string label(const std::string& channel) const override {
    const auto found = labels_.find(channel);
    return found == labels_.end() ? "" : found->second;
  }
  std::string name() const override { return name_; }

  HwmonResult read(const std::string& attribute, Instant deadline) override {
    if (!std::binary_search(attributes_.begin(), attributes_.end(), attribute))
      return {HwmonStatus::no_such_channel, 0, fmt::format("{} has no {}", chip_, attribute)};
    // Behind many chips lies an I2C bus.
    return worker_
        .run<HwmonResult>(deadline,
                          [file = folder_ / attribute](const BlockingWorker::Call&) { return read_attribute(file); })
        .value_or(HwmonResult{HwmonStatus::timeout, 0, "the kernel's driver did not answer"});
  }

 private:
  std::string name_;
  fs::path folder_;
  std::string chip_;
  std::vector<std::string> attributes_;  // sorted
  std::map<std::string, std::string> labels_;
  BlockingWorker worker_;
};

struct Candidate {
  fs::path folder;
  std::string chip;
  std::string device;
};

std::vector<Candidate> chips(const fs::path& sys) {
  std::vector<Candidate> all;
  const fs::path folder = sys / "class/hwmon";
  for (const std::string& entry : names_in(folder))
    all.push_back(
        {folder / entry, read_text(folder / entry / "name").value_or(""), link_target(folder / entry / "device")});
  return all;
}

std::string described(const std::vector<Candidate>& candidates) {
  std::vector<std::string> texts;
  for (const Candidate& one : candidates)
    texts.push_back(one.device.empty() ? one.chip : fmt::format("{}@{}", one.chip, one.device));
  return fmt::format("{}", fmt::join(texts, ", "));
}

fs::path by_name(const ResourcePlan& resource, const std::string& rest, const fs::path& sys) {
  const auto at = rest.find('@');
  const std::string name = rest.substr(0, at);
  const std::vector<Candidate> all = chips(sys);
  std::vector<Candidate> fitting;
  std::vector<std::string> names;
  for (const Candidate& one : all) {
    names.push_back(one.chip);
    if (one.chip == name && (at == std::string::npos || one.device == rest.substr(at + 1))) fitting.push_back(one);
  }
  if (fitting.size() == 1) return fitting.front().folder;
  if (fitting.empty())
    refuse(ErrorClass::infrastructure, "no_hwmon_chip", fmt::format("no hwmon chip \"{}\" is there", rest),
           resource.name,
           all.empty() ? "this machine has none: the kernel modules of its sensors are not loaded"
                       : fmt::format("there are: {}{}", described(all), nearest_hint(name, names)));
  refuse(ErrorClass::bench, "ambiguous_hwmon_chip",
         fmt::format("{} hwmon chips are called \"{}\"", fitting.size(), rest), resource.name,
         fmt::format("say which by its device: {}", described(fitting)));
}

fs::path by_path(const ResourcePlan& resource, const fs::path& path) {
  static const std::regex number("hwmon[0-9]+");
  if (std::regex_match(path.filename().string(), number)) {
    const std::string chip = read_text(path / "name").value_or("NAME");
    const std::string device = link_target(path / "device");
    refuse(ErrorClass::bench, "bad_address",
           fmt::format("resource \"{}\" is at {}: that number changes with the order in which chips are found",
                       resource.name, path.string()),
           resource.name,
           fmt::format("write hwmon:{}{}, which is that chip now", chip, device.empty() ? "" : "@" + device));
  }
  const std::vector<std::string> chips = names_in(path / "hwmon");
  if (chips.size() == 1) return path / "hwmon" / chips.front();
  refuse(ErrorClass::infrastructure, "no_hwmon_chip", fmt::format("{} has {} hwmon chips", path.string(), chips.size()),
         resource.name,
         fs::exists(path) ? "the path must be that of a device with one chip (its folder has a folder hwmon/)"
                          : "there is no such path: the device is not there, or its driver is not loaded");
}

}  // namespace

std::unique_ptr<Hwmon> open_hwmon_chip(const ResourcePlan& resource, const std::string& rest, BenchTime& time,
                                       const Root& root) {
  const bool is_path = !rest.empty() && rest.front() == '/';
  const fs::path folder = is_path ? by_path(resource, rest) : by_name(resource, rest, root.sys);
  return std::make_unique<HwmonChip>(fmt::format("hwmon:{}", rest), folder, time);
}

}  // namespace firstlight::host
