#include "lab/drivers/pmbus/rail.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "lab/drivers/pmbus/status.h"

namespace firstlight::pmbus {

PmbusRail::PmbusRail(RailPlan plan, std::shared_ptr<Device> device, std::function<bool()> pgood)
    : plan_(std::move(plan)), device_(std::move(device)), pgood_(std::move(pgood)) {}

void PmbusRail::check_envelope(Voltage voltage, const char* what) const {
  const bool too_high = !(voltage <= plan_.max);  // NaN is refused as well
  const bool too_low = voltage < Voltage(0) || (plan_.min && voltage < *plan_.min);
  if (!too_high && !too_low) return;
  const Voltage bound = too_high ? plan_.max : plan_.min.value_or(Voltage(0));
  throw FailureError({ErrorClass::interlock,
                      "rail_envelope",
                      fmt::format("{} of {} for {} is {} the {} of {} that the bench allows", what,
                                  firstlight::to_text(voltage), plan_.name, too_high ? "above" : "below",
                                  too_high ? "maximum" : "minimum", firstlight::to_text(bound)),
                      part(),
                      {},
                      {},
                      "the sequence asks for more than the bench's envelope; nothing was written"});
}

double PmbusRail::linear11(Command command) { return decode_linear11(device_->read_word(plan_.page, command)); }

Voltage PmbusRail::vout(Command command) {
  const std::uint16_t code = device_->read_word(plan_.page, command);
  return Voltage(device_->decode_vout(plan_.page, code));
}

void PmbusRail::set_voltage(Voltage voltage) {
  check_envelope(voltage, "a set point");
  device_->write_word(plan_.page, Command::VOUT_COMMAND, device_->encode_vout(plan_.page, voltage.base()));
}

Voltage PmbusRail::target_voltage() { return vout(Command::VOUT_COMMAND); }

void PmbusRail::enable() {
  check_envelope(target_voltage(), "the stored VOUT_COMMAND");
  device_->write_byte(plan_.page, Command::OPERATION, kOperationOn);
}

void PmbusRail::disable() { device_->write_byte(plan_.page, Command::OPERATION, kOperationSoftOff); }

void PmbusRail::set_margin(Margin margin) {
  if (margin != Margin::none) check_envelope(margin_voltage(margin), "the margin voltage");
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

Voltage PmbusRail::voltage() { return vout(Command::READ_VOUT); }
Current PmbusRail::current() { return Current(linear11(Command::READ_IOUT)); }
Temperature PmbusRail::temperature() { return Temperature(linear11(Command::READ_TEMPERATURE_1)); }

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

Duration PmbusRail::milliseconds(Command first, Command second) {
  const double sum = linear11(first) + linear11(second);  // PMBus gives these times in ms
  if (std::isfinite(sum) && sum >= 0) return from_seconds(sum * 1e-3);
  throw FailureError({ErrorClass::bench,
                      "pmbus_timing",
                      fmt::format("{} and {} of {} add up to {} ms", name_of(first), name_of(second), part(), sum),
                      part(),
                      {},
                      {},
                      "the part is not configured, or its timing registers are not LINEAR11"});
}

Duration PmbusRail::rise_time() { return milliseconds(Command::TON_DELAY, Command::TON_RISE); }
Duration PmbusRail::fall_time() { return milliseconds(Command::TOFF_DELAY, Command::TOFF_FALL); }

std::optional<bool> PmbusRail::power_good_pin() {
  if (!pgood_) return std::nullopt;
  return pgood_();
}

}  // namespace firstlight::pmbus
