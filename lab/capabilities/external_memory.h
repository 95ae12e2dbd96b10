#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/core/bench_time.h"

namespace firstlight {

/// Delay taps at which a byte lane's bits arrive right, first and last.
struct TapWindow {
  int first = 0;
  int last = 0;
  int width() const { return last - first + 1; }
};

struct MemoryLane {
  int lane = 0;
  std::optional<TapWindow> read;
  std::optional<TapWindow> write;
  int read_tap = 0;
  int write_tap = 0;
};

/// How the last training stands.
struct MemoryTraining {
  bool busy = false;
  bool passed = false;
  std::string reason;  // the register map's name of why it failed: "no_eye", "narrow", ...; "none" when it did not
  int lane = 0;        // that the reason is about
  bool write = false;  // and the direction
  std::vector<MemoryLane> lanes;
};

struct MemoryTestPlan {
  std::vector<std::string> patterns;  // of `patterns()`
  std::uint64_t offset = 0;           // bytes
  std::uint64_t length = 0;           // bytes
  std::uint32_t seed = 1;             // of the random pattern
  bool strict = false;                // word by word
  bool repair = false;  // rows that fail get spare rows at the end; it counts them as failures all the same
};

struct MemoryTestError {
  std::uint64_t offset = 0;  // bytes
  std::uint64_t bits = 0;    // of the 64-bit word, 1 was wrong; 0 for a bus error
  bool bus_error = false;
  std::string text;  // pattern and element
};

struct MemoryTestResult {
  bool busy = false;
  bool done = false;  // ran to its end
  bool passed = false;
  bool no_answer = false;
  std::uint64_t errors = 0;  // wrong words and bus errors
  std::uint64_t bus_errors = 0;
  std::optional<MemoryTestError> first;
  std::vector<std::uint64_t> lane_errors;  // words
};

/// Which rows spare rows stand in for.
struct RowRepair {
  struct Spare {
    int spare = 0;
    std::uint64_t offset = 0;  // bytes, of the row
    bool dead = false;         // the spare turned out to be bad itself
  };
  int spares = 0;
  std::uint64_t row_bytes = 0;
  std::vector<Spare> used;
  bool exhausted = false;  // the last test found more bad rows than there were spares
};

/// The memory beside the chip, behind a controller that trains its wires, tests it and repairs it. Nothing else reaches
/// it before it is trained.
class ExternalMemory {
 public:
  static constexpr std::string_view kName = "external_memory";

  ExternalMemory() = default;
  ExternalMemory(const ExternalMemory&) = delete;
  ExternalMemory& operator=(const ExternalMemory&) = delete;
  virtual ~ExternalMemory() = default;

  virtual std::string part() const = 0;
  virtual std::uint64_t size() const = 0;  // bytes
  virtual int lanes() const = 0;           // bytes of a word
  virtual int taps() const = 0;            // that a delay has

  /// @param min_window taps that a window must have. Throws FailureError (dut) when the controller does not take it.
  virtual void start_training(int min_window) = 0;
  virtual MemoryTraining training() = 0;
  virtual bool trained() = 0;
  /// Trained, and the last test passed.
  virtual bool ready() = 0;

  /// Wrong bits of each lane, by tap and then by lane, when all lanes read at that tap, or write at it, and everything
  /// else is as trained. Taps are as trained afterwards. Throws FailureError (dut) when the memory does not answer in
  /// time.
  virtual std::vector<std::vector<int>> shmoo(bool write, Instant deadline) = 0;
  virtual int probed_bits() const = 0;  // of a lane, at one tap

  virtual std::vector<std::string> patterns() const = 0;
  /// Throws FailureError (dut) when the controller does not take it.
  virtual void start_test(const MemoryTestPlan& plan) = 0;
  virtual MemoryTestResult test() = 0;
  virtual RowRepair repair() = 0;
};

}  // namespace firstlight
