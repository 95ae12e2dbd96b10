#pragma once

#include <atomic>
#include <csignal>
#include <functional>
#include <thread>

namespace firstlight::cli {

/// While one lives, SIGUSR1 does not end the program but calls `heard`, on a thread of its own. Make one before
/// anything that starts threads.
class UserSignal {
 public:
  explicit UserSignal(std::function<void()> heard);
  UserSignal(const UserSignal&) = delete;
  UserSignal& operator=(const UserSignal&) = delete;
  ~UserSignal();

 private:
  std::function<void()> heard_;
  std::atomic<bool> ending_{false};
  sigset_t before_{};
  std::thread thread_;
};

}  // namespace firstlight::cli
