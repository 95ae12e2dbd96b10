#pragma once

#include <functional>
#include <memory>

#include "lab/transports/agent/endpoint.h"
#include "lab/transports/io_thread.h"

namespace firstlight::agent {

/// Listens, and hands over each socket that connects, on the I/O thread. A unix socket is open to its owner only; one
/// that a dead program left behind is replaced.
class Listener {
 public:
  /// @param accepted takes the descriptor over. Throws FailureError (infrastructure) when the endpoint is not to be had
  Listener(IoThread& io, const Endpoint& endpoint, std::function<void(int descriptor)> accepted);
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  /// When it returns, nothing is handed over any more.
  ~Listener();

  /// Where it really listens: with the port that port 0 became.
  const Endpoint& endpoint() const;

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace firstlight::agent
