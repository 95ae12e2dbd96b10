#include "lab/transports/socket_connect.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

#include "lab/core/failure.h"
#include "lab/transports/blocking_thread.h"

namespace firstlight {

namespace {

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;
};

struct Resolved {
  int error = 0;  // of getaddrinfo
  int system_error = 0;
  std::vector<SocketAddress> addresses;
};

[[noreturn]] void refuse(const Caller& caller, const std::string& said, std::string cause) {
  throw FailureError({ErrorClass::infrastructure, "connect_failed",
                      fmt::format("\"{}\" at {} cannot be reached: {}", caller.resource, caller.address, said),
                      caller.resource, "connect to " + caller.address, said, std::move(cause)});
}

std::string likely_cause(int error) {
  switch (error) {
    case ECONNREFUSED:
      return "the host is there, but nothing listens on that port: the instrument's raw-socket service is off, the "
             "port "
             "is another one (SCPI is usually at 5025), or its only connection is taken by another program";
    case ECONNRESET:
      return "someone is there and hung up at once: its only connection is taken, or it serves only certain hosts";
    case ETIMEDOUT:
      return "nothing answers at that address: the instrument is off or still booting, the address is wrong, or a "
             "firewall drops the packets";
    case EHOSTUNREACH:
    case ENETUNREACH:
    case ENETDOWN:
      return "no way to that host: the cable is out, the subnet is wrong, or the VPN is down";
    case ENOENT:
      return "the program that makes this socket does not run, or makes it elsewhere";
    case EACCES:
    case EPERM:
      return "this user may not: look at the socket's owner and mode, or at the firewall";
    default:
      return "the network of this station or of the instrument";
  }
}

[[noreturn]] void refuse(const Caller& caller, int error) { refuse(caller, std::strerror(error), likely_cause(error)); }

std::string seconds_text(Duration d) { return to_text(to_quantity(d)); }

// ---- names

Resolved resolve(const HostPort& to, int flags) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  Resolved resolved;
  resolved.error = ::getaddrinfo(to.host.c_str(), to.port.c_str(), &hints, &list);
  resolved.system_error = errno;
  if (resolved.error != 0) return resolved;
  for (const addrinfo* one = list; one != nullptr; one = one->ai_next) {
    SocketAddress address;
    address.size = std::min<socklen_t>(one->ai_addrlen, sizeof address.storage);
    std::memcpy(&address.storage, one->ai_addr, address.size);
    resolved.addresses.push_back(address);
  }
  ::freeaddrinfo(list);
  return resolved;
}

std::vector<SocketAddress> resolve(const Caller& caller, const HostPort& to, Instant deadline, BenchTime& time) {
  Resolved numeric = resolve(to, AI_NUMERICHOST);
  if (numeric.error == 0) return std::move(numeric.addresses);
  const Instant begin = time.now();
  BlockingThread resolver(time);
  auto resolved = resolver.call<Resolved>([to] { return resolve(to, AI_ADDRCONFIG); }, deadline);
  const std::string cause = fmt::format(
      "the name server does not know \"{}\" or is not reached: write the instrument's IP address, or add the name to "
      "/etc/hosts",
      to.host);
  if (!resolved)
    refuse(caller, fmt::format("its name was not resolved within {}", seconds_text(time.now() - begin)), cause);
  if (resolved->error == 0) return std::move(resolved->addresses);
  refuse(caller,
         resolved->error == EAI_SYSTEM ? std::strerror(resolved->system_error) : ::gai_strerror(resolved->error),
         cause);
}

// ---- connections

