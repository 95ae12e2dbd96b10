#include "lab/drivers/pmbus/format.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace firstlight::pmbus {

namespace {

struct ClassName {
  NumberClass number_class;
  const char* name;
};
constexpr std::array kClassNames = {
    ClassName{NumberClass::voltage_in, "voltage_in"},     ClassName{NumberClass::voltage_out, "voltage_out"},
    ClassName{NumberClass::voltage_rate, "voltage_rate"}, ClassName{NumberClass::current_in, "current_in"},
    ClassName{NumberClass::current_out, "current_out"},   ClassName{NumberClass::power, "power"},
    ClassName{NumberClass::temperature, "temperature"},   ClassName{NumberClass::time, "time"},
};

}  // namespace

NumberClass class_of(Command command) {
  switch (command) {
    case Command::VIN_ON:
    case Command::VIN_OFF:
    case Command::VIN_OV_FAULT_LIMIT:
    case Command::VIN_OV_WARN_LIMIT:
    case Command::VIN_UV_WARN_LIMIT:
    case Command::VIN_UV_FAULT_LIMIT:
    case Command::READ_VIN:
      return NumberClass::voltage_in;
    case Command::VOUT_COMMAND:
    case Command::VOUT_MAX:
    case Command::VOUT_MIN:
    case Command::VOUT_MARGIN_HIGH:
    case Command::VOUT_MARGIN_LOW:
    case Command::VOUT_OV_FAULT_LIMIT:
    case Command::VOUT_OV_WARN_LIMIT:
    case Command::VOUT_UV_WARN_LIMIT:
    case Command::VOUT_UV_FAULT_LIMIT:
    case Command::POWER_GOOD_ON:
    case Command::READ_VOUT:
      return NumberClass::voltage_out;
    case Command::VOUT_TRANSITION_RATE:
      return NumberClass::voltage_rate;
    case Command::IIN_OC_FAULT_LIMIT:
    case Command::IIN_OC_WARN_LIMIT:
    case Command::READ_IIN:
      return NumberClass::current_in;
    case Command::IOUT_OC_FAULT_LIMIT:
    case Command::IOUT_OC_WARN_LIMIT:
    case Command::READ_IOUT:
      return NumberClass::current_out;
    case Command::POUT_OP_WARN_LIMIT:
    case Command::PIN_OP_WARN_LIMIT:
    case Command::READ_POUT:
    case Command::READ_PIN:
      return NumberClass::power;
    case Command::OT_FAULT_LIMIT:
    case Command::OT_WARN_LIMIT:
    case Command::READ_TEMPERATURE_1:
    case Command::READ_TEMPERATURE_2:
    case Command::READ_TEMPERATURE_3:
      return NumberClass::temperature;
    case Command::TON_DELAY:
    case Command::TON_RISE:
    case Command::TON_MAX_FAULT_LIMIT:
    case Command::TOFF_DELAY:
    case Command::TOFF_FALL:
      return NumberClass::time;
    default:
      return NumberClass::none;
  }
}

std::string name_of(NumberClass number_class) {
  for (const ClassName& named : kClassNames)
    if (named.number_class == number_class) return named.name;
  return "none";
}

std::optional<NumberClass> number_class_of(const std::string& name) {
  for (const ClassName& named : kClassNames)
    if (named.name == name) return named.number_class;
  return std::nullopt;
}

std::string to_text(const NumberFormat& format) {
  switch (format.kind) {
    case NumberFormat::Kind::linear11:
      return "linear11";
    case NumberFormat::Kind::linear16:
      return fmt::format("linear16, 2^{}", format.exponent);
    case NumberFormat::Kind::direct:
      return fmt::format("direct, m={} b={} R={}", format.direct.m, format.direct.b, format.direct.r);
    case NumberFormat::Kind::half:
      return "IEEE half";
    case NumberFormat::Kind::vid:
      return fmt::format("VID, {}", format.vid != nullptr ? format.vid->name : "of no table");
  }
  return {};
}

std::optional<double> decode(std::uint16_t code, const NumberFormat& format) {
  std::optional<double> value;
  switch (format.kind) {
    case NumberFormat::Kind::linear11:
      value = decode_linear11(code);
      break;
    case NumberFormat::Kind::linear16:
      value = decode_linear16(code, format.exponent);
      break;
    case NumberFormat::Kind::direct:
      value = decode_direct(code, format.direct);
      break;
    case NumberFormat::Kind::half:
      value = decode_half(code);
      break;
    case NumberFormat::Kind::vid:
      if (format.vid != nullptr) value = decode_vid(code, *format.vid);
      break;
  }
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<std::uint16_t> encode(double value, const NumberFormat& format) {
  switch (format.kind) {
    case NumberFormat::Kind::linear11:
      return encode_linear11(value);
    case NumberFormat::Kind::linear16:
      return encode_linear16(value, format.exponent);
    case NumberFormat::Kind::direct:
      return encode_direct(value, format.direct);
    case NumberFormat::Kind::half:
      return encode_half(value);
    case NumberFormat::Kind::vid:
      return format.vid != nullptr ? encode_vid(value, *format.vid) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace firstlight::pmbus
