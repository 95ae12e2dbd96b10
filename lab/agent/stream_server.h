#pragma once

#include <functional>
#include <memory>
#include <string>

#include "lab/runner/scheduler.h"
#include "lab/transports/agent/endpoint.h"
#include "lab/transports/byte_stream.h"
#include "lab/transports/io_thread.h"

namespace firstlight::agent {

/// Puts a byte stream of this process behind a socket or a terminal, for programs that know no Firstlight. What comes
/// back is passed on line by line.
class StreamServer {
 public:
  using Open = std::function<std::unique_ptr<ByteStream>()>;

  /// Each client on a TCP port or a unix socket gets a stream of its own, so that answers go to who asked.
  /// @param open called on the bench thread. Throws FailureError (infrastructure) when it cannot listen.
  static std::unique_ptr<StreamServer> listen(Scheduler& scheduler, IoThread& io, const Endpoint& endpoint, Open open);
  /// A pseudo-terminal in raw mode, with a symbolic link to it: a serial line that has one stream for ever, whoever
  /// opens it. Throws FailureError (infrastructure).
  static std::unique_ptr<StreamServer> terminal(Scheduler& scheduler, IoThread& io, const std::string& link,
                                                const Open& open);

  StreamServer() = default;
  StreamServer(const StreamServer&) = delete;
  StreamServer& operator=(const StreamServer&) = delete;
  virtual ~StreamServer() = default;

  /// Where it is reached: "tcp://127.0.0.1:5025", "serial:/tmp/desk/clk0".
  virtual std::string address() const = 0;
};

}  // namespace firstlight::agent
