#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lab/core/bench_time.h"
#include "lab/core/failure.h"
#include "lab/core/turns.h"
#include "lab/drivers/pmbus/command.h"
#include "lab/drivers/pmbus/format.h"
#include "lab/drivers/pmbus/linear.h"
#include "lab/drivers/pmbus/part.h"
#include "lab/drivers/pmbus/wires.h"
#include "lab/transports/i2c_bus.h"

namespace firstlight::pmbus {

struct DeviceOptions {
  std::uint8_t address = 0;               // 7 bits
  Part part;                              // how it codes numbers, and who it must say it is
  Quirks quirks;                          // the part's and the bench's
  std::optional<std::uint8_t> vout_mode;  // what VOUT_MODE must say
  double shunt = 0;                       // Ohm, for formats that grow with it; 0 when there is none
};

/// A PMBus part with one or more pages. Does no I/O before it is asked for something. Selects pages, checks that they
/// take effect, uses PEC when the part has it, retries what may be retried, reads back what it writes, and asks of
/// every command that it reads for the first time whether the part knows it. Failures are infrastructure for what
/// happens on the wires, bench for a part that is not what the bench says.
class Device {
 public:
  Device(std::string name, I2cBus& bus, DeviceOptions options, BenchTime& time);

  /// Before the first use: an output that the part has, and its name.
  void add_page(int page, std::string rail);

  std::uint8_t read_byte(int page, Command command);
  std::uint16_t read_word(int page, Command command);
  std::string read_text(int page, Command command);
  /// A word in the unit of its class (V, A, W, degC, ms, mV/us).
  double read_number(int page, Command command);
  /// A word in the format of READ_VOUT, whatever the command: V.
  double read_vout(int page, Command command);
  void write_byte(int page, Command command, std::uint8_t value);
  void write_word(int page, Command command, std::uint16_t value);
  void write_number(int page, Command command, double value);
  void send(int page, Command command);
  /// A word to a register that does not hold what is written. It is not read back.
  void put_word(int page, Command command, std::uint16_t value);

  /// The value that the part would hold if this one were written: the nearest in its format.
  double nearest_number(int page, Command command, double value);
  /// The page's VOUT format, read and checked against the bench on first contact.
  VoutMode vout_mode(int page);

  const std::string& name() const { return name_; }
  std::string part(int page) const;  // "vr_core page 0 (vdd_core)"
  const Counters& counters() const { return wires_.counters(); }
  const DeviceOptions& options() const { return options_; }

 private:
  // device.cpp: pages, retries, reads
  std::vector<std::uint8_t> run(int page, const Request& request);
  std::vector<std::uint8_t> read(int page, const Request& request);
  Outcome attempt(int page, const Request& request);
  Outcome select(int page);
  void lost_contact();
  /// What STATUS_CML says now; nothing when it cannot be had.
  std::optional<std::uint8_t> cml(int page);
  void refuse_unsupported(int page, Command command) const;
  [[noreturn]] void throw_unknown_command(int page, const Request& request, const std::vector<std::uint8_t>& answer,
                                          std::uint8_t cml);

  // first_contact.cpp: who and how the part is
  void prepare(int page);
  void read_capability(int page);
  void check_identity(int page);
  void apply_revisions(int page);
  std::string plain_text(int page, Command command);
  void check_vout_mode(int page);
  void check_pages_differ();

  // numbers.cpp
  NumberFormat format_of(int page, Command command);
  NumberFormat vout_format(int page);
  NumberFormat resolved(int page, Command command, NumberFormat format);
  DirectCoefficients ask_coefficients(int page, Command command);
  std::uint16_t encode_number(int page, Command command, double value);
  double decode_number(int page, Command command, std::uint16_t code);
  double decode_as(int page, Command command, std::uint16_t code, const NumberFormat& format);

  // write_back.cpp
  void write(int page, Command command, const std::vector<std::uint8_t>& bytes);
  void refuse_read_only(int page, Command command) const;
  bool wait_while_busy(int page);
  std::string explain(int page);

  std::string name_;
  DeviceOptions options_;
  BenchTime& time_;
  Turns turns_;
  Wires wires_;
  std::map<int, std::string> pages_;
  std::map<int, VoutMode> modes_;
  std::map<Command, DirectCoefficients> coefficients_;  // that the part told
  std::set<std::pair<int, Command>> known_;             // commands that the part has been seen to know
  std::optional<std::uint8_t> cml_;                     // STATUS_CML of the page as last seen
  bool prepared_ = false;
  bool half_floats_ = false;  // CAPABILITY says that numbers are IEEE half
  std::optional<int> page_;   // what PAGE is known to be
};

}  // namespace firstlight::pmbus
