#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "lab/transports/wakeup.h"

namespace firstlight {

/// A thread for calls that block and that nobody can bound or interrupt well: name resolution, libraries without an
/// asynchronous interface. Unlike with BenchTime::offload, a fiber that stops waiting (deadline, cancelled) leaves at
/// once. The call goes on alone, so it must own all that it touches; calls after it wait for their turn.
class BlockingThread {
 public:
  explicit BlockingThread(BenchTime& time) : wakeup_(time) {}
  BlockingThread(const BlockingThread&) = delete;
  BlockingThread& operator=(const BlockingThread&) = delete;
  /// Does not wait for a call that still runs.
  ~BlockingThread();

  /// @param work does not throw
  /// @return what it returned, or nothing when the deadline passed first. Throws Cancelled.
  template <class Result>
  std::optional<Result> call(std::function<Result()> work, Instant deadline) {
    const auto result = std::make_shared<std::optional<Result>>();
    if (!run([result, work = std::move(work)] { *result = work(); }, deadline)) return std::nullopt;
    return std::move(*result);
  }

 private:
  struct State;
  bool run(std::function<void()> work, Instant deadline);

  Wakeup wakeup_;
  std::shared_ptr<State> state_;
};

}  // namespace firstlight
