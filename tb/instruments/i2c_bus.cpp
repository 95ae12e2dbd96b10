#include "tb/instruments/i2c_bus.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace tb::instruments {

using firstlight::I2cStatus;

namespace {
constexpr int kByteClocks = 9;  // eight bits and the acknowledge
constexpr int kRecoveryClocks = 9;
}  // namespace

I2cBusModel::I2cBusModel(Agenda& agenda, firstlight::Frequency clock)
    : agenda_(agenda), bit_(1.0 / clock.base(), sc_core::SC_SEC) {}

void I2cBusModel::attach(std::uint8_t address, I2cTarget& target) {
  if (address > 0x7f) throw std::invalid_argument(fmt::format("I2C address 0x{:02x} has more than 7 bits", address));
  if (!targets_.emplace(address, &target).second)
    throw std::invalid_argument(fmt::format("I2C address 0x{:02x} is taken", address));
}

std::uint64_t I2cBusModel::post(Transfer transfer, Completion done) {
  queue_.push_back({++last_id_, std::move(transfer), std::move(done)});
  const std::uint64_t id = last_id_;
  if (!running_) next();
  return id;
}

void I2cBusModel::cancel(std::uint64_t transfer) {
  if (running_ && job_.id == transfer) job_.done = nullptr;
  queue_.erase(std::remove_if(queue_.begin(), queue_.end(), [transfer](const Job& job) { return job.id == transfer; }),
               queue_.end());
}

void I2cBusModel::hold_sda(int clocks) {
  stuck_ = true;
  release_after_ = clocks;
}

void I2cBusModel::recover(std::function<void(bool)> done) {
  const bool frees = stuck_ && release_after_ > 0 && release_after_ <= kRecoveryClocks;
  const int clocks = frees ? release_after_ : (stuck_ ? kRecoveryClocks : 0);
  agenda_.after(bit_ * (clocks + 1), [this, frees, done = std::move(done)] {
    if (frees) stuck_ = false;
    done(!stuck_);
  });
}

void I2cBusModel::later(int clocks, void (I2cBusModel::*step)()) {
  agenda_.after(bit_ * clocks, [this, step] { (this->*step)(); });
}

void I2cBusModel::next() {
  if (queue_.empty()) return;
  running_ = true;
  job_ = std::move(queue_.front());
  queue_.pop_front();
  progress_ = {};
  result_ = {};
  target_ = nullptr;
  if (stuck_) {
    agenda_.after(kStuckTimeout(), [this] { finish(I2cStatus::bus_stuck, "SDA is held low"); });
    return;
  }
  begin_message();
}

bool I2cBusModel::reading() const {
  return progress_.message < job_.transfer.messages.size() && message().write.empty() &&
         (message().read > 0 || message().block);
}

void I2cBusModel::begin_message() {
  progress_.byte = 0;
  progress_.want = reading() ? (message().block ? 1 : message().read) : 0;
  later(1 + kByteClocks, &I2cBusModel::address_passed);
}

void I2cBusModel::address_passed() {
  const auto found = targets_.find(job_.transfer.address);
  target_ = found == targets_.end() ? nullptr : found->second;
  if (target_ == nullptr || !target_->address(reading())) {
    target_ = nullptr;
    agenda_.after(bit_, [this] {
      finish(I2cStatus::address_nack, fmt::format("no acknowledge from 0x{:02x}", job_.transfer.address));
    });
    return;
  }
  const bool empty = job_.transfer.messages.empty() || (!reading() && message().write.empty());
  if (empty)
    end_message();
  else
    later(kByteClocks, &I2cBusModel::byte_passed);
}

void I2cBusModel::byte_passed() {
  if (reading()) {
    const std::uint8_t byte = target_->read();
    result_.data.push_back(byte);
    if (message().block && progress_.byte == 0)
      progress_.want = 1 + std::min<std::size_t>(byte, message().read) + message().extra;
    if (++progress_.byte >= progress_.want) return end_message();
  } else {
    if (!target_->write(message().write[progress_.byte])) {
      const std::size_t at = progress_.byte;
      agenda_.after(bit_, [this, at] {
        finish(I2cStatus::data_nack, fmt::format("byte {} (0x{:02x}) was not acknowledged by 0x{:02x}", at,
                                                 message().write[at], job_.transfer.address));
      });
      return;
    }
    ++result_.acknowledged;
    if (++progress_.byte >= message().write.size()) return end_message();
  }
  later(kByteClocks, &I2cBusModel::byte_passed);
}

void I2cBusModel::end_message() {
  if (progress_.message + 1 < job_.transfer.messages.size()) {
    ++progress_.message;
    return begin_message();
  }
  agenda_.after(bit_, [this] { finish(I2cStatus::ok, {}); });
}

void I2cBusModel::finish(I2cStatus status, std::string detail) {
  if (target_ != nullptr) target_->stop();
  target_ = nullptr;
  result_.status = status;
  result_.detail = std::move(detail);
  const Completion done = std::move(job_.done);
  const firstlight::I2cResult result = std::move(result_);
  running_ = false;
  job_ = {};
  // The completion may post the next transfer; whoever already waits comes first.
  next();
  if (done) done(result);
}

}  // namespace tb::instruments