/// @return what the system said, 0 when the socket is connected
int connect_before(FileDescriptor& socket, const SocketAddress& to, Instant deadline, BenchTime& time, IoThread& io) {
  make_nonblocking(socket.get());
  const auto* address = reinterpret_cast<const sockaddr*>(&to.storage);
  if (::connect(socket.get(), address, to.size) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  WatchedDescriptor watched(std::move(socket), time, io);
  // A wait may be woken for nothing; connected is who has a peer.
  sockaddr_storage peer{};
  for (;;) {
    if (!watched.wait_writable(deadline)) return ETIMEDOUT;
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(watched.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) return error;
    size = sizeof peer;
    if (::getpeername(watched.get(), reinterpret_cast<sockaddr*>(&peer), &size) == 0) break;
  }
  socket = watched.release();
  return 0;
}

void set_option(int socket, int level, int option, int value) {
  ::setsockopt(socket, level, option, &value, sizeof value);
}

void prepare_tcp(int socket) {
  set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(socket, IPPROTO_TCP, TCP_KEEPIDLE, 10);
  set_option(socket, IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set_option(socket, IPPROTO_TCP, TCP_KEEPCNT, 3);
}

std::unique_ptr<FdStream> open_stream(const Caller& caller, std::function<FileDescriptor(Instant)> connect,
                                      BenchTime& time, IoThread& io) {
  FdStream::Options options;
  options.name = caller.address;
  options.connect = [connect = std::move(connect)](Instant deadline) {
    return FdStream::Ends{connect(deadline), FileDescriptor()};
  };
  auto stream = std::make_unique<FdStream>(std::move(options), time, io);
  stream->connect(time.now() + kConnectTimeout);
  return stream;
}

}  // namespace

std::optional<HostPort> parse_host_port(const std::string& text) {
  const auto colon = text.rfind(':');
  if (colon == std::string::npos) return std::nullopt;
  HostPort parsed{text.substr(0, colon), text.substr(colon + 1)};
  const bool bracketed = parsed.host.size() > 2 && parsed.host.front() == '[' && parsed.host.back() == ']';
  if (bracketed) parsed.host = parsed.host.substr(1, parsed.host.size() - 2);
  if (parsed.host.empty() || (!bracketed && parsed.host.find_first_of(":/[] ") != std::string::npos))
    return std::nullopt;
  int port = 0;
  const char* end = parsed.port.data() + parsed.port.size();
  const auto [stopped, error] = std::from_chars(parsed.port.data(), end, port);
  if (error != std::errc() || stopped != end || port < 1 || port > 65535) return std::nullopt;
  return parsed;
}

FileDescriptor connect_tcp(const Caller& caller, const HostPort& to, Instant deadline, BenchTime& time, IoThread& io) {
  const Instant begin = time.now();
  const std::vector<SocketAddress> addresses = resolve(caller, to, deadline, time);
  int error = 0;
  // A name may have several addresses, and the first may be the dead one: each gets its share of the time.
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    FileDescriptor socket(::socket(addresses[i].storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!socket) {
      error = errno;
      continue;
    }
    const Instant now = time.now();
    const Instant share = now + (deadline - now) / static_cast<std::int64_t>(addresses.size() - i);
    error = connect_before(socket, addresses[i], share, time, io);
    if (error != 0) continue;
    prepare_tcp(socket.get());
    return socket;
  }
  if (error == ETIMEDOUT)
    refuse(caller, fmt::format("no connection within {}", seconds_text(time.now() - begin)), likely_cause(error));
  refuse(caller, error);
}

FileDescriptor connect_unix(const Caller& caller, const std::string& path, Instant deadline, BenchTime& time,
                            IoThread& io) {
  constexpr Duration kLook{10'000'000'000};
  SocketAddress to;
  auto& address = reinterpret_cast<sockaddr_un&>(to.storage);
  if (path.empty() || path.size() >= sizeof address.sun_path)
    refuse(caller, std::strerror(ENAMETOOLONG), "a socket's path has 1 to 107 bytes");
  address.sun_family = AF_UNIX;
  std::copy(path.begin(), path.end(), address.sun_path);
  to.size = sizeof address;
  for (;;) {
    FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!socket) refuse(caller, errno);
    const int error = connect_before(socket, to, deadline, time, io);
    if (error == 0) return socket;
    // EAGAIN: more are waiting to be accepted than the server has place for.
    if (error != EAGAIN || time.now() + kLook >= deadline) refuse(caller, error);
    time.sleep(kLook);
  }
}

std::unique_ptr<FdStream> open_tcp_stream(const Caller& caller, const HostPort& to, BenchTime& time, IoThread& io) {
  return open_stream(
      caller, [=, &time, &io](Instant deadline) { return connect_tcp(caller, to, deadline, time, io); }, time, io);
}

std::unique_ptr<FdStream> open_unix_stream(const Caller& caller, const std::string& path, BenchTime& time,
                                           IoThread& io) {
  return open_stream(
      caller, [=, &time, &io](Instant deadline) { return connect_unix(caller, path, deadline, time, io); }, time, io);
}

}  // namespace firstlight
