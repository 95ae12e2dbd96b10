#include "lab/transports/fd_stream.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

#include "lab/core/failure.h"

namespace firstlight {

namespace {

// More than any answer that is read line by line; blocks are read by their count.
constexpr std::size_t kLongestLine = std::size_t{1} << 20U;
constexpr std::size_t kChunk = std::size_t{64} << 10U;

/// A pipe without a reader ends the program by default, and nobody can tell a library's caller to ignore that.
class NoBrokenPipe {
 public:
  NoBrokenPipe() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending{};
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  NoBrokenPipe(const NoBrokenPipe&) = delete;
  NoBrokenPipe& operator=(const NoBrokenPipe&) = delete;
  ~NoBrokenPipe() {
    const int error = errno;
    const timespec at_once{};
    if (!was_pending_) sigtimedwait(&pipe_, nullptr, &at_once);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
  }

 private:
  sigset_t pipe_{};
  sigset_t before_{};
  bool was_pending_ = false;
};

ssize_t write_some(int descriptor, std::string_view bytes) {
  const ssize_t sent = ::send(descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (sent >= 0 || errno != ENOTSOCK) return sent;
  const NoBrokenPipe guard;
  return ::write(descriptor, bytes.data(), bytes.size());
}

bool try_again(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

/// What means that the other end is gone rather than that something is wrong here. EIO is how Linux says that a
/// terminal line was hung up: its adapter was unplugged, or the program behind a pseudo-terminal has ended.
bool is_gone(int error) {
  return error == EPIPE || error == ECONNRESET || error == ECONNABORTED || error == EIO || error == ENXIO ||
         error == ENODEV || error == ETIMEDOUT || error == EHOSTUNREACH || error == ENETUNREACH;
}

}  // namespace

FdStream::FdStream(Options options, BenchTime& time, IoThread& io)
    : options_(std::move(options)), time_(time), io_(io) {}
FdStream::~FdStream() { hang_up(); }

void FdStream::hang_up() {
  // Closing a serial line waits until all is sent, unless there is nothing left to send.
  if (in_) ::tcflush(in_->get(), TCOFLUSH);
  in_.reset();
  out_.reset();
}

void FdStream::connect(Instant deadline) {
  hang_up();
  input_.clear();
  ended_.reset();
  Ends ends = options_.connect(deadline);
  in_ = std::make_unique<WatchedDescriptor>(std::move(ends.in), time_, io_);
  if (ends.out) out_ = std::make_unique<WatchedDescriptor>(std::move(ends.out), time_, io_);
}

StreamResult FdStream::reopen(Instant deadline) {
  try {
    connect(deadline);
    return {};
  } catch (const FailureError& error) {
    end(StreamStatus::closed, error.failure().message);
    return *ended_;
  }
}

void FdStream::end(StreamStatus how, std::string why) {
  if (options_.epitaph) {
    const std::string more = options_.epitaph();
    if (!more.empty()) why += "; " + more;
  }
  ended_ = StreamResult{how, {}, std::move(why)};
}

std::optional<StreamResult> FdStream::not_usable(Instant deadline) {
  if (ended_) return ended_;
  if (in_) return std::nullopt;
  const StreamResult result = reopen(std::min(deadline, time_.now() + kConnectTimeout));
  if (result.status == StreamStatus::ok) return std::nullopt;
  return result;
}

StreamResult FdStream::give_up(StreamStatus status, std::string detail) {
  return {status, std::exchange(input_, {}), std::move(detail)};
}

StreamResult FdStream::write(std::string_view bytes, Instant deadline) {
  if (const auto unusable = not_usable(deadline)) return *unusable;
  std::string_view left = bytes;
  while (!left.empty()) {
    const ssize_t sent = write_some(out().get(), left);
    if (sent >= 0) {
      left.remove_prefix(static_cast<std::size_t>(sent));
      continue;
    }
    const int error = errno;
    if (!try_again(error)) {
      end(is_gone(error) ? StreamStatus::closed : StreamStatus::io_error, std::strerror(error));
      return *ended_;
    }
    if (!out().wait_writable(deadline))
      return {StreamStatus::timeout,
              {},
              fmt::format("the other end took only {} of {} bytes", bytes.size() - left.size(), bytes.size())};
  }
  return {};
}

FdStream::Received FdStream::receive() {
  const std::size_t before = input_.size();
  input_.resize(before + kChunk);
  const ssize_t count = ::read(in_->get(), input_.data() + before, kChunk);
  const int error = errno;
  input_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  if (count > 0) return Received::some;
  if (count < 0 && try_again(error)) return Received::nothing_yet;
  if (count == 0)
    end(StreamStatus::closed, "the other end closed the connection");
  else
    end(is_gone(error) ? StreamStatus::closed : StreamStatus::io_error, std::strerror(error));
  return Received::nothing_more;
}

template <class Ready>
StreamResult FdStream::read(const Ready& ready, std::size_t most, Instant deadline) {
  if (!ended_)
    if (const auto unusable = not_usable(deadline)) return *unusable;
  for (;;) {
    const std::size_t count = ready();
    if (count != std::string::npos) {
      StreamResult whole{StreamStatus::ok, input_.substr(0, count), {}};
      input_.erase(0, count);
      return whole;
    }
    if (ended_) return give_up(ended_->status, ended_->detail);
    if (input_.size() >= most)
      return give_up(StreamStatus::io_error, fmt::format("{} bytes came without an end", input_.size()));
    if (receive() == Received::nothing_more || ready() != std::string::npos) continue;
    // A wait after each chunk, also when there is more: a flood must not keep other fibers from running.
    if (!in_->wait_readable(deadline)) return give_up(StreamStatus::timeout, "no whole answer before the deadline");
  }
}

StreamResult FdStream::read_until(char terminator, Instant deadline) {
  std::size_t searched = 0;
  const auto ready = [&] {
    const std::size_t at = input_.find(terminator, searched);
    if (at != std::string::npos) return at + 1;
    searched = input_.size();
    return std::string::npos;
  };
  return read(ready, kLongestLine, deadline);
}

StreamResult FdStream::read_exactly(std::size_t count, Instant deadline) {
  return read([&] { return input_.size() >= count ? count : std::string::npos; }, count, deadline);
}

std::string FdStream::drain() {
  // Bounded: what never stops coming is found out by whoever reads next.
  while (in_ && !ended_ && input_.size() < kLongestLine && receive() == Received::some) {
  }
  return std::exchange(input_, {});
}

}  // namespace firstlight
