#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lab/core/bench_time.h"

namespace firstlight {

enum class StreamStatus : std::uint8_t { ok, timeout, closed, io_error };

struct StreamResult {
  StreamStatus status = StreamStatus::ok;
  std::string data;    // for reads: what came, also when it was not enough
  std::string detail;  // what the transport said, for messages
};

/// A byte stream to an instrument or a console. Never throws for what happens on the wires.
class ByteStream {
 public:
  ByteStream() = default;
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;
  virtual ~ByteStream() = default;

  virtual StreamResult write(std::string_view bytes, Instant deadline) = 0;
  /// Reads to the terminator, which is part of the data.
  virtual StreamResult read_until(char terminator, Instant deadline) = 0;
  /// Reads exactly `count` bytes.
  virtual StreamResult read_exactly(std::size_t count, Instant deadline) = 0;
  /// Drops and returns what has come and was not read.
  virtual std::string drain() = 0;
  virtual std::string name() const = 0;
  /// After `closed` or `io_error`: connects again; what came before and was not read is dropped. Whoever is there now
  /// may be another one, or may have lost its settings: the caller finds out.
  virtual StreamResult reopen(Instant deadline) {
    (void)deadline;
    return {StreamStatus::closed, {}, "this kind of connection is not opened again"};
  }
};

}  // namespace firstlight
