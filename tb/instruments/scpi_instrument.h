#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <systemc>
#include <utility>
#include <vector>

#include "lab/core/quantity.h"
#include "tb/instruments/agenda.h"
#include "tb/instruments/scpi_syntax.h"

namespace tb::instruments {

/// What a command's handler sees of its call, and how it answers.
class ScpiCall {
 public:
  explicit ScpiCall(scpi::Unit unit) : unit_(std::move(unit)) {}

  std::size_t count() const { return unit_.parameters.size(); }
  /// Throws -109 when there are fewer than `least` parameters, -108 when more than `most`.
  void expect(std::size_t least, std::size_t most) const;
  const std::string& text(std::size_t parameter) const { return unit_.parameters.at(parameter); }
  /// A number in base units; takes MIN, MAX and DEF as well. Throws -222 outside of the range.
  struct Range {
    double min = 0;
    double max = 0;
    double fallback = 0;
  };
  double number(std::size_t parameter, firstlight::Dimension dimension, Range range) const;
  bool boolean(std::size_t parameter) const { return scpi::parse_boolean(text(parameter)); }
  /// The channels of a channel list in the last parameter, or `fallback` when there is none. Throws -224 for one
  /// outside of 1 .. count.
  std::vector<int> channels(int count, std::vector<int> fallback) const;

  void reply(std::string text) { reply_ = std::move(text); }
  void reply(double value) { reply_ = scpi::format_number(value); }
  /// Time that the command needs beyond the instrument's usual latency.
  void take(const sc_core::sc_time& time) { time_ = time; }
  /// The command goes on in the background for so long: *OPC?, *OPC and *WAI wait for it.
  void overlap(const sc_core::sc_time& time) { overlap_ = time; }

  const std::optional<std::string>& replied() const { return reply_; }
  sc_core::sc_time time() const { return time_; }
  sc_core::sc_time overlapped() const { return overlap_; }

 private:
  scpi::Unit unit_;
  std::optional<std::string> reply_;
  sc_core::sc_time time_ = sc_core::SC_ZERO_TIME;
  sc_core::sc_time overlap_ = sc_core::SC_ZERO_TIME;
};

/// An instrument that speaks SCPI-99 over IEEE 488.2 as a raw byte stream (port 5025): program messages end with a
/// newline, answers to all queries of one message come in one line, separated by semicolons. Messages are executed one
/// after the other, each command after the instrument's latency. Holds the error queue (ten entries), the standard
/// event and the status registers.
class ScpiInstrument {
 public:
  /// @param identity the answer to *IDN?: manufacturer, model, serial, firmware
  ScpiInstrument(Agenda& agenda, std::string identity, const sc_core::sc_time& latency, std::uint64_t seed);
  virtual ~ScpiInstrument();
  ScpiInstrument(const ScpiInstrument&) = delete;
  ScpiInstrument& operator=(const ScpiInstrument&) = delete;

  /// Bytes from the controller, at the SystemC time that it is.
  void receive(std::string_view bytes) { receive(*front_, bytes); }
  /// Called with each whole answer, terminator included, at the SystemC time at which it is ready.
  void on_reply(std::function<void(std::string)> action) { front_->reply = std::move(action); }

  /// One more controller, on a connection of its own: its messages and answers do not mix with those of the others,
  /// while settings, errors and status are the instrument's.
  class Session;
  std::unique_ptr<Session> open_session(std::function<void(std::string)> reply);

  void set_identity(std::string identity) { identity_ = std::move(identity); }
  const std::string& identity() const { return identity_; }

 protected:
  using Handler = std::function<void(ScpiCall&)>;
  /// How many parameters a command takes.
  struct Arity {
    std::size_t least = 0;
    std::size_t most = 0;
  };
  /// Adds a command; see scpi::Pattern.
  void command(std::string_view pattern, Handler handler) { command(pattern, {0, 0}, std::move(handler)); }
  void command(std::string_view pattern, Arity arity, Handler handler);
  /// The instrument's own settings at power-on and *RST.
  virtual void reset_settings() = 0;
  /// Bits of the condition of STATus:QUEStionable.
  void set_questionable(std::uint16_t condition);
  double noise(double sigma) { return std::normal_distribution<double>(0.0, sigma)(random_); }

 private:
  struct EventRegister {
    std::uint16_t condition = 0;
    std::uint16_t event = 0;
    std::uint16_t enable = 0;
  };
  struct Command {
    scpi::Pattern pattern;
    Arity arity;
    Handler handler;
  };
  /// One connection to a controller.
  struct Line {
    std::function<void(std::string)> reply;
    std::string input;
    bool overrun = false;
    std::string path;
    std::string output;
    bool has_output = false;
  };
  struct Work {
    std::shared_ptr<Line> line;
    std::string text;
    bool ends_message = false;
  };

  void add_common_commands();
  void add_status_commands();
  void add_event_register(const std::string& path, EventRegister& target);
  void receive(Line& line, std::string_view bytes);
  void enqueue_message(Line& line, std::string_view message);
  void next();
  void execute();
  void finish(const Work& work, const ScpiCall& call);
  ScpiCall run(Line& line, const std::string& text);
  static std::string resolve(Line& line, const std::string& header);
  void push_error(int code, const std::string& message);
  std::string pop_error();
  std::uint8_t status_byte() const;
  sc_core::sc_time remaining() const;

  Agenda& agenda_;
  std::string identity_;
  sc_core::sc_time latency_;
  std::mt19937_64 random_;
  std::vector<Command> commands_;

  const std::shared_ptr<Line> front_ = std::make_shared<Line>();
  std::vector<std::shared_ptr<Line>> lines_{front_};
  std::deque<Work> work_;
  bool working_ = false;
  Agenda::Entry entry_;
  Agenda::Entry operation_complete_;
  sc_core::sc_time pending_until_ = sc_core::SC_ZERO_TIME;

  std::deque<std::pair<int, std::string>> errors_;
  std::uint8_t event_status_ = 0x80;  // power on
  std::uint8_t event_enable_ = 0;
  std::uint8_t service_enable_ = 0;
  EventRegister questionable_;
  EventRegister operation_;
};

/// What has been sent is executed even when the session ends meanwhile; its answers go nowhere then. Must not outlive
/// the instrument.
class ScpiInstrument::Session {
 public:
  Session(ScpiInstrument& instrument, std::shared_ptr<Line> line);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();
  void receive(std::string_view bytes) { instrument_.receive(*line_, bytes); }

 private:
  ScpiInstrument& instrument_;
  std::shared_ptr<Line> line_;
};

}  // namespace tb::instruments
