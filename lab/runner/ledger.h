#pragma once

#include <string>
#include <vector>

#include "lab/core/bench_time.h"
#include "lab/runner/events.h"
#include "lab/runner/line_file.h"
#include "lab/steps/step.h"

namespace firstlight {

/// What energises the bench, in order, and how each is undone. An entry is on the disk before the action is done, so
/// that someone else can make the bench safe when this process is gone.
class Ledger {
 public:
  struct Entry {
    int number = 0;
    EnergisingAction action;
  };

  Ledger(const std::string& path, RunListener& listener, BenchTime& time);

  /// Throws FailureError (infrastructure, "ledger_write_failed") when it cannot be written: the action must not happen.
  /// A live entry with the same key is replaced, in its place: what was energised first is undone last.
  void energise(const std::string& step, EnergisingAction action);
  void released(const std::string& step, const std::string& key);

  bool live(const std::string& key) const;
  bool ever_live(const std::string& key) const;
  const std::vector<Entry>& entries() const { return entries_; }

  // For whoever makes the bench safe.
  void undoing(const Entry& entry);
  void undone(const Entry& entry, Duration took);
  void undo_failed(const Entry& entry, Duration took, const FailureEvent& failure);
  /// The last line: nothing more to undo.
  void close(bool safe);

 private:
  void write(const LedgerEvent& event);
  void try_to_write(const LedgerEvent& event);
  void forget(int number);

  LineFile file_;
  RunListener& listener_;
  BenchTime& time_;
  int made_ = 0;
  std::vector<Entry> entries_;  // live, oldest first
  std::vector<std::string> keys_;
};

}  // namespace firstlight
