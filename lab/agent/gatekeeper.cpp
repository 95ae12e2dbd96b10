#include "lab/agent/gatekeeper.h"

#include <unistd.h>

#include <atomic>
#include <boost/asio/steady_timer.hpp>
#include <nlohmann/json.hpp>
#include <utility>

#include "lab/transports/agent/protocol.h"
#include "lab/transports/agent/token.h"

namespace firstlight::agent {

using nlohmann::json;

namespace {

namespace asio = boost::asio;
constexpr auto kHelloWithin = std::chrono::seconds(5);
constexpr auto kRefuseAfter = std::chrono::milliseconds(300);  // slows guessing down
constexpr int kMostStrangers = 32;

/// What the hello lacks; empty when it may come in.
std::string objection(const json& hello, const std::string& token) {
  const auto version = hello.find("firstlight_agent");
  const auto given = hello.find("token");
  if (version == hello.end() || given == hello.end() || !given->is_string()) return "this is a firstlight agent";
  if (!same_token(token, given->get_ref<const std::string&>())) return "wrong token";
  if (*version != kVersion) return "this agent speaks version " + std::to_string(kVersion) + " of the protocol";
  return {};
}

class Door final : public Gatekeeper, public std::enable_shared_from_this<Door> {
 public:
  Door(asio::io_context& io, std::string token, std::function<void(const std::shared_ptr<FrameSocket>&)> admitted)
      : io_(io), token_(std::move(token)), admitted_(std::move(admitted)) {}

  void receive(int descriptor) override {
    if (closed_ || strangers_ >= kMostStrangers) {
      ::close(descriptor);
      return;
    }
    ++strangers_;
    const auto stranger = std::make_shared<Stranger>(io_, adopt_frames(io_, descriptor));
    stranger->timer.expires_after(kHelloWithin);
    stranger->timer.async_wait([self = shared_from_this(), stranger](const boost::system::error_code& error) {
      if (!error) self->part(*stranger);
    });
    FrameSocket::Handlers handlers;
    // The timer keeps the stranger, and the stranger its socket.
    const std::weak_ptr<Stranger> weak = stranger;
    handlers.frame = [self = shared_from_this(), weak](const std::string& content) {
      if (const auto there = weak.lock()) self->hear(there, content);
    };
    handlers.ended = [self = shared_from_this(), weak](const std::string&) {
      if (const auto there = weak.lock()) self->part(*there);
    };
    stranger->socket->start(std::move(handlers), kMaxHello);
  }

  void close() override { closed_ = true; }

 private:
  struct Stranger {
    Stranger(asio::io_context& io, std::shared_ptr<FrameSocket> connected) : socket(std::move(connected)), timer(io) {}
    std::shared_ptr<FrameSocket> socket;
    asio::steady_timer timer;
    bool heard = false;
    bool gone = false;
  };

  void hear(const std::shared_ptr<Stranger>& stranger, const std::string& content) {
    if (std::exchange(stranger->heard, true)) return;
    const auto hello = message_of(content);
    const std::string why = objection(hello.value_or(json::object()), token_);
    if (why.empty() && !closed_) {
      leave(*stranger);
      admitted_(stranger->socket);
      return;
    }
    stranger->timer.expires_after(kRefuseAfter);
    stranger->timer.async_wait([self = shared_from_this(), stranger, why](const boost::system::error_code& error) {
      if (error || stranger->gone) return;
      stranger->socket->send(frame_of({{"refused", why}}));
      stranger->socket->finish();
      self->leave(*stranger);
    });
  }
  void part(Stranger& stranger) {
    stranger.socket->close();
    leave(stranger);
  }
  void leave(Stranger& stranger) {
    if (std::exchange(stranger.gone, true)) return;
    stranger.timer.cancel();
    --strangers_;
  }

  asio::io_context& io_;
  const std::string token_;
  const std::function<void(const std::shared_ptr<FrameSocket>&)> admitted_;
  std::atomic<bool> closed_{false};
  int strangers_ = 0;
};

}  // namespace

std::shared_ptr<Gatekeeper> make_gatekeeper(asio::io_context& io, std::string token,
                                            std::function<void(const std::shared_ptr<FrameSocket>&)> admitted) {
  return std::make_shared<Door>(io, std::move(token), std::move(admitted));
}

}  // namespace firstlight::agent
