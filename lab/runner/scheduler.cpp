#include "lab/runner/scheduler.h"

#include <cxxabi.h>

#include <algorithm>
#include <atomic>
#include <boost/context/fiber.hpp>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <utility>

#include "lab/core/failure.h"
#include "lab/runner/stack_pool.h"
#include "lab/runner/worker_pool.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace firstlight {

namespace {

namespace context = boost::context;
using TimerKey = std::pair<Instant, std::uint64_t>;

/// The C++ runtime keeps the stack of caught exceptions per thread, so it has to be changed with the fiber: otherwise
/// two fibers that wait inside catch blocks free each other's exceptions.
struct ExceptionState {
  void* caught = nullptr;
  unsigned int uncaught = 0;

  void swap_with_thread() {
    auto* globals = reinterpret_cast<ExceptionState*>(abi::__cxa_get_globals());
    std::swap(caught, globals->caught);
    std::swap(uncaught, globals->uncaught);
  }
};

}  // namespace

class Scheduler::Fiber {
 public:
  enum class State : std::uint8_t { ready, running, waiting, over };

  std::string name;
  std::function<void()> body;
  context::fiber self;
  context::fiber scheduler;
  ExceptionState exceptions;
  State state = State::ready;
  bool cancelled = false;
  int shields = 0;
  std::exception_ptr error;
  std::optional<TimerKey> timer;
  std::vector<Handle>* waiting_in = nullptr;  // the event's or fiber's list of who waits for it
  std::vector<Handle> joiners;
  context::stack_context stack;
  void* fake_stack = nullptr;  // ASan's
};

class Scheduler::Impl {
 public:
  Impl(TimeSource& source, Options options) : source_(source), options_(options), stacks_(options.stack_size) {}

  TimeSource& source() { return source_; }
  const TimeSource& source() const { return source_; }
  const Options& options() const { return options_; }
  WorkerPool& workers() { return workers_; }
  const Handle& current() const { return current_; }
  std::size_t alive() const { return alive_; }

  Handle& running() {
    if (!current_) throw std::logic_error("waiting is possible only in a fiber of the scheduler");
    return current_;
  }

  Handle spawn(std::string name, std::function<void()> body);
  void cancel(const Handle& fiber);
  /// Suspends the running fiber until woken or until the deadline. `list` is where who wakes it looks for it.
  void suspend(Instant deadline, std::vector<Handle>* list);
  void wake(const Handle& fiber);
  void wake_all(std::vector<Handle>& list);
  void run(const std::function<void()>& main);
  void post(std::function<void()> action);
  static void throw_if_cancelled(const Fiber& fiber) {
    if (fiber.cancelled && fiber.shields == 0) throw Cancelled{};
  }

 private:
  void resume(const Handle& fiber);
  void switch_to_scheduler(Fiber& fiber);
  void body_of(Fiber& fiber);
  void turn(const std::function<bool()>& finished);
  void let_time_pass();
  void unwind_all();
  void wake_timers();
  void take_posts();

  TimeSource& source_;
  const Options options_;
  StackPool stacks_;
  WorkerPool workers_;
  Handle current_;
  std::deque<Handle> ready_;
  std::map<TimerKey, Handle> timers_;
  std::vector<Handle> all_;
  std::uint64_t sequence_ = 0;
  std::size_t alive_ = 0;
  bool advancing_ = false;
  std::atomic<bool> posted_{false};
  std::mutex posts_mutex_;
  std::vector<std::function<void()>> posts_;
#if defined(__SANITIZE_ADDRESS__)
  void* fake_stack_ = nullptr;
  const void* stack_bottom_ = nullptr;
  std::size_t stack_size_ = 0;
#endif
};

namespace {

class FiberEvent final : public Event {
 public:
  using Waiters = std::vector<Scheduler::Handle>;
  explicit FiberEvent(std::function<void(Waiters&)> wake_all) : wake_all_(std::move(wake_all)) {}
  void fire() override {
    fired_ = true;
    if (!waiters_.empty()) wake_all_(waiters_);
  }
  bool fired() const override { return fired_; }
  void reset() override { fired_ = false; }
  Waiters& waiters() { return waiters_; }

 private:
  std::function<void(Waiters&)> wake_all_;
  Waiters waiters_;
  bool fired_ = false;
};

}  // namespace

Scheduler::Handle Scheduler::Impl::spawn(std::string name, std::function<void()> body) {
  auto fiber = std::make_shared<Fiber>();
  fiber->name = std::move(name);
  fiber->body = std::move(body);
  Fiber* raw = fiber.get();
  fiber->self =
      context::fiber(std::allocator_arg, StackPool::Allocator(stacks_, raw->stack), [this, raw](context::fiber&& from) {
        raw->scheduler = std::move(from);
#if defined(__SANITIZE_ADDRESS__)
        __sanitizer_finish_switch_fiber(nullptr, &stack_bottom_, &stack_size_);
#endif
        body_of(*raw);
#if defined(__SANITIZE_ADDRESS__)
        __sanitizer_start_switch_fiber(nullptr, stack_bottom_, stack_size_);
#endif
        return std::move(raw->scheduler);
      });
  ++alive_;
  all_.push_back(fiber);
  ready_.push_back(fiber);
  return fiber;
}

