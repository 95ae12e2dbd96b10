#include "tb/instruments/pmbus_regulator.h"

#include <stdexcept>
#include <utility>

namespace tb::instruments {

using firstlight::Power;
using firstlight::Voltage;
using pmbus::Access;
using pmbus::Command;
using pmbus::CommandInfo;
using pmbus::Content;
using pmbus::Shape;
namespace status = pmbus::status;

namespace {

std::size_t data_bytes(Shape shape) {
  switch (shape) {
    case Shape::send:
      return 0;
    case Shape::byte:
      return 1;
    case Shape::word:
      return 2;
    case Shape::block:
      return 0;
  }
  return 0;
}

std::vector<std::uint8_t> little_endian(std::uint16_t value, std::size_t bytes) {
  std::vector<std::uint8_t> result{static_cast<std::uint8_t>(value & 0xffU)};
  if (bytes == 2) result.push_back(static_cast<std::uint8_t>(value >> 8U));
  return result;
}

}  // namespace

PmbusRegulator::PmbusRegulator(Agenda& agenda, PmbusRegulatorParameters parameters, std::uint64_t seed)
    : agenda_(agenda), parameters_(std::move(parameters)), random_(seed), temperature_(parameters_.ambient) {}

PmbusPage& PmbusRegulator::add_page(OutputStage& stage, PmbusPageParameters parameters) {
  return pages_.emplace_back(agenda_, stage, std::move(parameters));
}

void PmbusRegulator::set_faults(const PmbusRegulatorFaults& faults) {
  faults_ = faults;
  stuck_vout_.reset();
  if (faults_.page_no_effect) selected_ = 0;
}

void PmbusRegulator::power_up() {
  selected_ = 0;
  write_protect_ = 0;
  received_.clear();
  answer_.clear();
  for (PmbusPage& page : pages_) page.reset();
}

void PmbusRegulator::set_input(Voltage vin) {
  vin_ = vin;
  if (powered_ && vin < kLogicOff) {
    powered_ = false;
    power_up();
  } else if (!powered_ && vin >= kLogicOn) {
    powered_ = true;
    power_up();
  }
  for (PmbusPage& page : pages_) page.set_input(powered_ ? vin : Voltage(0));
}

Power PmbusRegulator::page_input_power(const PmbusPage& page) const {
  const Power out = page.stage().driving() ? page.stage().voltage() * page.stage().current() : Power(0);
  return out / parameters_.efficiency;
}

Power PmbusRegulator::input_power() const {
  if (!powered_) return Power(0);
  Power sum = parameters_.quiescent;
  for (const PmbusPage& page : pages_) sum = sum + page_input_power(page);
  return sum;
}

void PmbusRegulator::update_temperature() {
  const Power loss = (input_power() - parameters_.quiescent) * (1 - parameters_.efficiency);
  temperature_ = parameters_.ambient + firstlight::Temperature(loss.base() * parameters_.to_ambient.base());
  for (PmbusPage& page : pages_) page.set_temperature(temperature_);
}

double PmbusRegulator::noise(double sigma) { return std::normal_distribution<double>(0.0, sigma)(random_); }

bool PmbusRegulator::spoil_pec() {
  return faults_.pec_error_share > 0 && std::bernoulli_distribution(faults_.pec_error_share)(random_);
}

// ---- what passes on the bus

bool PmbusRegulator::address(bool read) {
  if (!powered_ || faults_.nack) return false;
  if (read) return begin_read();
  pec_.clear();
  pec_.add(static_cast<std::uint8_t>(parameters_.address << 1U));
  received_.clear();
  answer_.clear();
  reject_ = false;
  writing_ = true;
  return true;
}

bool PmbusRegulator::write(std::uint8_t byte) {
  if (!writing_ || reject_) return false;
  if (received_.empty()) {
    const auto info = pmbus::command_info(byte);
    if (!info) {
      communication_fault(status::kInvalidCommand);
      reject_ = true;
      return false;
    }
    received_.push_back(byte);
    pec_.add(byte);
    return true;
  }
  const CommandInfo info = *pmbus::command_info(received_.front());
  const std::size_t expected = data_bytes(info.shape);
  const std::size_t so_far = received_.size() - 1;
  if (so_far < expected && info.access == Access::read) {
    communication_fault(status::kInvalidCommand);
    reject_ = true;
  } else if (so_far > expected) {
    communication_fault(status::kOtherCommunication);
    reject_ = true;
  } else if (so_far == expected && (byte != pec_.value() || spoil_pec())) {
    communication_fault(status::kPecFailed);
    reject_ = true;
  }
  received_.push_back(byte);
  pec_.add(byte);
  return !reject_;
}

bool PmbusRegulator::begin_read() {
  if (!writing_ || reject_ || received_.size() != 1) {
    // A read must name its command in the same transaction (PMBus 1.3 part I, 5.2).
    communication_fault(status::kOtherCommunication);
    return false;
  }
  writing_ = false;
  const CommandInfo info = *pmbus::command_info(received_.front());
  received_.clear();
  auto data = info.access == Access::write ? std::nullopt : fetch(info);
  if (!data) {
    communication_fault(info.access == Access::write ? status::kInvalidCommand : status::kInvalidData);
    return false;
  }
  pec_.add(static_cast<std::uint8_t>(unsigned{parameters_.address} << 1U | 1U));
  for (const std::uint8_t byte : *data) pec_.add(byte);
  const std::uint8_t pec = pec_.value();
  data->push_back(spoil_pec() ? static_cast<std::uint8_t>(pec ^ 0x01U) : pec);
  answer_ = std::move(*data);
  answered_ = 0;
  return true;
}

std::uint8_t PmbusRegulator::read() { return answered_ < answer_.size() ? answer_[answered_++] : 0xff; }

void PmbusRegulator::stop() {
  if (writing_ && !reject_ && !received_.empty()) execute();
  writing_ = false;
  received_.clear();
  answer_.clear();
}

void PmbusRegulator::communication_fault(std::uint8_t bit) {
  for (std::size_t i = 0; i < pages_.size(); ++i)
    if (selected_ == kAllPages || selected_ == i) pages_[i].raise(Command::STATUS_CML, bit);
}

// ---- what the commands mean

bool PmbusRegulator::write_allowed(Command command) const {
  if (command == Command::WRITE_PROTECT) return true;
  const bool operate = command == Command::OPERATION || command == Command::PAGE;
  switch (write_protect_) {
    case 0x80:
      return false;
    case 0x40:
      return operate;
    case 0x20:
      return operate || command == Command::ON_OFF_CONFIG || command == Command::VOUT_COMMAND;
    default:
      return true;
  }
}

void PmbusRegulator::execute() {
  const CommandInfo info = *pmbus::command_info(received_.front());
  const std::size_t expected = data_bytes(info.shape);
  const std::size_t sent = received_.size() - 1;
  if (info.access == Access::read) return communication_fault(status::kInvalidCommand);
  if (sent < expected) return communication_fault(status::kOtherCommunication);
  if (!write_allowed(info.command)) return communication_fault(status::kInvalidData);
  std::uint16_t value = expected > 0 ? received_[1] : std::uint16_t{0};
  if (expected == 2) value = static_cast<std::uint16_t>(value | received_[2] << 8U);
  if (info.content == Content::device) return write_device(info.command, static_cast<std::uint8_t>(value));
  bool good = true;
  for (std::size_t i = 0; i < pages_.size(); ++i) {
    if (selected_ != kAllPages && selected_ != i) continue;
    if (info.command == Command::CLEAR_FAULTS)
      pages_[i].clear_faults();
    else if (info.command == Command::MFR_CLEAR_PEAKS)
      pages_[i].clear_peaks();
    else
      good = pages_[i].set(info.command, value) && good;
  }
  if (!good) communication_fault(status::kInvalidData);
}

void PmbusRegulator::write_device(Command command, std::uint8_t value) {
  if (command == Command::PAGE) {
    if (value != kAllPages && value >= pages_.size()) return communication_fault(status::kInvalidData);
    if (!faults_.page_no_effect) selected_ = value;
  } else {
    if (value != 0x80 && value != 0x40 && value != 0x20 && value != 0) return communication_fault(status::kInvalidData);
    write_protect_ = value;
  }
}

std::uint8_t PmbusRegulator::device_byte(Command command) const {
  switch (command) {
    case Command::PAGE:
      return selected_;
    case Command::WRITE_PROTECT:
      return write_protect_;
    case Command::CAPABILITY:
      return 0xa0;  // PEC, 400 kHz, no SMBALERT#
    case Command::VOUT_MODE:
      return static_cast<std::uint8_t>((PmbusPage::kVoutExponent + faults_.vout_mode_offset) & 0x1f);
    case Command::PMBUS_REVISION:
      return 0x33;  // 1.3 for both parts
    default:
      throw std::logic_error("not a register of the device");
  }
}

const std::string& PmbusRegulator::text(Command command) const {
  switch (command) {
    case Command::MFR_ID:
      return parameters_.identity.id;
    case Command::MFR_MODEL:
      return parameters_.identity.model;
    case Command::MFR_REVISION:
      return parameters_.identity.revision;
    default:
      return parameters_.identity.serial;
  }
}

std::optional<std::vector<std::uint8_t>> PmbusRegulator::fetch(const CommandInfo& info) {
  if (info.content == Content::device) return little_endian(device_byte(info.command), 1);
  if (info.content == Content::text) {
    const std::string& value = text(info.command);
    std::vector<std::uint8_t> bytes{static_cast<std::uint8_t>(value.size())};
    bytes.insert(bytes.end(), value.begin(), value.end());
    return bytes;
  }
  // A read from all pages at once has no answer.
  if (selected_ == kAllPages) return std::nullopt;
  PmbusPage& page = pages_[selected_];
  const std::uint16_t value =
      info.content == Content::measurement ? measure(info.command, page) : page.get(info.command);
  return little_endian(value, data_bytes(info.shape));
}

std::uint16_t PmbusRegulator::measure(Command command, PmbusPage& page) {
  const double v = page.stage().voltage().base();
  const double i = page.stage().driving() ? page.stage().current().base() : 0.0;
  const double input = page_input_power(page).base();
  switch (command) {
    case Command::STATUS_BYTE:
      return page.status_word() & 0xffU;
    case Command::STATUS_WORD:
      return page.status_word();
    case Command::READ_VIN:
      return pmbus::encode_linear11(vin_.base() + noise(5e-3));
    case Command::READ_IIN:
      return pmbus::encode_linear11(input / vin_.base() + noise(2e-3));
    case Command::READ_IOUT:
      return pmbus::encode_linear11(i * (1 + noise(2e-3)) + noise(5e-3));
    case Command::READ_TEMPERATURE_1:
      return pmbus::encode_linear11(temperature_.base() + noise(0.1));
    case Command::READ_POUT:
      return pmbus::encode_linear11(v * i * (1 + noise(2e-3)));
    case Command::MFR_VOUT_PEAK:
      return pmbus::encode_linear16(page.highest().base(), PmbusPage::kVoutExponent);
    case Command::MFR_VOUT_MIN:
      return pmbus::encode_linear16(page.lowest().base(), PmbusPage::kVoutExponent);
    case Command::READ_PIN:
      return pmbus::encode_linear11(input * (1 + noise(2e-3)));
    default:
      break;
  }
  const std::uint16_t vout = pmbus::encode_linear16(v + noise(3e-4), PmbusPage::kVoutExponent);
  if (!faults_.telemetry_stuck) return vout;
  if (!stuck_vout_) stuck_vout_ = vout;
  return *stuck_vout_;
}

}  // namespace tb::instruments
