#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tb::blocks::mem {

/// A bit of a row of an array: words first, the spare rows come behind them.
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

/// An array of up to 72 bits a row with faults.
class FaultyMemory {
 public:
  static constexpr unsigned kBits = 72;
  using Row = std::bitset<kBits>;

  explicit FaultyMemory(unsigned rows) : rows_(rows) {}

  /// All cells are 0, and healthy but for these.
  void become(std::vector<MemoryFault> faults);
  void write(unsigned row, const Row& bits);
  Row read(unsigned row);

 private:
  std::vector<unsigned> reached(unsigned row) const;
  void store(unsigned row, Row bits);
  void couple(unsigned row, const Row& before, const Row& now);
  void hold_states();

  std::vector<Row> rows_;
  std::vector<MemoryFault> faults_;
};

/// The array of the model whose hierarchical name contains `place`. The model must have been evaluated once.
/// Throws std::out_of_range unless it is one.
FaultyMemory& faulty_memory(std::string_view place = "");
/// All arrays of the model become healthy and 0.
void heal_faulty_memories();

}  // namespace tb::blocks::mem
