#include "tb/instruments/pmbus_page.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tb/instruments/pmbus_codec.h"

namespace tb::instruments {

using firstlight::Voltage;
using pmbus::Command;
namespace status = pmbus::status;

namespace {

constexpr std::uint8_t kOn = 0x80;
constexpr std::uint8_t kSoftOff = 0x40;
constexpr std::uint8_t kShutDown = 0x80;  // fault response: shut down, no retry
constexpr std::uint8_t kContinue = 0x00;
const sc_core::sc_time kRetryDelay{10, sc_core::SC_MS};

double as_milliseconds(const sc_core::sc_time& time) { return time.to_seconds() * 1e3; }

}  // namespace

PmbusPage::PmbusPage(Agenda& agenda, OutputStage& stage, PmbusPageParameters parameters)
    : agenda_(agenda), stage_(stage), parameters_(std::move(parameters)) {
  stage_.on_event([this] { evaluate(); });
  reset();
}

PmbusPage::~PmbusPage() {
  agenda_.cancel(ton_max_);
  agenda_.cancel(retry_);
  agenda_.cancel(power_bad_);
}

const sc_core::sc_time& PmbusPage::least_power_bad() {
  static const sc_core::sc_time time{1, sc_core::SC_MS};
  return time;
}

void PmbusPage::reset() {
  registers_.fill(0);
  const auto linear = [this](Command command, double value) {
    registers_[index(command)] = pmbus::encode_linear11(value);
  };
  const auto vout = [this](Command command, Voltage value) {
    registers_[index(command)] = pmbus::encode_linear16(value.base(), kVoutExponent);
  };
  registers_[index(Command::ON_OFF_CONFIG)] = 0x1a;  // OPERATION decides, the CONTROL pin does not
  vout(Command::VOUT_COMMAND, parameters_.nominal);
  vout(Command::VOUT_MAX, parameters_.max);
  linear(Command::VOUT_TRANSITION_RATE, 1.0);  // mV/us
  linear(Command::VIN_ON, 9.0);
  linear(Command::VIN_OFF, 8.5);
  linear(Command::VIN_UV_WARN_LIMIT, 11.0);
  linear(Command::IOUT_OC_FAULT_LIMIT, parameters_.overcurrent.base());
  linear(Command::IOUT_OC_WARN_LIMIT, parameters_.overcurrent.base() * 0.85);
  linear(Command::OT_FAULT_LIMIT, 125.0);
  linear(Command::OT_WARN_LIMIT, 110.0);
  linear(Command::TON_DELAY, as_milliseconds(parameters_.ton_delay));
  linear(Command::TON_RISE, as_milliseconds(parameters_.ton_rise));
  linear(Command::TON_MAX_FAULT_LIMIT, 8 * as_milliseconds(parameters_.ton_rise));
  linear(Command::TOFF_DELAY, as_milliseconds(parameters_.toff_delay));
  linear(Command::TOFF_FALL, as_milliseconds(parameters_.toff_fall));
  registers_[index(Command::VOUT_OV_FAULT_RESPONSE)] = kShutDown;
  registers_[index(Command::VOUT_UV_FAULT_RESPONSE)] = kShutDown;
  registers_[index(Command::IOUT_OC_FAULT_RESPONSE)] = kShutDown;
  registers_[index(Command::OT_FAULT_RESPONSE)] = kShutDown;
  registers_[index(Command::TON_MAX_FAULT_RESPONSE)] = kContinue;
  following_ = {{Command::VOUT_MARGIN_HIGH, 1.05},    {Command::VOUT_MARGIN_LOW, 0.95},
                {Command::VOUT_OV_FAULT_LIMIT, 1.15}, {Command::VOUT_OV_WARN_LIMIT, 1.10},
                {Command::VOUT_UV_WARN_LIMIT, 0.90},  {Command::VOUT_UV_FAULT_LIMIT, 0.80},
                {Command::POWER_GOOD_ON, 0.90},       {Command::POWER_GOOD_OFF, 0.86}};
  agenda_.cancel(ton_max_);
  agenda_.cancel(retry_);
  agenda_.cancel(power_bad_);
  power_bad_until_ = sc_core::SC_ZERO_TIME;
  clear_peaks();
  tripped_ = faulted_ = on_ = reached_ = input_good_ = false;
  stage_.turn_off(sc_core::SC_ZERO_TIME, sc_core::SC_ZERO_TIME);
  follow_command();
  update_power_good();
}

Voltage PmbusPage::vout(Command command) const { return Voltage(pmbus::decode_linear16(get(command), kVoutExponent)); }
Voltage PmbusPage::trim(Command command) const {
  return Voltage(std::ldexp(static_cast<std::int16_t>(get(command)), kVoutExponent));
}
double PmbusPage::linear(Command command) const { return pmbus::decode_linear11(get(command)); }
sc_core::sc_time PmbusPage::milliseconds(Command command) const {
  return {std::max(0.0, linear(command)), sc_core::SC_MS};
}

Voltage PmbusPage::target() const {
  const unsigned source = (get(Command::OPERATION) >> 4U) & 3U;
  const Command command = source == 1   ? Command::VOUT_MARGIN_LOW
                          : source == 2 ? Command::VOUT_MARGIN_HIGH
                                        : Command::VOUT_COMMAND;
  return std::min(vout(command) + trim(Command::VOUT_TRIM) + trim(Command::VOUT_CAL_OFFSET), vout(Command::VOUT_MAX));
}

void PmbusPage::follow_command() {
  const double command = vout(Command::VOUT_COMMAND).base();
  for (const auto& [limit, share] : following_)
    registers_[index(limit)] = pmbus::encode_linear16(command * share, kVoutExponent);
  write_limits_to_stage();
}

void PmbusPage::write_limits_to_stage() {
  stage_.watch({vout(Command::POWER_GOOD_ON), vout(Command::POWER_GOOD_OFF), vout(Command::VOUT_UV_WARN_LIMIT),
                vout(Command::VOUT_UV_FAULT_LIMIT), vout(Command::VOUT_OV_WARN_LIMIT),
                vout(Command::VOUT_OV_FAULT_LIMIT)});
}

bool PmbusPage::set(Command command, std::uint16_t value) {
  const auto info = pmbus::command_info(static_cast<std::uint8_t>(command));
  if (!info) return false;
  if (info->content == pmbus::Content::status) {
    registers_[index(command)] = static_cast<std::uint16_t>(registers_[index(command)] & ~value);
    evaluate();
    return true;
  }
  if (command == Command::OPERATION) return set_operation(static_cast<std::uint8_t>(value));
  if (info->content == pmbus::Content::vout || info->content == pmbus::Content::vout_limit ||
      info->content == pmbus::Content::trim)
    return set_vout(command, value);
  if (command == Command::ON_OFF_CONFIG && (value & 0xe0U) != 0) return false;
  registers_[index(command)] = value;
  if (command == Command::ON_OFF_CONFIG) apply(false);
  evaluate();
  return true;
}

bool PmbusPage::set_vout(Command command, std::uint16_t value) {
  const std::uint16_t most = get(Command::VOUT_MAX);
  const bool is_set_point =
      command == Command::VOUT_COMMAND || command == Command::VOUT_MARGIN_HIGH || command == Command::VOUT_MARGIN_LOW;
  if (is_set_point && value > most) {
    // PMBus 1.3 part II, 13.5: the output goes to VOUT_MAX, and the warning is latched.
    raise(Command::STATUS_VOUT, status::kVoutMaxWarn);
    value = most;
  }
  following_.erase(command);
  registers_[index(command)] = value;
  if (command == Command::VOUT_COMMAND) follow_command();
  write_limits_to_stage();
  if (on_) {
    // 1 mV/us is 1000 V/s.
    stage_.move_to(target(), firstlight::VoltageSlew(linear(Command::VOUT_TRANSITION_RATE) * 1e3));
  }
  evaluate();
  return true;
}

bool PmbusPage::set_operation(std::uint8_t value) {
  const unsigned source = (value >> 4U) & 3U;
  const bool off = (value & kOn) == 0;
  if (off ? (value & 0x3fU) != 0 : ((value & kSoftOff) != 0 || (value & 0x03U) != 0 || source == 3)) return false;
  const bool was_on = (get(Command::OPERATION) & kOn) != 0;
  registers_[index(Command::OPERATION)] = value;
  if (off) {
    // Only the command to turn off ends a latched shutdown; the pin, while it is active, keeps it.
    faulted_ = false;
    tripped_ = shutdown_pin_;
    retries_ = 0;
  } else if (!was_on) {
    for (const Command command : {Command::STATUS_VOUT, Command::STATUS_IOUT, Command::STATUS_INPUT,
                                  Command::STATUS_TEMPERATURE, Command::STATUS_CML, Command::STATUS_MFR_SPECIFIC})
      registers_[index(command)] = 0;
    if (tripped_) raise(Command::STATUS_MFR_SPECIFIC, status::kTripPin);
  } else if (on_) {
    stage_.move_to(target(), firstlight::VoltageSlew(linear(Command::VOUT_TRANSITION_RATE) * 1e3));
  }
  apply((value & kSoftOff) != 0);
  evaluate();
  return true;
}

bool PmbusPage::wanted() const {
  const std::uint16_t config = get(Command::ON_OFF_CONFIG);
  const bool by_command = (config & 0x10U) == 0 || (config & 0x08U) == 0 || (get(Command::OPERATION) & kOn) != 0;
  return by_command && input_good_ && !tripped_ && !faulted_;
}

void PmbusPage::apply(bool soft_off) {
  const bool want = wanted();
  if (want == on_) return;
  if (want) return start();
  on_ = reached_ = false;
  agenda_.cancel(ton_max_);
  stage_.turn_off(soft_off ? milliseconds(Command::TOFF_DELAY) : sc_core::SC_ZERO_TIME,
                  soft_off ? milliseconds(Command::TOFF_FALL) : sc_core::SC_ZERO_TIME);
}

void PmbusPage::start() {
  on_ = true;
  reached_ = false;
  power_bad_until_ = sc_core::SC_ZERO_TIME;
  stage_.turn_on(target(), milliseconds(Command::TON_DELAY), milliseconds(Command::TON_RISE));
  agenda_.cancel(ton_max_);
  if (linear(Command::TON_MAX_FAULT_LIMIT) <= 0) return;
  ton_max_ = agenda_.after(milliseconds(Command::TON_DELAY) + milliseconds(Command::TON_MAX_FAULT_LIMIT), [this] {
    ton_max_ = {};
    if (stage_.voltage() >= vout(Command::VOUT_UV_FAULT_LIMIT)) return;
    fault(Command::STATUS_VOUT, status::kTonMaxFault, static_cast<std::uint8_t>(get(Command::TON_MAX_FAULT_RESPONSE)));
  });
}

void PmbusPage::raise(Command status_register, std::uint8_t bits) {
  registers_[index(status_register)] = static_cast<std::uint16_t>(registers_[index(status_register)] | bits);
}

void PmbusPage::fault(Command status_register, std::uint8_t bit, std::uint8_t response) {
  raise(status_register, bit);
  const unsigned action = response >> 6U;
  if (action == 0 || faulted_) return;
  faulted_ = true;
  apply(false);
  update_power_good();
  const unsigned allowed = (response >> 3U) & 7U;
  if (action != 2 || allowed == 0 || (allowed < 7 && retries_ >= allowed)) return;
  ++retries_;
  agenda_.cancel(retry_);
  retry_ = agenda_.after(kRetryDelay, [this] {
    retry_ = {};
    faulted_ = false;
    apply(false);
    evaluate();
  });
}

void PmbusPage::clear_faults() {
  for (const Command command : {Command::STATUS_VOUT, Command::STATUS_IOUT, Command::STATUS_INPUT,
                                Command::STATUS_TEMPERATURE, Command::STATUS_CML, Command::STATUS_MFR_SPECIFIC})
    registers_[index(command)] = 0;
  if (tripped_) raise(Command::STATUS_MFR_SPECIFIC, status::kTripPin);
  evaluate();
}

void PmbusPage::set_input(Voltage vin) {
  vin_ = vin;
  const bool was_good = input_good_;
  if (vin.base() >= linear(Command::VIN_ON)) input_good_ = true;
  if (vin.base() < linear(Command::VIN_OFF)) input_good_ = false;
  if (was_good && !input_good_ && on_) raise(Command::STATUS_INPUT, status::kVinUvFault | status::kVinOff);
  apply(false);
  evaluate();
}

void PmbusPage::set_shutdown_pin(bool active) {
  if (!parameters_.has_enable_pin || active == shutdown_pin_) return;
  shutdown_pin_ = active;
  if (active) {
    tripped_ = true;
    raise(Command::STATUS_MFR_SPECIFIC, status::kTripPin);
  } else if ((get(Command::OPERATION) & kOn) == 0) {
    tripped_ = false;
  }
  apply(false);
  evaluate();
}

void PmbusPage::set_temperature(firstlight::Temperature temperature) {
  temperature_ = temperature;
  evaluate();
}

void PmbusPage::evaluate() {
  // A comparator may turn the output off, which is an event of the stage again.
  if (evaluating_) return;
  evaluating_ = true;
  if (on_ && stage_.instant_voltage() >= vout(Command::POWER_GOOD_ON)) reached_ = true;
  evaluate_output();
  evaluate_current();
  if (on_ && vin_.base() < linear(Command::VIN_UV_WARN_LIMIT)) raise(Command::STATUS_INPUT, status::kVinUvWarn);
  if (temperature_.base() > linear(Command::OT_WARN_LIMIT)) raise(Command::STATUS_TEMPERATURE, status::kOtWarn);
  if (on_ && temperature_.base() > linear(Command::OT_FAULT_LIMIT))
    fault(Command::STATUS_TEMPERATURE, status::kOtFault, static_cast<std::uint8_t>(get(Command::OT_FAULT_RESPONSE)));
  update_power_good();
  evaluating_ = false;
}

void PmbusPage::evaluate_output() {
  // While the set point moves, the limits of the new one do not apply yet; before it has once been good, low is normal.
  if (!on_ || !stage_.settled()) return;
  const Voltage v = stage_.instant_voltage();
  if (v > vout(Command::VOUT_OV_WARN_LIMIT)) raise(Command::STATUS_VOUT, status::kVoutOvWarn);
  if (reached_ && v < vout(Command::VOUT_UV_WARN_LIMIT)) raise(Command::STATUS_VOUT, status::kVoutUvWarn);
  if (v > vout(Command::VOUT_OV_FAULT_LIMIT))
    fault(Command::STATUS_VOUT, status::kVoutOvFault, static_cast<std::uint8_t>(get(Command::VOUT_OV_FAULT_RESPONSE)));
  else if (reached_ && v < vout(Command::VOUT_UV_FAULT_LIMIT))
    fault(Command::STATUS_VOUT, status::kVoutUvFault, static_cast<std::uint8_t>(get(Command::VOUT_UV_FAULT_RESPONSE)));
}

void PmbusPage::evaluate_current() {
  if (!on_) return;
  const double current = stage_.current().base();
  if (current > linear(Command::IOUT_OC_WARN_LIMIT)) raise(Command::STATUS_IOUT, status::kIoutOcWarn);
  if (current > linear(Command::IOUT_OC_FAULT_LIMIT))
    fault(Command::STATUS_IOUT, status::kIoutOcFault, static_cast<std::uint8_t>(get(Command::IOUT_OC_FAULT_RESPONSE)));
}

bool PmbusPage::hot() const {
  return on_ && (stage_.current().base() > linear(Command::IOUT_OC_WARN_LIMIT) ||
                 temperature_.base() > linear(Command::OT_WARN_LIMIT));
}

void PmbusPage::update_power_good() {
  const Voltage v = stage_.instant_voltage();
  const bool rises = v >= vout(Command::POWER_GOOD_ON) && sc_core::sc_time_stamp() >= power_bad_until_;
  const bool falls = v < vout(Command::POWER_GOOD_OFF) && stage_.settled();
  const bool good = on_ && (rises || (power_good_ && !falls));
  if (good == power_good_) return;
  power_good_ = good;
  if (!good) {
    power_bad_until_ = sc_core::sc_time_stamp() + least_power_bad();
    agenda_.cancel(power_bad_);
    power_bad_ = agenda_.at(power_bad_until_, [this] {
      power_bad_ = {};
      evaluate();
    });
  }
  if (power_good_action_) power_good_action_(good);
}

std::uint16_t PmbusPage::status_word() const {
  unsigned word = 0;
  const auto vout_bits = get(Command::STATUS_VOUT);
  const auto iout_bits = get(Command::STATUS_IOUT);
  const auto input_bits = get(Command::STATUS_INPUT);
  if (vout_bits != 0) word |= status::kVout;
  if ((vout_bits & status::kVoutOvFault) != 0) word |= status::kVoutOv;
  if (iout_bits != 0) word |= status::kIout;
  if ((iout_bits & status::kIoutOcFault) != 0) word |= status::kIoutOc;
  if (input_bits != 0) word |= status::kInput;
  if ((input_bits & status::kVinUvFault) != 0) word |= status::kVinUv;
  if (get(Command::STATUS_TEMPERATURE) != 0) word |= status::kTemperature;
  if (get(Command::STATUS_CML) != 0) word |= status::kCml;
  if (get(Command::STATUS_MFR_SPECIFIC) != 0) word |= status::kMfr;
  if (!on_) word |= status::kOff;
  if (!power_good_) word |= status::kPowerGoodN;
  const unsigned named =
      status::kCml | status::kTemperature | status::kVinUv | status::kIoutOc | status::kVoutOv | status::kOff;
  const unsigned high_faults = status::kMfr | status::kInput | status::kIout | status::kVout;
  if ((word & named) == 0 && (word & high_faults) != 0) word |= status::kNoneOfTheAbove;
  return static_cast<std::uint16_t>(word);
}

}  // namespace tb::instruments
