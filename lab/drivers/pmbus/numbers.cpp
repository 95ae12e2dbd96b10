#include <fmt/format.h>

#include "lab/drivers/pmbus/device.h"

namespace firstlight::pmbus {

namespace {

constexpr std::size_t kCoefficientBytes = 5;  // m, b: two bytes each, R: one (PMBus 1.3 part II, 14.1)
constexpr double kMilliohm = 1e-3;

std::int16_t signed_word(std::uint8_t low, std::uint8_t high) {
  return static_cast<std::int16_t>(low | (static_cast<unsigned>(high) << 8U));
}

bool is_limit_of_vout(Command command) {
  return class_of(command) == NumberClass::voltage_out && command != Command::VOUT_COMMAND &&
         command != Command::READ_VOUT && command != Command::VOUT_MAX && command != Command::VOUT_MIN;
}

}  // namespace

NumberFormat Device::vout_format(int page) {
  check_vout_mode(page);
  const auto declared = options_.part.formats.find(NumberClass::voltage_out);
  const auto mode = modes_.find(page);
  if (mode == modes_.end()) return declared->second;  // a part without VOUT_MODE: checked above
  NumberFormat format;
  switch (mode->second.format) {
    case VoutMode::Format::linear:
      format.kind = NumberFormat::Kind::linear16;
      format.exponent = mode->second.exponent;
      return format;
    case VoutMode::Format::half:
      format.kind = NumberFormat::Kind::half;
      return format;
    case VoutMode::Format::vid:
    case VoutMode::Format::direct:
      break;
  }
  return declared->second;
}

NumberFormat Device::format_of(int page, Command command) {
  const NumberClass number_class = class_of(command);
  if (const auto own = options_.part.commands.find(command); own != options_.part.commands.end())
    return resolved(page, command, own->second);
  if (number_class == NumberClass::voltage_out) {
    NumberFormat format = vout_format(page);
    const auto mode = modes_.find(page);
    if (mode != modes_.end() && mode->second.relative && is_limit_of_vout(command))
      throw FailureError({ErrorClass::bench,
                          "pmbus_relative_limits",
                          fmt::format("{} of {} is a share of VOUT_COMMAND (VOUT_MODE {}), which this driver does not "
                                      "convert",
                                      name_of(command), part(page), to_text(mode->second)),
                          part(page),
                          {},
                          {},
                          "bit 7 of VOUT_MODE is set (PMBus 1.3, relative); configure the part for absolute limits"});
    return resolved(page, command, format);
  }
  if (const auto known = options_.part.formats.find(number_class); known != options_.part.formats.end())
    return resolved(page, command, known->second);
  NumberFormat format;
  if (half_floats_) format.kind = NumberFormat::Kind::half;
  return format;
}

NumberFormat Device::resolved(int page, Command command, NumberFormat format) {
  if (format.ask_part) {
    const auto told = coefficients_.find(command);
    format.direct = told != coefficients_.end() ? told->second : ask_coefficients(page, command);
  }
  if (!format.per_milliohm) return format;
  if (!(options_.shunt > 0))
    throw FailureError(
        {ErrorClass::bench,
         "pmbus_no_shunt",
         fmt::format("{} of {} depends on its shunt, and the bench does not tell it", name_of(command), part(page)),
         part(page),
         {},
         {},
         "say `shunt: 300 uOhm` (what the board has) in the driver's parameters"});
  format.direct.m *= options_.shunt / kMilliohm;
  return format;
}

DirectCoefficients Device::ask_coefficients(int page, Command command) {
  constexpr std::uint8_t kForReading = 1;
  const Request request{Command::COEFFICIENTS, {code_of(command), kForReading}, kCoefficientBytes, true};
  const std::vector<std::uint8_t> answer = run(page, request);
  DirectCoefficients direct;
  if (answer.size() == kCoefficientBytes) {
    direct.m = signed_word(answer[0], answer[1]);
    direct.b = signed_word(answer[2], answer[3]);
    direct.r = static_cast<std::int8_t>(answer[4]);
  }
  if (answer.size() != kCoefficientBytes || direct.m == 0)
    throw FailureError({ErrorClass::bench, "pmbus_coefficients",
                        fmt::format("{} has no COEFFICIENTS for {}", part(page), name_of(command)), part(page),
                        wires_.sent_text(request), hex(answer),
                        "the part's description says `coefficients` for a command that is not DIRECT there"});
  coefficients_[command] = direct;
  return direct;
}

double Device::decode_number(int page, Command command, std::uint16_t code) {
  return decode_as(page, command, code, format_of(page, command));
}

double Device::decode_as(int page, Command command, std::uint16_t code, const NumberFormat& format) {
  if (const auto value = decode(code, format)) return *value;
  throw FailureError({ErrorClass::infrastructure, "pmbus_no_number",
                      fmt::format("{} of {} reads 0x{:04x}, which is no number in its format ({})", name_of(command),
                                  part(page), code, to_text(format)),
                      part(page), name_of(command), fmt::format("0x{:04x}", code),
                      "the part codes this command otherwise than its description says, or does not know it"});
}

std::uint16_t Device::encode_number(int page, Command command, double value) {
  const NumberFormat format = format_of(page, command);
  if (const auto code = encode(value, format)) return *code;
  throw FailureError(
      {ErrorClass::interlock,
       "pmbus_out_of_format",
       fmt::format("{} cannot be written to {} of {} ({})", value, name_of(command), part(page), to_text(format)),
       part(page),
       {},
       {},
       "the value is negative or beyond what the part's number format holds"});
}

}  // namespace firstlight::pmbus
