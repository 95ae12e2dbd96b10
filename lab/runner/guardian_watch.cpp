#include "lab/runner/guardian_watch.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <sstream>
#include <utility>

#include "lab/core/failure.h"
#include "lab/runner/guardian_words.h"

namespace firstlight {

namespace words = guardian_words;

OtherProcess::OtherProcess(pid_t pid) : pid_(pid) { handle_ = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)); }

OtherProcess::OtherProcess(OtherProcess&& other) noexcept
    : pid_(other.pid_), handle_(std::exchange(other.handle_, -1)) {}

std::optional<OtherProcess> OtherProcess::parent(pid_t pid) {
  OtherProcess process(pid);
  // After the handle was opened: a parent that is gone by now leaves its number to others.
  if (::getppid() != pid) return {};
  return process;
}

OtherProcess::~OtherProcess() {
  if (handle_ >= 0) ::close(handle_);
}

bool OtherProcess::end(std::chrono::milliseconds within) {
  if (handle_ < 0) {
    // Gone before we came, or a kernel before 5.3.
    if (::kill(pid_, 0) != 0) return true;
    ::kill(pid_, SIGKILL);
    const auto end = std::chrono::steady_clock::now() + within;
    while (::kill(pid_, 0) == 0 && std::chrono::steady_clock::now() < end) ::usleep(1000);
    return ::kill(pid_, 0) != 0;
  }
  ::syscall(SYS_pidfd_send_signal, handle_, SIGKILL, nullptr, 0);
  pollfd over{handle_, POLLIN, 0};
  return ::poll(&over, 1, static_cast<int>(within.count())) > 0;
}

std::optional<std::string> GuardianWatch::receive() {
  std::string buffer(1 << 16, '\0');
  while (true) {
    const ssize_t n = ::recv(socket_, buffer.data(), buffer.size(), 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return {};
    buffer.resize(static_cast<std::size_t>(n));
    return buffer;
  }
}

void GuardianWatch::say(const std::string& message) const {
  // The run may be gone: that is heard where we listen.
  [[maybe_unused]] const auto ignored = ::send(socket_, message.data(), message.size(), MSG_NOSIGNAL);
}

std::optional<GuardianWatch::Hello> GuardianWatch::hello() {
  const auto message = receive();
  if (!message || message->compare(0, words::kHello.size(), words::kHello) != 0) return {};
  std::istringstream in(message->substr(words::kHello.size()));
  Hello hello;
  long long epoch = 0;
  if (!(in >> hello.pid >> epoch)) return {};
  hello.epoch = std::chrono::nanoseconds(epoch);
  return hello;
}

void GuardianWatch::ready(const std::string& warning) { say(std::string(words::kReady) + warning); }
void GuardianWatch::failed(const std::string& why) { say(std::string(words::kFailed) + why); }

GuardianWatch::Clock::time_point GuardianWatch::deadline() const {
  const auto silent = heard_ + std::chrono::duration_cast<Clock::duration>(plan_.heartbeat);
  return safe_until_ ? std::min(silent, *safe_until_) : silent;
}

std::optional<RunnerEnd> GuardianWatch::take(const std::string& message) {
  if (message == words::kSafe) return RunnerEnd::dismissed;
  if (message == words::kUnsafe) return RunnerEnd::safe_state_failed;
  heard_ = Clock::now();
  if (message == words::kMakingSafe && !safe_until_) {
    safe_until_ = heard_ + std::chrono::duration_cast<Clock::duration>(plan_.safe_within);
  } else if (message.compare(0, words::kLine.size(), words::kLine) == 0) {
    ledger_.take(message.substr(words::kLine.size()));
    say(std::string(words::kHave) + std::to_string(++lines_));
  }
  return {};
}

RunnerEnd GuardianWatch::watch() {
  heard_ = Clock::now();
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline() - Clock::now()).count();
    pollfd heard{socket_, POLLIN, 0};
    const int n = ::poll(&heard, 1, static_cast<int>(std::max<long long>(left, 0)));
    if (n < 0 && errno == EINTR) continue;
    // What has come meanwhile counts first: this process may have been the one that did not run.
    if (n == 0) return safe_until_ && Clock::now() >= *safe_until_ ? RunnerEnd::safe_state_late : RunnerEnd::hung;
    const auto message = receive();
    if (!message) return RunnerEnd::died;
    if (const auto end = take(*message)) return *end;
  }
}

}  // namespace firstlight
