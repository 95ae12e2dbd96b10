#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <systemc>
#include <utility>

namespace tb::instruments {

/// Calls back at SystemC times. Everything on the board that has a future keeps it here, so that a board on which
/// nothing is due costs nothing: one process, one event, woken for the earliest entry only. Entries of one time run in
/// the order in which they were made. May be used between two calls of sc_start as well as from processes.
class Agenda : public sc_core::sc_module {
 public:
  /// Names an entry; a default one names none.
  struct Entry {
    std::uint64_t time = 0;
    std::uint64_t order = 0;
    bool valid() const { return order != 0; }
    friend bool operator<(const Entry& a, const Entry& b) {
      return std::pair(a.time, a.order) < std::pair(b.time, b.order);
    }
  };

  explicit Agenda(const sc_core::sc_module_name& name);

  /// @param when absolute; a time that has passed counts as now
  Entry at(const sc_core::sc_time& when, std::function<void()> action);
  Entry after(const sc_core::sc_time& delay, std::function<void()> action) {
    return at(sc_core::sc_time_stamp() + delay, std::move(action));
  }
  /// Drops the entry when it has not run yet, and clears the name.
  void cancel(Entry& entry);
  /// How many callbacks have run: what the board costs, for tests.
  std::uint64_t calls() const { return calls_; }

 private:
  void run();
  void arm();

  std::map<Entry, std::function<void()>> entries_;
  sc_core::sc_event due_;
  std::uint64_t armed_for_ = UINT64_MAX;
  std::uint64_t order_ = 0;
  std::uint64_t calls_ = 0;
};

}  // namespace tb::instruments
