#pragma once

#include <functional>
#include <mutex>
#include <utility>

#include "lab/core/bench_time.h"

namespace firstlight::agent {

/// The way from the I/O thread to the bench thread, which may be gone before the I/O thread is.
class BenchGate {
 public:
  explicit BenchGate(BenchTime& time) : time_(time) {}

  /// From any thread. Nothing happens once the gate is closed.
  void post(std::function<void()> action) {
    const std::lock_guard lock(mutex_);
    if (open_) time_.post(std::move(action));
  }
  void close() {
    const std::lock_guard lock(mutex_);
    open_ = false;
  }

 private:
  BenchTime& time_;
  std::mutex mutex_;
  bool open_ = true;
};

}  // namespace firstlight::agent
