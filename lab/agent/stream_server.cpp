#include "lab/agent/stream_server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <set>
#include <utility>

#include "lab/agent/listener.h"
#include "lab/agent/stream_pump.h"
#include "lab/core/failure.h"

namespace firstlight::agent {

namespace {

/// The clients of one listening socket; belongs to the bench thread.
class Clients : public std::enable_shared_from_this<Clients> {
 public:
  Clients(Scheduler& scheduler, IoThread& io, StreamServer::Open open)
      : scheduler_(scheduler), io_(io), gate_(std::make_shared<BenchGate>(scheduler)), open_(std::move(open)) {}

  std::shared_ptr<BenchGate> gate() const { return gate_; }
  void add(int descriptor) {
    std::unique_ptr<ByteStream> stream;
    try {
      stream = open_();
    } catch (const FailureError&) {
      ::close(descriptor);  // all that a client can be told
      return;
    }
    const auto slot = std::make_shared<std::weak_ptr<StreamPump>>();
    auto ended = [weak = weak_from_this(), slot] {
      const auto self = weak.lock();
      const auto pump = slot->lock();
      if (self && pump) self->remove(pump);
    };
    const auto pump = make_stream_pump(scheduler_, io_, gate_, descriptor, std::move(stream), std::move(ended));
    *slot = pump;
    pumps_.insert(pump);
    pump->start();
  }
  void close() {
    gate_->close();
    for (const auto& pump : pumps_) pump->stop();
    pumps_.clear();
  }

 private:
  void remove(const std::shared_ptr<StreamPump>& pump) {
    pump->stop();
    pumps_.erase(pump);
  }

  Scheduler& scheduler_;
  IoThread& io_;
  std::shared_ptr<BenchGate> gate_;
  StreamServer::Open open_;
  std::set<std::shared_ptr<StreamPump>> pumps_;
};

/// A client's connection until the bench thread takes it; closed when that never comes.
class Accepted {
 public:
  explicit Accepted(int descriptor) : descriptor_(descriptor) {}
  Accepted(const Accepted&) = delete;
  Accepted& operator=(const Accepted&) = delete;
  ~Accepted() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  int take() { return std::exchange(descriptor_, -1); }

 private:
  int descriptor_;
};

class SocketServer final : public StreamServer {
 public:
  SocketServer(Scheduler& scheduler, IoThread& io, const Endpoint& endpoint, Open open)
      : clients_(std::make_shared<Clients>(scheduler, io, std::move(open))),
        listener_(std::make_unique<Listener>(io, endpoint,
                                             [gate = clients_->gate(), weak = std::weak_ptr(clients_)](int descriptor) {
                                               const int on = 1;
                                               ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
                                               const auto owned = std::make_shared<Accepted>(descriptor);
                                               gate->post([weak, owned] {
                                                 if (const auto clients = weak.lock()) clients->add(owned->take());
                                               });
                                             })) {}
  SocketServer(const SocketServer&) = delete;
  SocketServer& operator=(const SocketServer&) = delete;
  ~SocketServer() override {
    listener_.reset();
    clients_->close();
  }
  std::string address() const override { return listener_->endpoint().text(); }

 private:
  std::shared_ptr<Clients> clients_;
  std::unique_ptr<Listener> listener_;
};

[[noreturn]] void refuse_terminal(const std::string& link) {
  throw FailureError({ErrorClass::infrastructure, "no_terminal",
                      fmt::format("cannot make a pseudo-terminal for {}: {}", link, std::strerror(errno)), link, "", "",
                      "/dev/pts is not mounted, or the folder is not writable"});
}

/// Both ends of a pseudo-terminal. The far end stays open here, so that the line lives on when its last user goes.
struct Terminal {
  int near = -1;
  int far = -1;
  explicit Terminal(const std::string& link) {
    near = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    std::array<char, 128> name{};
    if (near < 0 || ::grantpt(near) != 0 || ::unlockpt(near) != 0 || ::ptsname_r(near, name.data(), name.size()) != 0)
      refuse_terminal(link);
    far = ::open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC);
    termios settings{};
    if (far < 0 || ::tcgetattr(far, &settings) != 0) refuse_terminal(link);
    ::cfmakeraw(&settings);
    ::tcsetattr(far, TCSANOW, &settings);
    ::unlink(link.c_str());
    if (::symlink(name.data(), link.c_str()) != 0) refuse_terminal(link);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal() {
    if (near >= 0) ::close(near);
    if (far >= 0) ::close(far);
  }
};

class TerminalServer final : public StreamServer {
 public:
  TerminalServer(Scheduler& scheduler, IoThread& io, std::string link, const Open& open)
      : link_(std::move(link)),
        terminal_(link_),
        gate_(std::make_shared<BenchGate>(scheduler)),
        pump_(make_stream_pump(scheduler, io, gate_, std::exchange(terminal_.near, -1), open(), {})) {
    pump_->start();
  }
  TerminalServer(const TerminalServer&) = delete;
  TerminalServer& operator=(const TerminalServer&) = delete;
  ~TerminalServer() override {
    gate_->close();
    pump_->stop();
    ::unlink(link_.c_str());
  }
  std::string address() const override { return "serial:" + link_; }

 private:
  const std::string link_;
  Terminal terminal_;
  std::shared_ptr<BenchGate> gate_;
  std::shared_ptr<StreamPump> pump_;
};

}  // namespace

std::unique_ptr<StreamServer> StreamServer::listen(Scheduler& scheduler, IoThread& io, const Endpoint& endpoint,
                                                   Open open) {
  return std::make_unique<SocketServer>(scheduler, io, endpoint, std::move(open));
}

std::unique_ptr<StreamServer> StreamServer::terminal(Scheduler& scheduler, IoThread& io, const std::string& link,
                                                     const Open& open) {
  return std::make_unique<TerminalServer>(scheduler, io, link, open);
}

}  // namespace firstlight::agent
