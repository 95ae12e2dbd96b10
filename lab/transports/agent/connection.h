#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "lab/core/bench_time.h"
#include "lab/transports/schemes.h"

namespace firstlight::agent {

/// The client's end: one authenticated connection to one agent, shared by all resources behind it, with any number of
/// requests outstanding. A connection that is lost stays lost, and every later request says so at once: what state the
/// bench was left in must be looked at by whoever connects again. Only for fibers of the bench thread.
class Connection {
 public:
  /// The one to the agent that the bench names; connects when there is none yet. Throws FailureError: infrastructure
  /// when the agent is not there or refuses, bench when the bench has no such agent or its token cannot be had.
  static std::shared_ptr<Connection> of(const std::string& agent, const ResourcePlan& asks, OpenContext& context);

  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  struct Answer {
    enum class Kind : std::uint8_t { answered, refused, late, lost };
    Kind kind = Kind::answered;
    std::unique_ptr<nlohmann::json> content;  // answered
    std::string detail;                       // otherwise, why: names agent and operation
  };
  /// Sends the request (with `op`, and what the operation needs) and waits for its answer. Does not throw but
  /// Cancelled, after which the agent has been told to drop the request.
  Answer ask(nlohmann::json request, Instant deadline);

  const std::string& name() const;
  BenchTime& time();

 private:
  class Impl;
  explicit Connection(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace firstlight::agent
