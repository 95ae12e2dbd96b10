#pragma once

#include <csignal>
#include <functional>
#include <thread>

namespace firstlight::cli {

/// While one lives, SIGINT, SIGTERM and SIGHUP reach no thread that is started, unless it waits for them; and writing
/// to a pipe that nobody reads is an error instead of the end of the program. Make one before anything that starts
/// threads: the kernel gives a signal to any thread that takes it, and one would end the program with the bench
/// energised.
class SignalBlock {
 public:
  SignalBlock();
  SignalBlock(const SignalBlock&) = delete;
  SignalBlock& operator=(const SignalBlock&) = delete;
  ~SignalBlock();

 private:
  sigset_t before_{};
};

/// While one lives, SIGINT, SIGTERM and SIGHUP do not end the program: a thread takes them and says which came. The
/// third one ends the program at once, with 130, for when even the safe state hangs. Needs a SignalBlock.
class SignalWatch {
 public:
  explicit SignalWatch(std::function<void(int signal)> heard);
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;
  ~SignalWatch();

 private:
  std::function<void(int)> heard_;
  std::thread thread_;
};

}  // namespace firstlight::cli
