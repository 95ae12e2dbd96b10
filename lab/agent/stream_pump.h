#pragma once

#include <functional>
#include <memory>

#include "lab/agent/bench_gate.h"
#include "lab/runner/scheduler.h"
#include "lab/transports/byte_stream.h"
#include "lab/transports/io_thread.h"

namespace firstlight::agent {

/// Carries bytes between a descriptor (socket or terminal) and a stream of the bench thread, both ways.
class StreamPump {
 public:
  StreamPump() = default;
  StreamPump(const StreamPump&) = delete;
  StreamPump& operator=(const StreamPump&) = delete;
  virtual ~StreamPump() = default;

  /// On the bench thread, once.
  virtual void start() = 0;
  /// On the bench thread: nothing is carried any more.
  virtual void stop() = 0;
};

/// @param descriptor is taken over
/// @param ended called on the bench thread when the other side has closed
std::shared_ptr<StreamPump> make_stream_pump(Scheduler& scheduler, IoThread& io, std::shared_ptr<BenchGate> gate,
                                             int descriptor, std::unique_ptr<ByteStream> stream,
                                             std::function<void()> ended);

}  // namespace firstlight::agent