void Scheduler::Impl::body_of(Fiber& fiber) {
  try {
    if (!fiber.cancelled) fiber.body();
  } catch (const Cancelled&) {
    // The end that was asked for.
  } catch (const context::detail::forced_unwind&) {
    throw;
  } catch (...) {
    fiber.error = std::current_exception();
  }
  fiber.body = nullptr;
}

void Scheduler::Impl::resume(const Handle& fiber) {
  fiber->state = Fiber::State::running;
  current_ = fiber;
  fiber->exceptions.swap_with_thread();
#if defined(__SANITIZE_ADDRESS__)
  const void* bottom = static_cast<char*>(fiber->stack.sp) - fiber->stack.size;
  __sanitizer_start_switch_fiber(&fake_stack_, bottom, fiber->stack.size);
#endif
  fiber->self = std::move(fiber->self).resume();
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(fake_stack_, nullptr, nullptr);
#endif
  fiber->exceptions.swap_with_thread();
  current_.reset();
  if (fiber->self) return;
  fiber->state = Fiber::State::over;
  --alive_;
  all_.erase(std::find(all_.begin(), all_.end(), fiber));
  wake_all(fiber->joiners);
}

void Scheduler::Impl::switch_to_scheduler(Fiber& fiber) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(&fiber.fake_stack, stack_bottom_, stack_size_);
#endif
  fiber.scheduler = std::move(fiber.scheduler).resume();
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(fiber.fake_stack, &stack_bottom_, &stack_size_);
#endif
}

void Scheduler::Impl::suspend(Instant deadline, std::vector<Handle>* list) {
  const Handle fiber = running();
  throw_if_cancelled(*fiber);
  fiber->state = Fiber::State::waiting;
  fiber->waiting_in = list;
  if (list != nullptr) list->push_back(fiber);
  if (deadline != kNever) {
    fiber->timer = TimerKey{deadline, sequence_++};
    timers_.emplace(*fiber->timer, fiber);
  }
  switch_to_scheduler(*fiber);
  throw_if_cancelled(*fiber);
}

void Scheduler::Impl::wake(const Handle& fiber) {
  if (fiber->state != Fiber::State::waiting) return;
  if (fiber->timer) {
    timers_.erase(*fiber->timer);
    fiber->timer.reset();
  }
  if (fiber->waiting_in != nullptr) {
    auto& list = *fiber->waiting_in;
    list.erase(std::find(list.begin(), list.end(), fiber));
    fiber->waiting_in = nullptr;
  }
  fiber->state = Fiber::State::ready;
  ready_.push_back(fiber);
  if (advancing_) source_.interrupt();
}

void Scheduler::Impl::wake_all(std::vector<Handle>& list) {
  while (!list.empty()) wake(Handle(list.front()));
}

void Scheduler::Impl::cancel(const Handle& fiber) {
  if (fiber->state == Fiber::State::over) return;
  fiber->cancelled = true;
  if (fiber->shields == 0) wake(fiber);
}

void Scheduler::Impl::post(std::function<void()> action) {
  {
    const std::lock_guard lock(posts_mutex_);
    posts_.push_back(std::move(action));
    posted_ = true;
  }
  if (options_.wall_clock) source_.interrupt();
}

void Scheduler::Impl::take_posts() {
  std::vector<std::function<void()>> posts;
  {
    const std::lock_guard lock(posts_mutex_);
    posts.swap(posts_);
    posted_ = false;
  }
  for (auto& action : posts) action();
}

void Scheduler::Impl::wake_timers() {
  const Instant now = source_.now();
  while (!timers_.empty() && timers_.begin()->first.first <= now) wake(Handle(timers_.begin()->second));
}

/// The one place in which bench time passes.
void Scheduler::Impl::let_time_pass() {
  const Instant before = source_.now();
  Instant until = timers_.empty() ? kNever : timers_.begin()->first.first;
  const bool endless = until == kNever;
  if (until > before) {
    if (options_.slice != Duration::max()) until = std::min(until, before + options_.slice);
    advancing_ = true;
    source_.advance(until);
    advancing_ = false;
  }
  wake_timers();
  if (endless && ready_.empty() && !posted_ && !options_.wall_clock && source_.now() == before) {
    throw std::logic_error("every fiber waits, and nothing on the bench can wake one");
  }
}

void Scheduler::Impl::turn(const std::function<bool()>& finished) {
  while (!finished()) {
    if (posted_) {
      if (options_.wall_clock) source_.catch_up();
      take_posts();
    }
    if (ready_.empty()) {
      let_time_pass();
      continue;
    }
    const Handle next = std::move(ready_.front());
    ready_.pop_front();
    resume(next);
  }
}

