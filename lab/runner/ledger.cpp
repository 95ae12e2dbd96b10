#include "lab/runner/ledger.h"

#include <algorithm>

#include "lab/runner/json_text.h"
#include "lab/runner/recorder.h"

namespace firstlight {

Ledger::Ledger(const std::string& path, RunListener& listener, BenchTime& time)
    : file_(path), listener_(listener), time_(time) {}

void Ledger::energise(const std::string& step, EnergisingAction action) {
  LedgerEvent event;
  event.step = step;
  event.event = "energise";
  event.entry = made_ + 1;
  event.key = action.key;
  event.what = action.what;
  event.undo = action.undo_text;
  event.at = time_.now();
  const auto old = std::find_if(entries_.begin(), entries_.end(),
                                [&](const Entry& entry) { return entry.action.key == action.key; });
  if (old != entries_.end()) event.replaces = old->number;
  try {
    write(event);
    file_.sync();
  } catch (const FailureError& error) {
    Failure failure = error.failure();
    failure.symptom = "ledger_write_failed";
    failure.message =
        "\"" + action.what + "\" was not done, because its undo could not be written down: " + failure.message;
    throw FailureError(failure);
  }
  ++made_;
  keys_.push_back(action.key);
  Entry entry{made_, std::move(action)};
  if (old != entries_.end()) {
    *old = std::move(entry);
  } else {
    entries_.push_back(std::move(entry));
  }
  listener_.ledger(event);
}

void Ledger::released(const std::string& step, const std::string& key) {
  const auto at =
      std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.action.key == key; });
  if (at == entries_.end()) return;
  LedgerEvent event;
  event.step = step;
  event.event = "released";
  event.entry = at->number;
  event.key = key;
  event.at = time_.now();
  entries_.erase(at);
  write(event);
  listener_.ledger(event);
}

bool Ledger::live(const std::string& key) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.action.key == key; });
}

bool Ledger::ever_live(const std::string& key) const {
  return std::find(keys_.begin(), keys_.end(), key) != keys_.end();
}

namespace {

LedgerEvent undo_event(const Ledger::Entry& entry, const char* what, Instant at) {
  LedgerEvent event;
  event.step = kSafeStateStep;
  event.event = what;
  event.entry = entry.number;
  event.key = entry.action.key;
  event.at = at;
  return event;
}

}  // namespace

// While the bench is made safe a full disk must not stop it, so these write what they can.
void Ledger::undoing(const Entry& entry) {
  LedgerEvent event = undo_event(entry, "undo", time_.now());
  event.what = entry.action.what;
  event.undo = entry.action.undo_text;
  listener_.ledger(event);
}

void Ledger::undone(const Entry& entry, Duration took) {
  LedgerEvent event = undo_event(entry, "undone", time_.now());
  event.duration = took;
  forget(entry.number);
  try_to_write(event);
  listener_.ledger(event);
}

void Ledger::undo_failed(const Entry& entry, Duration took, const FailureEvent& failure) {
  LedgerEvent event = undo_event(entry, "undo_failed", time_.now());
  event.duration = took;
  event.failure = failure;
  forget(entry.number);
  try_to_write(event);
  listener_.ledger(event);
}

void Ledger::close(bool safe) {
  try {
    file_.write(line_of({{"event", "safe"}, {"safe", safe}, {"wall_time", wall_timestamp()}}));
    file_.sync();
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

void Ledger::forget(int number) {
  entries_.erase(std::remove_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.number == number; }),
                 entries_.end());
}

void Ledger::write(const LedgerEvent& event) {
  Json line = {{"event", event.event}, {"entry", event.entry}, {"key", event.key}};
  put(line, "what", event.what);
  put(line, "undo", event.undo);
  if (event.replaces > 0) line["replaces"] = event.replaces;
  if (event.failure) line["failure"] = event.failure->failure.message;
  line["wall_time"] = wall_timestamp();
  file_.write(line_of(line));
}

}  // namespace firstlight
