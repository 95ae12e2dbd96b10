#include "lab/drivers/pmbus/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lab/drivers/pmbus/pec.h"
#include "lab/drivers/pmbus/status.h"

namespace firstlight::pmbus {

namespace {

// A part that lost power between two transfers is back on page 0 and nothing says so; no part is off and back so fast.
constexpr Duration kPageTrust{10'000'000'000};
constexpr Duration kBackoff{1'000'000'000};
constexpr std::size_t kMostBlockBytes = 32;  // SMBus 2.0; larger counts are refused
constexpr std::uint8_t kCapabilityPec = 0x80;

std::uint16_t word_of(const std::vector<std::uint8_t>& bytes) {
  return static_cast<std::uint16_t>(bytes[0] | (static_cast<unsigned>(bytes[1]) << 8U));
}

}  // namespace

std::string hex(const std::vector<std::uint8_t>& bytes) {
  if (bytes.empty()) return "nothing";
  return fmt::format("{:02x}", fmt::join(bytes, " "));
}

Device::Device(std::string name, I2cBus& bus, DeviceOptions options, BenchTime& time)
    : name_(std::move(name)), bus_(bus), options_(options), time_(time), turns_(time) {}

void Device::add_page(int page, std::string rail) { pages_[page] = std::move(rail); }

std::string Device::part(int page) const {
  const auto known = pages_.find(page);
  if (known == pages_.end()) return fmt::format("{} page {}", name_, page);
  return fmt::format("{} page {} ({})", name_, page, known->second);
}

std::uint8_t Device::read_byte(int page, Command command) {
  const Turns::Hold hold(turns_);
  prepare(page);
  return run(page, {command, {}, 1, false})[0];
}

std::uint16_t Device::read_word(int page, Command command) {
  const Turns::Hold hold(turns_);
  prepare(page);
  return word_of(run(page, {command, {}, 2, false}));
}

std::string Device::read_text(int page, Command command) {
  const Turns::Hold hold(turns_);
  prepare(page);
  const std::vector<std::uint8_t> bytes = run(page, {command, {}, kMostBlockBytes, true});
  return {bytes.begin(), bytes.end()};
}

void Device::write_byte(int page, Command command, std::uint8_t value) {
  const Turns::Hold hold(turns_);
  prepare(page);
  write(page, command, {value});
}

void Device::write_word(int page, Command command, std::uint16_t value) {
  const Turns::Hold hold(turns_);
  prepare(page);
  write(page, command, {static_cast<std::uint8_t>(value & 0xffU), static_cast<std::uint8_t>(value >> 8U)});
}

void Device::send(int page, Command command) {
  const Turns::Hold hold(turns_);
  prepare(page);
  run(page, {command, {}, 0, false});
}

VoutMode Device::vout_mode(int page) {
  const Turns::Hold hold(turns_);
  prepare(page);
  check_vout_mode(page);
  return modes_.at(page);
}

// ---- the wires

std::string Device::sent_text(const Request& request) const {
  std::string text =
      fmt::format("{}: W 0x{:02x}: {}", name_of(request.command), options_.address, hex(wire_bytes(request)));
  if (request.block) return text + fmt::format("; R block{}", use_pec_ ? " + PEC" : "");
  if (request.read != 0) text += fmt::format("; R {}", request.read + (use_pec_ ? 1U : 0U));
  return text;
}

std::vector<std::uint8_t> Device::wire_bytes(const Request& request) const {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(request.write.size() + 2);
  bytes.push_back(code_of(request.command));
  for (const std::uint8_t byte : request.write) bytes.push_back(byte);
  if (use_pec_ && request.read == 0) bytes.push_back(pec_of_write(options_.address, bytes));
  return bytes;
}

bool Device::pec_refused(const Request& request, const I2cResult& result) const {
  return use_pec_ && request.read == 0 && result.status == I2cStatus::data_nack &&
         result.acknowledged + 1 == wire_bytes(request).size();
}

void Device::pace() {
  const Duration gap = options_.quirks.min_gap;
  if (gap > Duration::zero() && counters_.transfers > 0) time_.sleep_until(std::max(time_.now(), last_transfer_ + gap));
}

void Device::lost_contact() {
  page_.reset();
  prepared_ = false;
  modes_.clear();
}

Device::Outcome Device::transfer(int page, const Request& request) {
  pace();
  std::vector<I2cMessage> messages = {I2cMessage::writing(wire_bytes(request))};
  const std::size_t extra = use_pec_ ? 1 : 0;
  if (request.block)
    messages.push_back(I2cMessage::reading_block(request.read, extra));
  else if (request.read != 0)
    messages.push_back(I2cMessage::reading(request.read + extra));
  ++counters_.transfers;
  const I2cResult result = bus_.transfer(options_.address, messages, time_.now() + options_.quirks.io_timeout);
  last_transfer_ = time_.now();
  return judge_transfer(page, request, result);
}

Device::Outcome Device::judge_transfer(int page, const Request& request, const I2cResult& result) {
  Outcome outcome;
  if (result.status != I2cStatus::ok) {
    const bool nack = result.status == I2cStatus::address_nack || result.status == I2cStatus::data_nack;
    ++(pec_refused(request, result) ? counters_.pec_errors : nack ? counters_.nacks : counters_.timeouts);
    outcome.failure = failure_of(page, request, result);
    return outcome;
  }
  if (request.read == 0) return {true, {}, {}};

  outcome.data = result.data;
  const std::size_t extra = use_pec_ ? 1 : 0;
  const std::size_t payload =
      request.block ? (result.data.empty() ? 1 : 1 + std::size_t{result.data[0]}) : request.read;
  if (result.data.size() != payload + extra) {
    outcome.failure = failure_of(page, request, result);
    outcome.failure.symptom = "i2c_short_read";
    outcome.failure.message = fmt::format("{} gave {} bytes for {} where {} were due", part(page), result.data.size(),
                                          name_of(request.command), payload + extra);
    outcome.failure.likely_cause = "the adapter cut the transfer short, or the part sent a wrong block count";
    return outcome;
  }
  if (use_pec_) {
    const std::uint8_t received = outcome.data.back();
    outcome.data.pop_back();
    const std::uint8_t expected = pec_of_read(options_.address, {code_of(request.command)}, outcome.data);
    if (received != expected) {
      ++counters_.pec_errors;
      outcome.failure = failure_of(page, request, result);
      outcome.failure.symptom = "pmbus_pec_error";
      outcome.failure.message = fmt::format("{} answered {} with a wrong PEC: received 0x{:02x}, computed 0x{:02x}",
                                            part(page), name_of(request.command), received, expected);
      outcome.failure.likely_cause =
          "noise or wrong pull-ups on the I2C bus, or a part that computes PEC wrongly (quirk no_pec)";
      return outcome;
    }
  }
  if (request.block) outcome.data.erase(outcome.data.begin());
  outcome.ok = true;
  return outcome;
}

Failure Device::failure_of(int page, const Request& request, const I2cResult& result) const {
  Failure failure;
  failure.error_class = ErrorClass::infrastructure;
  failure.part = part(page);
  failure.sent = sent_text(request);
  failure.received = hex(result.data) + (result.detail.empty() ? "" : " (" + result.detail + ")");
  const std::string command = name_of(request.command);
  switch (result.status) {
    case I2cStatus::address_nack:
      failure.symptom = "pmbus_no_answer";
      failure.message = fmt::format("{} does not acknowledge its address 0x{:02x} on {} ({})", name_, options_.address,
                                    bus_.name(), command);
      failure.likely_cause = "the part has no power, is held in reset, or sits at another address";
      break;
    case I2cStatus::data_nack:
      if (pec_refused(request, result)) {
        failure.symptom = "pmbus_pec_error";
        failure.message = fmt::format("{} refused the PEC of {}: sent 0x{:02x}, which is right for these bytes",
                                      part(page), command, wire_bytes(request).back());
        failure.likely_cause =
            "noise or wrong pull-ups on the I2C bus, or a part that computes PEC wrongly (quirk no_pec)";
        break;
      }
      failure.symptom = "pmbus_nack";
      failure.message = fmt::format("{} refused byte {} of {}", part(page), result.acknowledged + 1, command);
      failure.likely_cause = "the part is busy, write-protected, or does not know the command";
      break;
    case I2cStatus::timeout:
      failure.symptom = "i2c_timeout";
      failure.message = fmt::format("{} did not finish {} within {}", part(page), command,
                                    firstlight::to_text(to_quantity(options_.quirks.io_timeout)));
      failure.likely_cause = "the part stretches the clock, or another master holds the bus";
      break;
    case I2cStatus::bus_stuck:
      failure.symptom = "i2c_bus_stuck";
      failure.message = fmt::format("{} is stuck low; {} for {} could not start", bus_.name(), command, part(page));
      failure.likely_cause = "a part that was reset in the middle of a transfer holds SDA";
      break;
    case I2cStatus::arbitration_lost:
    case I2cStatus::io_error:
    case I2cStatus::ok:
      failure.symptom = "i2c_error";
      failure.message = fmt::format("{} failed on {} for {}", command, bus_.name(), part(page));
      failure.likely_cause = "the I2C adapter or another master on the bus";
      break;
  }
  return failure;
}

Device::Outcome Device::select(int page) {
  if (options_.quirks.no_page) return {true, {}, {}};
  if (page_ == page && time_.now() - last_transfer_ < kPageTrust) return {true, {}, {}};
  page_.reset();
  const auto value = static_cast<std::uint8_t>(page);
  Outcome wrote = transfer(page, {Command::PAGE, {value}, 0, false});
  if (!wrote.ok) return wrote;
  const Request ask{Command::PAGE, {}, 1, false};
  Outcome back = transfer(page, ask);
  if (!back.ok) return back;
  if (back.data[0] == value) {
    page_ = page;
    return back;
  }
  back.ok = false;
  back.failure = {
      ErrorClass::bench,
      "pmbus_page_no_effect",
      fmt::format("{} acknowledged PAGE {} but stays on PAGE {}", name_, page, back.data[0]),
      part(page),
      sent_text({Command::PAGE, {value}, 0, false}) + ", then " + sent_text(ask),
      hex(back.data),
      "the part ignores PAGE (write protection, or firmware): every access to this output would hit another one"};
  return back;
}

Device::Outcome Device::attempt(int page, const Request& request) {
  Outcome selected = select(page);
  return selected.ok ? transfer(page, request) : selected;
}

std::vector<std::uint8_t> Device::run(int page, const Request& request) {
  Outcome outcome;
  for (int tries = 0; tries <= options_.quirks.retries; ++tries) {
    if (tries > 0) {
      ++counters_.retries;
      time_.sleep(kBackoff * tries);
    }
    outcome = attempt(page, request);
    if (outcome.ok) return outcome.data;
    page_.reset();
    if (outcome.failure.symptom == "i2c_bus_stuck") bus_.recover(time_.now() + options_.quirks.io_timeout);
  }
  lost_contact();
  outcome.failure.message += fmt::format(" ({} attempts)", options_.quirks.retries + 1);
  throw FailureError(std::move(outcome.failure));
}

// ---- first contact

void Device::prepare(int page) {
  if (prepared_) return;
  use_pec_ = false;
  read_capability(page);
  prepared_ = true;
  try {
    check_pages_differ();
    for (const auto& [known, rail] : pages_) check_vout_mode(known);
  } catch (...) {
    prepared_ = false;
    throw;
  }
}

void Device::read_capability(int page) {
  if (options_.quirks.no_capability) return;
  // CAPABILITY belongs to the part, not to a page, and PAGE itself wants to know about PEC.
  const Request request{Command::CAPABILITY, {}, 1, false};
  Outcome outcome;
  for (int tries = 0; tries <= options_.quirks.retries; ++tries) {
    if (tries > 0) {
      ++counters_.retries;
      time_.sleep(kBackoff * tries);
    }
    outcome = transfer(page, request);
    if (outcome.ok) {
      use_pec_ = !options_.quirks.no_pec && (outcome.data[0] & kCapabilityPec) != 0;
      return;
    }
    if (outcome.failure.symptom == "i2c_bus_stuck") bus_.recover(time_.now() + options_.quirks.io_timeout);
  }
  outcome.failure.message += fmt::format(" ({} attempts)", options_.quirks.retries + 1);
  throw FailureError(std::move(outcome.failure));
}

void Device::check_pages_differ() {
  if (options_.quirks.pages_alike || options_.quirks.no_page || pages_.size() < 2) return;
  std::map<std::uint16_t, int> owner;
  const Request request{Command::VOUT_COMMAND, {}, 2, false};
  for (const auto& [page, rail] : pages_) {
    const std::vector<std::uint8_t> answer = run(page, request);
    const auto [other, fresh] = owner.emplace(word_of(answer), page);
    if (fresh) continue;
    throw FailureError(
        {ErrorClass::bench, "pmbus_pages_identical",
         fmt::format(
             "{} gives the same VOUT_COMMAND 0x{:04x} on PAGE {} and PAGE {}, so nothing shows that PAGE has an effect",
             name_, word_of(answer), other->second, page),
         part(page), sent_text(request), hex(answer),
         "PAGE has no effect, or the outputs are really set alike: then say `pages_alike: true` in its quirks"});
  }
}

void Device::check_vout_mode(int page) {
  if (modes_.count(page) != 0) return;
  const Request request{Command::VOUT_MODE, {}, 1, false};
  const std::vector<std::uint8_t> answer = run(page, request);
  const VoutMode mode = decode_vout_mode(answer[0]);
  if (options_.vout_mode && *options_.vout_mode != mode.raw)
    throw FailureError({ErrorClass::bench, "pmbus_vout_mode",
                        fmt::format("VOUT_MODE of {} is {}, the bench declares {}", part(page), to_text(mode),
                                    to_text(decode_vout_mode(*options_.vout_mode))),
                        part(page), sent_text(request), hex(answer),
                        "another part or configuration is fitted, or its firmware reports a wrong exponent: every set "
                        "point and reading would be off by a power of two"});
  const bool usable = mode.format == VoutMode::Format::linear || mode.format == VoutMode::Format::half ||
                      (mode.format == VoutMode::Format::direct && options_.direct);
  if (!usable)
    throw FailureError(
        {ErrorClass::bench, "pmbus_vout_format",
         fmt::format("{} codes its voltage as VOUT_MODE {}, which this driver cannot convert here", part(page),
                     to_text(mode)),
         part(page), sent_text(request), hex(answer),
         "VID tables are not supported; DIRECT needs `vout_direct: [m, b, R]` from the part's data sheet"});
  modes_[page] = mode;
}

double Device::decode_vout(int page, std::uint16_t code) {
  const VoutMode mode = vout_mode(page);
  switch (mode.format) {
    case VoutMode::Format::half:
      return decode_half(code);
    case VoutMode::Format::direct:
      return decode_direct(code, *options_.direct);
    default:
      return decode_linear16(code, mode.exponent);
  }
}

std::uint16_t Device::encode_vout(int page, double volts) {
  const VoutMode mode = vout_mode(page);
  std::optional<std::uint16_t> code;
  switch (mode.format) {
    case VoutMode::Format::half:
      code = encode_half(volts);
      break;
    case VoutMode::Format::direct:
      code = encode_direct(volts, *options_.direct);
      break;
    default:
      code = encode_linear16(volts, mode.exponent);
  }
  if (code) return *code;
  throw FailureError({ErrorClass::interlock,
                      "pmbus_out_of_format",
                      fmt::format("{} V cannot be written to {} with VOUT_MODE {}", volts, part(page), to_text(mode)),
                      part(page),
                      {},
                      {},
                      "the set point is negative or beyond what the part's number format holds"});
}

// ---- writing

void Device::write(int page, Command command, const std::vector<std::uint8_t>& bytes) {
  const Request put{command, bytes, 0, false};
  const Request ask{command, {}, bytes.size(), false};
  std::vector<std::uint8_t> back;
  for (int tries = 0; tries <= options_.quirks.retries; ++tries) {
    if (tries > 0) ++counters_.retries;
    run(page, put);
    back = run(page, ask);
    if (back == bytes) return;
    if (!wait_while_busy(page)) break;  // not busy: it simply does not take the value
  }
  std::string why = explain(page);
  throw FailureError(
      {ErrorClass::bench, "pmbus_readback",
       fmt::format("{} acknowledged {} = {} but reads back {}", part(page), name_of(command), hex(bytes), hex(back)),
       part(page), sent_text(put) + ", then " + sent_text(ask), hex(back),
       why.empty() ? "the part is write-protected, or clamps the value to a limit of its own" : std::move(why)});
}

bool Device::wait_while_busy(int page) {
  if (options_.quirks.skip_status_check) return false;
  const Instant limit = time_.now() + options_.quirks.busy_limit;
  bool was_busy = false;
  while ((run(page, {Command::STATUS_BYTE, {}, 1, false})[0] & kStatusBusy) != 0) {
    was_busy = true;
    ++counters_.busy;
    if (time_.now() >= limit)
      throw FailureError({ErrorClass::infrastructure, "pmbus_busy",
                          fmt::format("{} says BUSY for more than {}", part(page),
                                      firstlight::to_text(to_quantity(options_.quirks.busy_limit))),
                          part(page), sent_text({Command::STATUS_BYTE, {}, 1, false}), "BUSY",
                          "the part's firmware hangs or stores to its memory"});
    time_.sleep(kBackoff);
  }
  return was_busy;
}

std::string Device::explain(int page) {
  if (options_.quirks.skip_status_check) return {};
  const std::uint8_t cml = run(page, {Command::STATUS_CML, {}, 1, false})[0];
  const std::vector<std::string> bits = bits_of(Command::STATUS_CML, cml);
  return bits.empty() ? std::string() : fmt::format("STATUS_CML 0x{:02x} says {}", cml, fmt::join(bits, ", "));
}

}  // namespace firstlight::pmbus
