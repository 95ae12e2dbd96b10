#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace tb::golden::hbm {

/// A bit of a 64-bit word, which is counted from the base of the memory.
struct Cell {
  std::uint32_t word = 0;
  unsigned bit = 0;
};

/// A fault of a RAM, in the classes of A. J. van de Goor, "Testing Semiconductor Memories" (1991), chapter 3, and one
/// of a bus.
struct DramFault {
  enum class Kind : std::uint8_t {
    stuck_at,             // the victim is `value`, always
    transition,           // the victim does not change to `value`
    coupling_inversion,   // a change of the aggressor to `edge` inverts the victim
    coupling_idempotent,  // a change of the aggressor to `edge` makes the victim `value`
    coupling_state,       // while the aggressor is `edge`, the victim is `value`
    no_cell,              // the victim's word is not reached by its address: it reads as ones
    other_cell,           // the aggressor's address reaches the victim's word, and not its own
    two_cells,            // the aggressor's address reaches the victim's word too: what is read is the AND
    lost_write,           // the `count`th write of the victim's word does not happen
  };
  Kind kind = Kind::stuck_at;
  Cell victim;
  Cell aggressor;
  bool edge = false;
  bool value = false;
  unsigned count = 0;

  std::string text() const;
};

/// A memory of 64-bit words, zero at first, with faults.
class FaultyDram {
 public:
  explicit FaultyDram(std::vector<DramFault> faults = {}) : faults_(std::move(faults)) {}

  void write(std::uint32_t word, std::uint64_t data);
  std::uint64_t read(std::uint32_t word) const;

 private:
  std::vector<std::uint32_t> reached(std::uint32_t word) const;
  std::uint64_t held(std::uint32_t word) const;
  void store(std::uint32_t word, std::uint64_t data);
  void set_bit(const Cell& cell, bool value);
  void couple(std::uint32_t word, std::uint64_t before, std::uint64_t now);

  std::vector<DramFault> faults_;
  std::unordered_map<std::uint32_t, std::uint64_t> words_;
  std::unordered_map<std::size_t, unsigned> writes_;  // of a lost write's word, by fault
};

}  // namespace tb::golden::hbm
