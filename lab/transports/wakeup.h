#pragma once

#include <functional>
#include <memory>

#include "lab/core/bench_time.h"

namespace firstlight {

/// An Event that other threads may signal, also after the fiber has given up waiting and after this object is gone:
/// then nothing is posted any more.
class Wakeup {
 public:
  explicit Wakeup(BenchTime& time);
  Wakeup(const Wakeup&) = delete;
  Wakeup& operator=(const Wakeup&) = delete;
  ~Wakeup();

  /// Begins a new round. What is returned may be called once, from any thread; it has no effect on later rounds.
  std::function<void()> arm();
  /// Waits for the signal of the present round. False when the deadline passed first. Throws Cancelled.
  bool wait(Instant deadline);

 private:
  struct State;
  BenchTime& time_;
  std::shared_ptr<State> state_;
};

}  // namespace firstlight
