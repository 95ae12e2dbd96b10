#include "lab/transports/agent/remote.h"

#include <fmt/format.h>

namespace firstlight::agent {

using nlohmann::json;

namespace {
constexpr Duration kOpenWithin = std::chrono::seconds(10);
}

Remote::Remote(std::shared_ptr<Connection> agent, const ResourcePlan& here, std::string there)
    : agent_(std::move(agent)), name_(here.name), there_(std::move(there)) {
  opened_ = demand("open", {{"type", here.type}}, kOpenWithin);
}

Connection::Answer Remote::ask(const char* operation, json request, Instant deadline) const {
  request["op"] = operation;
  request["of"] = there_;
  return agent_->ask(std::move(request), deadline);
}

json Remote::demand(const char* operation, json request, Duration within) const {
  const Connection::Answer answer = ask(operation, std::move(request), time().now() + within);
  if (answer.kind != Connection::Answer::Kind::answered) fail(answer, operation);
  return std::move(*answer.content);
}

void Remote::fail(const Connection::Answer& answer, const char* operation) const {
  const bool refused = answer.kind == Connection::Answer::Kind::refused;
  const bool late = answer.kind == Connection::Answer::Kind::late;
  throw FailureError({ErrorClass::infrastructure,
                      refused ? "agent_refused"
                      : late  ? "agent_late"
                              : "agent_lost",
                      fmt::format("{} of {}: {}", operation, name_, answer.detail), name_, operation, "nothing",
                      refused ? "what the agent's bench file exports, or what its host has"
                              : "the agent's host is down or busy, or the network between is"});
}

json bytes_of(const void* data, std::size_t count) {
  const auto* bytes = static_cast<const std::uint8_t*>(data);
  return json::binary(std::vector<std::uint8_t>(bytes, bytes + count));
}

std::vector<std::uint8_t> bytes_in(const json& message, const char* field) {
  const auto found = message.find(field);
  if (found == message.end() || !found->is_binary()) return {};
  return found->get_binary();
}

std::string text_in(const json& message, const char* field) {
  const auto bytes = bytes_in(message, field);
  return {bytes.begin(), bytes.end()};
}

}  // namespace firstlight::agent
