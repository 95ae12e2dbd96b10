#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tb::blocks::mem {

/// A bit of a row of the array: rows 0 to 8191 are words, the spare rows come behind them; 64 data and 8 check bits.
struct Cell {
  unsigned row = 0;
  unsigned bit = 0;
};

/// A fault of a RAM, in the classes of A. J. van de Goor, "Testing Semiconductor Memories" (1991), chapter 3.
struct MemoryFault {
  enum class Kind : std::uint8_t {
    stuck_at,             // the victim is `value`, always
    transition,           // the victim does not change to `value`
    coupling_inversion,   // a change of the aggressor to `edge` inverts the victim
    coupling_idempotent,  // a change of the aggressor to `edge` makes the victim `value`
    coupling_state,       // while the aggressor is `edge`, the victim is `value`
    no_cell,              // the victim's row is not reached by its address: bit lines stay high
    other_cell,           // the aggressor's address reaches the victim's row, and not its own
    two_cells,  // the aggressor's address reaches the victim's row as well as its own: what is read is the AND
  };
  Kind kind = Kind::stuck_at;
  Cell victim;
  Cell aggressor;
  bool edge = false;
  bool value = false;

  std::string text() const;
};

/// An array of 8196 rows of 72 bits with faults.
class FaultyMemory {
 public:
  static constexpr unsigned kRows = 8192 + 4;
  static constexpr unsigned kBits = 72;
  using Row = std::bitset<kBits>;

  /// All cells are 0, and healthy but for these.
  void become(std::vector<MemoryFault> faults);
  void write(unsigned row, const Row& bits);
  Row read(unsigned row);

 private:
  std::vector<unsigned> reached(unsigned row) const;
  void store(unsigned row, Row bits);
  void couple(unsigned row, const Row& before, const Row& now);
  void hold_states();

  std::vector<Row> rows_ = std::vector<Row>(kRows);
  std::vector<MemoryFault> faults_;
};

/// What faulty_array.sv is made of.
FaultyMemory& faulty_memory();

}  // namespace tb::blocks::mem
