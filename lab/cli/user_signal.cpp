#include "lab/cli/user_signal.h"

#include <utility>

namespace firstlight::cli {

UserSignal::UserSignal(std::function<void()> heard) : heard_(std::move(heard)) {
  sigset_t mine;
  sigemptyset(&mine);
  sigaddset(&mine, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &mine, &before_);
  thread_ = std::thread([this, mine] {
    for (;;) {
      int signal = 0;
      if (sigwait(&mine, &signal) != 0) continue;
      if (ending_) return;
      heard_();
    }
  });
}

UserSignal::~UserSignal() {
  ending_ = true;
  pthread_kill(thread_.native_handle(), SIGUSR1);
  thread_.join();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace firstlight::cli
