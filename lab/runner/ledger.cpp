#include "lab/runner/ledger.h"

#include <utility>

#include "lab/runner/json_text.h"
#include "lab/runner/standby.h"

namespace firstlight {

namespace {

/// How long the guardian may take to say that it has a line.
constexpr Duration kAnswer = std::chrono::seconds(2);

[[noreturn]] void not_written(const std::string& what, Failure failure) {
  if (failure.symptom != "guardian_lost") failure.symptom = "ledger_write_failed";
  failure.message = "\"" + what + "\" was not done, because its undo could not be written down: " + failure.message;
  throw FailureError(failure);
}

LedgerEvent undo_event(const std::string& step, const LedgerEntry& entry, const char* what, Instant at) {
  LedgerEvent event;
  event.step = step;
  event.event = what;
  event.entry = entry.number;
  event.key = entry.action.key;
  event.at = at;
  return event;
}

}  // namespace

Ledger::Ledger(const std::string& path, RunListener& listener, BenchTime& time, Standby* standby)
    : file_(std::make_unique<LineFile>(path)), listener_(listener), time_(time), standby_(standby) {}

Ledger::Ledger(LedgerState state, std::unique_ptr<LineFile> file, RunListener& listener, BenchTime& time)
    : file_(std::move(file)), listener_(listener), time_(time), state_(std::move(state)) {}

void Ledger::energise(const std::string& step, EnergisingAction action) {
  LedgerEvent event;
  event.step = step;
  event.event = "energise";
  event.entry = state_.made() + 1;
  event.key = action.key;
  event.what = action.what;
  event.undo = action.undo_text;
  event.at = time_.now();
  if (const LedgerEntry* old = state_.find(action.key)) event.replaces = old->number;
  try {
    write(event, action.undo);
  } catch (const FailureError& error) {
    not_written(event.what, error.failure());
  }
  // From here on it is undone, even if it is not done after all: undoing what was not done changes nothing.
  state_.add({event.entry, std::move(action)});
  listener_.ledger(event);
  try {
    time_.offload([this] { file_->sync(); });
    if (standby_ != nullptr) standby_->confirm(time_.now() + kAnswer);
  } catch (const FailureError& error) {
    not_written(event.what, error.failure());
  }
}

void Ledger::released(const std::string& step, const std::string& key) {
  const LedgerEntry* entry = state_.find(key);
  if (entry == nullptr) return;
  LedgerEvent event;
  event.step = step;
  event.event = "released";
  event.entry = entry->number;
  event.key = key;
  event.at = time_.now();
  state_.remove(event.entry);
  write(event);
  listener_.ledger(event);
}

// While the bench is made safe a full disk must not stop it, so these write what they can.
void Ledger::undoing(const std::string& step, const LedgerEntry& entry) {
  LedgerEvent event = undo_event(step, entry, "undo", time_.now());
  event.what = entry.action.what;
  event.undo = entry.action.undo_text;
  listener_.ledger(event);
}

void Ledger::undone(const std::string& step, const LedgerEntry& entry, Duration took) {
  LedgerEvent event = undo_event(step, entry, "undone", time_.now());
  event.duration = took;
  state_.remove(event.entry);
  try_to_write(event);
  listener_.ledger(event);
}

void Ledger::undo_failed(const std::string& step, const LedgerEntry& entry, Duration took,
                         const FailureEvent& failure) {
  LedgerEvent event = undo_event(step, entry, "undo_failed", time_.now());
  event.duration = took;
  event.failure = failure;
  state_.remove(event.entry);
  try_to_write(event);
  listener_.ledger(event);
}

void Ledger::cut(const std::string& step, const EnergisingAction& action, Duration took,
                 const std::optional<FailureEvent>& failure) {
  LedgerEvent event;
  event.step = step;
  event.event = failure ? "cut_failed" : "cut";
  event.key = action.key;
  event.what = action.what;
  event.undo = action.undo_text;
  event.duration = took;
  event.failure = failure;
  event.at = time_.now();
  try_to_write(event);
  listener_.ledger(event);
}

void Ledger::close(bool safe) {
  try {
    put_line(line_of({{"event", "safe"}, {"safe", safe}, {"wall_time", wall_timestamp()}}));
    time_.offload([this] {
      if (file_) file_->sync();
    });
  } catch (const FailureError&) {
    // As above.
  }
}

void Ledger::try_to_write(const LedgerEvent& event) {
  try {
    write(event);
  } catch (const FailureError&) {
    // The record's own write tells of the disk.
  }
}

void Ledger::write(const LedgerEvent& event, const Undo& undo) {
  Json line = {{"event", event.event}};
  if (event.entry > 0) line["entry"] = event.entry;
  line["key"] = event.key;
  put(line, "what", event.what);
  put(line, "undo", event.undo);
  if (!undo.kind.empty()) {
    Json& action = line["undo_action"] = {{"kind", undo.kind}};
    put(action, "target", undo.target);
    put(action, "value", undo.value);
  }
  if (event.replaces > 0) line["replaces"] = event.replaces;
  if (event.failure) line["failure"] = event.failure->failure.message;
  line["wall_time"] = wall_timestamp();
  put_line(line_of(line));
}

/// The guardian is told even when the disk is full.
void Ledger::put_line(const std::string& line) {
  if (standby_ != nullptr) standby_->tell(line);
  if (file_) file_->write(line);
}

}  // namespace firstlight
