#include "lab/runner/guardian_link.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <thread>

#include "lab/runner/guardian_words.h"

namespace firstlight {

namespace {

namespace words = guardian_words;

Failure lost(const std::string& why) {
  return {ErrorClass::infrastructure,
          "guardian_lost",
          "the guardian is gone: " + why,
          "guardian",
          "",
          "",
          "it was killed (out of memory?), or it crashed; nobody would make the bench safe if the run died now"};
}

constexpr int kEndTries = 2000;  // a millisecond each

[[noreturn]] void cannot_start(const std::string& what) {
  throw FailureError({ErrorClass::infrastructure, "guardian_not_started",
                      "the guardian cannot be started: " + what + ": " + std::strerror(errno), "guardian", "", "",
                      "too many processes or open files; nothing was energised"});
}

/// posix_spawn's file actions, which want to be destroyed.
class FileActions {
 public:
  FileActions() { ::posix_spawn_file_actions_init(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  ~FileActions() { ::posix_spawn_file_actions_destroy(&actions_); }
  void null(int to, int flags) { ::posix_spawn_file_actions_addopen(&actions_, to, "/dev/null", flags, 0); }
  void give(int from, int to) { ::posix_spawn_file_actions_adddup2(&actions_, from, to); }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

pid_t spawn_guardian(const std::vector<std::string>& arguments, const std::vector<int>& inherited, int socket) {
  FileActions files;
  files.null(STDIN_FILENO, O_RDONLY);
  files.null(STDOUT_FILENO, O_WRONLY);
  int to = kGuardianSocket;
  files.give(socket, to++);
  for (const int one : inherited) files.give(one, to++);
  posix_spawnattr_t attributes{};
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  std::vector<std::string> words_of = {"firstlight"};
  words_of.insert(words_of.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (auto& word : words_of) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t pid = 0;
  const int error = ::posix_spawn(&pid, "/proc/self/exe", files.get(), &attributes, argv.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  errno = error;
  if (error != 0) cannot_start("posix_spawn");
  return pid;
}

}  // namespace

/// Shared with what it has posted to the bench thread, which may run when the link is gone.
class GuardianLink::Impl {
 public:
  Impl(const std::vector<std::string>& arguments, const std::vector<int>& inherited, BenchTime& time)
      : time_(time), changed_(time.make_event()) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) cannot_start("socketpair");
    socket_ = ends[0];
    // dup2 onto its own number would leave close-on-exec set.
    const int other = ::fcntl(ends[1], F_DUPFD_CLOEXEC, 100);
    ::close(ends[1]);
    try {
      pid_ = spawn_guardian(arguments, inherited, other);
    } catch (...) {
      ::close(other);
      ::close(socket_);
      throw;
    }
    ::close(other);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() { ::close(socket_); }

  void listen(const std::shared_ptr<Impl>& self) {
    thread_ = std::thread([self] { self->receive(self); });
  }
  void close() {
    dismissed_ = true;
    ::shutdown(socket_, SHUT_RDWR);
    thread_.join();
    // It has nothing left to do, and the lock of the bench is free when it has ended. When the bench is not safe it
    // goes on alone.
    if (!safe_) return;
    for (int i = 0; i < kEndTries && ::waitpid(pid_, nullptr, WNOHANG) == 0; ++i) ::usleep(1000);
  }

  bool send(std::string_view kind, std::string_view rest = {}) {
    std::string message(kind);
    message += rest;
    while (true) {
      if (::send(socket_, message.data(), message.size(), MSG_NOSIGNAL | MSG_DONTWAIT) >= 0) return true;
      if (errno != EINTR) break;
    }
    // A guardian that is stopped fills the socket: its answer will not come in time. One that is gone is heard.
    return false;
  }

  void wait_until_ready(Instant deadline) {
    while (!ready_ && !lost_) {
      changed_->reset();
      if (time_.wait(*changed_, deadline)) continue;
      throw FailureError({ErrorClass::infrastructure, "guardian_not_ready", "the guardian was not ready in time",
                          "guardian", "", "", "an instrument takes no second connection, or does not answer"});
    }
    if (lost_) throw FailureError(*lost_);
  }
  void confirm(Instant deadline) {
    while (have_ < told_ && !lost_) {
      changed_->reset();
      if (time_.wait(*changed_, deadline)) continue;
      throw FailureError(lost("it did not answer in time"));
    }
    if (lost_) throw FailureError(*lost_);
  }
  void lose(const Failure& failure) {
    if (lost_ || dismissed_) return;
    lost_ = failure;
    changed_->fire();
    if (when_lost_) when_lost_(failure);
  }

  BenchTime& time_;
  std::unique_ptr<Event> changed_;
  int socket_ = -1;
  pid_t pid_ = 0;
  std::thread thread_;
  // Bench thread only.
  std::uint64_t told_ = 0;
  std::uint64_t have_ = 0;
  bool ready_ = false;
  bool safe_ = false;
  bool dismissed_ = false;
  std::string warning_;
  std::optional<Failure> lost_;
  std::function<void(const Failure&)> when_lost_;

 private:
  void receive(const std::shared_ptr<Impl>& self) {
    std::array<char, 4096> buffer{};
    while (true) {
      const ssize_t n = ::recv(socket_, buffer.data(), buffer.size(), 0);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) break;
      time_.post([self, message = std::string(buffer.data(), static_cast<std::size_t>(n))] { self->heard(message); });
    }
    time_.post([self] { self->lose(lost("it ended")); });
  }
  void heard(const std::string& message) {
    const auto begins = [&](std::string_view word) { return message.compare(0, word.size(), word) == 0; };
    if (begins(words::kHave)) {
      have_ = std::stoull(message.substr(words::kHave.size()));
    } else if (begins(words::kReady)) {
      ready_ = true;
      warning_ = message.substr(words::kReady.size());
    } else if (begins(words::kFailed)) {
      Failure failure = lost(message.substr(words::kFailed.size()));
      failure.symptom = "guardian_not_ready";
      failure.message = "the guardian cannot guard: " + message.substr(words::kFailed.size());
      failure.likely_cause = "";
      lose(failure);
    }
    changed_->fire();
  }
};

GuardianLink::GuardianLink(const std::vector<std::string>& arguments, const std::vector<int>& inherited,
                           BenchTime& time)
    : impl_(std::make_shared<Impl>(arguments, inherited, time)) {
  impl_->listen(impl_);
  const auto epoch = std::chrono::steady_clock::now().time_since_epoch() -
                     std::chrono::duration_cast<std::chrono::nanoseconds>(time.now().time_since_epoch());
  impl_->send(words::kHello,
              fmt::format("{} {}", ::getpid(), std::chrono::duration_cast<std::chrono::nanoseconds>(epoch).count()));
}

GuardianLink::~GuardianLink() { impl_->close(); }

void GuardianLink::wait_until_ready(Instant deadline) { impl_->wait_until_ready(deadline); }
void GuardianLink::when_lost(std::function<void(const Failure&)> lost) { impl_->when_lost_ = std::move(lost); }
void GuardianLink::tell(const std::string& line) {
  ++impl_->told_;
  impl_->send(words::kLine, line);
}
void GuardianLink::confirm(Instant deadline) { impl_->confirm(deadline); }
void GuardianLink::beat() { impl_->send(words::kBeat); }
void GuardianLink::making_safe() { impl_->send(words::kMakingSafe); }
void GuardianLink::ended(bool safe) {
  impl_->safe_ = safe;
  impl_->dismissed_ = true;
  impl_->send(safe ? words::kSafe : words::kUnsafe);
}
std::string GuardianLink::warning() const { return impl_->warning_; }
pid_t GuardianLink::pid() const { return impl_->pid_; }

}  // namespace firstlight
