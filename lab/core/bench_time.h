#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <ratio>

#include "lab/core/quantity.h"

namespace firstlight {

/// Bench time in picoseconds: the wall clock on hardware, SystemC time on the model. Its epoch is the start of the run.
using Duration = std::chrono::duration<std::int64_t, std::pico>;
struct BenchClock {
  using rep = Duration::rep;
  using period = Duration::period;
  using duration = Duration;
  using time_point = std::chrono::time_point<BenchClock>;
  static constexpr bool is_steady = true;
};
using Instant = BenchClock::time_point;

inline constexpr Instant kNever = Instant::max();

inline double seconds(Duration d) { return std::chrono::duration<double>(d).count(); }
inline double seconds(Instant t) { return seconds(t.time_since_epoch()); }
inline Duration from_seconds(double s) { return Duration(static_cast<std::int64_t>(s * 1e12)); }
inline Duration to_duration(const Quantity& time) {
  if (time.dimension != Dimension::time) throw_dimension_mismatch(Dimension::time, time.dimension);
  return from_seconds(time.value);
}
inline Quantity to_quantity(Duration d) { return {seconds(d), Dimension::time}; }

/// Something that one fiber waits for and anyone on the bench thread fires: the end of a transfer, a pin that moved.
/// It stays fired until the next `reset`, so a fire between the check and the wait is not lost.
class Event {
 public:
  Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  virtual ~Event() = default;
  virtual void fire() = 0;
  virtual bool fired() const = 0;
  virtual void reset() = 0;
};

/// What code that runs in a fiber may do with time. There is one, owned by the runner; drivers and transports hold a
/// reference. All of it throws Cancelled when the fiber was told to stop.
class BenchTime {
 public:
  BenchTime() = default;
  BenchTime(const BenchTime&) = delete;
  BenchTime& operator=(const BenchTime&) = delete;
  virtual ~BenchTime() = default;

  virtual Instant now() const = 0;
  virtual void sleep_until(Instant when) = 0;
  void sleep(Duration d) { sleep_until(now() + d); }
  virtual std::unique_ptr<Event> make_event() = 0;
  /// Suspends the fiber until the event fires or the deadline passes. True when it fired.
  virtual bool wait(Event& event, Instant deadline) = 0;
  /// Runs blocking work on a worker thread while the fiber waits (in place when the source is not the wall clock, where
  /// blocking stops bench time as well). The work must bound itself: it is not interrupted. Throws what it throws.
  virtual void offload(const std::function<void()>& work) = 0;
  /// From any thread: has `action` run on the bench thread, outside of every fiber, as soon as possible.
  virtual void post(std::function<void()> action) = 0;
};

/// What makes bench time pass. The scheduler calls it, in one place, when every fiber waits.
class TimeSource {
 public:
  TimeSource() = default;
  TimeSource(const TimeSource&) = delete;
  TimeSource& operator=(const TimeSource&) = delete;
  virtual ~TimeSource() = default;

  virtual Instant now() const = 0;
  /// Lets time pass up to `until`; returns early, at a time of its own choice, when an Event was fired meanwhile (the
  /// scheduler calls `interrupt` from within Event::fire).
  virtual void advance(Instant until) = 0;
  /// Has `action` called on the bench thread now and then by the wall clock while `advance` waits for a clock that may
  /// fall behind it. Other sources have no need of it.
  virtual void while_waiting(const std::function<void()>& /*action*/) {}
  /// Brings a source that follows the wall clock up to it, before something that came from outside is looked at.
  virtual void catch_up() {}
  /// Makes the running `advance` return as soon as it can. Called on the bench thread, or from any thread where the
  /// source is the wall clock.
  virtual void interrupt() = 0;
};

}  // namespace firstlight
