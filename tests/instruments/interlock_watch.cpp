#include "tests/instruments/interlock_watch.h"

#include <algorithm>

namespace firstlight::instruments {

InterlockWatch::InterlockWatch(Scheduler& time, ByteStream& sensor) : time_(time), sensor_(sensor) {
  fiber_ = time.spawn("interlock", [this] { watch(); });
  thread_ = std::thread([this] { watch_machine(); });
}

InterlockWatch::~InterlockWatch() { stop(); }

bool InterlockWatch::stop() {
  time_.cancel(fiber_);
  time_.join(fiber_, kNever);
  over_ = true;
  if (thread_.joinable()) thread_.join();
  return !blind_;
}

void InterlockWatch::watch() {
  for (Instant due = time_.now() + kPeriod;; due = std::max(due + kPeriod, time_.now())) {
    time_.sleep_until(due);
    worst_ = std::max(worst_, time_.now() - due);
    ++samples_;
    const Instant deadline = time_.now() + 100 * kPeriod;
    blind_ = blind_ || sensor_.write("MEAS:VOLT?\n", deadline).status != StreamStatus::ok ||
             sensor_.read_until('\n', deadline).status != StreamStatus::ok;
    worst_answer_ = std::max(worst_answer_, time_.now() - due);
  }
}

void InterlockWatch::watch_machine() {
  using Clock = std::chrono::steady_clock;
  constexpr auto kStep = std::chrono::milliseconds(10);
  for (auto due = Clock::now() + kStep; !over_; due = std::max(due + kStep, Clock::now())) {
    std::this_thread::sleep_until(due);
    const Duration late = Clock::now() - due;
    machine_ = std::max(machine_.load(), late.count());
  }
}

}  // namespace firstlight::instruments
