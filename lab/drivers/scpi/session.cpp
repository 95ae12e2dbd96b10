#include "lab/drivers/scpi/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <utility>

namespace firstlight::scpi {

namespace {

constexpr int kMostErrors = 64;
constexpr int kMostLateAnswers = 16;
constexpr int kQueueOverflow = -350;
constexpr std::size_t kMostBlockDigits = 9;

}  // namespace

Session::Session(std::string name, ByteStream& stream, SessionOptions options, BenchTime& time)
    : name_(std::move(name)), stream_(stream), options_(std::move(options)), time_(time), turns_(time) {}

Failure Session::failure(std::string symptom, std::string message, std::string sent, std::string received,
                         std::string cause) const {
  return {ErrorClass::infrastructure, std::move(symptom), std::move(message), name_, std::move(sent),
          std::move(received),        std::move(cause)};
}

void Session::fail_stream(const std::string& command, const StreamResult& result, Duration timeout) {
  std::string received = result.data.empty() ? "nothing" : printable(result.data);
  if (!result.detail.empty()) received += " (" + result.detail + ")";
  if (result.status == StreamStatus::timeout) {
    ++counters_.timeouts;
    const std::string limit = firstlight::to_text(to_quantity(timeout));
    throw FailureError(
        failure("scpi_timeout", fmt::format("{} did not answer {} within {}", name_, command, limit), command,
                received + " within " + limit,
                "the instrument is off, hangs, does not know the command, or another program talks to it"));
  }
  throw FailureError(failure("scpi_connection",
                             fmt::format("the connection to {} {} during {}", name_,
                                         result.status == StreamStatus::closed ? "was closed" : "failed", command),
                             command, std::move(received), "the instrument was switched off or its network failed"));
}

void Session::fail_answer(const std::string& command, const std::string& answer, std::string_view wanted) const {
  throw FailureError(
      failure("scpi_bad_answer",
              fmt::format("{} answered {} with \"{}\", which is not {}", name_, command, printable(answer), wanted),
              command, printable(answer),
              "an overload, a disconnected input, another dialect than the personality says, or garbage on the line"));
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
  counters_.stale_bytes += stream_.drain().size();
  in_doubt_ = true;  // until the answer is here; an exception leaves it so
  send(command);
  std::string answer = read_line(command, timeout);
  in_doubt_ = false;
  return answer;
}

// ---- who is there, and are we in step

void Session::resync() {
  ++counters_.resyncs;
  counters_.stale_bytes += stream_.drain().size();
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

void Session::begin() {
  if (identity_.empty())
    identity_ = ask(options_.identify, options_.first_timeout);
  else if (in_doubt_)
    resync();
}

void Session::check_identity() {
  begin();
  if (identified_) return;
  if (!options_.idn.empty() && !std::regex_match(identity_, std::regex(options_.idn))) {
    Failure wrong = failure(
        "scpi_wrong_identity",
        fmt::format("{} is \"{}\", the bench wants \"{}\"", name_, printable(identity_), options_.idn),
        options_.identify, printable(identity_),
        "the address belongs to another instrument, or the instrument was exchanged; nothing else is sent to it");
    wrong.error_class = ErrorClass::bench;
    throw FailureError(std::move(wrong));
  }
  identified_ = true;
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
  counters_.stale_bytes += stream_.drain().size();
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
  if (!length || *length < 0) fail_answer(command, head + count, "a definite-length block");
  std::string data = *length > 0 ? read(static_cast<std::size_t>(*length)) : std::string();
  const std::string end = read(1);
  if (end[0] != options_.terminator) fail_answer(command, end, "the end of a block");
  in_doubt_ = false;
  return data;
}

// ---- commands

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
  send(command);
  if (options_.opc_after_set) {
    const std::string done = ask("*OPC?", options_.timeout);
    if (done != "1") fail_answer("*OPC? after " + command, done, "1");
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
