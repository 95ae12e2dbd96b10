#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "lab/bench/plan.h"

namespace firstlight::cli {

/// Who has a bench, and why.
struct Holder {
  enum class Kind { run, person } kind = Kind::run;
  std::string bench;
  std::string who;    // "anna@lab-3"
  std::string why;    // the reason given, or the run's sequence
  std::string since;  // wall time, UTC
  std::string until;  // of a person: wall time, UTC
  std::string run;    // folder of the run
  std::string boot;   // identifies the boot of this host
  long long pid = 0;
  long long expires = 0;  // seconds of Unix time; 0: with its process
  bool safe = false;      // of a run: it, or its guardian, has made the bench safe
};

/// What is known of a lock, as others see it.
struct LeaseState {
  std::string bench;
  std::string path;
  std::optional<Holder> run;       // that has it now
  std::optional<Holder> person;    // for whom it is kept
  std::optional<Holder> left_hot;  // the last run, when it ended without making the bench safe
  std::string unknown;             // why it is not known who has it; empty when it is

  bool free() const { return !run && !person && unknown.empty(); }
};

/// The right to use a bench on this host. A run holds it by an open file that its guardian inherits: the kernel gives
/// it back when the last of them is gone, however they end. A person holds it by what is written in the file, until it
/// expires or the host boots.
class Lease {
 public:
  /// Takes the lock of the bench for a run. Throws FailureError (infrastructure, "bench_locked") with who has it, since
  /// when and why; "bench_left_hot" when the last run on it did not make it safe. @param force takes no notice of
  /// persons and of what was left hot, but never of a run that goes on
  Lease(const BenchPlan& bench, const Holder& holder, bool force);
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  ~Lease();

  /// For whoever shall hold it too.
  int descriptor() const { return file_; }
  /// The bench is safe: what the next one will be told, even if the run's disk is full.
  void made_safe() const { mark_safe(file_); }
  /// The same for who has inherited the descriptor.
  static void mark_safe(int descriptor);

 private:
  int file_ = -1;
};

/// This user on this host, without a reason.
Holder myself(Holder::Kind kind);

/// Throws FailureError as a Lease does.
void hold_for_person(const BenchPlan& bench, const Holder& holder, bool force);
/// Gives back what a person holds. @return false when it was free. Throws FailureError (infrastructure) when someone
/// else has it (unless forced) or a run does.
bool give_back(const BenchPlan& bench, bool force);

LeaseState lease_of(const BenchPlan& bench);
/// Every lock of the lock folder.
std::vector<LeaseState> all_leases();
/// "anna@lab-3 since 2026-01-02 10:00:00 UTC, until ...: reason".
std::string to_text(const Holder& holder);

/// $FIRSTLIGHT_LOCKS, else $XDG_RUNTIME_DIR/firstlight, else /tmp/firstlight-UID.
std::string lock_folder();

/// Asks labgrid whether the bench's place is ours. Throws FailureError (infrastructure) when it is not, or when
/// `labgrid-client` cannot tell.
void check_labgrid(const LabgridPlan& plan);

}  // namespace firstlight::cli
