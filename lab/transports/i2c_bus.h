#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lab/core/bench_time.h"

namespace firstlight {

/// One part of a combined I2C transfer. A read has `read` bytes to fetch, or, with `block`, as many as the first byte
/// says (SMBus block read), `read` at the most.
struct I2cMessage {
  std::vector<std::uint8_t> write;  // empty for a read
  std::size_t read = 0;
  bool block = false;
  std::size_t extra = 0;  // with block: bytes after the counted ones (PEC)
  /// The last byte is an SMBus PEC. It is on the wire either way: an adapter that only makes SMBus calls has to be
  /// told.
  bool pec = false;

  static I2cMessage writing(std::vector<std::uint8_t> bytes) { return {std::move(bytes), 0, false, 0, false}; }
  static I2cMessage reading(std::size_t count) { return {{}, count, false, 0, false}; }
  static I2cMessage reading_block(std::size_t most, std::size_t extra) { return {{}, most, true, extra, extra != 0}; }
};

enum class I2cStatus : std::uint8_t { ok, address_nack, data_nack, timeout, bus_stuck, arbitration_lost, io_error };

struct I2cResult {
  I2cStatus status = I2cStatus::ok;
  std::vector<std::uint8_t> data;  // all bytes read, in order
  std::size_t acknowledged = 0;    // bytes written that were acknowledged
  std::string detail;              // what the adapter said, for messages
};

/// An I2C adapter that carries whole messages. A transfer occupies the bus until it ends; a second caller waits its
/// turn.
class I2cBus {
 public:
  I2cBus() = default;
  I2cBus(const I2cBus&) = delete;
  I2cBus& operator=(const I2cBus&) = delete;
  virtual ~I2cBus() = default;

  /// START, the messages with repeated STARTs between, STOP. Never throws for what happens on the wires.
  /// @param address 7 bits
  virtual I2cResult transfer(std::uint8_t address, const std::vector<I2cMessage>& messages, Instant deadline) = 0;
  /// Frees a stuck bus by clocks and a STOP (NXP UM10204, 3.1.16). True when SDA is high afterwards.
  virtual bool recover(Instant deadline) = 0;
  /// What the last recovery tried and which step worked, for the record; empty when there was none.
  virtual std::string last_recovery() const { return {}; }
  /// Keeps other programs off the bus while what it returns lives, so that a choice (of a page, of a mux's channel) and
  /// what follows it are not torn apart. Waits for them until the deadline, then returns nothing, as a bus does that
  /// no other program can reach.
  virtual std::shared_ptr<void> hold(Instant deadline) {
    (void)deadline;
    return nullptr;
  }
  virtual std::string name() const = 0;
};

}  // namespace firstlight
