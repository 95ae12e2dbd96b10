#pragma once

#include <memory>

#include "lab/core/bench_time.h"

namespace firstlight::test {

/// Bench time for one fiber: sleeping makes it pass.
class FakeTime final : public BenchTime {
 public:
  Instant now() const override { return now_; }
  void sleep_until(Instant when) override {
    if (when > now_) now_ = when;
  }
  std::unique_ptr<Event> make_event() override { return std::make_unique<FakeEvent>(); }
  bool wait(Event& event, Instant deadline) override {
    if (!event.fired()) sleep_until(deadline);
    return event.fired();
  }
  void offload(const std::function<void()>& work) override { work(); }
  void post(std::function<void()> action) override { action(); }
  void pass(Duration d) { now_ += d; }

 private:
  class FakeEvent final : public Event {
   public:
    void fire() override { fired_ = true; }
    bool fired() const override { return fired_; }
    void reset() override { fired_ = false; }

   private:
    bool fired_ = false;
  };

  Instant now_{};
};

}  // namespace firstlight::test
