#include "lab/transports/agent/connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>

#include "lab/core/failure.h"
#include "lab/transports/agent/frame_socket.h"
#include "lab/transports/agent/place.h"
#include "lab/transports/agent/protocol.h"
#include "lab/transports/agent/token.h"
#include "lab/transports/io_thread.h"

namespace firstlight::agent {

using nlohmann::json;

namespace {

constexpr Duration kConnectWithin = std::chrono::seconds(5);
/// The agent is to give up a tenth earlier, but no more than this, so that its own word on what was late still arrives
/// in time from a slow host.
constexpr Duration kEarlier = std::chrono::milliseconds(200);

std::string text_param(const ResourcePlan& resource, const std::string& name) {
  const auto found = resource.params.find(name);
  return found == resource.params.end() || !found->second.is_set() ? std::string() : found->second.text();
}

std::string token_of(const ResourcePlan& agent) {
  const std::string file = text_param(agent, "token_file");
  if (!file.empty()) return token_from_file(file);
  const std::string variable = text_param(agent, "token_env");
  if (!variable.empty()) return token_from_environment(variable);
  throw FailureError({ErrorClass::bench, "no_token",
                      fmt::format("{}:{}: agent \"{}\" needs a token_file or a token_env", agent.where.file,
                                  agent.where.line, agent.name),
                      agent.name, "", "", "an agent serves nobody without its token"});
}

}  // namespace

class Connection::Impl : public std::enable_shared_from_this<Impl> {
 public:
  Impl(std::string name, Endpoint endpoint, BenchTime& time)
      : name(std::move(name)), endpoint(std::move(endpoint)), time(time) {}

  struct Pending {
    std::unique_ptr<Event> done;
    json content;
  };

  /// Throws FailureError.
  void connect(IoThread& io, const std::string& token);
  /// From the I/O thread; nothing happens once the connection's owner is gone, and perhaps the scheduler with it.
  void post(std::function<void(Impl&)> action) {
    const std::lock_guard lock(gate);
    if (!open) return;
    time.post([self = shared_from_this(), action = std::move(action)] { action(*self); });
  }
  void shut() {
    {
      const std::lock_guard lock(gate);
      open = false;
    }
    if (socket) socket->close();
  }
  void lose(const std::string& reason) {
    if (lost.empty()) lost = reason.empty() ? "it is lost" : reason;
    for (auto& [id, request] : pending) request->done->fire();
    greeting_changed->fire();
  }
  void take(json message);

  const std::string name;
  const Endpoint endpoint;
  BenchTime& time;
  std::shared_ptr<FrameSocket> socket;
  std::map<std::uint64_t, std::shared_ptr<Pending>> pending;
  std::uint64_t last_id = 0;
  std::string lost;  // why; empty while the connection stands
  std::unique_ptr<Event> greeting_changed;
  std::optional<json> greeting;

 private:
  void greet(const std::string& token, Instant deadline);
  [[noreturn]] void fail(const std::string& symptom, const std::string& why, const std::string& cause) const;

