#include "lab/drivers/pmbus/device.h"

#include <fmt/format.h>

#include <utility>

#include "lab/drivers/pmbus/status.h"

namespace firstlight::pmbus {

namespace {

// A part that lost power between two transfers is back on page 0 and nothing says so; no part is off and back so fast.
constexpr Duration kPageTrust{10'000'000'000};
constexpr Duration kBackoff{1'000'000'000};
constexpr std::uint8_t kCmlNotKnown = 0xc0;  // invalid command, invalid data

std::uint16_t word_of(const std::vector<std::uint8_t>& bytes) {
  return static_cast<std::uint16_t>(bytes[0] | (static_cast<unsigned>(bytes[1]) << 8U));
}

}  // namespace

Device::Device(std::string name, I2cBus& bus, DeviceOptions options, BenchTime& time)
    : name_(std::move(name)),
      options_(std::move(options)),
      time_(time),
      turns_(time),
      wires_(name_, bus, options_.address, options_.quirks, time) {}

void Device::add_page(int page, std::string rail) { pages_[page] = std::move(rail); }

std::string Device::part(int page) const {
  const auto known = pages_.find(page);
  if (known == pages_.end()) return fmt::format("{} page {}", name_, page);
  return fmt::format("{} page {} ({})", name_, page, known->second);
}

std::uint8_t Device::read_byte(int page, Command command) {
  const Turns::Hold hold(turns_);
  prepare(page);
  return read(page, {command, {}, 1, false})[0];
}

std::uint16_t Device::read_word(int page, Command command) {
  const Turns::Hold hold(turns_);
  prepare(page);
  return word_of(read(page, {command, {}, 2, false}));
}

std::string Device::read_text(int page, Command command) {
  const Turns::Hold hold(turns_);
  prepare(page);
  const std::vector<std::uint8_t> bytes = read(page, {command, {}, options_.quirks.block_length, true});
  return {bytes.begin(), bytes.end()};
}

double Device::read_number(int page, Command command) {
  const Turns::Hold hold(turns_);
  prepare(page);
  return decode_number(page, command, word_of(read(page, {command, {}, 2, false})));
}

double Device::read_vout(int page, Command command) {
  const Turns::Hold hold(turns_);
  prepare(page);
  const std::uint16_t code = word_of(read(page, {command, {}, 2, false}));
  return decode_as(page, command, code, format_of(page, Command::READ_VOUT));
}

double Device::nearest_number(int page, Command command, double value) {
  const Turns::Hold hold(turns_);
  prepare(page);
  return decode_number(page, command, encode_number(page, command, value));
}

VoutMode Device::vout_mode(int page) {
  const Turns::Hold hold(turns_);
  prepare(page);
  check_vout_mode(page);
  return modes_.at(page);
}

// ---- pages and retries

void Device::lost_contact() {
  page_.reset();
  prepared_ = false;
  modes_.clear();
  coefficients_.clear();
  known_.clear();
  cml_.reset();
}

Outcome Device::select(int page) {
  if (options_.quirks.no_page) return {true, {}, {}};
  if (page_ == page && wires_.since_last() < kPageTrust) return {true, {}, {}};
  page_.reset();
  cml_.reset();
  const auto value = static_cast<std::uint8_t>(page);
  const Request turn{Command::PAGE, {value}, 0, false};
  Outcome wrote = wires_.transfer(part(page), turn);
  if (!wrote.ok) return wrote;
  const Request ask{Command::PAGE, {}, 1, false};
  Outcome back = wires_.transfer(part(page), ask);
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
      wires_.sent_text(turn) + ", then " + wires_.sent_text(ask),
      hex(back.data),
      "the part ignores PAGE (write protection, or firmware): every access to this output would hit another one"};
  return back;
}

Outcome Device::attempt(int page, const Request& request) {
  const std::shared_ptr<void> held = wires_.hold();
  Outcome selected = select(page);
  return selected.ok ? wires_.transfer(part(page), request) : selected;
}

std::vector<std::uint8_t> Device::run(int page, const Request& request) {
  refuse_unsupported(page, request.command);
  Outcome outcome;
  for (int tries = 0; tries <= options_.quirks.retries; ++tries) {
    if (tries > 0) {
      ++wires_.counters().retries;
      time_.sleep(kBackoff * tries);
    }
    outcome = attempt(page, request);
    if (outcome.ok) return outcome.data;
    page_.reset();
    if (outcome.failure.symptom == "i2c_bus_stuck") wires_.recover(outcome.failure);
  }
  lost_contact();
  outcome.failure.message += fmt::format(" ({} attempts)", options_.quirks.retries + 1);
  throw FailureError(std::move(outcome.failure));
}

// ---- reading

void Device::refuse_unsupported(int page, Command command) const {
  if (options_.quirks.unsupported.count(command) == 0) return;
  throw FailureError(
      {ErrorClass::bench,
       "pmbus_unsupported",
       fmt::format("{} has no {}: {} says so", part(page), name_of(command),
                   options_.part.name.empty() ? "the bench" : "the description of " + options_.part.name),
       part(page),
       {},
       {},
       "the sequence or the bench asks for what this part cannot do; nothing was sent"});
}

std::optional<std::uint8_t> Device::cml(int page) {
  const Outcome outcome = attempt(page, {Command::STATUS_CML, {}, 1, false});
  return outcome.ok ? std::optional(outcome.data[0]) : std::nullopt;
}

std::vector<std::uint8_t> Device::read(int page, const Request& request) {
  const Quirks& quirks = options_.quirks;
  const bool asks = !quirks.skip_status_check && quirks.unsupported.count(Command::STATUS_CML) == 0 &&
                    quirks.cml_tolerated.count(request.command) == 0 && request.command != Command::STATUS_CML &&
                    known_.count({page, request.command}) == 0;
  if (!asks) return run(page, request);
  // A part that does not know a command may well answer it, with rubbish; STATUS_CML tells.
  const auto selected = page_;
  const std::optional<std::uint8_t> before = cml_ && selected == page ? cml_ : cml(page);
  std::vector<std::uint8_t> answer = run(page, request);
  cml_ = cml(page);
  if (before && cml_ && (*cml_ & ~*before & kCmlNotKnown) != 0) throw_unknown_command(page, request, answer, *cml_);
  if (cml_) known_.insert({page, request.command});
  return answer;
}

void Device::throw_unknown_command(int page, const Request& request, const std::vector<std::uint8_t>& answer,
                                   std::uint8_t cml) {
  throw FailureError(
      {ErrorClass::bench, "pmbus_unknown_command",
       fmt::format("{} answered {} with {}, and raised STATUS_CML 0x{:02x} ({}): that is no value", part(page),
                   name_of(request.command), hex(answer), cml, fmt::join(bits_of(Command::STATUS_CML, cml), ", ")),
       part(page), wires_.sent_text(request), hex(answer),
       "the part does not have the command (`unsupported` in its description), or raises STATUS_CML for "
       "no reason (`cml_tolerated`)"});
}

}  // namespace firstlight::pmbus
