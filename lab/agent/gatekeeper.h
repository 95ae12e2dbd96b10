#pragma once

#include <functional>
#include <memory>
#include <string>

#include "lab/transports/agent/frame_socket.h"

namespace firstlight::agent {

/// Lets in who knows the token. Whoever does not is told so after a moment, and nothing else; who says nothing is shown
/// out after a while. Lives on the I/O thread.
class Gatekeeper {
 public:
  Gatekeeper() = default;
  Gatekeeper(const Gatekeeper&) = delete;
  Gatekeeper& operator=(const Gatekeeper&) = delete;
  virtual ~Gatekeeper() = default;

  /// Takes a connected socket over.
  virtual void receive(int descriptor) = 0;
  /// Lets nobody in any more. From any thread.
  virtual void close() = 0;
};

/// @param admitted is handed the socket of each client that is let in, stopped: `start` reads on
std::shared_ptr<Gatekeeper> make_gatekeeper(boost::asio::io_context& io, std::string token,
                                            std::function<void(const std::shared_ptr<FrameSocket>&)> admitted);

}  // namespace firstlight::agent
