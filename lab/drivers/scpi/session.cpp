#include "lab/drivers/scpi/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <utility>

#include "lab/drivers/scpi/doubts.h"

namespace firstlight::scpi {

namespace {

constexpr int kMostErrors = 64;
constexpr int kMostLateAnswers = 16;
constexpr int kMostChatter = 3;
constexpr int kPowerOn = 0x80;  // of the event status register (IEEE 488.2, 11.5.1)
constexpr std::size_t kLargestBlock = std::size_t{64} << 20U;
constexpr Duration kGreeting{200'000'000'000};  // how long a greeting may take after the connection
constexpr Duration kQuiet{20'000'000'000};
constexpr Duration kReconnectPause{250'000'000'000};
constexpr int kQueueOverflow = -350;
constexpr std::size_t kMostBlockDigits = 9;

/// Fields with commas between them (IEEE 488.2, 10.14.3), in printable characters.
bool looks_like_identity(const std::string& text) {
  return text.find(',') != std::string::npos &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

}  // namespace

Session::Session(std::string name, ByteStream& stream, SessionOptions options, BenchTime& time)
    : name_(std::move(name)), stream_(stream), options_(std::move(options)), time_(time), turns_(time) {}

Failure Session::failure(std::string symptom, std::string message, std::string sent, std::string received,
                         std::string cause) const {
  if (!setting_.empty() && sent != setting_) sent = setting_ + "; " + sent;
  return {ErrorClass::infrastructure, std::move(symptom), std::move(message), name_, std::move(sent),
          std::move(received),        std::move(cause)};
}

void Session::fail_stream(const std::string& command, const StreamResult& result, Duration timeout) {
  std::string received = result.data.empty() ? "nothing" : printable(result.data);
  if (!result.detail.empty()) received += " (" + result.detail + ")";
  if (result.status == StreamStatus::timeout) {
    ++counters_.timeouts;
    const std::string limit = firstlight::to_text(to_quantity(timeout));
    received += " within " + limit;
    if (!unasked_.empty()) received += fmt::format("; before the question came \"{}\"", printable(unasked_));
    throw FailureError(failure("scpi_timeout", fmt::format("{} did not answer {} within {}", name_, command, limit),
                               command, std::move(received),
                               result.data.empty() && !unasked_.empty()
                                   ? likely_cause_of(command, unasked_)
                                   : likely_cause_of_silence(result.data, options_.terminator)));
  }
  lost_ = true;
  const bool closed = result.status == StreamStatus::closed;
  throw FailureError(
      failure("scpi_connection",
              fmt::format("the connection to {} {} during {}", name_, closed ? "was closed" : "failed", command),
              command, std::move(received),
              closed ? "the instrument was switched off, restarted or unplugged, or it serves one program at a time"
                     : "its answer never ends, or the line to it is broken"));
}

void Session::fail_answer(const std::string& command, const std::string& answer, std::string_view wanted) {
  in_doubt_ = true;  // it may belong to another question
  throw FailureError(
      failure("scpi_bad_answer",
              fmt::format("{} answered {} with \"{}\", which is not {}", name_, command, printable(answer), wanted),
              command, printable(answer), likely_cause_of(command, answer)));
}

// ---- one message

void Session::send(const std::string& command) {
  if (options_.pacing > Duration::zero() && counters_.messages > 0)
    time_.sleep_until(std::max(time_.now(), last_message_ + options_.pacing));
  ++counters_.messages;
  // A write that fails, or that is cancelled, may have left half a message behind.
  const bool doubted = std::exchange(in_doubt_, true);
  const StreamResult result = stream_.write(command + options_.line_end, time_.now() + options_.timeout);
  last_message_ = time_.now();
  if (result.status != StreamStatus::ok) fail_stream(command, result, options_.timeout);
  in_doubt_ = doubted;
}

std::string Session::read_line(const std::string& command, Duration timeout) {
  StreamResult result = stream_.read_until(options_.terminator, time_.now() + timeout);
  last_message_ = time_.now();
  if (result.status != StreamStatus::ok) fail_stream(command, result, timeout);
  return std::string(trim(result.data));
}

std::string Session::ask(const std::string& command, Duration timeout) {
  in_doubt_ = true;  // until the answer is here; an exception leaves it so
  send(command);
  std::string answer = read_line(command, timeout);
  if (answer == command) fail_answer(command, answer, "an answer");
  refuse_extra(command, answer);
  in_doubt_ = false;
  return answer;
}

/// More than one answer to one question: none of them can be trusted.
void Session::refuse_extra(const std::string& command, const std::string& answer) {
  // Of an instrument that talks unasked, an answer is believed when nothing follows it.
  if (chatter_ > 0) time_.sleep(kQuiet);
  const std::string extra = stream_.drain();
  if (trim(extra).empty()) return;  // "\n\r" ends a line, too
  counters_.stale_bytes += extra.size();
  throw FailureError(failure(
      "scpi_extra_answer", fmt::format("{} answered {} more than once", name_, command), command,
      printable(answer + options_.terminator + extra),
      "it still answered an earlier question, it reports unasked, or another program talks to it at the same time"));
}

/// What came unasked puts the next answer in doubt as well.
void Session::drop_stale() {
  unasked_ = stream_.drain();
  counters_.stale_bytes += unasked_.size();
  if (trim(unasked_).empty()) {
    chatter_ = 0;
    return;
  }
  in_doubt_ = true;
  if (++chatter_ <= kMostChatter) return;
  chatter_ = 0;
  throw FailureError(
      failure("scpi_out_of_step", fmt::format("{} keeps sending what nobody asked for", name_), "", printable(unasked_),
              "it is set to report by itself (continuous output, talk-only), or another program asks it"));
}

// ---- who is there, and are we in step

void Session::resync() {
  ++counters_.resyncs;
  if (!options_.clear.empty()) send(options_.clear);
  send(options_.identify);
  // Answers come in order, so whatever comes before the identity belongs to older questions.
  for (int lines = 0; lines < kMostLateAnswers; ++lines) {
    const std::string line = read_line(options_.identify, options_.timeout);
    if (line == identity_) {
      in_doubt_ = false;
      return;
    }
    counters_.stale_bytes += line.size() + 1;
  }
  throw FailureError(failure("scpi_out_of_step", fmt::format("{} sends answers that nothing asked for", name_),
                             options_.clear + "; " + options_.identify,
                             fmt::format("{} lines, none of them the identity", kMostLateAnswers),
                             "another program talks to the instrument, or its firmware is confused: power-cycle it"));
}

bool Session::fits(const std::string& identity) const {
  return options_.idn.empty() || std::regex_match(identity, std::regex(options_.idn));
}

/// Asks who is there. A greeting, or the echo of what was sent, may come before the answer.
void Session::take_identity() {
  in_doubt_ = true;
  send(options_.identify);
  std::string line = read_line(options_.identify, options_.first_timeout);
  const std::string first = line;
  for (int lines = 0; !fits(line) && lines < kMostLateAnswers; ++lines) {
    StreamResult next = stream_.read_until(options_.terminator, time_.now() + kGreeting);
    if (next.status != StreamStatus::ok) break;
    counters_.stale_bytes += line.size() + 1;
    line = std::string(trim(next.data));
  }
  const bool found = fits(line);
  if (!found && options_.identify == "*IDN?" && !looks_like_identity(first))
    fail_answer(options_.identify, first, "an identity");
  identity_ = found ? line : first;
  in_doubt_ = false;
}

void Session::reconnect() {
  // A program that never gives up must not become a storm of connections.
  time_.sleep_until(std::max(time_.now(), last_reconnect_ + kReconnectPause));
  last_reconnect_ = time_.now();
  const StreamResult result = stream_.reopen(time_.now() + options_.first_timeout);
  if (result.status != StreamStatus::ok)
    throw FailureError(failure("scpi_connection", fmt::format("the connection to {} is lost", name_), "connect again",
                               result.detail,
                               "the instrument was switched off or unplugged, or its network failed; is it powered by "
                               "what was just switched off?"));
  ++counters_.reconnects;
  lost_ = false;
  if (before_.empty()) before_ = identity_;
  identity_.clear();
  identified_ = false;
}

/// After a gap: an instrument that was switched on meanwhile has lost its settings, and its readings mean nothing until
/// someone has made them again.
void Session::check_restart() {
  before_.clear();
  if (!options_.event_status) return;
  const std::string events = ask("*ESR?", options_.timeout);
  if (!options_.clear.empty()) send(options_.clear);
  const auto bits = parse_integer(events);
  if (!bits || (*bits & kPowerOn) == 0) return;
  throw FailureError(failure("scpi_restarted", fmt::format("{} was switched on while the connection was lost", name_),
                             "*ESR?", printable(events),
                             "a power cut, a crash of its firmware, or someone at its switch: its output and settings "
                             "are those after power-on"));
}

void Session::begin() {
  if (lost_) reconnect();
  drop_stale();
  if (identity_.empty())
    take_identity();
  else if (in_doubt_)
    resync();
}

void Session::check_identity() {
  begin();
  if (identified_) return;
  const bool changed = !before_.empty() && identity_ != before_;
  if (changed || !fits(identity_)) {
    Failure wrong = failure(
        "scpi_wrong_identity",
        fmt::format("{} is \"{}\", {} \"{}\"", name_, printable(identity_),
                    changed ? "before the connection was lost it was" : "the bench wants",
                    changed ? printable(before_) : options_.idn),
        options_.identify, printable(identity_),
        "the address belongs to another instrument, or the instrument was exchanged; nothing else is sent to it");
    wrong.error_class = ErrorClass::bench;
    throw FailureError(std::move(wrong));
  }
  identified_ = true;
  if (!before_.empty()) check_restart();
}

std::string Session::identify() {
  const Turns::Hold hold(turns_);
  begin();
  return identity_;
}

// ---- questions

std::string Session::query(const std::string& command) {
  const Turns::Hold hold(turns_);
  check_identity();
  return ask(command, options_.timeout);
}

double Session::query_number(const std::string& command) {
  const std::string answer = query(command);
  if (const auto value = parse_number(answer)) return *value;
  fail_answer(command, answer, "a number");
}

std::int64_t Session::query_integer(const std::string& command) {
  const std::string answer = query(command);
  if (const auto value = parse_integer(answer)) return *value;
  fail_answer(command, answer, "a whole number");
}

bool Session::query_boolean(const std::string& command) {
  const std::string answer = query(command);
  if (const auto value = parse_boolean(answer)) return *value;
  fail_answer(command, answer, "0 or 1");
}

std::string Session::query_block(const std::string& command) {
  const Turns::Hold hold(turns_);
  check_identity();
  in_doubt_ = true;
  send(command);
  const auto read = [&](std::size_t count) {
    StreamResult result = stream_.read_exactly(count, time_.now() + options_.timeout);
    if (result.status != StreamStatus::ok) fail_stream(command, result, options_.timeout);
    return std::move(result.data);
  };
  const std::string head = read(2);
  const std::size_t digits = head[1] >= '1' && head[1] <= '9' ? static_cast<std::size_t>(head[1] - '0') : 0;
  if (head[0] != '#' || digits == 0 || digits > kMostBlockDigits) fail_answer(command, head, "a definite-length block");
  const std::string count = read(digits);
  const auto length = parse_integer(count);
  if (!length || *length < 0 || static_cast<std::size_t>(*length) > kLargestBlock)
    fail_answer(command, head + count, "a definite-length block of at most 64 MiB");
  std::string data = *length > 0 ? read(static_cast<std::size_t>(*length)) : std::string();
  std::string end = read(1);
  if (end[0] == '\r' && options_.terminator == '\n') end = read(1);
  if (end[0] != options_.terminator) fail_answer(command, end, "the end of a block");
  refuse_extra(command, "#...");
  in_doubt_ = false;
  return data;
}

// ---- commands

namespace {

/// What a failure in here was sent for: the question alone (*OPC?, SYST:ERR?) would not tell.
class Setting {
 public:
  Setting(std::string& place, const std::string& command) : place_(place) { place_ = command; }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;
  ~Setting() { place_.clear(); }

 private:
  std::string& place_;
};

}  // namespace

std::string Session::drain_errors(bool& overflow) {
  std::string errors;
  for (int entries = 0; entries < kMostErrors; ++entries) {
    const std::string answer = ask(options_.error_query, options_.timeout);
    const auto entry = parse_error(answer);
    if (!entry) fail_answer(options_.error_query, answer, "an error queue entry");
    if (entry->code == 0) return errors;
    overflow = overflow || entry->code == kQueueOverflow;
    if (!errors.empty()) errors += "; ";
    errors += fmt::format("{},\"{}\"", entry->code, entry->text);
  }
  overflow = true;  // it never ends
  return errors;
}

void Session::set(const std::string& command) {
  const Turns::Hold hold(turns_);
  check_identity();
  const Setting setting(setting_, command);
  send(command);
  if (options_.opc_after_set) {
    const std::string done = ask("*OPC?", options_.timeout);
    if (parse_integer(done) != 1) fail_answer("*OPC?", done, "1");
  }
  if (!options_.check_errors) return;
  bool overflow = false;
  const std::string errors = drain_errors(overflow);
  if (errors.empty()) return;
  if (overflow && !options_.clear.empty()) send(options_.clear);
  throw FailureError(
      failure("scpi_error", fmt::format("{} did not like {}: {}", name_, command, errors), command, errors,
              overflow ? "its error queue overflowed, so earlier errors are lost; it was cleared"
                       : "a value out of range, a conflict of settings, or a command that this model does not know"));
}

}  // namespace firstlight::scpi
