#include "lab/drivers/pmbus/rail.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "lab/drivers/pmbus/status.h"
#include "lab/drivers/pmbus/telemetry.h"

namespace firstlight::pmbus {

PmbusRail::PmbusRail(RailPlan plan, std::shared_ptr<Device> device, std::function<bool()> pgood)
    : plan_(std::move(plan)), device_(std::move(device)), pgood_(std::move(pgood)) {}

Voltage PmbusRail::vout(Command command) { return Voltage(device_->read_number(plan_.page, command)); }

void PmbusRail::set_voltage(Voltage voltage) {
  device_->write_number(plan_.page, Command::VOUT_COMMAND, voltage.base());
}

Voltage PmbusRail::target_voltage() { return vout(Command::VOUT_COMMAND); }

void PmbusRail::enable() { device_->write_byte(plan_.page, Command::OPERATION, kOperationOn); }

void PmbusRail::disable() { device_->write_byte(plan_.page, Command::OPERATION, kOperationSoftOff); }

void PmbusRail::set_margin(Margin margin) {
  const std::uint8_t operation = margin == Margin::none  ? kOperationOn
                                 : margin == Margin::low ? kOperationMarginLow
                                                         : kOperationMarginHigh;
  device_->write_byte(plan_.page, Command::OPERATION, operation);
}

Voltage PmbusRail::margin_voltage(Margin margin) {
  switch (margin) {
    case Margin::low:
      return vout(Command::VOUT_MARGIN_LOW);
    case Margin::high:
      return vout(Command::VOUT_MARGIN_HIGH);
    case Margin::none:
      break;
  }
  return target_voltage();
}

Margin PmbusRail::margin() {
  const unsigned source = (device_->read_byte(plan_.page, Command::OPERATION) >> 4U) & 3U;
  return source == 1 ? Margin::low : source == 2 ? Margin::high : Margin::none;
}

Voltage PmbusRail::settable(Voltage voltage) {
  return Voltage(device_->nearest_number(plan_.page, Command::VOUT_COMMAND, voltage.base()));
}

/// Both are optional, signed, and in the part's VOUT format (PMBus 1.3 part II, 13.3 and 13.4).
Voltage PmbusRail::trim(Command command) {
  if (no_trims_.count(command) != 0 || device_->options().quirks.unsupported.count(command) != 0) return Voltage(0);
  const VoutMode mode = device_->vout_mode(plan_.page);
  if (mode.format != VoutMode::Format::linear) return Voltage(0);
  try {
    const auto code = static_cast<std::int16_t>(device_->read_word(plan_.page, command));
    return Voltage(std::ldexp(code, mode.exponent));
  } catch (const FailureError&) {
    // A part that cannot be reached at all fails at the next command.
    no_trims_.insert(command);
    return Voltage(0);
  }
}

Voltage PmbusRail::offset() { return trim(Command::VOUT_TRIM) + trim(Command::VOUT_CAL_OFFSET); }

std::optional<VoltageSlew> PmbusRail::transition_rate() {
  try {
    const double rate = device_->read_number(plan_.page, Command::VOUT_TRANSITION_RATE);  // mV/us
    if (std::isfinite(rate) && rate > 0) return VoltageSlew(rate * 1e3);
  } catch (const FailureError&) {
    // The command is optional; a part that cannot be reached at all fails at the next one.
  }
  return std::nullopt;
}

Voltage PmbusRail::voltage() { return vout(Command::READ_VOUT); }
const PeakCapture& PmbusRail::peaks() const {
  const std::optional<PeakCapture>& peaks = device_->options().quirks.peaks;
  if (!peaks) throw FailureError(no_capture());
  return *peaks;
}

Voltage PmbusRail::extreme(const std::optional<Command>& command) {
  if (!command) throw FailureError(no_capture());
  return Voltage(device_->read_vout(plan_.page, *command));
}

Voltage PmbusRail::lowest_voltage() { return extreme(peaks().lowest); }
Voltage PmbusRail::highest_voltage() { return extreme(peaks().highest); }

void PmbusRail::clear_extremes() {
  const PeakCapture& capture = peaks();
  if (capture.clear) return device_->send(plan_.page, *capture.clear);
  constexpr std::uint16_t kNoneYet = 0x7fff;  // the highest of a signed word: the next reading is lower
  if (capture.lowest) device_->put_word(plan_.page, *capture.lowest, kNoneYet);
  if (capture.highest) device_->put_word(plan_.page, *capture.highest, 0);
}

Current PmbusRail::current() { return Current(device_->read_number(plan_.page, Command::READ_IOUT)); }
Temperature PmbusRail::temperature() {
  return plausible_temperature(device_->read_number(plan_.page, Command::READ_TEMPERATURE_1), part());
}

RailStatus PmbusRail::status() {
  RailStatus status;
  const std::uint16_t word = device_->read_word(plan_.page, Command::STATUS_WORD);
  status.on = (word & kStatusOff) == 0;
  status.power_good = (word & kStatusPowerGoodNegated) == 0;
  status.text = fmt::format("STATUS_WORD 0x{:04x}", word);
  for (const Command detail : details_of(word)) {
    const std::uint8_t value = device_->read_byte(plan_.page, detail);
    status.text += fmt::format(" {} 0x{:02x}", name_of(detail), value);
    // STATUS_CML speaks of messages, not of this output; the device counts those itself.
    if (detail == Command::STATUS_CML) continue;
    for (std::string& name : bits_of(detail, value)) status.faults.push_back(std::move(name));
  }
  return status;
}

void PmbusRail::clear_faults() { device_->send(plan_.page, Command::CLEAR_FAULTS); }

double PmbusRail::milliseconds_of(Command command) {
  // A part without a delay or a ramp of its own simply takes none.
  if (device_->options().quirks.unsupported.count(command) != 0) return 0;
  return device_->read_number(plan_.page, command);
}

Duration PmbusRail::milliseconds(Command first, Command second) {
  const double sum = milliseconds_of(first) + milliseconds_of(second);
  if (std::isfinite(sum) && sum >= 0) return from_seconds(sum * 1e-3);
  throw FailureError(
      {ErrorClass::bench,
       "pmbus_timing",
       fmt::format("{} and {} of {} add up to {} ms", name_of(first), name_of(second), part(), sum),
       part(),
       {},
       {},
       "the part is not configured, or its timing registers are coded otherwise than its description says"});
}

Duration PmbusRail::rise_time() { return milliseconds(Command::TON_DELAY, Command::TON_RISE); }
Duration PmbusRail::fall_time() { return milliseconds(Command::TOFF_DELAY, Command::TOFF_FALL); }

std::optional<bool> PmbusRail::power_good_pin() {
  if (!pgood_) return std::nullopt;
  return pgood_();
}

}  // namespace firstlight::pmbus
