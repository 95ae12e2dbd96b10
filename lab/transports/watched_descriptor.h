#pragma once

#include <memory>

#include "lab/core/bench_time.h"
#include "lab/transports/file_descriptor.h"

namespace firstlight {

class IoThread;

/// A descriptor that never blocks, and on whose readiness fibers wait while the bench goes on: the IoThread watches it.
/// Only one fiber may wait at a time.
class WatchedDescriptor {
 public:
  /// @param io outlives this object
  WatchedDescriptor(FileDescriptor descriptor, BenchTime& time, IoThread& io);
  WatchedDescriptor(const WatchedDescriptor&) = delete;
  WatchedDescriptor& operator=(const WatchedDescriptor&) = delete;
  ~WatchedDescriptor();

  int get() const;
  /// False when the deadline passed first. True may be a false alarm: the next call may still say EAGAIN. Throws
  /// Cancelled.
  bool wait_readable(Instant deadline);
  bool wait_writable(Instant deadline);
  /// Takes it back; nothing waits for it any more.
  FileDescriptor release();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace firstlight