void Scheduler::Impl::unwind_all() {
  const std::vector<Handle> left = all_;
  for (const auto& fiber : left) cancel(fiber);
  turn([this] { return alive_ == 0; });
}

void Scheduler::Impl::run(const std::function<void()>& main) {
  const Handle first = spawn("main", main);
  try {
    turn([&] { return first->state == Fiber::State::over; });
  } catch (...) {
    advancing_ = false;
    unwind_all();
    throw;
  }
  unwind_all();
  if (first->error) std::rethrow_exception(first->error);
}

Scheduler::Scheduler(TimeSource& source) : Scheduler(source, Options{}) {}
Scheduler::Scheduler(TimeSource& source, Options options) : impl_(std::make_unique<Impl>(source, options)) {}
Scheduler::~Scheduler() = default;

void Scheduler::run(const std::function<void()>& main) { impl_->run(main); }
Instant Scheduler::now() const { return impl_->source().now(); }
void Scheduler::post(std::function<void()> action) { impl_->post(std::move(action)); }
void Scheduler::while_waiting(const std::function<void()>& action) { impl_->source().while_waiting(action); }
std::size_t Scheduler::fibers() const { return impl_->alive(); }
void Scheduler::sleep_until(Instant when) { impl_->suspend(when, nullptr); }

std::unique_ptr<Event> Scheduler::make_event() {
  return std::make_unique<FiberEvent>([impl = impl_.get()](FiberEvent::Waiters& waiters) { impl->wake_all(waiters); });
}

bool Scheduler::wait(Event& event, Instant deadline) {
  auto& own = dynamic_cast<FiberEvent&>(event);
  Impl::throw_if_cancelled(*impl_->running());
  if (own.fired()) return true;
  if (deadline <= now()) return false;
  impl_->suspend(deadline, &own.waiters());
  return own.fired();
}

Scheduler::Handle Scheduler::spawn(std::string name, std::function<void()> body) {
  return impl_->spawn(std::move(name), std::move(body));
}

void Scheduler::cancel(const Handle& fiber) { impl_->cancel(fiber); }
bool Scheduler::done(const Handle& fiber) { return fiber->state == Fiber::State::over; }
std::exception_ptr Scheduler::error(const Handle& fiber) { return fiber->error; }
bool Scheduler::cancelled() const { return impl_->current() && impl_->current()->cancelled; }
std::string Scheduler::fiber_name() const { return impl_->current() ? impl_->current()->name : std::string(); }

bool Scheduler::join(const Handle& fiber, Instant deadline) {
  if (!done(fiber)) impl_->suspend(deadline, &fiber->joiners);
  return done(fiber);
}

Scheduler::Shield::Shield(Scheduler& scheduler) : fiber_(*scheduler.impl_->running()) { ++fiber_.shields; }
Scheduler::Shield::~Shield() { --fiber_.shields; }

Scheduler::Bounded Scheduler::run_bounded(const std::string& name, Instant deadline,
                                          const std::function<void()>& body) {
  const Handle child = spawn(name, body);
  Bounded how = Bounded::done;
  try {
    if (!join(child, deadline)) how = Bounded::timed_out;
  } catch (const Cancelled&) {
    how = Bounded::cancelled;
  }
  if (how != Bounded::done) {
    cancel(child);
    const Shield shield(*this);
    while (!join(child, kNever)) {
    }
  }
  if (child->error) std::rethrow_exception(child->error);
  return how;
}

void Scheduler::run_parallel(const std::vector<std::function<bool()>>& branches) {
  std::vector<Handle> children;
  const auto cancel_all = [&] {
    for (const auto& child : children) cancel(child);
  };
  for (const auto& branch : branches) {
    children.push_back(spawn("branch", [&branch, &cancel_all] {
      if (!branch()) cancel_all();
    }));
  }
  for (const auto& child : children) {
    try {
      while (!join(child, kNever)) {
      }
    } catch (const Cancelled&) {
      cancel_all();
      const Shield shield(*this);
      while (!join(child, kNever)) {
      }
    }
  }
  for (const auto& child : children) {
    if (child->error) std::rethrow_exception(child->error);
  }
}

void Scheduler::offload(const std::function<void()>& work) {
  if (!impl_->options().wall_clock) {
    work();
    return;
  }
  const auto finished = make_event();
  std::exception_ptr error;
  impl_->workers().submit([&] {
    try {
      work();
    } catch (...) {
      error = std::current_exception();
    }
    post([&finished] { finished->fire(); });
  });
  {
    // The work uses this fiber's stack: it must be over before the fiber may end.
    const Shield shield(*this);
    wait(*finished, kNever);
  }
  if (error) std::rethrow_exception(error);
  Impl::throw_if_cancelled(*impl_->running());
}

}  // namespace firstlight
