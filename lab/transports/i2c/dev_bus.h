#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lab/core/turns.h"
#include "lab/transports/i2c/adapter.h"
#include "lab/transports/i2c/recovery.h"
#include "lab/transports/i2c_bus.h"

namespace firstlight::i2c {

/// A Linux adapter as a bus: one fiber at a time, one program at a time, calls on a worker.
class DevBus final : public I2cBus {
 public:
  /// Opens the adapter; called again when a recovery has unbound and bound its driver, which may change its number.
  using Open = std::function<std::shared_ptr<Adapter>()>;

  DevBus(std::string name, Open open, BenchTime& time);

  /// What may be done when the bus is stuck; none until then.
  void set_recovery(std::unique_ptr<Recovery> recovery) { recovery_ = std::move(recovery); }
  bool has_recovery() const { return recovery_ != nullptr; }

  I2cResult transfer(std::uint8_t address, const std::vector<I2cMessage>& messages, Instant deadline) override;
  bool recover(Instant deadline) override;
  std::string last_recovery() const override { return last_recovery_; }
  std::shared_ptr<void> hold(Instant deadline) override;
  std::string name() const override { return name_; }

 private:
  /// The lock against other programs, and how many of our own transfers and choices are inside.
  struct Lock {
    std::shared_ptr<Adapter> adapter;
    int holders = 0;
  };

  I2cResult transfer_now(std::uint8_t address, const std::vector<I2cMessage>& messages, Instant deadline);
  bool seems_free(Instant deadline);
  void open_again();

  std::string name_;
  Open open_;
  BenchTime& time_;
  Turns turns_;
  std::shared_ptr<Lock> lock_;
  std::unique_ptr<Recovery> recovery_;
  std::string last_recovery_;
  std::uint8_t suspect_ = 0;  // whom the last transfer was for
};

}  // namespace firstlight::i2c
