#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lab/bench/plan.h"
#include "lab/runner/scheduler.h"
#include "lab/transports/agent/endpoint.h"
#include "lab/transports/io_thread.h"
#include "lab/transports/provider.h"

namespace firstlight::agent {

/// Serves the resources of one host to any number of clients that know its token, by the protocol of
/// lab/transports/agent/protocol.h. Each request runs in a fiber of its own; what a client that goes away had asked for
/// is cancelled.
class AgentServer {
 public:
  struct Options {
    Endpoint listen;
    std::string token;
    std::vector<ResourcePlan> resources;  // that it serves, and no others
  };

  /// @param scheduler, provider outlive it, and the requests that are cancelled with it, which are over when the
  /// scheduler has had its turn. Throws FailureError (infrastructure) when it cannot listen.
  AgentServer(Scheduler& scheduler, IoThread& io, TransportProvider& provider, Options options);
  AgentServer(const AgentServer&) = delete;
  AgentServer& operator=(const AgentServer&) = delete;
  ~AgentServer();

  /// Where it really listens.
  const Endpoint& endpoint() const;

 private:
  class Core;
  std::shared_ptr<Core> core_;
};

}  // namespace firstlight::agent
