#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "lab/core/failure.h"
#include "lab/transports/agent/connection.h"

namespace firstlight::agent {

/// What every resource behind an agent is made of: the connection, its name here and its name there.
class Remote {
 public:
  /// Has the agent open it. Throws FailureError (infrastructure).
  Remote(std::shared_ptr<Connection> agent, const ResourcePlan& here, std::string there);

  const std::string& name() const { return name_; }
  BenchTime& time() const { return agent_->time(); }
  /// What the agent said of the resource when it opened it.
  const nlohmann::json& opened() const { return opened_; }
  Connection::Answer ask(const char* operation, nlohmann::json request, Instant deadline) const;
  /// The same for operations whose interface has no way to tell what went wrong: throws FailureError (infrastructure).
  nlohmann::json demand(const char* operation, nlohmann::json request, Duration within) const;

  /// `status` of an answer as the transport's own; what is not between its first and `last` is `otherwise`.
  template <class Status>
  static Status status_of(const nlohmann::json& answer, Status last, Status otherwise) {
    const int status = answer.value("status", -1);
    return status < 0 || status > static_cast<int>(last) ? otherwise : static_cast<Status>(status);
  }
  /// What did not come back from the agent at all.
  template <class Status>
  static Status status_of(Connection::Answer::Kind kind, Status timeout, Status otherwise) {
    return kind == Connection::Answer::Kind::late ? timeout : otherwise;
  }

 private:
  [[noreturn]] void fail(const Connection::Answer& answer, const char* operation) const;

  std::shared_ptr<Connection> agent_;
  std::string name_;
  std::string there_;
  nlohmann::json opened_;
};

/// Bytes as MessagePack carries them.
nlohmann::json bytes_of(const void* data, std::size_t count);
/// The bytes of a field; none when there is no such field.
std::vector<std::uint8_t> bytes_in(const nlohmann::json& message, const char* field);
std::string text_in(const nlohmann::json& message, const char* field);

}  // namespace firstlight::agent
