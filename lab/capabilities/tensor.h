#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lab/core/bench_time.h"

namespace firstlight {

struct TensorShape {
  unsigned rows = 0;
  unsigned columns = 0;
};

/// Why the engine has stopped.
struct TensorError {
  std::string name;  // "bad_shape", "accumulator_unset", ...: the register map's names
  std::uint32_t tag = 0;
  std::uint32_t detail = 0;
  std::string text;  // all of it in words
};

/// Core cycles since the counters were cleared. Each cycle is one of the first six.
struct TensorCounters {
  std::uint64_t active = 0;  // a vector was issued
  std::uint64_t idle = 0;    // no instruction for one; only cycles of a program count
  std::uint64_t wait_semaphore = 0;
  std::uint64_t wait_stationary = 0;
  std::uint64_t wait_accumulator = 0;
  std::uint64_t throttled_idle = 0;    // a limit held a vector back
  std::uint64_t throttled_active = 0;  // of the active ones: while a limit held
  std::uint64_t instructions = 0;      // that have ended
  std::uint64_t stored = 0;            // elements

  std::uint64_t held() const { return wait_semaphore + wait_stationary + wait_accumulator + throttled_idle; }
};

/// The chip's tensor engine.
class Tensor {
 public:
  static constexpr std::string_view kName = "tensor";

  Tensor() = default;
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;
  virtual ~Tensor() = default;

  virtual std::string part() const = 0;
  virtual TensorShape shape() = 0;

  /// Has the engine fetch and carry out a program, which ends with HALT, and count its cycles from 0.
  /// @param address of the chip's data bus, a multiple of 64; @param instructions how many, at least 1
  virtual void start(std::uint64_t address, std::uint32_t instructions) = 0;
  virtual bool ended() = 0;
  /// Waits for the end of the program; gives the error that has stopped it, if one has. A program that does not end in
  /// time is a FailureError (dut) that says what the units wait for.
  virtual std::optional<TensorError> wait(Instant deadline) = 0;
  /// The error that holds the engine, if one does.
  virtual std::optional<TensorError> error() = 0;
  /// Ends what is under way, empties queues and semaphores, and forgets the error. An engine that cannot in time is a
  /// FailureError (dut).
  virtual void clear(Instant deadline) = 0;

  virtual TensorCounters counters() = 0;
  /// Names of flags of the arithmetic that have been raised: "invalid", "overflow", "underflow", "inexact", "nan_in".
  virtual std::vector<std::string> flags() = 0;
  virtual void clear_flags() = 0;
  /// The counts of all semaphores.
  virtual std::vector<unsigned> semaphores() = 0;
  /// State of a column's generator for stochastic rounding; it is never 0.
  virtual std::uint32_t random_state(unsigned column) = 0;
  virtual void set_random_state(unsigned column, std::uint32_t state) = 0;

  /// Names of the errors that `provoke` can bring about.
  virtual std::vector<std::string> provocations() const = 0;
  /// Runs a short program that must end in the error of that name, and gives what the engine says. Leaves the engine
  /// stopped by it. Overwrites parts of the scratchpad. An unknown name is a FailureError (sequence).
  virtual std::optional<TensorError> provoke(const std::string& name, Instant deadline) = 0;
};

}  // namespace firstlight
