#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lab/core/bench_time.h"
#include "lab/core/failure.h"
#include "lab/drivers/pmbus/command.h"
#include "lab/drivers/pmbus/part.h"
#include "lab/transports/i2c_bus.h"

namespace firstlight::pmbus {

/// One SMBus transaction with a part.
struct Request {
  Command command = Command::PAGE;
  std::vector<std::uint8_t> write;  // data after the command; with `block` and not empty, a block process call
  std::size_t read = 0;             // bytes; with `block` the most
  bool block = false;
};

struct Outcome {
  bool ok = false;
  std::vector<std::uint8_t> data;  // without count and PEC
  Failure failure;
};

/// What went on between us and the part since the start.
struct Counters {
  std::uint64_t transfers = 0;
  std::uint64_t retries = 0;
  std::uint64_t pec_errors = 0;
  std::uint64_t nacks = 0;
  std::uint64_t timeouts = 0;
  std::uint64_t busy = 0;
  std::uint64_t recoveries = 0;  // of the bus, that worked
};

/// Puts requests on the bus and makes failures of what does not come back: pacing, PEC, lengths, the words for it.
class Wires {
 public:
  /// @param quirks looked at anew for each transfer
  Wires(std::string name, I2cBus& bus, std::uint8_t address, const Quirks& quirks, BenchTime& time)
      : name_(std::move(name)), bus_(bus), address_(address), quirks_(quirks), time_(time) {}

  /// @param part who is blamed
  Outcome transfer(const std::string& part, const Request& request);
  /// Frees the bus by the recipe that it has, and tells the failure how that went.
  void recover(Failure& failure);
  /// Keeps other programs out, see I2cBus::hold.
  std::shared_ptr<void> hold() { return bus_.hold(time_.now() + quirks_.io_timeout); }

  void use_pec(bool use) { use_pec_ = use; }
  bool uses_pec() const { return use_pec_; }
  std::string sent_text(const Request& request) const;
  Duration since_last() const { return time_.now() - last_; }
  Counters& counters() { return counters_; }
  const Counters& counters() const { return counters_; }

 private:
  void pace();
  std::vector<I2cMessage> messages_of(const Request& request) const;
  std::vector<std::uint8_t> wire_bytes(const Request& request) const;
  Outcome judge(const std::string& part, const Request& request, const I2cResult& result);
  Outcome judge_pec(const std::string& part, const Request& request, const I2cResult& result, Outcome outcome);
  /// Everything was acknowledged but the last byte, which is the PEC.
  bool pec_refused(const Request& request, const I2cResult& result) const;
  Failure failure_of(const std::string& part, const Request& request, const I2cResult& result) const;
  void describe(Failure& failure, const Request& request, const I2cResult& result) const;

  std::string name_;
  I2cBus& bus_;
  std::uint8_t address_;
  const Quirks& quirks_;
  BenchTime& time_;
  bool use_pec_ = false;
  bool last_was_write_ = false;
  Instant last_{};
  Counters counters_;
};

/// "98 00", for messages.
std::string hex(const std::vector<std::uint8_t>& bytes);

}  // namespace firstlight::pmbus
