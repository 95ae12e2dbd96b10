#pragma once

#include <deque>

#include "lab/core/bench_time.h"

namespace firstlight {

/// Lets one fiber at a time talk to a part, in the order in which they came: a PAGE and the command that follows it, or
/// a query and its answer, must not be torn apart by another fiber. A fiber must not take a turn that it holds.
class Turns {
 public:
  explicit Turns(BenchTime& time) : time_(time) {}
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;
  ~Turns() = default;

  class Hold {
   public:
    explicit Hold(Turns& turns) : turns_(turns) { turns_.take(); }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    ~Hold() { turns_.give(); }

   private:
    Turns& turns_;
  };

 private:
  void take();
  void give();

  BenchTime& time_;
  bool taken_ = false;
  std::deque<Event*> waiting_;
};

}  // namespace firstlight
