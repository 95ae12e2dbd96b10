#include "lab/runner/ledger_state.h"

#include <algorithm>
#include <fstream>

#include "lab/core/failure.h"
#include "lab/runner/json_text.h"

namespace firstlight {

namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw FailureError({ErrorClass::infrastructure, "bad_ledger", message, "disk", "", "",
                      "the file was edited, or is of another version of Firstlight; look at the bench by hand"});
}

std::string text(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

int number(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_integer() ? found->get<int>() : 0;
}

LedgerEntry entry_of(const Json& line) {
  const auto undo = line.find("undo_action");
  if (undo == line.end() || !undo->is_object())
    refuse("a line of the ledger does not say how to undo it: " + line.dump());
  return {number(line, "entry"),
          {text(line, "what"),
           text(line, "undo"),
           text(line, "key"),
           {text(*undo, "kind"), text(*undo, "target"), text(*undo, "value")}}};
}

}  // namespace

void LedgerState::take(const std::string& line) {
  const Json json = Json::parse(line, nullptr, false);
  if (json.is_discarded() || !json.is_object()) refuse("not a line of a ledger: " + line);
  const std::string event = text(json, "event");
  if (event == "energise") {
    add(entry_of(json));
  } else if (event == "released" || event == "undone") {
    remove(number(json, "entry"));
  } else if (event == "safe") {
    closed_safe_ = json.value("safe", false);
  }
}

void LedgerState::add(LedgerEntry entry) {
  made_ = std::max(made_, entry.number);
  closed_safe_.reset();
  if (!ever_live(entry.action.key)) keys_.push_back(entry.action.key);
  const auto old = std::find_if(live_.begin(), live_.end(),
                                [&](const LedgerEntry& one) { return one.action.key == entry.action.key; });
  if (old != live_.end()) {
    *old = std::move(entry);
  } else {
    live_.push_back(std::move(entry));
  }
}

void LedgerState::remove(int number) {
  live_.erase(std::remove_if(live_.begin(), live_.end(), [&](const LedgerEntry& one) { return one.number == number; }),
              live_.end());
}

const LedgerEntry* LedgerState::find(const std::string& key) const {
  const auto found =
      std::find_if(live_.begin(), live_.end(), [&](const LedgerEntry& one) { return one.action.key == key; });
  return found == live_.end() ? nullptr : &*found;
}

bool LedgerState::ever_live(const std::string& key) const {
  return std::find(keys_.begin(), keys_.end(), key) != keys_.end();
}

LedgerState read_ledger(const std::string& path) {
  std::ifstream in(path);
  if (!in) refuse("cannot read " + path);
  LedgerState state;
  for (std::string line; std::getline(in, line);) {
    if (in.eof()) break;  // without its line feed
    state.take(line);
  }
  return state;
}

}  // namespace firstlight
