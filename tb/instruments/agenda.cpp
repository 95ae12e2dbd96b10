#include "tb/instruments/agenda.h"

#include <algorithm>

namespace tb::instruments {

Agenda::Agenda(const sc_core::sc_module_name& name) : sc_module(name) {
  SC_HAS_PROCESS(Agenda);
  SC_METHOD(run);
  sensitive << due_;
  dont_initialize();
}

Agenda::Entry Agenda::at(const sc_core::sc_time& when, std::function<void()> action) {
  const std::uint64_t now = sc_core::sc_time_stamp().value();
  const Entry entry{std::max<std::uint64_t>(when.value(), now), ++order_};
  entries_.emplace(entry, std::move(action));
  arm();
  return entry;
}

void Agenda::cancel(Entry& entry) {
  if (entry.valid()) entries_.erase(entry);
  entry = {};
}

void Agenda::arm() {
  if (entries_.empty()) return;
  const std::uint64_t next = entries_.begin()->first.time;
  if (next >= armed_for_) return;
  armed_for_ = next;
  due_.notify(sc_core::sc_time::from_value(next) - sc_core::sc_time_stamp());
}

void Agenda::run() {
  const std::uint64_t now = sc_core::sc_time_stamp().value();
  while (!entries_.empty() && entries_.begin()->first.time <= now) {
    const std::function<void()> action = std::move(entries_.begin()->second);
    entries_.erase(entries_.begin());
    ++calls_;
    action();
  }
  armed_for_ = UINT64_MAX;
  arm();
}

}  // namespace tb::instruments
