#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "lab/bench/measures.h"
#include "lab/core/failure.h"
#include "lab/core/suggest.h"
#include "lab/drivers/params.h"
#include "lab/drivers/registry.h"

namespace firstlight {

namespace {

constexpr Duration kDefaultTimeout = std::chrono::seconds(1);

/// What the kernel's ABI counts in, and what no sensor of its kind reads (Documentation/hwmon/sysfs-interface.rst).
struct ChannelKind {
  const char* prefix;
  Dimension dimension;
  double unit;  // of one count, in base units
  double lowest;
  double highest;
};
constexpr std::array<ChannelKind, 5> kKinds = {{{"in", Dimension::voltage, 1e-3, -60, 100},
                                                {"curr", Dimension::current, 1e-3, -1000, 5000},
                                                {"power", Dimension::power, 1e-6, -1000, 50000},
                                                {"temp", Dimension::temperature, 1e-3, -55, 150},
                                                {"fan", Dimension::none, 1, 0, 100000}}};

const ChannelKind* kind_of(const std::string& channel) {
  const std::string prefix = channel.substr(0, channel.find_first_of("0123456789"));
  const auto* const found =
      std::find_if(kKinds.begin(), kKinds.end(), [&](const ChannelKind& kind) { return prefix == kind.prefix; });
  return found == kKinds.end() ? nullptr : found;
}

struct Channel {
  std::string name;  // "temp1"
  std::string part;
  ChannelKind kind{};  // with the bench's bounds, where it gives some
  bool has_fault = false;
};

/// A hwmon chip with its channels that the bench measures.
class HwmonDriver {
 public:
  HwmonDriver(std::shared_ptr<Hwmon> chip, Duration timeout, BenchTime& time)
      : chip_(std::move(chip)), timeout_(timeout), time_(time) {}

  const Hwmon& chip() const { return *chip_; }

  Quantity read(const Channel& channel) {
    if (channel.has_fault && value(channel, "_fault") != 0)
      fail(channel, "sensor_fault", fmt::format("{} reports a broken sensor", channel.part), channel.name + "_fault",
           "1", "an open or shorted sensor, or its wire");
    const std::int64_t raw = value(channel, "_input");
    const Quantity found{static_cast<double>(raw) * channel.kind.unit, channel.kind.dimension};
    if (found.value >= channel.kind.lowest && found.value <= channel.kind.highest) return found;
    fail(channel, "implausible_reading",
         fmt::format("{} reads {}, outside of the possible {} to {}", channel.part, to_text(found),
                     to_text(Quantity{channel.kind.lowest, found.dimension}),
                     to_text(Quantity{channel.kind.highest, found.dimension})),
         channel.name + "_input", std::to_string(raw),
         "a value that stands for \"none\", or a channel that nothing is wired to");
  }

 private:
  std::int64_t value(const Channel& channel, const char* suffix) {
    const std::string attribute = channel.name + suffix;
    const HwmonResult result = chip_->read(attribute, time_.now() + timeout_);
    switch (result.status) {
      case HwmonStatus::ok:
        return result.value;
      case HwmonStatus::no_value:
        fail(channel, "sensor_no_value", fmt::format("{} has no value now", channel.part), attribute, result.detail,
             "the sensor has no power, or has not measured yet");
      case HwmonStatus::timeout:
        fail(channel, "hwmon_timeout",
             fmt::format("{} did not answer within {}", channel.part, to_text(to_quantity(timeout_))), attribute,
             result.detail, "the bus behind the sensor hangs");
      case HwmonStatus::no_such_channel:
      case HwmonStatus::io_error:
        break;
    }
    fail(channel, "hwmon_io", fmt::format("{} cannot be read", channel.part), attribute, result.detail,
         "the sensor, its bus or its kernel driver is gone");
  }

  [[noreturn]] static void fail(const Channel& channel, const char* symptom, std::string message, std::string sent,
                                std::string received, std::string cause) {
    throw FailureError({ErrorClass::infrastructure, symptom, std::move(message), channel.part,
                        "read " + std::move(sent), std::move(received), std::move(cause)});
  }

