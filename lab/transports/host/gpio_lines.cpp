// Compiled empty where the build has no libgpiod.
#if FIRSTLIGHT_HAS_GPIOD
#include "lab/transports/host/gpio_lines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "lab/transports/blocking_worker.h"
#include "lab/transports/host/gpio_chip.h"
#include "lab/transports/host/refusal.h"

namespace firstlight::host {

namespace {

namespace fs = std::filesystem;

constexpr Duration kTimeout = std::chrono::seconds(1);  // an adapter on USB gives up later than that

class GpioLines final : public Gpio {
 public:
  GpioLines(std::string name, std::shared_ptr<GpioChip> chip, std::map<std::string, unsigned> offsets, BenchTime& time)
      : name_(std::move(name)), chip_(std::move(chip)), offsets_(std::move(offsets)), time_(time), worker_(time) {}

  std::vector<std::string> lines() const override {
    std::vector<std::string> names;
    for (const auto& [name, offset] : offsets_) names.push_back(name);
    return names;
  }

  std::optional<bool> get(const std::string& line, std::string* detail) override {
    return run(line, detail, [](GpioChip& chip, unsigned offset, std::string& why) { return chip.get(offset, why); });
  }

  bool set(const std::string& line, bool level, std::string* detail) override {
    return run(line, detail,
               [level](GpioChip& chip, unsigned offset, std::string& why) {
                 return chip.set(offset, level, why) ? std::optional<bool>(level) : std::nullopt;
               })
        .has_value();
  }

  std::string name() const override { return name_; }

 private:
  struct Outcome {
    std::optional<bool> level;
    std::string why;
  };
  using Access = std::function<std::optional<bool>(GpioChip&, unsigned offset, std::string& why)>;

  std::optional<bool> run(const std::string& line, std::string* detail, const Access& access) {
    const auto found = offsets_.find(line);
    Outcome outcome{std::nullopt, "there is no such line"};
    if (found != offsets_.end()) {
      const auto work = [chip = chip_, offset = found->second, access](const BlockingWorker::Call&) {
        Outcome made;
        made.level = access(*chip, offset, made.why);
        return made;
      };
      outcome = worker_.run<Outcome>(time_.now() + kTimeout, work)
                    .value_or(Outcome{std::nullopt, "the adapter did not answer within 1 s"});
    }
    if (!outcome.level && detail != nullptr) *detail = outcome.why;
    return outcome.level;
  }

