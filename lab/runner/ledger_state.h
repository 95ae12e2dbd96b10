#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/steps/step.h"

namespace firstlight {

struct LedgerEntry {
  int number = 0;
  EnergisingAction action;
};

/// What a ledger holds, as far as its lines tell. Made by the lines of a file or of another process.
class LedgerState {
 public:
  /// Takes the next line. Throws FailureError (infrastructure, "bad_ledger") when it is no line of a ledger.
  void take(const std::string& line);

  // For whoever writes the lines.
  void add(LedgerEntry entry);
  void remove(int number);

  const LedgerEntry* find(const std::string& key) const;
  bool ever_live(const std::string& key) const;
  const std::vector<LedgerEntry>& live() const { return live_; }  // oldest first
  int made() const { return made_; }
  /// What its last line says, when it has one.
  std::optional<bool> closed_safe() const { return closed_safe_; }

 private:
  int made_ = 0;
  std::vector<LedgerEntry> live_;
  std::vector<std::string> keys_;
  std::optional<bool> closed_safe_;
};

/// Reads a ledger.jsonl. A last line that was cut short is left out: its action was not done. Throws FailureError
/// (infrastructure) when there is none or another line is damaged.
LedgerState read_ledger(const std::string& path);

}  // namespace firstlight
