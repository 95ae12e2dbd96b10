#include "tests/instruments/far_end.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <stdexcept>

namespace firstlight::instruments {

namespace {

constexpr int kLookMs = 20;

[[noreturn]] void fail(const char* what) { throw std::runtime_error(what); }

bool poll_one(int descriptor, short events, int stop, int timeout_ms) {
  std::array<pollfd, 2> both{{{descriptor, events, 0}, {stop, POLLIN, 0}}};
  return ::poll(both.data(), both.size(), timeout_ms) > 0 && both[1].revents == 0 && both[0].revents != 0;
}

bool stopped(int stop) {
  pollfd one{stop, POLLIN, 0};
  return ::poll(&one, 1, 0) > 0;
}

}  // namespace

bool Line::readable(int timeout_ms) { return open() && poll_one(descriptor_.get(), POLLIN, stop_, timeout_ms); }

std::optional<std::string> Line::read_line() {
  for (;;) {
    const auto end = input_.find('\n');
    if (end != std::string::npos) {
      std::string line = input_.substr(0, end);
      input_.erase(0, end + 1);
      if (!line.empty() && line.back() == '\r') line.pop_back();
      return line;
    }
    if (!readable(-1)) return std::nullopt;
    std::array<char, 4096> bytes{};
    const ssize_t count = ::read(descriptor_.get(), bytes.data(), bytes.size());
    // A terminal whose other side is closed says EIO until someone opens it again.
    if (count < 0 && errno == EAGAIN) continue;
    if (count < 0 && errno == EIO && !stopped(stop_)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(kLookMs));
      continue;
    }
    if (count <= 0) return std::nullopt;
    input_.append(bytes.data(), static_cast<std::size_t>(count));
  }
}

bool Line::send(std::string_view bytes) {
  while (!bytes.empty()) {
    if (!open() || !poll_one(descriptor_.get(), POLLOUT, stop_, -1)) return false;
    ssize_t sent = ::send(descriptor_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == ENOTSOCK) sent = ::write(descriptor_.get(), bytes.data(), bytes.size());
    if (sent < 0 && errno == EAGAIN) continue;
    if (sent < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool Line::pause(std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
    if (stopped(stop_)) return false;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    pollfd one{stop_, POLLIN, 0};
    ::poll(&one, 1, static_cast<int>(left.count()) + 1);
  }
  return true;
}

void Line::reset() {
  const linger at_once{1, 0};
  ::setsockopt(descriptor_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  close();
}

FarEnd::FarEnd(Kind kind, std::function<void(Line&, int)> serve)
    : kind_(kind), serve_(std::move(serve)), stop_(::eventfd(0, EFD_CLOEXEC)) {
  if (kind_ == Kind::terminal) {
    open_terminal();
    thread_ = std::thread([this] {
      Line line(std::move(listener_), stop_.get());
      serve_(line, connections_++);
    });
    return;
  }
  listen();
  thread_ = std::thread([this] { serve_sockets(); });
}

FarEnd::~FarEnd() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto ignored = ::write(stop_.get(), &one, sizeof one);
  thread_.join();
  std::error_code nothing;
  if (!path_.empty()) std::filesystem::remove_all(std::filesystem::path(path_).parent_path(), nothing);
}

void FarEnd::open_terminal() {
  listener_.reset(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  std::array<char, 64> name{};
  if (!listener_ || ::grantpt(listener_.get()) != 0 || ::unlockpt(listener_.get()) != 0 ||
      ::ptsname_r(listener_.get(), name.data(), name.size()) != 0)
    fail("no pseudo-terminal");
  make_nonblocking(listener_.get());
  termios raw{};
  ::tcgetattr(listener_.get(), &raw);
  ::cfmakeraw(&raw);
  ::tcsetattr(listener_.get(), TCSANOW, &raw);
  address_ = std::string("serial:") + name.data();
}

void FarEnd::listen() {
  const bool tcp = kind_ == Kind::tcp;
  listener_.reset(::socket(tcp ? AF_INET : AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in in{};
  in.sin_family = AF_INET;
  in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  sockaddr_un un{};
  un.sun_family = AF_UNIX;
  if (!tcp) {
    std::string folder = (std::filesystem::temp_directory_path() / "firstlight-far-XXXXXX").string();
    if (::mkdtemp(folder.data()) == nullptr) fail("no temporary folder");
    path_ = folder + "/socket";
    path_.copy(un.sun_path, sizeof un.sun_path - 1);
  }
  auto* address = tcp ? reinterpret_cast<sockaddr*>(&in) : reinterpret_cast<sockaddr*>(&un);
  socklen_t size = tcp ? sizeof in : sizeof un;
  if (::bind(listener_.get(), address, size) != 0 || ::listen(listener_.get(), 4) != 0) fail("cannot listen");
  if (tcp) ::getsockname(listener_.get(), address, &size);
  address_ = tcp ? "tcp://127.0.0.1:" + std::to_string(ntohs(in.sin_port)) : "unix:" + path_;
}

void FarEnd::serve_sockets() {
  while (listening_ && poll_one(listener_.get(), POLLIN, stop_.get(), -1)) {
    FileDescriptor accepted(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!accepted) continue;
    const int yes = 1;
    ::setsockopt(accepted.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    Line line(std::move(accepted), stop_.get());
    serve_(line, connections_++);
  }
  listener_.reset();
}

}  // namespace firstlight::instruments
