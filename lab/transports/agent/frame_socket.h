#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "lab/transports/agent/endpoint.h"

namespace boost::asio {
class io_context;
}

namespace firstlight::agent {

/// A socket that carries frames, served by the I/O thread. Its functions may be called from any thread; its handlers
/// are called on the I/O thread, keep alive what they need, and may still run when `close` returns.
class FrameSocket {
 public:
  struct Handlers {
    std::function<void(std::string content)> frame;
    std::function<void(std::string reason)> ended;  // once, when the other side or an error ended it
  };

  FrameSocket() = default;
  FrameSocket(const FrameSocket&) = delete;
  FrameSocket& operator=(const FrameSocket&) = delete;
  virtual ~FrameSocket() = default;

  /// Begins to read, or hands over to other handlers what has not begun to arrive. A frame that is longer than
  /// `longest` bytes ends the connection.
  virtual void start(Handlers handlers, std::size_t longest) = 0;
  virtual void send(std::string frame) = 0;
  /// Sends what is queued and then closes.
  virtual void finish() = 0;
  /// No handler starts any more, once the I/O thread has seen it.
  virtual void close() = 0;
};

/// Connects; `connected` is called once on the I/O thread, with what went wrong or an empty text. Closing the socket
/// gives up.
std::shared_ptr<FrameSocket> connect_frames(boost::asio::io_context& io, const Endpoint& endpoint,
                                            std::function<void(std::string error)> connected);
/// Takes a connected socket over.
std::shared_ptr<FrameSocket> adopt_frames(boost::asio::io_context& io, int descriptor);

}  // namespace firstlight::agent
