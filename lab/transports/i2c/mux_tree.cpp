#include "lab/transports/i2c/mux_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace firstlight::i2c {

namespace {

// A mux that was reset between two transfers is closed, and nothing says so.
constexpr Duration kTrust{20'000'000'000};

bool is_on(const std::vector<MuxHop>& way, std::uint8_t mux) {
  return std::any_of(way.begin(), way.end(), [mux](const MuxHop& hop) { return hop.address == mux; });
}

I2cResult mux_failure(std::uint8_t mux, std::uint8_t code, const I2cResult& result) {
  I2cResult failed = result;
  failed.data.clear();
  failed.acknowledged = 0;
  // An address that is not acknowledged here is the mux's, not the part's.
  if (failed.status == I2cStatus::address_nack || failed.status == I2cStatus::data_nack)
    failed.status = I2cStatus::io_error;
  failed.detail = fmt::format("the mux at 0x{:02x} could not be set to 0x{:02x}{}{}", mux, code,
                              result.detail.empty() ? "" : ": ", result.detail);
  return failed;
}

}  // namespace

std::uint8_t MuxHop::code() const {
  const auto number = static_cast<unsigned>(channel);
  if (kind == Kind::switch_) return static_cast<std::uint8_t>(1U << number);
  return static_cast<std::uint8_t>((channels > 4 ? 0x08U : 0x04U) | number);
}

MuxTree::MuxTree(std::shared_ptr<I2cBus> bus, BenchTime& time) : bus_(std::move(bus)), time_(time), turns_(time) {}

void MuxTree::forget() {
  for (auto& [mux, code] : codes_) code.reset();
}

std::optional<I2cResult> MuxTree::set(std::uint8_t mux, std::uint8_t code, Instant deadline) {
  const auto known = codes_.find(mux);
  if (known != codes_.end() && known->second == code) return std::nullopt;
  codes_[mux].reset();
  I2cResult result = bus_->transfer(mux, {I2cMessage::writing({code})}, deadline);
  if (result.status == I2cStatus::ok) result = bus_->transfer(mux, {I2cMessage::reading(1)}, deadline);
  if (result.status != I2cStatus::ok) return mux_failure(mux, code, result);
  if (result.data != std::vector<std::uint8_t>{code}) {
    I2cResult wrong{I2cStatus::io_error, {}, 0, {}};
    wrong.detail = fmt::format("it reads back {:02x}", fmt::join(result.data, " "));
    return mux_failure(mux, code, wrong);
  }
  codes_[mux] = code;
  return std::nullopt;
}

std::optional<I2cResult> MuxTree::close_others(const std::vector<MuxHop>& way, Instant deadline) {
  for (auto& [mux, code] : codes_) {
    if (is_on(way, mux) || code == std::uint8_t{0}) continue;
    // One that does not answer (it is behind a mux that has closed, or has no power) lets nothing through either.
    if (auto failed = set(mux, 0, deadline); failed && failed->status != I2cStatus::io_error) return failed;
  }
  return std::nullopt;
}

std::optional<I2cResult> MuxTree::open(const std::vector<MuxHop>& way, Instant deadline) {
  if (auto failed = close_others(way, deadline)) return failed;
  for (const MuxHop& hop : way)
    if (auto failed = set(hop.address, hop.code(), deadline)) return failed;
  return std::nullopt;
}

I2cResult MuxTree::transfer(const std::vector<MuxHop>& way, std::uint8_t address,
                            const std::vector<I2cMessage>& messages, Instant deadline) {
  const Turns::Hold turn(turns_);
  if (way.empty()) {
    last_use_ = time_.now();
    return bus_->transfer(address, messages, deadline);
  }
  const std::shared_ptr<void> held = bus_->hold(deadline);
  if (time_.now() - last_use_ > kTrust) forget();
  I2cResult result;
  if (auto failed = open(way, deadline)) {
    result = *std::move(failed);
  } else {
    result = bus_->transfer(address, messages, deadline);
  }
  // Whatever failed may have been a reset, of the mux as well.
  if (result.status != I2cStatus::ok) forget();
  last_use_ = time_.now();
  return result;
}

bool MuxTree::recover(Instant deadline) {
  const Turns::Hold turn(turns_);
  forget();
  return bus_->recover(deadline);
}

}  // namespace firstlight::i2c
