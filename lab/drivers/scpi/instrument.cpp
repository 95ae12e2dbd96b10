#include "lab/drivers/scpi/instrument.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "lab/drivers/scpi/doubts.h"

namespace firstlight::scpi {

namespace {

// Settings are rounded to what an instrument can do; anything coarser is another setting.
constexpr double kSettingTolerance = 2e-3;
constexpr double kRounding = 1e-9;

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

}  // namespace

std::map<std::string, std::string> Instrument::identity() {
  const std::string answer = line_->session().identify();
  std::map<std::string, std::string> fields = {{"idn", answer}};
  static const std::vector<std::string> names = {"manufacturer", "model", "serial_number", "revision"};
  const std::vector<std::string> parts = split(answer, ',');
  for (std::size_t i = 0; i < parts.size() && i < names.size(); ++i) fields[names[i]] = std::string(trim(parts[i]));
  return fields;
}

std::map<std::string, std::string> Instrument::expected() const {
  if (personality().session.idn.empty()) return {};
  return {{"idn", personality().session.idn}};
}

void Instrument::check_range(const std::string& setting, const Quantity& value) const {
  const Range range = personality().range(setting, channel_);
  // Written so that NaN is refused as well.
  const bool high = range.max && !(value.value <= range.max->value);
  const bool low = range.min && !(value.value >= range.min->value);
  if (!high && !low) return;
  throw FailureError(
      {ErrorClass::interlock,
       "instrument_envelope",
       fmt::format("{} of {} for {} is {} the instrument's range, {}", setting, firstlight::to_text(value), part(),
                   high ? "above" : "below", firstlight::to_text(high ? *range.max : *range.min)),
       part(),
       {},
       {},
       "the sequence asks for more than the instrument can do; nothing was sent"});
}

void Instrument::set_checked(const std::string& setting, const Quantity& value) {
  check_range(setting, value);
  const Exchange& exchange = personality().exchange("set_" + setting);
  const std::string written = exchange.number.write(value.value);
  line_->tell(exchange, channel_, written);
  const double back = get(setting);
  const auto resolution = personality().range(setting, channel_).resolution;
  const double tolerance = std::max(
      {kSettingTolerance * std::fabs(value.value), resolution ? resolution->value * (1 + kRounding) : 0.0, kRounding});
  if (std::fabs(back - value.value) <= tolerance) return;
  const std::string sent =
      fmt::format("{}", fmt::join(exchange.messages(line_->channel_name(channel_), written), "; "));
  throw FailureError({ErrorClass::bench, "instrument_readback",
                      fmt::format("{} took {} without complaint but says {} is {}", part(), sent, setting,
                                  firstlight::to_text(Quantity{back, value.dimension})),
                      part(), sent, format_number(back),
                      "the instrument is in remote lock, coupled to another setting, or speaks another dialect"});
}

std::string Instrument::question(const Exchange& exchange, std::size_t channel) const {
  return exchange.messages(line_->channel_name(channel)).back();
}

void Instrument::fail_answer(const std::string& sent, const std::string& answer, const char* wanted) const {
  line_->session().doubt();
  throw FailureError(
      {ErrorClass::infrastructure, "scpi_bad_answer",
       fmt::format("{} answered {} with \"{}\", which is not {}", part(), sent, printable(answer), wanted), part(),
       sent, printable(answer), likely_cause_of(sent, answer)});
}

void Instrument::check_possible(const std::string& purpose, std::size_t channel, double value,
                                const std::string& answer) const {
  const Range range = personality().range(purpose.substr(purpose.rfind('_') + 1), channel);
  std::optional<double> most;
  if (range.max) most = std::max(std::fabs(range.max->value), range.min ? std::fabs(range.min->value) : 0.0);
  const auto problem = impossible(purpose, value, most);
  if (!problem) return;
  const std::string sent = question(personality().exchange(purpose), channel);
  line_->session().doubt();
  throw FailureError(
      {ErrorClass::infrastructure, "scpi_impossible",
       fmt::format("{} answered {} with \"{}\", which cannot be: {}", part(), sent, printable(answer), *problem),
       part(), sent, printable(answer),
       "bytes were lost or changed on the line, the answer belongs to another question, or the instrument is broken"});
}

double Instrument::measure(const std::string& purpose, std::size_t channel) {
  const Exchange& exchange = personality().exchange(purpose);
  const std::string answer = line_->ask(exchange, channel);
  const auto value = exchange.number_in(answer);
  if (!value) fail_answer(question(exchange, channel), answer, "a number");
  check_possible(purpose, channel, *value, answer);
  return *value;
}

bool Instrument::flag(const std::string& purpose) {
  const Exchange& exchange = personality().exchange(purpose);
  const std::string answer = line_->ask(exchange, channel_);
  if (const auto value = exchange.flag_in(answer, channel_)) return *value;
  fail_answer(question(exchange, channel_), answer, "a yes or a no");
}

void Instrument::switch_output(bool on) {
  const Exchange& exchange = personality().exchange(on ? "output_on" : "output_off");
  line_->tell(exchange, channel_);
  if (output() == on) return;
  const std::string command = exchange.messages(line_->channel_name(channel_)).back();
  throw FailureError({ErrorClass::bench, "instrument_readback",
                      fmt::format("{} took {} but its output is {}", part(), command, on ? "off" : "on"), part(),
                      command, on ? "off" : "on",
                      on ? "a protection has tripped, or the front panel locks the output"
                         : "the output relay is stuck, or another program holds the instrument"});
}

std::size_t Instrument::place_of(int channel, const char* what) const {
  if (channel >= 1 && channel <= personality().channel_count()) return static_cast<std::size_t>(channel - 1);
  throw FailureError(
      {ErrorClass::bench,
       "no_such_channel",
       fmt::format("{} has {} {}s; {} {} does not exist", part(), personality().channel_count(), what, what, channel),
       part(),
       {},
       {},
       "the bench file names a channel that the instrument's personality lacks"});
}

// ---- kinds

void ScpiSupply::set_over_voltage(Voltage threshold) {
  if (has_over_voltage()) return set_checked("over_voltage", threshold.quantity());
  throw FailureError({ErrorClass::bench,
                      "no_over_voltage",
                      fmt::format("the over-voltage protection of {} cannot be set from here", part()),
                      part(),
                      {},
                      {},
                      "its model has none, or only at the front panel"});
}

std::vector<std::string> ScpiSupply::trips() {
  std::vector<std::string> tripped;
  if (can("over_voltage_tripped") && flag("over_voltage_tripped")) tripped.emplace_back("over-voltage");
  if (can("over_current_tripped") && flag("over_current_tripped")) tripped.emplace_back("over-current");
  return tripped;
}

void ScpiClock::count_by(std::function<Frequency(int)> counter, int inputs) {
  counter_ = std::move(counter);
  inputs_ = inputs;
}

Frequency ScpiClock::measured_frequency(int input) {
  if (counter_) return counter_(input);
  return Frequency(measure("measure_frequency", place_of(input, "input")));
}

void ScpiChamber::require(const std::string& name, const char* known) const {
  if (name == known) return;
  throw FailureError({ErrorClass::bench,
                      "no_such_setpoint",
                      fmt::format("{} has no \"{}\"; it has \"{}\"", Instrument::part(), name, known),
                      Instrument::part(),
                      {},
                      {},
                      {}});
}

Dimension ScpiChamber::dimension(const std::string& setpoint) {
  require(setpoint, "temperature");
  return Dimension::temperature;
}

void ScpiChamber::set(const std::string& setpoint, const Quantity& value) {
  require(setpoint, "temperature");
  if (value.dimension != Dimension::temperature)
    throw FailureError(
        {ErrorClass::bench,
         "wrong_dimension",
         fmt::format("the temperature of {} cannot be {}", Instrument::part(), firstlight::to_text(value)),
         Instrument::part(),
         {},
         {},
         "write it with degC"});
  set_checked("temperature", value);
}

Quantity ScpiChamber::target(const std::string& setpoint) {
  require(setpoint, "temperature");
  return {get("temperature"), Dimension::temperature};
}

void ScpiChamber::turn_on(const std::string& outlet) {
  require(outlet, "control");
  switch_output(true);
}

void ScpiChamber::turn_off(const std::string& outlet) {
  require(outlet, "control");
  switch_output(false);
}

void ScpiChamber::cycle(const std::string& outlet) {
  turn_off(outlet);
  turn_on(outlet);
}

bool ScpiChamber::on(const std::string& outlet) {
  require(outlet, "control");
  return output();
}

}  // namespace firstlight::scpi
