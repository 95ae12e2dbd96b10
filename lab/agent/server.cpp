#include "lab/agent/server.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "lab/agent/bench_gate.h"
#include "lab/agent/exports.h"
#include "lab/agent/gatekeeper.h"
#include "lab/agent/listener.h"
#include "lab/agent/operations.h"
#include "lab/core/failure.h"
#include "lab/transports/agent/protocol.h"

namespace firstlight::agent {

using nlohmann::json;

namespace {

constexpr std::int64_t kLongestWithin = 3'600'000'000;  // us

/// A client that has shown the token. Everything in it belongs to the bench thread.
struct Client {
  explicit Client(std::shared_ptr<FrameSocket> connected) : socket(std::move(connected)) {}
  std::shared_ptr<FrameSocket> socket;
  Streams streams;
  std::map<std::uint64_t, Scheduler::Handle> running;  // requests, by their ids
};

Instant deadline_of(const json& request, Instant now) {
  const auto within = request.find("within");
  if (within == request.end() || !within->is_number_unsigned()) return kNever;
  const auto bounded = std::min<std::uint64_t>(within->get<std::uint64_t>(), kLongestWithin);
  return now + std::chrono::microseconds(bounded);
}

}  // namespace

class AgentServer::Core : public std::enable_shared_from_this<Core> {
 public:
  Core(Scheduler& scheduler, TransportProvider& provider, std::vector<ResourcePlan> resources)
      : scheduler_(scheduler),
        gate_(std::make_shared<BenchGate>(scheduler)),
        exports_(provider, scheduler, std::move(resources)) {}

  void listen(IoThread& io, const Endpoint& endpoint, const std::string& token) {
    // The gatekeeper and its sockets outlive nothing of ours: they reach the bench thread by the gate only.
    const auto admitted = [weak = weak_from_this(), gate = gate_](const std::shared_ptr<FrameSocket>& socket) {
      gate->post([weak, socket] {
        if (const auto self = weak.lock()) self->admit(socket);
      });
    };
    gatekeeper_ = make_gatekeeper(io.context(), token, admitted);
    listener_ = std::make_unique<Listener>(
        io, endpoint, [gatekeeper = gatekeeper_](int descriptor) { gatekeeper->receive(descriptor); });
  }
  const Endpoint& endpoint() const { return listener_->endpoint(); }

  void close() {
    listener_.reset();
    gatekeeper_->close();
    gate_->close();
    for (const auto& client : clients_) end(*client);
    clients_.clear();
  }

 private:
  void admit(const std::shared_ptr<FrameSocket>& socket) {
    const auto client = std::make_shared<Client>(socket);
    clients_.insert(client);
    // The client owns the socket, and the socket the handlers.
    const std::weak_ptr<Client> there = client;
    FrameSocket::Handlers handlers;
    handlers.frame = [weak = weak_from_this(), gate = gate_, there](const std::string& content) {
      auto message = message_of(content);
      gate->post([weak, there, message = std::move(message)]() mutable {
        const auto self = weak.lock();
        const auto from = there.lock();
        if (!self || !from) return;
        if (message)
          self->take(from, std::move(*message));
        else
          self->dismiss(from);
      });
    };
    handlers.ended = [weak = weak_from_this(), gate = gate_, there](const std::string&) {
      gate->post([weak, there] {
        const auto self = weak.lock();
        const auto from = there.lock();
        if (self && from) self->dismiss(from);
      });
    };
    socket->start(std::move(handlers), kMaxFrame);
    socket->send(frame_of({{"firstlight_agent", kVersion}}));
  }

  void end(const Client& client) {
    client.socket->close();
    for (const auto& [id, fiber] : client.running) scheduler_.cancel(fiber);
  }

  void dismiss(const std::shared_ptr<Client>& client) {
    end(*client);
    clients_.erase(client);
  }

  void take(const std::shared_ptr<Client>& client, json request) {
    const auto given = request.find("id");
    if (given == request.end() || !given->is_number_unsigned()) return dismiss(client);
    const auto id = given->get<std::uint64_t>();
    const auto running = client->running.find(id);
    if (request.value("op", json()) == "cancel") {
      if (running == client->running.end()) return;
      scheduler_.cancel(running->second);
      client->running.erase(running);  // one that has not begun does not end, either
      return;
    }
    if (running != client->running.end()) return refuse(*client, id, "a request with that id is running");
    if (client->running.size() >= kMaxOutstanding)
      return refuse(*client, id, fmt::format("more than {} requests are outstanding", kMaxOutstanding));
    const Instant deadline = deadline_of(request, scheduler_.now());
    client->running[id] = scheduler_.spawn(
        "agent request", [self = shared_from_this(), client, id, deadline, request = std::move(request)] {
          self->serve(*client, id, request, deadline);
        });
  }

  void serve(Client& client, std::uint64_t id, const json& request, Instant deadline) {
    struct Leave {
      Client& client;
      std::uint64_t id;
      Leave(Client& c, std::uint64_t i) : client(c), id(i) {}
      Leave(const Leave&) = delete;
      Leave& operator=(const Leave&) = delete;
      ~Leave() { client.running.erase(id); }
    };
    const Leave leave(client, id);
    try {
      json answer = perform(request, exports_, client.streams, deadline);
      answer["id"] = id;
      client.socket->send(frame_of(answer));
    } catch (const Refusal& refusal) {
      refuse(client, id, refusal.what());
    } catch (const FailureError& failure) {
      refuse(client, id, failure.what());
    } catch (const std::exception& bug) {
      refuse(client, id, fmt::format("unexpected: {}", bug.what()));
    }
  }

  static void refuse(Client& client, std::uint64_t id, const std::string& why) {
    client.socket->send(frame_of({{"id", id}, {"refused", why}}));
  }

  Scheduler& scheduler_;
  std::shared_ptr<BenchGate> gate_;
  Exports exports_;
  std::shared_ptr<Gatekeeper> gatekeeper_;
  std::unique_ptr<Listener> listener_;
  std::set<std::shared_ptr<Client>> clients_;
};

AgentServer::AgentServer(Scheduler& scheduler, IoThread& io, TransportProvider& provider, Options options)
    : core_(std::make_shared<Core>(scheduler, provider, std::move(options.resources))) {
  core_->listen(io, options.listen, options.token);
}
AgentServer::~AgentServer() { core_->close(); }
const Endpoint& AgentServer::endpoint() const { return core_->endpoint(); }

}  // namespace firstlight::agent
