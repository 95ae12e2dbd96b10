#include <fmt/format.h>

#include <regex>
#include <utility>

#include "lab/drivers/pmbus/device.h"

namespace firstlight::pmbus {

namespace {

constexpr Duration kBackoff{1'000'000'000};
constexpr std::uint8_t kCapabilityPec = 0x80;
constexpr std::uint8_t kCapabilityHalf = 0x08;  // PMBus 1.3 part II, 11.12: numbers but VOUT's are IEEE half

std::uint16_t word_of(const std::vector<std::uint8_t>& bytes) {
  return static_cast<std::uint16_t>(bytes[0] | (static_cast<unsigned>(bytes[1]) << 8U));
}

}  // namespace

void Device::prepare(int page) {
  if (prepared_) return;
  wires_.use_pec(false);
  half_floats_ = false;
  read_capability(page);
  prepared_ = true;
  try {
    check_identity(page);
    apply_revisions(page);
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
      ++wires_.counters().retries;
      time_.sleep(kBackoff * tries);
    }
    outcome = wires_.transfer(part(page), request);
    if (outcome.ok) {
      wires_.use_pec(!options_.quirks.no_pec && (outcome.data[0] & kCapabilityPec) != 0);
      half_floats_ = (outcome.data[0] & kCapabilityHalf) != 0;
      return;
    }
    if (outcome.failure.symptom == "i2c_bus_stuck") wires_.recover(outcome.failure);
  }
  outcome.failure.message += fmt::format(" ({} attempts)", options_.quirks.retries + 1);
  throw FailureError(std::move(outcome.failure));
}

std::string Device::plain_text(int page, Command command) {
  const std::vector<std::uint8_t> bytes = run(page, {command, {}, options_.quirks.block_length, true});
  std::string text(bytes.begin(), bytes.end());
  // Parts fill their texts up with zeros or blanks.
  text.erase(text.find_last_not_of(std::string("\0 ", 2)) + 1);
  return text;
}

void Device::check_identity(int page) {
  for (const auto& [name, pattern] : options_.part.identity) {
    const Command command = *command_of(name);
    const std::string found = plain_text(page, command);
    if (std::regex_match(found, std::regex(pattern))) continue;
    throw FailureError(
        {ErrorClass::bench, "pmbus_wrong_part",
         fmt::format("{} says {} \"{}\"; part {} says \"{}\"", name_, name, found, options_.part.name, pattern),
         part(page), wires_.sent_text({command, {}, options_.quirks.block_length, true}), found,
         "another part is fitted, or sits at this address"});
  }
}

void Device::apply_revisions(int page) {
  for (const RevisionQuirks& revision : options_.part.revisions)
    if (std::regex_match(plain_text(page, revision.command), std::regex(revision.matches)))
      apply_quirks(options_.quirks, revision.quirks);
}

void Device::check_pages_differ() {
  if (options_.quirks.pages_alike || options_.quirks.no_page || pages_.size() < 2) return;
  std::map<std::uint16_t, int> owner;
  const Request request{options_.quirks.page_identity, {}, 2, false};
  for (const auto& [page, rail] : pages_) {
    const std::vector<std::uint8_t> answer = run(page, request);
    const auto [other, fresh] = owner.emplace(word_of(answer), page);
    if (fresh) continue;
    throw FailureError(
        {ErrorClass::bench, "pmbus_pages_identical",
         fmt::format("{} gives the same {} 0x{:04x} on PAGE {} and PAGE {}, so nothing shows that PAGE has an effect",
                     name_, name_of(request.command), word_of(answer), other->second, page),
         part(page), wires_.sent_text(request), hex(answer),
         "PAGE has no effect, or the outputs are really set alike: then say `pages_alike: true` in its quirks"});
  }
}

void Device::check_vout_mode(int page) {
  if (modes_.count(page) != 0) return;
  const auto declared = options_.part.formats.find(NumberClass::voltage_out);
  const bool has_declared = declared != options_.part.formats.end();
  if (has_declared && options_.quirks.unsupported.count(Command::VOUT_MODE) != 0) return;
  const Request request{Command::VOUT_MODE, {}, 1, false};
  const std::vector<std::uint8_t> answer = run(page, request);
  const VoutMode mode = decode_vout_mode(answer[0]);
  if (options_.vout_mode && *options_.vout_mode != mode.raw)
    throw FailureError({ErrorClass::bench, "pmbus_vout_mode",
                        fmt::format("VOUT_MODE of {} is {}, the bench declares {}", part(page), to_text(mode),
                                    to_text(decode_vout_mode(*options_.vout_mode))),
                        part(page), wires_.sent_text(request), hex(answer),
                        "another part or configuration is fitted, or its firmware reports a wrong exponent: every set "
                        "point and reading would be off by a power of two"});
  const auto declares = [&](NumberFormat::Kind kind) { return has_declared && declared->second.kind == kind; };
  const bool usable = mode.format == VoutMode::Format::linear || mode.format == VoutMode::Format::half ||
                      (mode.format == VoutMode::Format::direct && declares(NumberFormat::Kind::direct)) ||
                      (mode.format == VoutMode::Format::vid && declares(NumberFormat::Kind::vid));
  if (!usable)
    throw FailureError({ErrorClass::bench, "pmbus_vout_format",
                        fmt::format("{} codes its voltage as VOUT_MODE {}, which this driver cannot convert here",
                                    part(page), to_text(mode)),
                        part(page), wires_.sent_text(request), hex(answer),
                        "VID needs `vid: TABLE` and DIRECT `vout_direct: [m, b, R]` from the part's data sheet, or a "
                        "`part:` whose description has them"});
  modes_[page] = mode;
}

}  // namespace firstlight::pmbus
