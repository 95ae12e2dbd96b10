#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lab/core/bench_time.h"
#include "lab/core/failure.h"
#include "lab/core/turns.h"
#include "lab/drivers/scpi/answer.h"
#include "lab/transports/byte_stream.h"

namespace firstlight::scpi {

struct SessionOptions {
  std::string line_end = "\n";                 // after each message to the instrument
  char terminator = '\n';                      // the last byte of an answer
  std::string identify = "*IDN?";              // what it answers with its identity
  std::string error_query = "SYST:ERR?";       // asks for the next entry of the error queue
  std::string clear = "*CLS";                  // empties the error queue; empty: nothing does
  Duration timeout{1'000'000'000'000};         // of an answer
  Duration first_timeout{10'000'000'000'000};  // of the first answer after the connection: some take seconds to wake
  Duration pacing{};                           // least time between two messages
  bool opc_after_set = true;                   // *OPC? after each command that has no answer
  bool event_status = true;                    // *ESR? tells whether it was switched on since
  bool check_errors = true;                    // SYST:ERR? is drained after each command that has no answer
  std::string idn;                             // regular expression that the whole *IDN? answer must match; empty: any
};

struct SessionCounters {
  std::uint64_t messages = 0;
  std::uint64_t stale_bytes = 0;  // came unasked and were dropped
  std::uint64_t timeouts = 0;
  std::uint64_t resyncs = 0;
  std::uint64_t reconnects = 0;  // the connection was lost and made again: a gap in the record
};

/// A conversation with one instrument (IEEE 488.2, SCPI-99): one question at a time, and none before the instrument has
/// said that it is the one that the bench names. Failures are infrastructure for what happens on the wires or in the
/// instrument, bench for a wrong instrument; never dut. An answer that may belong to another question is none.
///
/// A lost connection fails whatever needs it, always; what comes after that connects again, makes sure that it is still
/// the same instrument, and fails once more when the instrument says that it was switched on meanwhile.
class Session {
 public:
  /// @param name for messages: "psu (psu0)"
  Session(std::string name, ByteStream& stream, SessionOptions options, BenchTime& time);

  std::string query(const std::string& command);
  double query_number(const std::string& command);
  std::int64_t query_integer(const std::string& command);
  bool query_boolean(const std::string& command);
  /// A definite-length block (IEEE 488.2, 8.7.9), read by its count.
  std::string query_block(const std::string& command);
  /// Sends a command that has no answer, waits until it is carried out, and asks for errors.
  void set(const std::string& command);
  /// The *IDN? answer, also of a wrong instrument.
  std::string identify();

  /// The last answer made no sense: make sure of the step before the next question.
  void doubt() { in_doubt_ = true; }

  const std::string& name() const { return name_; }
  const SessionCounters& counters() const { return counters_; }

 private:
  std::string ask(const std::string& command, Duration timeout);
  std::string read_line(const std::string& command, Duration timeout);
  void send(const std::string& command);
  void begin();
  void check_identity();
  void take_identity();
  bool fits(const std::string& identity) const;
  void resync();
  void reconnect();
  void check_restart();
  void drop_stale();
  void refuse_extra(const std::string& command, const std::string& answer);
  std::string drain_errors(bool& overflow);
  Failure failure(std::string symptom, std::string message, std::string sent, std::string received,
                  std::string cause) const;
  [[noreturn]] void fail_stream(const std::string& command, const StreamResult& result, Duration timeout);
  [[noreturn]] void fail_answer(const std::string& command, const std::string& answer, std::string_view wanted);

  std::string name_;
  ByteStream& stream_;
  SessionOptions options_;
  BenchTime& time_;
  Turns turns_;
  SessionCounters counters_;
  std::string identity_;
  bool identified_ = false;
  bool in_doubt_ = false;  // a question may still be answered
  bool lost_ = false;      // the connection
  std::string setting_;    // what is being set, for messages
  std::string unasked_;    // what came before the question, for messages
  std::string before_;     // who was there before the connection was lost
  int chatter_ = 0;        // questions in a row before which something came unasked
  Instant last_message_{};
  Instant last_reconnect_{};
};

}  // namespace firstlight::scpi
