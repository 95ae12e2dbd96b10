#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lab/core/bench_time.h"
#include "lab/runner/events.h"
#include "lab/runner/ledger_state.h"
#include "lab/runner/line_file.h"
#include "lab/steps/step.h"

namespace firstlight {

class Standby;

/// What energises the bench, in order, and how each is undone. An entry is on the disk, and with the guardian where
/// there is one, before the action is done, so that someone else can make the bench safe when this process is gone.
class Ledger {
 public:
  /// A new one. @param standby may be null
  Ledger(const std::string& path, RunListener& listener, BenchTime& time, Standby* standby = nullptr);
  /// One that goes on where another process left it. @param file may be null: what happens is not written down then
  Ledger(LedgerState state, std::unique_ptr<LineFile> file, RunListener& listener, BenchTime& time);

  /// Throws FailureError (infrastructure, "ledger_write_failed" or "guardian_lost") when it is not known to be written:
  /// the action must not happen. A live entry with the same key is replaced, in its place: what was energised first is
  /// undone last. Waits, while the bench thread goes on.
  void energise(const std::string& step, EnergisingAction action);
  void released(const std::string& step, const std::string& key);

  bool live(const std::string& key) const { return state_.find(key) != nullptr; }
  bool ever_live(const std::string& key) const { return state_.ever_live(key); }
  const std::vector<LedgerEntry>& entries() const { return state_.live(); }

  // For whoever makes the bench safe; `step` is the one that it is recorded in.
  void undoing(const std::string& step, const LedgerEntry& entry);
  void undone(const std::string& step, const LedgerEntry& entry, Duration took);
  void undo_failed(const std::string& step, const LedgerEntry& entry, Duration took, const FailureEvent& failure);
  /// What feeds a part that did not turn off was turned off, or should have been.
  void cut(const std::string& step, const EnergisingAction& action, Duration took,
           const std::optional<FailureEvent>& failure);
  /// The last line: nothing more to undo.
  void close(bool safe);

 private:
  void write(const LedgerEvent& event, const Undo& undo = {});
  void try_to_write(const LedgerEvent& event);
  void put_line(const std::string& line);

  std::unique_ptr<LineFile> file_;
  RunListener& listener_;
  BenchTime& time_;
  Standby* standby_ = nullptr;
  LedgerState state_;
};

}  // namespace firstlight
