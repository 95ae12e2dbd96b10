#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "lab/transports/byte_stream.h"
#include "tests/unit/drivers/fake_time.h"

namespace firstlight::test {

/// The far end of a byte stream: what was written reaches `instrument`, which appends to `pending` what comes back.
class FakeStream final : public ByteStream {
 public:
  explicit FakeStream(FakeTime& time) : time_(time) {}

  std::function<void(const std::string& line)> instrument = [](const std::string&) {};
  std::string pending;             // bytes on their way to us
  std::vector<std::string> lines;  // what was sent, without terminators
  std::vector<Instant> sent_at;
  bool closed = false;

  StreamResult write(std::string_view bytes, Instant deadline) override {
    (void)deadline;
    if (closed) return {StreamStatus::closed, {}, "connection reset by peer"};
    std::string line(bytes);
    if (!line.empty() && line.back() == '\n') line.pop_back();
    lines.push_back(line);
    sent_at.push_back(time_.now());
    instrument(line);
    return {};
  }
  StreamResult read_until(char terminator, Instant deadline) override {
    const std::size_t end = pending.find(terminator);
    if (end == std::string::npos) return starve(deadline);
    return take(end + 1);
  }
  StreamResult read_exactly(std::size_t count, Instant deadline) override {
    if (pending.size() < count) return starve(deadline);
    return take(count);
  }
  std::string drain() override {
    std::string dropped;
    dropped.swap(pending);
    return dropped;
  }
  std::string name() const override { return "fake"; }

 private:
  StreamResult take(std::size_t count) {
    StreamResult result{StreamStatus::ok, pending.substr(0, count), {}};
    pending.erase(0, count);
    return result;
  }
  StreamResult starve(Instant deadline) {
    if (closed) return {StreamStatus::closed, drain(), "connection reset by peer"};
    time_.sleep_until(deadline);
    return {StreamStatus::timeout, drain(), {}};
  }

  FakeTime& time_;
};

/// Answers *IDN?, *OPC?, SYST:ERR? and settings like a well-behaved instrument.
class FakeInstrument {
 public:
  FakeInstrument(FakeStream& stream, std::string identity) : stream_(stream), identity_(std::move(identity)) {
    stream_.instrument = [this](const std::string& line) { hear(line); };
  }

  std::deque<std::string> errors;  // the error queue
  std::function<bool(const std::string& line)> special = [](const std::string&) {
    return false;
  };  // true: it dealt with it
  std::function<void(const std::string& line)> command = [](const std::string&) {};
  std::function<std::string(const std::string& query)> query = [](const std::string&) { return std::string(); };
  void say(const std::string& answer) { stream_.pending += answer + "\n"; }

 private:
  void hear(const std::string& line) {
    if (special(line)) return;
    if (line == "*IDN?") return say(identity_);
    if (line == "*OPC?") return say("1");
    if (line == "*CLS") return errors.clear();
    if (line == "SYST:ERR?") {
      if (errors.empty()) return say("0,\"No error\"");
      say(errors.front());
      errors.pop_front();
      return;
    }
    if (line.find('?') == std::string::npos) return command(line);
    const std::string answer = query(line);
    if (!answer.empty()) say(answer);
  }

  FakeStream& stream_;
  std::string identity_;
};

}  // namespace firstlight::test
