#include "lab/drivers/scpi/instrument.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace firstlight::scpi {

namespace {

// Settings are rounded to what an instrument can do; anything coarser is another setting.
constexpr double kSettingTolerance = 2e-3;

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

Instrument::Instrument(std::shared_ptr<Session> session, Personality personality,
                       std::map<std::string, Quantity> envelope)
    : session_(std::move(session)), personality_(std::move(personality)), envelope_(std::move(envelope)) {}

std::map<std::string, std::string> Instrument::identity() {
  const std::string answer = session_->identify();
  std::map<std::string, std::string> fields = {{"idn", answer}};
  static const std::vector<std::string> names = {"manufacturer", "model", "serial_number", "revision"};
  const std::vector<std::string> parts = split(answer, ',');
  for (std::size_t i = 0; i < parts.size() && i < names.size(); ++i) fields[names[i]] = std::string(trim(parts[i]));
  return fields;
}

std::map<std::string, std::string> Instrument::expected() const {
  if (personality_.session.idn.empty()) return {};
  return {{"idn", personality_.session.idn}};
}

void Instrument::set_checked(const std::string& quantity, const Quantity& value) {
  for (const auto* bounds : {&envelope_, &personality_.maxima}) {
    const auto bound = bounds->find(quantity);
    if (bound == bounds->end() || value.value <= bound->second.value) continue;
    throw FailureError({ErrorClass::interlock,
                        "instrument_envelope",
                        fmt::format("{} of {} for {} is above the {} of {}", quantity, firstlight::to_text(value),
                                    part(), bounds == &envelope_ ? "bench's maximum" : "instrument's range",
                                    firstlight::to_text(bound->second)),
                        part(),
                        {},
                        {},
                        "the sequence asks for more than the bench allows; nothing was sent"});
  }
  const std::string command = personality_.command("set_" + quantity, format_number(value.value));
  session_->set(command);
  const double back = get(quantity);
  if (std::fabs(back - value.value) <= kSettingTolerance * std::fabs(value.value)) return;
  throw FailureError({ErrorClass::bench, "instrument_readback",
                      fmt::format("{} took {} without complaint but says {} is {}", part(), command, quantity,
                                  firstlight::to_text(Quantity{back, value.dimension})),
                      part(), command + "; " + personality_.command("get_" + quantity), format_number(back),
                      "the instrument is in remote lock, coupled to another setting, or speaks another dialect"});
}

double Instrument::get(const std::string& quantity) {
  return session_->query_number(personality_.command("get_" + quantity));
}

void Instrument::switch_output(bool on) {
  const std::string command = personality_.command(on ? "output_on" : "output_off");
  session_->set(command);
  if (output() == on) return;
  throw FailureError({ErrorClass::bench, "instrument_readback",
                      fmt::format("{} took {} but its output is {}", part(), command, on ? "off" : "on"), part(),
                      command + "; " + personality_.command("get_output"), on ? "0" : "1",
                      on ? "a protection has tripped, or the front panel locks the output"
                         : "the output relay is stuck, or another program holds the instrument"});
}

void Instrument::check_channel(int channel, int count, const char* what) const {
  if (channel >= 1 && channel <= count) return;
  throw FailureError({ErrorClass::bench,
                      "no_such_channel",
                      fmt::format("{} has {} {}s; {} {} does not exist", part(), count, what, what, channel),
                      part(),
                      {},
                      {},
                      "the bench file names a channel that the instrument's personality lacks"});
}

std::vector<std::string> ScpiSupply::trips() {
  std::vector<std::string> tripped;
  if (session().query_boolean(personality().command("over_voltage_tripped"))) tripped.emplace_back("over-voltage");
  if (session().query_boolean(personality().command("over_current_tripped"))) tripped.emplace_back("over-current");
  return tripped;
}

Voltage ScpiMeter::voltage(int channel) {
  check_channel(channel, channels(), "channel");
  return Voltage(session().query_number(personality().command("measure_voltage", std::to_string(channel))));
}

Frequency ScpiClock::measured_frequency(int input) {
  check_channel(input, counter_inputs(), "input");
  return Frequency(session().query_number(personality().command("measure_frequency", std::to_string(input))));
}

}  // namespace firstlight::scpi
