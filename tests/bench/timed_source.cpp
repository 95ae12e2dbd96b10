#include "tests/bench/timed_source.h"

#include "tests/bench/results.h"

namespace bench {

void TimedSource::advance(firstlight::Instant until) {
  const firstlight::Instant from = source_.now();
  const double start = cpu_seconds();
  source_.advance(until);
  const double end = cpu_seconds();
  in_advance_ += end - start;
  if (!watcher_) return;
  watcher_(source_.now() - from, end - start);
  in_watcher_ += cpu_seconds() - end;
}

}  // namespace bench
