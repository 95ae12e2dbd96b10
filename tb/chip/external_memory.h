#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

namespace tb {

/// Timing of one memory behind the chip's AXI4 port, in core cycles of the chip.
struct MemoryTiming {
  unsigned latency = 40;         // first beat after the request
  unsigned cycles_per_beat = 1;  // bandwidth: 8 bytes in so many cycles
};

/// One memory of the board as a TLM-2.0 target: `base` and up, zero-filled, timed in units of `cycle`. Loosely timed:
/// the delay that b_transport returns is when the first beat is there; transfers queue for the one data bus. Accesses
/// beyond it answer TLM_ADDRESS_ERROR_RESPONSE, injected ones TLM_GENERIC_ERROR_RESPONSE. Behind what it offers it may
/// have bytes of its controller: spare rows, a training page.
class ExternalMemory : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<ExternalMemory> socket;

  ExternalMemory(const sc_core::sc_module_name& name, std::uint64_t size, MemoryTiming timing,
                 const sc_core::sc_time& cycle, std::uint64_t hidden = 0);

  std::uint64_t size() const { return size_; }
  /// Back door, without time. Throws std::out_of_range.
  void peek(std::uint64_t offset, std::uint8_t* data, std::size_t count) const;
  void poke(std::uint64_t offset, const std::uint8_t* data, std::size_t count);

  void set_timing(MemoryTiming timing) { timing_ = timing; }
  const MemoryTiming& timing() const { return timing_; }
  /// An access that touches the 64-byte line of `offset` ends with a bus error.
  void set_bus_error(std::optional<std::uint64_t> offset) { bus_error_ = offset; }
  /// The lowest bit of every read that touches the line of `offset` comes back inverted.
  void set_data_error(std::optional<std::uint64_t> offset) { data_error_ = offset; }
  /// A cell that reads as `value` whatever was written. @param bit 0 to 7 of the byte
  void set_stuck_bit(std::uint64_t offset, unsigned bit, bool value) { stuck_.push_back({offset, bit, value}); }
  /// The `count`th write of the chip, counted from 1, that touches the line of `offset` leaves that line as it was.
  void set_lost_write(std::uint64_t offset, unsigned count) { lost_ = LostWrite{offset, count}; }
  /// Writes of its processor go through a buffer from now on: the chip sees each line of 64 bytes after a random time
  /// of up to `longest`, later ones before earlier ones as it happens, and all of them after a barrier. The processor
  /// itself reads what it wrote.
  void buffer_writes(const sc_core::sc_time& longest, std::uint64_t seed);
  void write(std::uint64_t offset, const std::uint8_t* data, std::size_t count);
  void read(std::uint64_t offset, std::uint8_t* data, std::size_t count);
  void barrier();
  void set_barrier_lost() { barrier_lost_ = true; }
  /// Writes of a descriptor's size become visible to the chip only after `delay`: a buffer that a barrier does not
  /// flush.
  void set_late_writes(const sc_core::sc_time& delay) { late_writes_ = delay; }
  /// What the chip writes in the size of a completion reaches memory only after `delay`: a posted write that is held on
  /// its way. The chip itself is answered at once.
  void set_late_completions(const sc_core::sc_time& delay) { late_completions_ = delay; }

 private:
  /// Of one line.
  struct PendingWrite {
    sc_core::sc_time visible;
    bool late = false;  // no barrier flushes it
    std::uint64_t offset = 0;
    std::vector<std::uint8_t> bytes;
  };

  struct StuckBit {
    std::uint64_t offset = 0;
    unsigned bit = 0;
    bool value = false;
  };
  struct LostWrite {
    std::uint64_t offset = 0;
    unsigned left = 0;  // writes until the one that is lost; 0: it was
  };

  void read_cells(std::uint64_t offset, std::uint8_t* data, std::size_t count) const;
  void write_cells(std::uint64_t offset, const tlm::tlm_generic_payload& payload);
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void expect_inside(const char* what, std::uint64_t offset, std::size_t count) const;
  sc_core::sc_time delay_of_write(std::uint64_t line);
  void settle(bool barrier);
  static bool touches(std::optional<std::uint64_t> line, std::uint64_t offset, std::size_t count);

  std::uint64_t size_;
  std::vector<std::uint8_t> bytes_;
  MemoryTiming timing_;
  sc_core::sc_time cycle_;
  std::optional<std::uint64_t> bus_error_;
  std::optional<std::uint64_t> data_error_;
  std::vector<StuckBit> stuck_;
  std::optional<LostWrite> lost_;
  sc_core::sc_time bus_free_;  // when the data bus has carried all that was asked so far
  sc_core::sc_time late_writes_;
  sc_core::sc_time longest_delay_;
  bool barrier_lost_ = false;
  std::mt19937_64 random_;
  std::vector<PendingWrite> pending_;  // in the order in which they were written
  sc_core::sc_time late_completions_;
  std::vector<PendingWrite> arriving_;  // of the chip, likewise
};

}  // namespace tb
