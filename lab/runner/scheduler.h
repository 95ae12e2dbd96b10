#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lab/core/bench_time.h"

namespace firstlight {

/// The one scheduler: fibers on one thread that wait on bench time. Fibers run in a fixed order: in the order in which
/// they became ready, and those that a time makes ready in the order of (time, moment at which they began to wait).
/// So a run on a deterministic time source is deterministic.
class Scheduler final : public BenchTime {
 public:
  struct Options {
    /// The source is the wall clock: `post` may interrupt it from any thread, and `offload` uses worker threads.
    bool wall_clock = false;
    /// The longest single `advance`, so that what other threads post is seen in time on a source that cannot be
    /// interrupted from them.
    Duration slice = Duration::max();
    std::size_t stack_size = std::size_t{256} * 1024;
  };

  class Fiber;
  using Handle = std::shared_ptr<Fiber>;

  explicit Scheduler(TimeSource& source);
  Scheduler(TimeSource& source, Options options);
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;
  ~Scheduler() override;

  /// Runs `main` in a fiber, and all that it spawns, until it returns; then cancels what is left and waits for that.
  /// Throws what `main` threw. Throws std::logic_error when every fiber waits for something that can never come.
  void run(const std::function<void()>& main);

  // BenchTime: only within a fiber, but for now(), make_event(), post() and Event::fire().
  Instant now() const override;
  void sleep_until(Instant when) override;
  std::unique_ptr<Event> make_event() override;
  bool wait(Event& event, Instant deadline) override;
  void offload(const std::function<void()>& work) override;
  void post(std::function<void()> action) override;

  /// As TimeSource has it; with nothing to call, it is over.
  void while_waiting(const std::function<void()>& action);

  /// A new fiber, ready after all that are ready now.
  Handle spawn(std::string name, std::function<void()> body);
  /// Tells the fiber to stop: its present wait, or its next, throws Cancelled, as does every wait after that.
  void cancel(const Handle& fiber);
  /// Waits until the fiber is over. False when the deadline passed before that.
  bool join(const Handle& fiber, Instant deadline);
  static bool done(const Handle& fiber);
  /// What the fiber threw (never Cancelled), or null.
  static std::exception_ptr error(const Handle& fiber);
  /// True when the running fiber was told to stop.
  bool cancelled() const;
  /// Of the running fiber; empty outside of every fiber.
  std::string fiber_name() const;

  /// While one lives, waits of the running fiber do not throw Cancelled.
  class Shield {
   public:
    explicit Shield(Scheduler& scheduler);
    Shield(const Shield&) = delete;
    Shield& operator=(const Shield&) = delete;
    ~Shield();

   private:
    Fiber& fiber_;
  };

  enum class Bounded { done, timed_out, cancelled };
  /// Runs `body` in a fiber of its own until the deadline, then cancels it; the same when the caller is cancelled.
  /// Returns when the body is over in any case, and never throws Cancelled. What the body throws comes out.
  Bounded run_bounded(const std::string& name, Instant deadline, const std::function<void()>& body);
  /// Runs the branches at the same time, until all are over. A branch that returns false has the others cancelled; all
  /// are when the caller is (it returns then all the same: ask `cancelled()`). What a branch throws comes out.
  void run_parallel(const std::vector<std::function<bool()>>& branches);

  std::size_t fibers() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace firstlight
