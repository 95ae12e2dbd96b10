#include "lab/replay/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "lab/drivers/params.h"
#include "lab/drivers/pmbus/command.h"
#include "lab/drivers/pmbus/linear.h"
#include "lab/drivers/scpi/answer.h"
#include "lab/replay/hex.h"
#include "lab/replay/tolerance.h"
#include "lab/trace/names.h"

namespace firstlight::replay {

namespace {

using trace::text_of;
using Bytes = std::vector<std::uint8_t>;

Finding different(Deviation deviation) { return {Agreement::different, {std::move(deviation)}}; }

template <class Status>
std::optional<Finding> other_status(Status recorded, Status found, const std::string& detail) {
  if (recorded == found) return {};
  std::string text(text_of(found));
  if (!detail.empty() && found != Status::ok) text += " (" + detail + ")";
  return different({"status", std::string(text_of(recorded)), text});
}

template <class T>
Finding equal_or(const std::string& part, const T& recorded, const T& found) {
  if (recorded == found) return {};
  return different({part, fmt::format("{}", recorded), fmt::format("{}", found)});
}

/// The first byte that differs, and what follows it.
Finding bytes(const Bytes& recorded, const Bytes& found) {
  if (recorded == found) return {};
  if (recorded.size() != found.size())
    return different({"length", fmt::format("{} bytes", recorded.size()), fmt::format("{} bytes", found.size())});
  const auto at =
      static_cast<std::size_t>(std::mismatch(recorded.begin(), recorded.end(), found.begin()).first - recorded.begin());
  return different({fmt::format("byte {}", at), hex(recorded, at), hex(found, at)});
}

// ---- registers

/// What has only begun to count is like what has not.
constexpr std::uint32_t kFewCounts = 16;

std::string field_text(const FieldInfo& field, std::uint32_t reg) {
  const std::uint32_t raw = field.extract(reg);
  if (const auto name = field.value_name(raw); !name.empty()) return std::string(name);
  if (field.unit.empty()) return field.width == 1 ? fmt::format("{}", raw) : fmt::format("0x{:x}", raw);
  return fmt::format("{} {}", static_cast<double>(field.number(raw)) * field.scale, field.unit);
}

Agreement field_agreement(const FieldInfo& field, std::uint32_t recorded, std::uint32_t found) {
  if (field.extract(recorded) == field.extract(found)) return Agreement::exact;
  if (field.varies == Varies::No) return Agreement::different;
  if (field.varies == Varies::Free) return Agreement::ignored;
  if (field.varies == Varies::Count) {
    const auto [less, more] = std::minmax({field.extract(recorded), field.extract(found)});
    return less == 0 && more > kFewCounts ? Agreement::different : Agreement::ignored;
  }
  // Eight counts: a measured frequency, and its small difference to what was expected.
  const Tolerance tolerance = field.unit == "degC" ? tolerance_of(Dimension::temperature) : Tolerance{0.01, 8};
  const auto value = [&](std::uint32_t reg) {
    return static_cast<double>(field.number(field.extract(reg))) * field.scale;
  };
  return agree(value(recorded), value(found), tolerance) ? Agreement::near : Agreement::different;
}

/// Time is weaker than nearness: a register with both is near.
Agreement together(Agreement a, Agreement b) {
  if (a == Agreement::different || b == Agreement::different) return Agreement::different;
  if (a == Agreement::near || b == Agreement::near) return Agreement::near;
  return std::max(a, b);
}

Finding fields(const RegisterInfo& reg, const std::string& name, std::uint32_t recorded, std::uint32_t found) {
  Finding finding;
  std::uint32_t known = 0;
  for (const FieldInfo& field : reg.fields) {
    known |= field.register_mask();
    const Agreement one = field_agreement(field, recorded, found);
    finding.agreement = together(finding.agreement, one);
    if (one == Agreement::different)
      finding.deviations.push_back({name + "." + field.name, field_text(field, recorded), field_text(field, found)});
  }
  if (((recorded ^ found) & ~known) != 0) {
    finding.agreement = Agreement::different;
    finding.deviations.push_back({name + ", bits without a name", fmt::format("0x{:08x}", recorded & ~known),
                                  fmt::format("0x{:08x}", found & ~known)});
  }
  return finding;
}

// ---- telemetry

/// What a PMBus reading is of (PMBus 1.3 part II, 18); nothing for every other command.
std::optional<Dimension> telemetry(std::uint8_t command) {
  constexpr std::uint8_t kFirst = 0x88;
  constexpr std::array<Dimension, 16> kReadings = {
      Dimension::voltage, Dimension::current,     Dimension::voltage,     Dimension::voltage,
      Dimension::current, Dimension::temperature, Dimension::temperature, Dimension::temperature,
      Dimension::none,    Dimension::none,        Dimension::none,        Dimension::none,
      Dimension::ratio,   Dimension::frequency,   Dimension::power,       Dimension::power};
  if (command < kFirst || command >= kFirst + kReadings.size()) return {};
  return kReadings.at(command - kFirst);
}

/// READ_VOUT is a mantissa in units of VOUT_MODE, all other readings are LINEAR11.
double reading(std::uint8_t command, std::uint16_t code) {
  if (command == pmbus::code_of(pmbus::Command::READ_VOUT)) return code;
  return pmbus::decode_linear11(code);
}

std::uint16_t word_of(const Bytes& bytes) {
  return static_cast<std::uint16_t>(bytes[0] | (static_cast<unsigned>(bytes[1]) << 8U));
}

/// What a question to an instrument measures, by SCPI-99's mnemonics; nothing when it asks for no reading.
std::optional<Dimension> measured_by(std::string question) {
  for (char& c : question) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  const auto has = [&](const char* word) { return question.find(word) != std::string::npos; };
  if (!has("?") || (!has("MEAS") && !has("FETC") && !has("READ"))) return {};
  if (has("VOLT")) return Dimension::voltage;
  if (has("CURR")) return Dimension::current;
  if (has("POW")) return Dimension::power;
  if (has("TEMP")) return Dimension::temperature;
  if (has("FREQ")) return Dimension::frequency;
  if (has("FLOW")) return Dimension::flow;
  return Dimension::none;
}

std::vector<std::string> list_of(const std::string& answer) {
  std::vector<std::string> parts(1);
  for (const char c : answer) {
    if (c == ',')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

}  // namespace

Judge::Judge(const BenchPlan& bench, const RegisterMap* registers) : bench_(bench), map_(registers) {
  for (const DriverPlan& driver : bench.drivers) {
    const auto address = integer_param(driver.params, "address");
    if (address && !driver.uses.empty())
      devices_[{driver.uses.front(), static_cast<std::uint8_t>(*address)}] = {&driver, 0};
  }
}

bool Judge::asks_for_a_reading(const std::string& message) { return measured_by(message).has_value(); }

void Judge::follow(const trace::Transaction& transaction) {
  if (const auto* write = std::get_if<trace::StreamWrite>(&transaction.access)) {
    questions_[transaction.resource] = std::string(scpi::trim(write->bytes));
  } else if (const auto* transfer = std::get_if<trace::I2cTransfer>(&transaction.access)) {
    const auto device = devices_.find({transaction.resource, transfer->address});
    if (device == devices_.end() || transfer->messages.empty()) return;
    const Bytes& sent = transfer->messages.front().write;
    if (sent.size() >= 2 && sent[0] == pmbus::code_of(pmbus::Command::PAGE)) device->second.page = sent[1];
  }
}

Finding Judge::registers(const trace::RegisterRead& recorded, const trace::RegisterRead& found) const {
  if (auto status = other_status(recorded.result.status, found.result.status, found.result.detail)) return *status;
  const std::uint32_t a = recorded.result.data;
  const std::uint32_t b = found.result.data;
  if (a == b) return {};
  const auto address = static_cast<std::uint32_t>(recorded.address);
  const std::string name = map_ == nullptr ? "" : map_->name_of(address);
  const RegisterLookup known = map_ == nullptr ? RegisterLookup{} : map_->find(name);
  if (known && known.found->reg != nullptr) return fields(*known.found->reg, name, a, b);
  if (known && known.found->memory != nullptr && known.found->memory->varies != Varies::No)
    return {Agreement::ignored, {}};
  return different(
      {known ? name : fmt::format("0x{:06x}", address), fmt::format("0x{:08x}", a), fmt::format("0x{:08x}", b)});
}

Finding Judge::i2c(const Wire& wire, const trace::I2cTransfer& recorded, const trace::I2cTransfer& found) const {
  if (auto status = other_status(recorded.result.status, found.result.status, found.result.detail)) return *status;
  if (recorded.result.acknowledged != found.result.acknowledged)
    return equal_or("bytes acknowledged", recorded.result.acknowledged, found.result.acknowledged);
  const Bytes& a = recorded.result.data;
  const Bytes& b = found.result.data;
  if (a == b) return {};
  const bool is_reading = is_pmbus(wire) && a.size() >= 2 && a.size() == b.size() && !recorded.messages.empty() &&
                          recorded.messages.front().write.size() == 1;
  if (!is_reading) return bytes(a, b);
  const std::uint8_t command = recorded.messages.front().write.front();
  const auto dimension = telemetry(command);
  if (!dimension) return bytes(a, b);
  const double before = reading(command, word_of(a));
  const double now = reading(command, word_of(b));
  Tolerance tolerance = tolerance_of(*dimension);
  if (command == pmbus::code_of(pmbus::Command::READ_VOUT)) tolerance.absolute = 82;  // codes: 20 mV of 2^-12 V
  if (agree(before, now, tolerance)) return {Agreement::near, {}};
  return different({name_of(static_cast<pmbus::Command>(command)), fmt::format("{} ({})", before, hex(a)),
                    fmt::format("{} ({})", now, hex(b))});
}

Finding Judge::stream(const std::string& resource, const StreamResult& recorded, const StreamResult& found) const {
  if (auto status = other_status(recorded.status, found.status, found.detail)) return *status;
  if (recorded.data == found.data) return {};
  const auto asked = questions_.find(resource);
  const std::string question = asked == questions_.end() ? "" : asked->second;
  const Finding not_equal = different({question.empty() ? "answer" : "answer to " + question,
                                       scpi::printable(recorded.data), scpi::printable(found.data)});
  const auto dimension = measured_by(question);
  const auto before = list_of(recorded.data);
  const auto now = list_of(found.data);
  if (before.size() != now.size()) return not_equal;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const auto a = scpi::parse_number(before[i]);
    const auto b = scpi::parse_number(now[i]);
    if (!a || !b) {
      if (scpi::trim(before[i]) != scpi::trim(now[i])) return not_equal;
    } else if (dimension ? !agree(*a, *b, tolerance_of(*dimension)) : *a != *b) {
      return not_equal;
    }
  }
  return {dimension ? Agreement::near : Agreement::exact, {}};
}

struct Judge::Comparing {
  const Judge& judge;
  const std::string& resource;
  const trace::Access& found;

