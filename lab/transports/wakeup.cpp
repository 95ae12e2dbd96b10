#include "lab/transports/wakeup.h"

#include <mutex>

namespace firstlight {

struct Wakeup::State {
  std::mutex mutex;
  BenchTime* time = nullptr;     // null once nobody is there to be woken; guarded by the mutex
  std::unique_ptr<Event> event;  // this and the round are the bench thread's
  std::uint64_t round = 0;
};

Wakeup::Wakeup(BenchTime& time) : time_(time), state_(std::make_shared<State>()) {
  state_->time = &time;
  state_->event = time.make_event();
}

Wakeup::~Wakeup() {
  const std::lock_guard lock(state_->mutex);
  state_->time = nullptr;
}

std::function<void()> Wakeup::arm() {
  state_->event->reset();
  return [state = state_, round = ++state_->round] {
    const std::lock_guard lock(state->mutex);
    if (state->time == nullptr) return;
    state->time->post([state, round] {
      if (state->round == round) state->event->fire();
    });
  };
}

bool Wakeup::wait(Instant deadline) { return time_.wait(*state_->event, deadline); }

}  // namespace firstlight
