#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/bench/plan.h"
#include "lab/runner/ledger_state.h"

namespace firstlight {

/// A process that can be ended for certain: by a handle that stays with it when its number is used again.
class OtherProcess {
 public:
  /// The process that started this one, if it has that number; otherwise it is gone already.
  static std::optional<OtherProcess> parent(pid_t pid);
  OtherProcess(OtherProcess&& other) noexcept;
  OtherProcess(const OtherProcess&) = delete;
  OtherProcess& operator=(const OtherProcess&) = delete;
  OtherProcess& operator=(OtherProcess&&) = delete;
  ~OtherProcess();

  /// SIGKILL, which reaches a stopped process too; waits until it is gone. False when it is not within the time.
  bool end(std::chrono::milliseconds within);

 private:
  explicit OtherProcess(pid_t pid);
  pid_t pid_ = 0;
  int handle_ = -1;
};

/// Why a guardian takes over from the run that it guards.
enum class RunnerEnd : std::uint8_t {
  dismissed,  // the bench is safe: it does not
  died,
  hung,
  safe_state_late,
  safe_state_failed
};

/// The guardian's watch: takes the ledger's lines and listens for the heart of the run.
class GuardianWatch {
 public:
  GuardianWatch(int socket, const GuardianPlan& plan) : socket_(socket), plan_(plan) {}

  struct Hello {
    pid_t pid = 0;
    std::chrono::nanoseconds epoch{};  // of the run's bench time
  };
  /// Waits for the run's first message. @return nothing when it is gone already
  std::optional<Hello> hello();
  void ready(const std::string& warning);
  void failed(const std::string& why);
  /// Until the run has ended, one way or another.
  RunnerEnd watch();

  const LedgerState& ledger() const { return ledger_; }
  bool was_making_safe() const { return safe_until_.has_value(); }

 private:
  using Clock = std::chrono::steady_clock;
  std::optional<std::string> receive();
  std::optional<RunnerEnd> take(const std::string& message);
  Clock::time_point deadline() const;
  void say(const std::string& message) const;

  const int socket_;
  const GuardianPlan plan_;
  LedgerState ledger_;
  std::uint64_t lines_ = 0;
  Clock::time_point heard_;  // the last sign of life
  std::optional<Clock::time_point> safe_until_;
};

}  // namespace firstlight
