#pragma once

#include <csignal>
#include <functional>
#include <thread>

namespace firstlight::cli {

/// While one lives, SIGINT and SIGTERM do not end the program: a thread takes them and says which came. The third one
/// ends the program at once, with 130, for when even the safe state hangs.
class SignalWatch {
 public:
  explicit SignalWatch(std::function<void(int signal)> heard);
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;
  ~SignalWatch();

 private:
  std::function<void(int)> heard_;
  sigset_t before_{};
  std::thread thread_;
};

}  // namespace firstlight::cli
