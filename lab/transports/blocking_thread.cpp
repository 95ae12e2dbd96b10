#include "lab/transports/blocking_thread.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace firstlight {

struct BlockingThread::State {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> calls;
  bool over = false;

  void serve() {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [this] { return over || !calls.empty(); });
      if (calls.empty()) return;
      const std::function<void()> call = std::move(calls.front());
      calls.pop_front();
      lock.unlock();
      call();
      lock.lock();
    }
  }
};

BlockingThread::~BlockingThread() {
  if (!state_) return;
  const std::lock_guard lock(state_->mutex);
  state_->over = true;
  state_->changed.notify_one();
}

bool BlockingThread::run(std::function<void()> work, Instant deadline) {
  if (!state_) {
    state_ = std::make_shared<State>();
    // Detached: a call that never returns must not keep the bench from ending.
    std::thread([state = state_] { state->serve(); }).detach();
  }
  {
    const std::lock_guard lock(state_->mutex);
    state_->calls.push_back([work = std::move(work), signal = wakeup_.arm()] {
      work();
      signal();
    });
    state_->changed.notify_one();
  }
  return wakeup_.wait(deadline);
}

}  // namespace firstlight
