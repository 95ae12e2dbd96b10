#include "lab/cli/signal_watch.h"

#include <unistd.h>

#include <string_view>
#include <utility>

namespace firstlight::cli {

namespace {

constexpr int kLast = 3;

sigset_t watched() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  // A terminal that is closed, unless whoever started this (nohup, say) wants it to go on.
  struct sigaction hang_up {};
  if (::sigaction(SIGHUP, nullptr, &hang_up) == 0 && hang_up.sa_handler != SIG_IGN) sigaddset(&set, SIGHUP);
  sigaddset(&set, SIGUSR2);  // how the destructor ends the thread
  return set;
}

}  // namespace

SignalBlock::SignalBlock() {
  const sigset_t set = watched();
  pthread_sigmask(SIG_BLOCK, &set, &before_);
  // Not blocked: one that is pending would end the program as soon as it is let through.
  std::signal(SIGPIPE, SIG_IGN);
  // A limit on the size of files is to be met as a full disk is.
  std::signal(SIGXFSZ, SIG_IGN);
}

SignalBlock::~SignalBlock() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

SignalWatch::SignalWatch(std::function<void(int)> heard) : heard_(std::move(heard)) {
  thread_ = std::thread([this] {
    const sigset_t mine = watched();
    bool hung_up = false;
    for (int count = 0;;) {
      int signal = 0;
      if (sigwait(&mine, &signal) != 0) continue;
      if (signal == SIGUSR2) return;
      // The kernel, the shell and a session manager may each send one for the same lost terminal.
      if (signal == SIGHUP && std::exchange(hung_up, true)) continue;
      if (++count >= kLast) {
        constexpr std::string_view kWords =
            "\nfirstlight: ended at once. The bench may still be energised: see ledger.jsonl of the run.\n";
        [[maybe_unused]] const auto ignored = ::write(STDERR_FILENO, kWords.data(), kWords.size());
        ::_exit(128 + SIGINT);
      }
      heard_(signal);
    }
  });
}

SignalWatch::~SignalWatch() {
  pthread_kill(thread_.native_handle(), SIGUSR2);
  thread_.join();
}

}  // namespace firstlight::cli
