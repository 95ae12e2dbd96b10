#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace regtool {

/// A place in a description file, 1-based. Line 0 means the file as a whole.
struct Mark {
  int line = 0;
  int column = 0;
};

/// What the host may do with a field, and who else writes it. rtl/regs/README.md defines each.
enum class Access { ReadWrite, ReadOnly, WriteOneClear, WritePulse, ReadWriteHardware, Constant };

/// Whether what a field reads as may differ between two runs of the same thing.
enum class Varies { No, Analog, Count, Free };

struct EnumValue {
  std::string name;
  std::uint32_t value = 0;
  Mark mark;
};

struct Field {
  std::string name;
  unsigned lsb = 0;
  unsigned width = 1;
  Access access = Access::ReadWrite;
  std::uint32_t reset = 0;  // raw bits, `width` of them
  std::string unit;         // empty: no physical unit
  double scale = 1.0;       // units per LSB
  bool is_signed = false;
  std::vector<EnumValue> values;
  Varies varies = Varies::No;
  std::string doc;
  Mark mark;

  unsigned msb() const { return lsb + width - 1; }
  std::uint32_t value_mask() const { return width >= 32 ? 0xffffffffU : (1U << width) - 1U; }
  std::uint32_t register_mask() const { return value_mask() << lsb; }
};

struct Register {
  std::string name;
  std::uint32_t offset = 0;  // bytes from the block's base
  std::uint32_t count = 1;   // elements; more than one or `is_array` makes an array
  std::uint32_t stride = 4;  // bytes between elements
  bool is_array = false;
  bool read_pulse = false;  // hardware sees each host read
  std::string doc;
  std::vector<Field> fields;
  Mark mark;
};

/// A range of a block's window that the block itself answers, word by word.
struct Memory {
  std::string name;
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
  Access access = Access::ReadOnly;
  Varies varies = Varies::No;
  std::string doc;
  Mark mark;
};

enum class Domain { Reference, Core };

struct Block {
  std::string name;
  std::string doc;
  Domain domain = Domain::Reference;
  std::vector<Register> registers;
  std::vector<Memory> memories;
  std::string file;
  Mark mark;
};

/// A block in the map. A block may be placed more than once; then each of its instances has a name of its own.
struct Placement {
  std::string block;
  std::string name;  // the block's own name unless the map gives another
  std::uint32_t base = 0;
  Mark mark;
};

struct Window {
  std::string name;
  std::uint32_t base = 0;
  std::uint32_t size = 0;
  Access access = Access::ReadWrite;
  std::string doc;
  Mark mark;
};

/// What answers a range of the data bus, which is not the host port.
struct Region {
  std::string name;
  std::uint64_t base = 0;
  std::uint64_t size = 0;
  std::string doc;
  Mark mark;
};

struct Map {
  std::string chip;
  std::vector<Placement> placements;
  std::vector<Window> windows;
  std::vector<Region> regions;
  std::string file;
};

/// Everything the emitters see: the map and those of its blocks that have a description.
struct Design {
  Map map;
  std::vector<Block> blocks;  // in the order of the map

  const Block* find(const std::string& name) const {
    for (const Block& block : blocks)
      if (block.name == name) return &block;
    return nullptr;
  }
};

inline constexpr std::uint32_t block_window_bytes = 0x1000;
inline constexpr std::uint32_t host_space_bytes = 0x1000000;
inline constexpr unsigned data_bus_address_bits = 40;

inline bool is_stored(Access a) { return a != Access::ReadOnly && a != Access::Constant; }
inline bool is_host_writable(Access a) { return is_stored(a); }
inline bool is_hardware_driven(Access a) {
  return a == Access::ReadOnly || a == Access::WriteOneClear || a == Access::ReadWriteHardware;
}

}  // namespace regtool
