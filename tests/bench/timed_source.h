#pragma once

#include <functional>

#include "lab/core/bench_time.h"

namespace bench {

/// A time source that passes on another one, and measures the processor time that its `advance` takes.
class TimedSource final : public firstlight::TimeSource {
 public:
  explicit TimedSource(firstlight::TimeSource& source) : source_(source) {}

  /// Called after each advance with the bench time that passed and what it took; its own time counts nowhere.
  using Watcher = std::function<void(firstlight::Duration passed, double cpu_seconds)>;
  void watch(Watcher watcher) { watcher_ = std::move(watcher); }
  double cpu_in_advance() const { return in_advance_; }
  double cpu_in_watcher() const { return in_watcher_; }

  firstlight::Instant now() const override { return source_.now(); }
  void advance(firstlight::Instant until) override;
  void interrupt() override { source_.interrupt(); }

 private:
  firstlight::TimeSource& source_;
  Watcher watcher_;
  double in_advance_ = 0;
  double in_watcher_ = 0;
};

}  // namespace bench
