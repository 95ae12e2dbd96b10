#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace firstlight {

/// Whose fault it is. An infrastructure error is never a pass and never a silent skip.
enum class ErrorClass : std::uint8_t { dut, infrastructure, bench, sequence, interlock, operator_, bug };

inline constexpr std::array<std::string_view, 7> kErrorClassNames = {"dut",       "infrastructure", "bench", "sequence",
                                                                     "interlock", "operator",       "bug"};
constexpr std::string_view name_of(ErrorClass error_class) {
  return kErrorClassNames[static_cast<std::size_t>(error_class)];
}

/// Everything that someone needs at 3 a.m.: what failed, on which part, what was last said to it, what it answered, and
/// what probably caused it.
struct Failure {
  ErrorClass error_class = ErrorClass::bug;
  std::string symptom;       // short stable identifier of the kind, snake_case: "rail_pgood_timeout"
  std::string message;       // one sentence for people, with names, values and units
  std::string part;          // the part that is blamed, by its name in the bench: "vr_core page 0 (vdd_core)"
  std::string sent;          // the last command or bytes sent, readable: "W 0x40: 8b; R 2"
  std::string received;      // what came back: "00 98 8c", "nothing within 20 ms"
  std::string likely_cause;  // "PEC mismatch: expected 0x8d; noise on the bus, or a device without PEC"
};

/// A failure on its way up to the runner, which records it. Anything else that is thrown is a bug.
class FailureError : public std::runtime_error {
 public:
  explicit FailureError(Failure failure) : std::runtime_error(failure.message), failure_(std::move(failure)) {}
  const Failure& failure() const { return failure_; }

 private:
  Failure failure_;
};

/// Tidies up while a failure is on its way: one that this meets does not take its place.
template <class Action>
void after_failure(Action action) {
  try {
    action();
  } catch (const FailureError&) {
    // The first failure says what happened; this one would only say what it led to.
  }
}

/// Unwinds a fiber that was told to stop (Ctrl-C, an interlock, a timeout of what holds it). Only the runner catches
/// it.
class Cancelled {};

}  // namespace firstlight
