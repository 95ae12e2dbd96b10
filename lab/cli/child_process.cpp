#include "lab/cli/child_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "lab/core/failure.h"

namespace firstlight::cli {

namespace {

constexpr const char* kSelf = "/proc/self/exe";
constexpr int kNotStarted = 127;

/// SIGINT, SIGTERM, SIGHUP and SIGCHLD wait for whoever asks, while one lives.
class Deferred {
 public:
  Deferred() {
    sigemptyset(&set_);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) sigaddset(&set_, signal);
    pthread_sigmask(SIG_BLOCK, &set_, &before_);
  }
  Deferred(const Deferred&) = delete;
  Deferred& operator=(const Deferred&) = delete;
  ~Deferred() {
    // One that the child had its share of must not end this program now.
    const timespec now{};
    while (sigtimedwait(&set_, nullptr, &now) > 0) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  const sigset_t& set() const { return set_; }
  const sigset_t& before() const { return before_; }

 private:
  sigset_t set_{};
  sigset_t before_{};
};

/// Between fork and exec: nothing but system calls.
[[noreturn]] void become(char* const* arguments, const sigset_t& mask, bool quiet, pid_t parent) {
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(kNotStarted);
  if (quiet) {
    const int nowhere = ::open("/dev/null", O_WRONLY);
    if (nowhere >= 0) ::dup2(nowhere, STDOUT_FILENO);
  }
  ::execv(kSelf, arguments);
  ::_exit(kNotStarted);
}

}  // namespace

int run_self(const std::vector<std::string>& arguments, bool quiet) {
  std::vector<std::string> words = {"firstlight"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);

  const Deferred deferred;
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) {
    throw FailureError({ErrorClass::infrastructure, "no_process",
                        std::string("cannot start another process: ") + std::strerror(errno), "", "", "",
                        "the machine is out of memory or of processes"});
  }
  if (child == 0) become(pointers.data(), deferred.before(), quiet, parent);
  for (;;) {
    int status = 0;
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child) return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    int signal = 0;
    if (sigwait(&deferred.set(), &signal) == 0 && (signal == SIGTERM || signal == SIGHUP)) ::kill(child, signal);
  }
}

}  // namespace firstlight::cli
