#include "lab/transports/message_stream.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace firstlight {

namespace {

constexpr std::size_t kLongestLine = std::size_t{1} << 20U;
constexpr std::chrono::milliseconds kShortest{1};
constexpr std::chrono::milliseconds kLongest{60'000};

/// Has the call end early when its fiber stops waiting for it: told to stop, or out of time.
class Interrupting {
 public:
  explicit Interrupting(MessageDevice& device) : device_(device) {}
  Interrupting(const Interrupting&) = delete;
  Interrupting& operator=(const Interrupting&) = delete;
  ~Interrupting() {
    if (!done_) device_.interrupt();
  }
  void done() { done_ = true; }

 private:
  MessageDevice& device_;
  bool done_ = false;
};

}  // namespace

MessageStream::MessageStream(std::string name, std::shared_ptr<MessageDevice> device, BenchTime& time)
    : name_(std::move(name)), device_(std::move(device)), time_(time), thread_(time) {}

StreamResult MessageStream::call(const std::function<StreamResult(MessageDevice&, MessageDevice::Limit)>& work,
                                 Instant deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - time_.now());
  const auto limit = std::clamp(left, kShortest, kLongest);
  Interrupting interrupting(*device_);
  // The device's own limit comes first; a little more, so that what it says is heard.
  const Instant patience = time_.now() + std::chrono::milliseconds(limit + limit / 4 + std::chrono::milliseconds(20));
  const auto result =
      thread_.call<StreamResult>([device = device_, work, limit] { return work(*device, limit); }, patience);
  if (!result) return {StreamStatus::timeout, {}, "the call to the device did not come back in time"};
  interrupting.done();
  return *result;
}

StreamResult MessageStream::write(std::string_view bytes, Instant deadline) {
  return call([message = std::string(bytes)](MessageDevice& device,
                                             MessageDevice::Limit limit) { return device.send(message, limit); },
              deadline);
}

template <class Ready>
StreamResult MessageStream::read(const Ready& ready, char terminator, Instant deadline) {
  for (;;) {
    const std::size_t count = ready();
    if (count != std::string::npos) {
      StreamResult whole{StreamStatus::ok, input_.substr(0, count), {}};
      input_.erase(0, count);
      return whole;
    }
    if (input_.size() >= kLongestLine)
      return {StreamStatus::io_error, std::exchange(input_, {}), "the answer does not end"};
    StreamResult message =
        call([](MessageDevice& device, MessageDevice::Limit limit) { return device.receive(limit); }, deadline);
    input_ += message.data;
    if (message.status != StreamStatus::ok) return {message.status, std::exchange(input_, {}), message.detail};
    if (input_.empty() || input_.back() != terminator) input_ += terminator;
  }
}

StreamResult MessageStream::read_until(char terminator, Instant deadline) {
  return read(
      [&] {
        const std::size_t at = input_.find(terminator);
        return at == std::string::npos ? at : at + 1;
      },
      terminator, deadline);
}

StreamResult MessageStream::read_exactly(std::size_t count, Instant deadline) {
  return read([&] { return input_.size() >= count ? count : std::string::npos; }, '\n', deadline);
}

std::string MessageStream::drain() { return std::exchange(input_, {}); }

}  // namespace firstlight