  std::shared_ptr<Hwmon> chip_;
  Duration timeout_;
  BenchTime& time_;
};

/// "temp1 (Tctl)" for every channel that can be read.
std::vector<std::string> described(const Hwmon& chip) {
  std::vector<std::string> texts;
  for (const std::string& attribute : chip.attributes()) {
    const auto suffix = attribute.rfind("_input");
    if (suffix == std::string::npos) continue;
    const std::string label = chip.label(attribute.substr(0, suffix));
    texts.push_back(attribute.substr(0, suffix) + (label.empty() ? "" : fmt::format(" ({})", label)));
  }
  return texts;
}

/// The channel that the bench means: by the kernel's name, or by the label that the board's maker gave it.
std::string find_channel(const NamedMeasure& named, const Hwmon& chip) {
  const std::string wanted = named.text("channel").value_or(named.name);
  std::vector<std::string> known;
  std::vector<std::string> labelled;
  for (const std::string& attribute : chip.attributes()) {
    const auto suffix = attribute.rfind("_input");
    if (suffix == std::string::npos) continue;
    const std::string channel = attribute.substr(0, suffix);
    if (channel == wanted) return channel;
    known.push_back(channel);
    const std::string label = chip.label(channel);
    if (label == wanted) labelled.push_back(channel);
    if (!label.empty()) known.push_back(label);
  }
  if (labelled.size() == 1) return labelled.front();
  throw_bad_param(named.where,
                  fmt::format("{} has {} channel \"{}\"; it has {}", chip.chip(),
                              labelled.empty() ? "no" : "more than one", wanted, fmt::join(described(chip), ", ")),
                  nearest_name(wanted, known));
}

void bound(double& bound, const NamedMeasure& named, const char* member) {
  const auto found = named.params.find(member);
  if (found == named.params.end()) return;
  std::optional<Quantity> given;
  if (const auto* quantity = std::get_if<Quantity>(&found->second.data)) given = *quantity;
  if (const auto text = named.text(member)) given = parse_quantity(*text, named.dimension);
  if (!given || given->dimension != named.dimension)
    throw_bad_param(found->second.where,
                    fmt::format("{} of `{}` must be a {}{}", member, named.name, name_of(named.dimension),
                                named.dimension == Dimension::none ? "" : " with its unit"));
  bound = given->value;
}

void check_members(const NamedMeasure& named) {
  static const std::vector<std::string> known = {"channel", "min", "max"};
  for (const auto& [member, value] : named.params)
    if (std::find(known.begin(), known.end(), member) == known.end())
      throw_bad_param(value.where, fmt::format("`{}` of `{}` is none of channel, min, max", member, named.name),
                      nearest_name(member, known));
}

Channel channel_of(const DriverPlan& plan, const NamedMeasure& named, const Hwmon& chip) {
  check_members(named);
  Channel channel;
  channel.name = find_channel(named, chip);
  const ChannelKind* const kind = kind_of(channel.name);
  if (kind == nullptr || kind->dimension != named.dimension)
    throw_bad_param(named.where,
                    fmt::format("{} of {} measures {}, not {}", channel.name, chip.chip(),
                                kind == nullptr                      ? "nothing that is known here"
                                : kind->dimension == Dimension::none ? "number (revolutions per minute)"
                                                                     : std::string(name_of(kind->dimension)),
                                name_of(named.dimension)));
  channel.kind = *kind;
  bound(channel.kind.lowest, named, "min");
  bound(channel.kind.highest, named, "max");
  const std::vector<std::string> attributes = chip.attributes();
  channel.has_fault = std::find(attributes.begin(), attributes.end(), channel.name + "_fault") != attributes.end();
  const std::string label = chip.label(channel.name);
  channel.part = fmt::format("{} {}{}", plan.name, channel.name, label.empty() ? "" : fmt::format(" ({})", label));
  return channel;
}

void check_chip(const DriverPlan& plan, const Hwmon& chip) {
  const std::string expected = text_param(plan.params, "chip").value_or(chip.chip());
  if (expected == chip.chip()) return;
  throw FailureError(
      {ErrorClass::bench, "wrong_hwmon_chip",
       fmt::format("{} is a hwmon chip \"{}\", not the declared \"{}\"", chip.name(), chip.chip(), expected), plan.name,
       "its name", chip.chip(), "another sensor sits there, or another kernel driver bound"});
}

void build(const DriverPlan& plan, DriverEnvironment& environment) {
  const auto timeout = quantity_param(plan.params, "timeout");
  const auto driver = std::make_shared<HwmonDriver>(
      environment.hwmon(plan.uses.at(0)), timeout ? to_duration(*timeout) : kDefaultTimeout, environment.time());
  check_chip(plan, driver->chip());
  for (const NamedMeasure& named : named_measures(plan.params, "measures")) {
    const Channel channel = channel_of(plan, named, driver->chip());
    environment.bench().add({plan.name + "." + named.name, channel.kind.dimension,
                             fmt::format("Channel {} of hwmon chip {}", channel.name, driver->chip().chip()),
                             channel.part, [driver, channel] { return driver->read(channel); }});
  }
}

}  // namespace

std::vector<DriverType> hwmon_drivers() {
  DriverTypeSpec spec;
  spec.driver = "hwmon";
  spec.doc = "Sensors of a Linux hwmon chip: temperatures, voltages, currents, powers, fans.";
  spec.uses = {"hwmon"};
  ParamSpec measures;
  measures.name = "measures";
  measures.type = ParamType::map;
  measures.required = true;
  measures.doc =
      "What to measure, by name: `cpu: {measures: temperature, channel: temp1, min: 0 degC, max: 110 degC}`. `channel` "
      "is the kernel's name or the channel's label, and the name itself when absent; a reading beyond `min` or `max` "
      "is no value but a failure. A fan `measures: number`, in revolutions per minute.";
  ParamSpec chip;
  chip.name = "chip";
  chip.doc = "Name that the chip must have; another is refused.";
  ParamSpec timeout;
  timeout.name = "timeout";
  timeout.type = ParamType::quantity;
  timeout.dimension = Dimension::time;
  timeout.fallback = "1 s";
  timeout.doc = "Of one reading.";
  spec.params = {measures, chip, timeout};
  spec.measures_param = "measures";
  return {{spec, build}};
}

}  // namespace firstlight
