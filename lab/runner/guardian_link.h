#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "lab/runner/standby.h"

namespace firstlight {

/// Starts a guardian and speaks with it. It is this very program, in a session of its own, so that neither Ctrl-C nor a
/// lost terminal reaches it.
class GuardianLink final : public Standby {
 public:
  /// @param arguments of this program; the guardian's end of the socket is file descriptor kGuardianSocket there
  /// @param inherited other file descriptors that it shall hold as long as it lives (the bench's lock)
  /// Throws FailureError (infrastructure) when it cannot be started.
  GuardianLink(const std::vector<std::string>& arguments, const std::vector<int>& inherited, BenchTime& time);
  GuardianLink(const GuardianLink&) = delete;
  GuardianLink& operator=(const GuardianLink&) = delete;
  /// Waits until the guardian has ended, when it was told that the bench is safe.
  ~GuardianLink() override;

  void wait_until_ready(Instant deadline) override;
  void when_lost(std::function<void(const Failure&)> lost) override;
  void tell(const std::string& line) override;
  void confirm(Instant deadline) override;
  void beat() override;
  void making_safe() override;
  void ended(bool safe) override;

  /// What it could not connect yet, in its words; empty when nothing.
  std::string warning() const;
  pid_t pid() const;

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

inline constexpr int kGuardianSocket = 3;

}  // namespace firstlight