  std::string name_;
  std::shared_ptr<GpioChip> chip_;
  std::map<std::string, unsigned> offsets_;
  BenchTime& time_;
  BlockingWorker worker_;
};

struct Candidate {
  std::string file;
  std::string label;
  fs::path place;  // of its device in sysfs
};

bool is_chip(const std::string& name) { return name.rfind("gpiochip", 0) == 0; }

std::vector<Candidate> chips(const Root& root, std::string& why) {
  std::vector<Candidate> all;
  for (const std::string& name : names_in(root.dev)) {
    if (!is_chip(name)) continue;
    const auto chip = GpioChip::open(root.dev / name, why);
    if (!chip) {
      why = fmt::format("{} cannot be opened: {}", (root.dev / name).string(), why);
      continue;
    }
    std::error_code none;
    all.push_back({name, chip->label(), fs::weakly_canonical(root.sys / "bus/gpio/devices" / name, none)});
  }
  return all;
}

std::string described(const std::vector<Candidate>& candidates) {
  std::vector<std::string> texts;
  for (const Candidate& one : candidates) texts.push_back(fmt::format("{} ({})", one.label, one.place.string()));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string find_chip(const ResourcePlan& resource, const std::string& rest, const Root& root) {
  const auto at = rest.rfind('@');
  const std::string label = rest.substr(0, at);
  const std::string place = at == std::string::npos ? "" : rest.substr(at + 1);
  std::string why;
  const std::vector<Candidate> all = chips(root, why);
  std::vector<Candidate> fitting;
  std::vector<std::string> labels;
  for (const Candidate& one : all) {
    labels.push_back(one.label);
    if (one.label == label &&
        (place.empty() || std::find(one.place.begin(), one.place.end(), fs::path(place)) != one.place.end()))
      fitting.push_back(one);
  }
  if (fitting.size() == 1) return fitting.front().file;
  if (fitting.size() > 1)
    refuse(ErrorClass::bench, "ambiguous_gpio_chip",
           fmt::format("{} GPIO chips have the label \"{}\": {}", fitting.size(), rest, described(fitting)),
           resource.name, "say which by a name in its path: gpio:LABEL@PLACE");
  if (all.empty())
    refuse(ErrorClass::infrastructure, "no_gpio_chip", fmt::format("no GPIO chip \"{}\" is there", rest), resource.name,
           why.empty() ? "this machine has none: the adapter is not plugged in, or its kernel module is not loaded"
                       : why + "; a udev rule gives this user the file");
  refuse(ErrorClass::infrastructure, "no_gpio_chip",
         fmt::format("no GPIO chip \"{}\" is there{}", rest, nearest_hint(label, labels)), resource.name,
         fmt::format("there are: {}{}", described(all), why.empty() ? "" : "; " + why));
}

/// Names that the bench file gives take precedence over the kernel's.
std::map<std::string, unsigned> name_lines(const ResourcePlan& resource, const std::vector<std::string>& by_kernel) {
  std::map<std::string, unsigned> offsets;
  for (unsigned offset = 0; offset < by_kernel.size(); ++offset)
    if (!by_kernel[offset].empty() && !offsets.emplace(by_kernel[offset], offset).second)
      offsets.erase(by_kernel[offset]);  // a name that two lines have names none
  const auto given = resource.params.find("line_names");
  if (given == resource.params.end() || !given->second.is_set()) return offsets;
  for (const auto& [name, value] : given->second.map()) {
    const auto* const offset = std::get_if<std::int64_t>(&value.data);
    if (offset == nullptr || *offset < 0 || static_cast<std::uint64_t>(*offset) >= by_kernel.size())
      refuse(ErrorClass::bench, "bad_line",
             fmt::format("{}:{}: line_names of \"{}\": `{}` must be an offset from 0 to {}", value.where.file,
                         value.where.line, resource.name, name, by_kernel.size() - 1),
             resource.name, fmt::format("the chip has {} lines", by_kernel.size()));
    offsets[name] = static_cast<unsigned>(*offset);
  }
  return offsets;
}

}  // namespace

std::unique_ptr<Gpio> open_gpio_lines(const ResourcePlan& resource, const std::string& rest, BenchTime& time,
                                      const Root& root) {
  const fs::path file = root.dev / find_chip(resource, rest, root);
  std::string why;
  std::shared_ptr<GpioChip> chip = GpioChip::open(file, why);
  if (!chip)
    refuse(ErrorClass::infrastructure, "no_gpio_chip", fmt::format("{} cannot be opened: {}", file.string(), why),
           resource.name, "the adapter has just gone");
  auto offsets = name_lines(resource, chip->line_names());
  if (offsets.empty())
    refuse(ErrorClass::bench, "unnamed_lines",
           fmt::format("the {} lines of GPIO chip \"{}\" have no names", chip->line_names().size(), rest),
           resource.name, "give the resource `line_names: {por_n: 3, ...}`");
  return std::make_unique<GpioLines>(fmt::format("gpio:{}", rest), std::move(chip), std::move(offsets), time);
}

void refuse_gpio_number(const ResourcePlan& resource, const std::string& file) {
  std::string why;
  const auto chip = is_chip(fs::path(file).filename().string()) ? GpioChip::open(file, why) : nullptr;
  refuse(ErrorClass::bench, "bad_address",
         fmt::format("resource \"{}\" is at {}: the number of a GPIO chip changes with the order in which adapters are "
                     "found",
                     resource.name, file),
         resource.name,
         chip ? fmt::format("write gpio:{}, which is that chip now", chip->label())
              : "write gpio:LABEL; `gpiodetect` lists chips with their labels");
}

}  // namespace firstlight::host

#endif
