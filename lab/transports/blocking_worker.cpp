#include "lab/transports/blocking_worker.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

namespace firstlight {

struct BlockingWorker::Job {
  Call call;
  std::function<void(const Call&)> work;
  std::exception_ptr error;
  /// Of the fiber that waits, null when none does any more. Only the bench thread touches it.
  Event* finished = nullptr;
};

class BlockingWorker::State {
 public:
  State(BenchTime& time, std::function<void()> interrupt)
      : time_(time), interrupt_(std::move(interrupt)), thread_([this] { serve(); }) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
      queue_.clear();
      if (running_) stop_running();
    }
    changed_.notify_all();
    thread_.join();
  }

  void submit(std::shared_ptr<Job> job) {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(job));
    changed_.notify_one();
  }

  void abandon(const std::shared_ptr<Job>& job) {
    const std::lock_guard lock(mutex_);
    queue_.erase(std::remove(queue_.begin(), queue_.end(), job), queue_.end());
    if (running_ == job) stop_running();
  }

 private:
  void stop_running() {
    running_->call.stopped = true;
    if (interrupt_) interrupt_();
  }

  void serve() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return closed_ || !queue_.empty(); });
      if (closed_) return;
      running_ = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      perform(*running_);
      lock.lock();
      const std::shared_ptr<Job> job = std::move(running_);
      running_.reset();
      // Within the lock: once closed, the scheduler may be gone.
      if (!closed_)
        time_.post([job] {
          if (job->finished != nullptr) job->finished->fire();
        });
    }
  }

  static void perform(Job& job) {
    try {
      job.work(job.call);
    } catch (...) {
      job.error = std::current_exception();
    }
    job.work = nullptr;
  }

  BenchTime& time_;
  const std::function<void()> interrupt_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool closed_ = false;
  std::deque<std::shared_ptr<Job>> queue_;
  std::shared_ptr<Job> running_;
  std::thread thread_;
};

std::chrono::milliseconds BlockingWorker::Call::left() const {
  return std::max(std::chrono::milliseconds(0),
                  std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()));
}

BlockingWorker::BlockingWorker(BenchTime& time, std::function<void()> interrupt)
    : time_(time), state_(std::make_shared<State>(time, std::move(interrupt))) {}
BlockingWorker::~BlockingWorker() = default;

bool BlockingWorker::run_call(Instant deadline, std::function<void(const Call&)> work) {
  // A deadline of kNever must not overflow the other clock.
  constexpr Duration kLongest = std::chrono::hours(24);
  const Duration left = std::min(kLongest, deadline - time_.now());
  const std::unique_ptr<Event> finished = time_.make_event();
  const auto job = std::make_shared<Job>();
  job->call.end = Clock::now() + std::chrono::duration_cast<Clock::duration>(left);
  job->work = std::move(work);
  job->finished = finished.get();
  state_->submit(job);
  bool over = false;
  try {
    over = time_.wait(*finished, deadline);
  } catch (...) {
    job->finished = nullptr;
    state_->abandon(job);
    throw;
  }
  job->finished = nullptr;
  if (!over) {
    state_->abandon(job);
    return false;
  }
  if (job->error) std::rethrow_exception(job->error);
  return true;
}

}  // namespace firstlight
