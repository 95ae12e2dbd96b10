#include "lab/transports/time_base.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "lab/core/failure.h"
#include "lab/transports/file_descriptor.h"

namespace firstlight {

/// All of it is written between two steps of `turn`, which is odd meanwhile.
struct TimeBasePage {
  static constexpr std::uint64_t kMark = 0x31'45'53'41'42'4c'46'00;  // and the version of the layout
  std::atomic<std::uint64_t> mark;
  std::atomic<std::uint64_t> turn;
  std::atomic<std::int64_t> wall;   // the monotonic clock, ns
  std::atomic<std::int64_t> now;    // the table's time then, ps
  std::atomic<std::int64_t> until;  // up to which it passes by itself, ps
};
static_assert(std::atomic<std::int64_t>::is_always_lock_free, "processes share it");

namespace {

using SteadyClock = std::chrono::steady_clock;
using std::chrono::nanoseconds;

/// How often a table's time is looked at while it does not pass by itself.
constexpr nanoseconds kLook = std::chrono::microseconds(500);
constexpr Duration kLongest = std::chrono::hours(1);
/// How often whoever wants to know that this thread lives is told, at least, while a slow table keeps it waiting.
constexpr nanoseconds kTold = std::chrono::milliseconds(20);

nanoseconds wall_clock() { return std::chrono::duration_cast<nanoseconds>(SteadyClock::now().time_since_epoch()); }

[[noreturn]] void refuse(const std::string& symptom, const std::string& path, const std::string& why,
                         const std::string& cause) {
  throw FailureError(
      {ErrorClass::infrastructure, symptom, fmt::format("time base {}: {}", path, why), path, "", "", cause});
}

}  // namespace

TimeBasePublisher::TimeBasePublisher(std::string path) : path_(std::move(path)) {
  ::unlink(path_.c_str());
  const FileDescriptor file(::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file || ::ftruncate(file.get(), sizeof(TimeBasePage)) != 0 ||
      (mapping_ = host::Mapping::of_file(path_, 0, sizeof(TimeBasePage))) == nullptr)
    refuse("cannot_write", path_, std::strerror(errno), "the folder is gone, not writable, or full");
  // NOLINTNEXTLINE(cppcoreguidelines-owning-memory): it lies in the mapping, which owns it
  page_ = new (mapping_->bytes()) TimeBasePage{};
}

TimeBasePublisher::~TimeBasePublisher() { ::unlink(path_.c_str()); }

void TimeBasePublisher::publish(Instant now, Instant until) {
  page_->turn.fetch_add(1, std::memory_order_acq_rel);
  page_->wall.store(wall_clock().count(), std::memory_order_release);
  page_->now.store(now.time_since_epoch().count(), std::memory_order_release);
  page_->until.store(std::max(now, until).time_since_epoch().count(), std::memory_order_release);
  page_->turn.fetch_add(1, std::memory_order_release);
  page_->mark.store(TimeBasePage::kMark, std::memory_order_release);
}

TimeBaseSource::TimeBaseSource(const std::string& path) : TimeBaseSource(path, SteadyClock::now()) {}

TimeBaseSource::TimeBaseSource(const std::string& path, SteadyClock::time_point epoch) {
  const char* const start_it = "no model listens there; start it with: firstlight model --listen DIR";
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) refuse("no_time_base", path, std::strerror(errno), start_it);
  if (::lseek(file.get(), 0, SEEK_END) != sizeof(TimeBasePage))
    refuse("bad_time_base", path, "this file is no time base", "the bench file names another file");
  mapping_ = host::Mapping::of_file(path, 0, sizeof(TimeBasePage));
  if (mapping_ == nullptr) refuse("no_time_base", path, std::strerror(errno), "the model runs as another user");
  page_ = std::launder(reinterpret_cast<const TimeBasePage*>(mapping_->bytes()));
  if (page_->mark.load(std::memory_order_acquire) != TimeBasePage::kMark)
    refuse("bad_time_base", path, "nothing was published in it yet, or in another layout",
           "the model is only starting, or is of another version");
  start_ = read().now.time_since_epoch() - std::chrono::duration_cast<Duration>(SteadyClock::now() - epoch);
}

TimeBaseSource::Reading TimeBaseSource::read() const {
  nanoseconds wall{};
  Duration now{};
  Duration until{};
  for (;;) {
    const auto turn = page_->turn.load(std::memory_order_acquire);
    wall = nanoseconds(page_->wall.load(std::memory_order_acquire));
    now = Duration(page_->now.load(std::memory_order_acquire));
    until = Duration(page_->until.load(std::memory_order_acquire));
    if (turn % 2 == 0 && turn == page_->turn.load(std::memory_order_acquire)) break;
  }
  const nanoseconds since = std::max(wall_clock() - wall, nanoseconds(0));
  const auto calm = std::chrono::duration_cast<nanoseconds>(std::min(until - now, kLongest));
  if (since < calm) return {Instant(now + since), calm - since};
  const nanoseconds silent = since - calm;
  return {Instant(now + calm + std::max(silent - kSilence, nanoseconds(0))), nanoseconds(0)};
}

Instant TimeBaseSource::now() const {
  const std::int64_t now = (read().now.time_since_epoch() - start_).count();
  std::int64_t latest = latest_.load();
  while (latest < now && !latest_.compare_exchange_weak(latest, now)) {
  }
  return Instant(Duration(std::max(latest, now)));
}

void TimeBaseSource::advance(Instant until) {
  std::unique_lock lock(mutex_);
  for (Instant at = now(); at < until && !interrupted_; at = now()) {
    const Reading table = read();
    const auto left = std::chrono::duration_cast<nanoseconds>(std::min(until - at, kLongest)) + nanoseconds(1);
    const nanoseconds calm = std::max(table.calm, kLook);
    wake_.wait_for(lock, std::min({left, calm, kTold}));
    if (!while_waiting_) continue;
    lock.unlock();
    while_waiting_();
    lock.lock();
  }
  interrupted_ = false;
}

void TimeBaseSource::interrupt() {
  {
    const std::lock_guard lock(mutex_);
    interrupted_ = true;
  }
  wake_.notify_one();
}

}  // namespace firstlight
