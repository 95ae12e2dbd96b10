#include "lab/agent/listener.h"

#include <fmt/format.h>
#include <netdb.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstring>
#include <mutex>
#include <utility>

#include "lab/core/failure.h"

namespace firstlight::agent {

namespace {

namespace asio = boost::asio;
constexpr int kBacklog = 64;
constexpr auto kMoment = std::chrono::milliseconds(100);

[[noreturn]] void refuse(const Endpoint& endpoint, const std::string& why) {
  throw FailureError({ErrorClass::infrastructure, "cannot_listen",
                      fmt::format("cannot listen at {}: {}", endpoint.text(), why), "listener", "", "",
                      "another program, perhaps an earlier one of this, has the port; port 0 takes a free one"});
}

int listening(int descriptor, const sockaddr* address, socklen_t size) {
  if (descriptor >= 0 && ::bind(descriptor, address, size) == 0 && ::listen(descriptor, kBacklog) == 0)
    return descriptor;
  const int error = errno;
  if (descriptor >= 0) ::close(descriptor);
  errno = error;
  return -1;
}

int listen_tcp(Endpoint& endpoint) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(endpoint.host.c_str(), std::to_string(endpoint.port).c_str(), &hints, &found);
  if (error != 0) refuse(endpoint, ::gai_strerror(error));
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> all(found, ::freeaddrinfo);
  const int descriptor = ::socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, found->ai_protocol);
  const int on = 1;
  ::setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (listening(descriptor, found->ai_addr, found->ai_addrlen) < 0) refuse(endpoint, std::strerror(errno));
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&bound), &size);
  std::array<char, NI_MAXSERV> port{};
  ::getnameinfo(reinterpret_cast<sockaddr*>(&bound), size, nullptr, 0, port.data(), port.size(), NI_NUMERICSERV);
  endpoint.port = static_cast<std::uint16_t>(std::stoi(port.data()));
  return descriptor;
}

int listen_local(const Endpoint& endpoint) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (endpoint.path.size() >= sizeof address.sun_path)
    refuse(endpoint, fmt::format("the path is longer than {} characters", sizeof address.sun_path - 1));
  endpoint.path.copy(address.sun_path, endpoint.path.size());
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  const int probe = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool served = ::connect(probe, generic, sizeof address) == 0;
  ::close(probe);
  if (served) refuse(endpoint, "another program serves it");
  struct stat status {};
  if (::lstat(endpoint.path.c_str(), &status) == 0 && S_ISSOCK(status.st_mode)) ::unlink(endpoint.path.c_str());
  const int descriptor = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  ::fchmod(descriptor, 0600);  // the mode of the file that bind makes
  const int got = listening(descriptor, generic, sizeof address);
  if (got < 0) refuse(endpoint, std::strerror(errno));
  return got;
}

}  // namespace

class Listener::Impl : public std::enable_shared_from_this<Impl> {
 public:
  Impl(asio::io_context& io, Endpoint endpoint, std::function<void(int)> accepted)
      : endpoint_(std::move(endpoint)), accepted_(std::move(accepted)), socket_(io), timer_(io) {
    socket_.assign(endpoint_.local ? listen_local(endpoint_) : listen_tcp(endpoint_));
  }

  const Endpoint& endpoint() const { return endpoint_; }
  void wait() {
    socket_.async_wait(asio::posix::stream_descriptor::wait_read,
                       [self = shared_from_this()](const boost::system::error_code& error) {
                         const std::lock_guard lock(self->gate_);
                         if (error || !self->open_) return;
                         if (self->accept())
                           self->wait();
                         else
                           self->wait_a_moment();
                       });
  }
  void close() {
    const std::lock_guard lock(gate_);
    open_ = false;
    if (endpoint_.local) ::unlink(endpoint_.path.c_str());
    asio::post(socket_.get_executor(), [self = shared_from_this()] {
      boost::system::error_code ignored;
      self->socket_.close(ignored);
    });
  }

 private:
  /// False when there is no descriptor to be had: whoever waits would be told of again at once.
  bool accept() {
    const int descriptor = ::accept4(socket_.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (descriptor >= 0) accepted_(descriptor);
    return descriptor >= 0 || (errno != EMFILE && errno != ENFILE && errno != ENOMEM && errno != ENOBUFS);
  }
  void wait_a_moment() {
    timer_.expires_after(kMoment);
    timer_.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
      if (!error) self->wait();
    });
  }

  Endpoint endpoint_;
  std::function<void(int)> accepted_;
  asio::posix::stream_descriptor socket_;
  asio::steady_timer timer_;
  std::mutex gate_;
  bool open_ = true;
};

Listener::Listener(IoThread& io, const Endpoint& endpoint, std::function<void(int)> accepted)
    : impl_(std::make_shared<Impl>(io.context(), endpoint, std::move(accepted))) {
  impl_->wait();
}
Listener::~Listener() { impl_->close(); }
const Endpoint& Listener::endpoint() const { return impl_->endpoint(); }

}  // namespace firstlight::agent
