#include "lab/transports/i2c/dev_bus.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lab/core/failure.h"

namespace firstlight::i2c {

namespace {

constexpr Duration kLookAgain{500'000'000};  // whether another program has left the bus
constexpr std::chrono::milliseconds kLongest{10'000};
constexpr Duration kProbe{50'000'000'000};

}  // namespace

DevBus::DevBus(std::string name, Open open, BenchTime& time)
    : name_(std::move(name)), open_(std::move(open)), time_(time), turns_(time), lock_(std::make_shared<Lock>()) {
  lock_->adapter = open_();
}

std::shared_ptr<void> DevBus::hold(Instant deadline) {
  const std::shared_ptr<Lock> lock = lock_;
  while (lock->holders == 0 && !lock->adapter->file().try_lock()) {
    if (time_.now() >= deadline) return nullptr;
    time_.sleep_until(std::min(deadline, time_.now() + kLookAgain));
  }
  ++lock->holders;
  return {lock.get(), [lock](void*) {
            if (--lock->holders == 0) lock->adapter->file().unlock();
          }};
}

I2cResult DevBus::transfer(std::uint8_t address, const std::vector<I2cMessage>& messages, Instant deadline) {
  const Turns::Hold turn(turns_);
  return transfer_now(address, messages, deadline);
}

I2cResult DevBus::transfer_now(std::uint8_t address, const std::vector<I2cMessage>& messages, Instant deadline) {
  suspect_ = address;
  const std::shared_ptr<void> held = hold(deadline);
  if (!held) return {I2cStatus::timeout, {}, 0, fmt::format("another program kept {} all the time (flock)", name_)};
  const Instant now = time_.now();
  if (now >= deadline) return {I2cStatus::timeout, {}, 0, "the time was up before the bus was free"};
  const auto limit = std::min(kLongest, std::chrono::duration_cast<std::chrono::milliseconds>(deadline - now));
  const std::shared_ptr<Adapter> adapter = lock_->adapter;
  I2cResult result;
  time_.offload([&] { result = adapter->transfer(address, messages, limit); });
  return result;
}

bool DevBus::seems_free(Instant deadline) {
  // Whether SDA is high, no call of i2c-dev tells; a transfer does. One byte from whoever was spoken to last: even its
  // missing acknowledge proves that START, address and STOP went over the wires.
  const I2cResult result = transfer_now(suspect_, {I2cMessage::reading(1)}, std::min(deadline, time_.now() + kProbe));
  switch (result.status) {
    case I2cStatus::ok:
    case I2cStatus::address_nack:
    case I2cStatus::data_nack:
      return true;
    default:
      return false;
  }
}

void DevBus::open_again() {
  const auto lock = std::make_shared<Lock>();
  lock->adapter = open_();
  lock_ = lock;
}

bool DevBus::recover(Instant deadline) {
  const Turns::Hold turn(turns_);
  const auto is_free = [&] { return seems_free(deadline); };
  if (!recovery_) {
    // Adapters whose driver has a recovery of its own run it before a transfer that finds the bus stuck.
    const bool freed = is_free();
    last_recovery_ = freed ? "the adapter's own driver freed the bus" : "the bench has no `recovery:` for this bus";
    return freed;
  }
  const bool freed = recovery_->run(deadline, is_free, [&] { open_again(); });
  last_recovery_ = recovery_->report();
  return freed;
}

}  // namespace firstlight::i2c
