#include <fmt/format.h>

#include <utility>

#include "lab/drivers/pmbus/device.h"
#include "lab/drivers/pmbus/status.h"

namespace firstlight::pmbus {

namespace {

constexpr Duration kBackoff{1'000'000'000};

}  // namespace

void Device::write_byte(int page, Command command, std::uint8_t value) {
  const Turns::Hold hold(turns_);
  refuse_read_only(page, command);
  prepare(page);
  write(page, command, {value});
}

void Device::write_word(int page, Command command, std::uint16_t value) {
  const Turns::Hold hold(turns_);
  refuse_read_only(page, command);
  prepare(page);
  write(page, command, {static_cast<std::uint8_t>(value & 0xffU), static_cast<std::uint8_t>(value >> 8U)});
}

void Device::write_number(int page, Command command, double value) {
  const Turns::Hold hold(turns_);
  refuse_read_only(page, command);
  prepare(page);
  const std::uint16_t code = encode_number(page, command, value);
  write(page, command, {static_cast<std::uint8_t>(code & 0xffU), static_cast<std::uint8_t>(code >> 8U)});
}

void Device::send(int page, Command command) {
  const Turns::Hold hold(turns_);
  refuse_read_only(page, command);
  prepare(page);
  run(page, {command, {}, 0, false});
  cml_.reset();
}

void Device::put_word(int page, Command command, std::uint16_t value) {
  const Turns::Hold hold(turns_);
  refuse_read_only(page, command);
  prepare(page);
  run(page, {command, {static_cast<std::uint8_t>(value & 0xffU), static_cast<std::uint8_t>(value >> 8U)}, 0, false});
  cml_.reset();
}

void Device::refuse_read_only(int page, Command command) const {
  if (!options_.quirks.read_only) return;
  throw FailureError({ErrorClass::bench,
                      "pmbus_read_only",
                      fmt::format("{} of {} may not be written: the bench or the part's description says read_only",
                                  name_of(command), part(page)),
                      part(page),
                      {},
                      {},
                      "the part only measures on this bench; nothing was sent"});
}

void Device::write(int page, Command command, const std::vector<std::uint8_t>& bytes) {
  const Request put{command, bytes, 0, false};
  const Request ask{command, {}, bytes.size(), false};
  std::vector<std::uint8_t> back;
  cml_.reset();  // a refused value shows there
  for (int tries = 0; tries <= options_.quirks.retries; ++tries) {
    if (tries > 0) ++wires_.counters().retries;
    run(page, put);
    back = run(page, ask);
    if (back == bytes) return;
    if (!wait_while_busy(page)) break;  // not busy: it simply does not take the value
  }
  std::string why = explain(page);
  throw FailureError(
      {ErrorClass::bench, "pmbus_readback",
       fmt::format("{} acknowledged {} = {} but reads back {}", part(page), name_of(command), hex(bytes), hex(back)),
       part(page), wires_.sent_text(put) + ", then " + wires_.sent_text(ask), hex(back),
       why.empty() ? "the part is write-protected, or clamps the value to a limit of its own" : std::move(why)});
}

bool Device::wait_while_busy(int page) {
  if (options_.quirks.skip_status_check) return false;
  const Instant limit = time_.now() + options_.quirks.busy_limit;
  bool was_busy = false;
  while ((run(page, {Command::STATUS_BYTE, {}, 1, false})[0] & kStatusBusy) != 0) {
    was_busy = true;
    ++wires_.counters().busy;
    if (time_.now() >= limit)
      throw FailureError({ErrorClass::infrastructure, "pmbus_busy",
                          fmt::format("{} says BUSY for more than {}", part(page),
                                      firstlight::to_text(to_quantity(options_.quirks.busy_limit))),
                          part(page), wires_.sent_text({Command::STATUS_BYTE, {}, 1, false}), "BUSY",
                          "the part's firmware hangs or stores to its memory"});
    time_.sleep(kBackoff);
  }
  return was_busy;
}

std::string Device::explain(int page) {
  if (!options_.quirks.no_write_protect && options_.quirks.unsupported.count(Command::WRITE_PROTECT) == 0) {
    const Outcome protect = attempt(page, {Command::WRITE_PROTECT, {}, 1, false});
    // PMBus 1.3 part II, 11.1; one of these bits at a time, anything else is rubbish.
    if (protect.ok && (protect.data[0] == 0x80 || protect.data[0] == 0x40 || protect.data[0] == 0x20))
      return fmt::format("WRITE_PROTECT is 0x{:02x}: the part refuses writes", protect.data[0]);
  }
  if (options_.quirks.skip_status_check) return {};
  const std::optional<std::uint8_t> now = cml(page);
  if (!now) return {};
  const std::vector<std::string> bits = bits_of(Command::STATUS_CML, *now);
  return bits.empty() ? std::string() : fmt::format("STATUS_CML 0x{:02x} says {}", *now, fmt::join(bits, ", "));
}

}  // namespace firstlight::pmbus
