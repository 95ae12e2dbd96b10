#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "lab/transports/blocking_thread.h"
#include "lab/transports/byte_stream.h"

namespace firstlight {

/// An instrument that takes and gives whole messages (USBTMC, VXI-11), through calls that block. The calls are made on
/// one other thread, one after another.
class MessageDevice {
 public:
  using Limit = std::chrono::milliseconds;
  MessageDevice() = default;
  MessageDevice(const MessageDevice&) = delete;
  MessageDevice& operator=(const MessageDevice&) = delete;
  virtual ~MessageDevice() = default;

  virtual StreamResult send(const std::string& message, Limit limit) = 0;
  /// One whole message, or what came of it.
  virtual StreamResult receive(Limit limit) = 0;
  /// From any thread: makes the call that runs end early, where that is possible.
  virtual void interrupt() {}
};

/// Bytes over messages: the end of a message ends a line, also when the terminator is missing.
class MessageStream final : public ByteStream {
 public:
  MessageStream(std::string name, std::shared_ptr<MessageDevice> device, BenchTime& time);

  StreamResult write(std::string_view bytes, Instant deadline) override;
  StreamResult read_until(char terminator, Instant deadline) override;
  StreamResult read_exactly(std::size_t count, Instant deadline) override;
  std::string drain() override;
  std::string name() const override { return name_; }

 private:
  template <class Ready>
  StreamResult read(const Ready& ready, char terminator, Instant deadline);
  StreamResult call(const std::function<StreamResult(MessageDevice&, MessageDevice::Limit)>& work, Instant deadline);

  std::string name_;
  std::shared_ptr<MessageDevice> device_;
  BenchTime& time_;
  BlockingThread thread_;
  std::string input_;
};

}  // namespace firstlight