  template <class T>
  const T& now(const T&) const {
    return std::get<T>(found);
  }
  template <class T>
  std::optional<Finding> status(const T& was) const {
    return other_status(was.result.status, now(was).result.status, now(was).result.detail);
  }
  Finding operator()(const trace::Open&) const { return {}; }
  Finding operator()(const trace::I2cTransfer& was) const { return judge.i2c({resource, was.address}, was, now(was)); }
  Finding operator()(const trace::I2cRecovery& was) const { return equal_or("freed", was.freed, now(was).freed); }
  Finding operator()(const trace::RegisterRead& was) const { return judge.registers(was, now(was)); }
  Finding operator()(const trace::RegisterWrite& was) const { return status(was).value_or(Finding{}); }
  Finding operator()(const trace::MemoryRead& was) const { return bytes(was.bytes, now(was).bytes); }
  Finding operator()(const trace::MemoryWrite&) const { return {}; }
  Finding operator()(const trace::MemoryBarrier&) const { return {}; }
  Finding operator()(const trace::StreamWrite& was) const { return status(was).value_or(Finding{}); }
  Finding operator()(const trace::StreamRead& was) const { return judge.stream(resource, was.result, now(was).result); }
  // What had come by then is a matter of time.
  Finding operator()(const trace::StreamDrain& was) const {
    return {was.bytes == now(was).bytes ? Agreement::exact : Agreement::ignored, {}};
  }
  Finding operator()(const trace::StreamReopen&) const { return {Agreement::ignored, {}}; }
  Finding operator()(const trace::LineGet& was) const {
    const auto text = [](const std::optional<bool>& level) { return !level ? "none" : *level ? "high" : "low"; };
    if (was.level == now(was).level) return {};
    return different({"level of " + was.line, text(was.level), text(now(was).level)});
  }
  Finding operator()(const trace::LineSet& was) const { return equal_or("driven", was.done, now(was).done); }
  Finding operator()(const trace::HwmonRead& was) const {
    if (auto other = status(was)) return *other;
    return equal_or(was.attribute, was.result.value, now(was).result.value);
  }
  Finding operator()(const trace::IpmiCommand& was) const {
    if (auto other = status(was)) return *other;
    if (was.result.completion != now(was).result.completion)
      return equal_or("completion code", was.result.completion, now(was).result.completion);
    return bytes(was.result.data, now(was).result.data);
  }
  Finding operator()(const trace::HttpRequest& was) const {
    if (auto other = status(was)) return *other;
    if (was.result.code != now(was).result.code) return equal_or("HTTP status", was.result.code, now(was).result.code);
    return equal_or("body", was.result.body, now(was).result.body);
  }
  Finding operator()(const trace::ModbusRead& was) const {
    if (auto other = status(was)) return *other;
    return equal_or("values", fmt::format("{}", fmt::join(was.result.data, " ")),
                    fmt::format("{}", fmt::join(now(was).result.data, " ")));
  }
  Finding operator()(const trace::ModbusWrite& was) const { return status(was).value_or(Finding{}); }
};

Finding Judge::compare(const trace::Transaction& recorded, const trace::Access& found) const {
  return std::visit(Comparing{*this, recorded.resource, found}, recorded.access);
}

}  // namespace firstlight::replay
