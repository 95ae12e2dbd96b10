#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lab/core/bench_time.h"
#include "lab/core/failure.h"
#include "lab/core/turns.h"
#include "lab/drivers/pmbus/command.h"
#include "lab/drivers/pmbus/linear.h"
#include "lab/transports/i2c_bus.h"

namespace firstlight::pmbus {

/// Where a part departs from the book; from `quirks:` in the bench file.
struct Quirks {
  Duration min_gap{};                   // least time between the end of a transfer and the next
  Duration busy_limit{20'000'000'000};  // how long STATUS_BYTE.BUSY may stay
  Duration io_timeout{50'000'000'000};  // of one transfer
  int retries = 3;                      // after a PEC error, a NACK or a timeout
  bool no_capability = false;           // CAPABILITY must not be read: no PEC then
  bool no_pec = false;                  // do not use PEC though CAPABILITY has it
  bool skip_status_check = false;       // do not read STATUS_* to explain a failed write
  bool no_page = false;                 // a single-output part without PAGE
  bool pages_alike = false;             // outputs may have equal settings, so they cannot tell PAGE apart
};

struct DeviceOptions {
  std::uint8_t address = 0;  // 7 bits
  Quirks quirks;
  std::optional<std::uint8_t> vout_mode;  // what VOUT_MODE must say
  std::optional<DirectCoefficients> direct;
};

/// What went on between us and the part since the start.
struct Counters {
  std::uint64_t transfers = 0;
  std::uint64_t retries = 0;
  std::uint64_t pec_errors = 0;
  std::uint64_t nacks = 0;
  std::uint64_t timeouts = 0;
  std::uint64_t busy = 0;
};

/// A PMBus part with one or more pages. Does no I/O before it is asked for something. Selects pages, checks that they
/// take effect, uses PEC when the part has it, retries what may be retried, reads back what it writes. Failures are
/// infrastructure for what happens on the wires, bench for a part that is not what the bench says.
class Device {
 public:
  Device(std::string name, I2cBus& bus, DeviceOptions options, BenchTime& time);

  /// Before the first use: an output that the part has, and its name.
  void add_page(int page, std::string rail);

  std::uint8_t read_byte(int page, Command command);
  std::uint16_t read_word(int page, Command command);
  std::string read_text(int page, Command command);
  void write_byte(int page, Command command, std::uint8_t value);
  void write_word(int page, Command command, std::uint16_t value);
  void send(int page, Command command);

  /// The page's VOUT format, read and checked against the bench on first contact.
  VoutMode vout_mode(int page);
  double decode_vout(int page, std::uint16_t code);
  std::uint16_t encode_vout(int page, double volts);

  const std::string& name() const { return name_; }
  std::string part(int page) const;  // "vr_core page 0 (vdd_core)"
  const Counters& counters() const { return counters_; }

 private:
  struct Request {
    Command command = Command::PAGE;
    std::vector<std::uint8_t> write;  // data after the command
    std::size_t read = 0;
    bool block = false;
  };
  struct Outcome {
    bool ok = false;
    std::vector<std::uint8_t> data;  // without PEC
    Failure failure;
  };

  std::vector<std::uint8_t> run(int page, const Request& request);
  Outcome attempt(int page, const Request& request);
  Outcome transfer(int page, const Request& request);
  Outcome select(int page);
  Outcome judge_transfer(int page, const Request& request, const I2cResult& result);
  Failure failure_of(int page, const Request& request, const I2cResult& result) const;
  std::string sent_text(const Request& request) const;
  std::vector<std::uint8_t> wire_bytes(const Request& request) const;
  /// Everything was acknowledged but the last byte, which is the PEC.
  bool pec_refused(const Request& request, const I2cResult& result) const;

  void prepare(int page);
  void read_capability(int page);
  void check_vout_mode(int page);
  void check_pages_differ();
  void write(int page, Command command, const std::vector<std::uint8_t>& bytes);
  bool wait_while_busy(int page);
  std::string explain(int page);
  void pace();
  void lost_contact();

  std::string name_;
  I2cBus& bus_;
  DeviceOptions options_;
  BenchTime& time_;
  Turns turns_;
  Counters counters_;
  std::map<int, std::string> pages_;
  std::map<int, VoutMode> modes_;
  bool prepared_ = false;
  bool use_pec_ = false;
  std::optional<int> page_;  // what PAGE is known to be
  Instant last_transfer_{};
};

/// "98 00", for messages.
std::string hex(const std::vector<std::uint8_t>& bytes);

}  // namespace firstlight::pmbus
