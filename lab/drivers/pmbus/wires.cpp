#include "lab/drivers/pmbus/wires.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lab/drivers/pmbus/pec.h"

namespace firstlight::pmbus {

namespace {

// A recipe may hold SCL low for 150 ms and more.
constexpr Duration kRecovery{1'000'000'000'000};

constexpr const char* kPecCause =
    "noise or wrong pull-ups on the I2C bus, or a part that computes PEC wrongly (quirk no_pec)";

}  // namespace

std::string hex(const std::vector<std::uint8_t>& bytes) {
  if (bytes.empty()) return "nothing";
  return fmt::format("{:02x}", fmt::join(bytes, " "));
}

std::string Wires::sent_text(const Request& request) const {
  std::string text = fmt::format("{}: W 0x{:02x}: {}", name_of(request.command), address_, hex(wire_bytes(request)));
  if (request.block) return text + fmt::format("; R block{}", use_pec_ ? " + PEC" : "");
  if (request.read != 0) text += fmt::format("; R {}", request.read + (use_pec_ ? 1U : 0U));
  return text;
}

std::vector<std::uint8_t> Wires::wire_bytes(const Request& request) const {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(request.write.size() + 3);
  bytes.push_back(code_of(request.command));
  if (request.block && !request.write.empty()) bytes.push_back(static_cast<std::uint8_t>(request.write.size()));
  for (const std::uint8_t byte : request.write) bytes.push_back(byte);
  if (use_pec_ && request.read == 0) bytes.push_back(pec_of_write(address_, bytes));
  return bytes;
}

std::vector<I2cMessage> Wires::messages_of(const Request& request) const {
  const std::size_t extra = use_pec_ ? 1 : 0;
  std::vector<I2cMessage> messages = {I2cMessage::writing(wire_bytes(request))};
  if (request.block)
    messages.push_back(I2cMessage::reading_block(request.read, extra));
  else if (request.read != 0)
    messages.push_back(I2cMessage::reading(request.read + extra));
  messages.back().pec = use_pec_;
  return messages;
}

bool Wires::pec_refused(const Request& request, const I2cResult& result) const {
  return use_pec_ && request.read == 0 && result.status == I2cStatus::data_nack &&
         result.acknowledged + 1 == wire_bytes(request).size();
}

void Wires::pace() {
  const Duration gap = last_was_write_ ? std::max(quirks_.min_gap, quirks_.write_gap) : quirks_.min_gap;
  if (gap > Duration::zero() && counters_.transfers > 0) time_.sleep_until(std::max(time_.now(), last_ + gap));
}

Outcome Wires::transfer(const std::string& part, const Request& request) {
  pace();
  ++counters_.transfers;
  const I2cResult result = bus_.transfer(address_, messages_of(request), time_.now() + quirks_.io_timeout);
  last_ = time_.now();
  last_was_write_ = request.read == 0;
  return judge(part, request, result);
}

Outcome Wires::judge(const std::string& part, const Request& request, const I2cResult& result) {
  Outcome outcome;
  if (result.status != I2cStatus::ok) {
    const bool nack = result.status == I2cStatus::address_nack || result.status == I2cStatus::data_nack;
    ++(pec_refused(request, result) ? counters_.pec_errors : nack ? counters_.nacks : counters_.timeouts);
    outcome.failure = failure_of(part, request, result);
    return outcome;
  }
  if (request.read == 0) return {true, {}, {}};

  outcome.data = result.data;
  const std::size_t extra = use_pec_ ? 1 : 0;
  const std::size_t payload =
      request.block ? (result.data.empty() ? 1 : 1 + std::size_t{result.data[0]}) : request.read;
  if (result.data.size() != payload + extra) {
    outcome.failure = failure_of(part, request, result);
    outcome.failure.symptom = "i2c_short_read";
    outcome.failure.message = fmt::format("{} gave {} bytes for {} where {} were due", part, result.data.size(),
                                          name_of(request.command), payload + extra);
    outcome.failure.likely_cause = "the adapter cut the transfer short, or the part sent a wrong block count";
    return outcome;
  }
  if (use_pec_) outcome = judge_pec(part, request, result, std::move(outcome));
  if (!outcome.failure.symptom.empty()) return outcome;
  if (request.block) outcome.data.erase(outcome.data.begin());
  outcome.ok = true;
  return outcome;
}

Outcome Wires::judge_pec(const std::string& part, const Request& request, const I2cResult& result, Outcome outcome) {
  const std::uint8_t received = outcome.data.back();
  outcome.data.pop_back();
  const std::uint8_t expected = pec_of_read(address_, wire_bytes(request), outcome.data);
  if (received == expected) return outcome;
  ++counters_.pec_errors;
  outcome.failure = failure_of(part, request, result);
  outcome.failure.symptom = "pmbus_pec_error";
  outcome.failure.message = fmt::format("{} answered {} with a wrong PEC: received 0x{:02x}, computed 0x{:02x}", part,
                                        name_of(request.command), received, expected);
  outcome.failure.likely_cause = kPecCause;
  return outcome;
}

Failure Wires::failure_of(const std::string& part, const Request& request, const I2cResult& result) const {
  Failure failure;
  failure.error_class = ErrorClass::infrastructure;
  failure.part = part;
  failure.sent = sent_text(request);
  failure.received = hex(result.data) + (result.detail.empty() ? "" : " (" + result.detail + ")");
  if (pec_refused(request, result)) {
    failure.symptom = "pmbus_pec_error";
    failure.message = fmt::format("{} refused the PEC of {}: sent 0x{:02x}, which is right for these bytes", part,
                                  name_of(request.command), wire_bytes(request).back());
    failure.likely_cause = kPecCause;
    return failure;
  }
  describe(failure, request, result);
  return failure;
}

void Wires::describe(Failure& failure, const Request& request, const I2cResult& result) const {
  const std::string command = name_of(request.command);
  switch (result.status) {
    case I2cStatus::address_nack:
      failure.symptom = "pmbus_no_answer";
      failure.message =
          fmt::format("{} does not acknowledge its address 0x{:02x} on {} ({})", name_, address_, bus_.name(), command);
      failure.likely_cause = "the part has no power, is held in reset, or sits at another address";
      return;
    case I2cStatus::data_nack:
      failure.symptom = "pmbus_nack";
      failure.message = fmt::format("{} refused byte {} of {}", failure.part, result.acknowledged + 1, command);
      failure.likely_cause = "the part is busy, write-protected, or does not know the command";
      return;
    case I2cStatus::timeout:
      failure.symptom = "i2c_timeout";
      failure.message = fmt::format("{} did not finish {} within {}", failure.part, command,
                                    firstlight::to_text(to_quantity(quirks_.io_timeout)));
      failure.likely_cause = "the part stretches the clock, or another master holds the bus";
      return;
    case I2cStatus::bus_stuck:
      failure.symptom = "i2c_bus_stuck";
      failure.message = fmt::format("{} is stuck low; {} for {} could not start", bus_.name(), command, failure.part);
      failure.likely_cause = "a part that was reset in the middle of a transfer holds SDA";
      return;
    case I2cStatus::arbitration_lost:
    case I2cStatus::io_error:
    case I2cStatus::ok:
      failure.symptom = "i2c_error";
      failure.message = fmt::format("{} failed on {} for {}", command, bus_.name(), failure.part);
      failure.likely_cause = result.detail.empty() ? "the I2C adapter or another master on the bus" : result.detail;
      return;
  }
}

void Wires::recover(Failure& failure) {
  if (bus_.recover(time_.now() + kRecovery)) ++counters_.recoveries;
  const std::string report = bus_.last_recovery();
  if (!report.empty()) failure.received += "; recovery: " + report;
}

}  // namespace firstlight::pmbus