  std::mutex gate;
  bool open = true;
};

void Connection::Impl::fail(const std::string& symptom, const std::string& why, const std::string& cause) const {
  throw FailureError({ErrorClass::infrastructure, symptom,
                      fmt::format("agent \"{}\" at {} {}", name, endpoint.text(), why), name, "", "", cause});
}

void Connection::Impl::take(json message) {
  if (!greeting) {
    greeting = std::move(message);
    greeting_changed->fire();
    return;
  }
  const auto found = pending.find(message.value("id", std::uint64_t{0}));
  if (found == pending.end()) return;  // nobody waits for it any more
  found->second->content = std::move(message);
  found->second->done->fire();
}

void Connection::Impl::connect(IoThread& io, const std::string& token) {
  const Instant deadline = time.now() + kConnectWithin;
  const std::shared_ptr<Event> connected(time.make_event());
  const auto trouble = std::make_shared<std::string>();
  greeting_changed = time.make_event();
  socket = connect_frames(io.context(), endpoint, [self = shared_from_this(), connected, trouble](std::string error) {
    self->post([connected, trouble, error = std::move(error)](Impl&) {
      *trouble = error;
      connected->fire();
    });
  });
  if (!time.wait(*connected, deadline))
    fail("agent_unreachable", fmt::format("does not accept a connection within {:.0f} s", seconds(kConnectWithin)),
         "the host is off or a firewall drops what comes");
  if (!trouble->empty())
    fail("agent_unreachable", "cannot be reached: " + *trouble,
         "the agent is not started there (`firstlight agent`, or `firstlight model` for the desk), or listens "
         "elsewhere");
  greet(token, deadline);
}

void Connection::Impl::greet(const std::string& token, Instant deadline) {
  FrameSocket::Handlers handlers;
  // The socket owns the handlers, and the connection the socket.
  handlers.frame = [weak = weak_from_this()](const std::string& content) {
    const auto self = weak.lock();
    if (!self) return;
    auto message = message_of(content);
    if (!message) return self->post([](Impl& impl) { impl.lose("it sent what is no message"); });
    self->post([message = std::move(*message)](Impl& impl) { impl.take(message); });
  };
  handlers.ended = [weak = weak_from_this()](const std::string& reason) {
    if (const auto self = weak.lock()) self->post([reason](Impl& impl) { impl.lose(reason); });
  };
  socket->start(std::move(handlers), kMaxFrame);
  socket->send(frame_of({{"firstlight_agent", kVersion}, {"token", token}}));
  if (!time.wait(*greeting_changed, deadline))
    fail("agent_silent", "accepts a connection and says nothing", "something else listens there, or the agent hangs");
  if (greeting && greeting->contains("refused"))
    fail("agent_refused", "refuses: " + greeting->value("refused", ""), "the token is another agent's, or an old one");
  if (!lost.empty()) fail("agent_lost", "ends the connection at once: " + lost, "something else listens there");
  const int version = greeting->value("firstlight_agent", 0);
  if (version != kVersion)
    fail("agent_version", fmt::format("speaks version {} of the protocol, and this is version {}", version, kVersion),
         "install the same release of firstlight on both machines");
}

Connection::Connection(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
Connection::~Connection() { impl_->shut(); }
const std::string& Connection::name() const { return impl_->name; }
BenchTime& Connection::time() { return impl_->time; }

std::shared_ptr<Connection> Connection::of(const std::string& agent, const ResourcePlan& asks, OpenContext& context) {
  if (const auto found = context.shared.find(agent); found != context.shared.end())
    return std::static_pointer_cast<Connection>(found->second);
  const ResourcePlan& plan = agent_of(agent, asks, context.bench);
  auto impl = std::make_shared<Impl>(agent, *parse_endpoint(plan.address), context.time);
  std::shared_ptr<Connection> connection(new Connection(impl));  // closes it, whatever happens
  impl->connect(context.io, token_of(plan));
  context.shared[agent] = connection;
  return connection;
}

Connection::Answer Connection::ask(json request, Instant deadline) {
  Impl& impl = *impl_;
  const std::string operation =
      fmt::format("{} of {}", request.value("op", std::string()), request.value("of", std::string("the agent")));
  const auto failed = [&](Answer::Kind kind, const std::string& why) {
    return Answer{kind, nullptr, fmt::format("agent {}: {}: {}", impl.name, operation, why)};
  };
  if (!impl.lost.empty()) return failed(Answer::Kind::lost, "the agent was lost before: " + impl.lost);
  const Duration left = std::max(Duration{}, deadline - impl.time.now());
  if (deadline != kNever)
    request["within"] =
        std::chrono::duration_cast<std::chrono::microseconds>(left - std::min(left / 10, kEarlier)).count();
  const std::uint64_t id = ++impl.last_id;
  request["id"] = id;
  const auto mine = std::make_shared<Impl::Pending>();
  mine->done = impl.time.make_event();
  impl.pending[id] = mine;
  // Whatever ends the wait: nobody waits for it any more, and the agent needs not go on with it.
  struct Leave {
    Impl& impl;
    std::uint64_t id;
    const Impl::Pending& pending;
    Leave(const Leave&) = delete;
    Leave& operator=(const Leave&) = delete;
    ~Leave() {
      impl.pending.erase(id);
      if (!pending.done->fired() && impl.lost.empty()) impl.socket->send(frame_of({{"op", "cancel"}, {"id", id}}));
    }
  } leave{impl, id, *mine};
  impl.socket->send(frame_of(request));
  const bool fired = impl.time.wait(*mine->done, deadline);
  if (mine->content.is_object()) {
    if (mine->content.contains("refused")) return failed(Answer::Kind::refused, mine->content.value("refused", ""));
    return {Answer::Kind::answered, std::make_unique<json>(std::move(mine->content)), {}};
  }
  if (fired) return failed(Answer::Kind::lost, "the agent was lost: " + impl.lost);
  return failed(Answer::Kind::late, "no answer before the deadline");
}

}  // namespace firstlight::agent
