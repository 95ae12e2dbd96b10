#pragma once

#include <algorithm>
#include <functional>
#include <map>

#include "lab/core/bench_time.h"

namespace firstlight::test {

/// Bench time that passes at no cost, with things that happen at given times while it does (as processes of a model
/// do).
class FakeTime final : public TimeSource {
 public:
  Instant now() const override { return now_; }
  void advance(Instant until) override {
    ++advances;
    interrupted_ = false;
    while (!interrupted_) {
      const auto next = happenings_.begin();
      if (next == happenings_.end() || next->first > until) break;
      now_ = std::max(now_, next->first);
      const auto what = std::move(next->second);
      happenings_.erase(next);
      what();
    }
    if (!interrupted_ && until != kNever) now_ = std::max(now_, until);
  }
  void interrupt() override { interrupted_ = true; }

  void at(Duration when, std::function<void()> what) { happenings_.emplace(Instant(when), std::move(what)); }
  int advances = 0;

 private:
  Instant now_{};
  bool interrupted_ = false;
  std::multimap<Instant, std::function<void()>> happenings_;
};

inline Duration ms(std::int64_t n) { return std::chrono::milliseconds(n); }
inline Instant at_ms(std::int64_t n) { return Instant(ms(n)); }

}  // namespace firstlight::test
