#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace firstlight {

/// What the host may do with a field. rtl/regs/README.md defines each.
enum class Access { ReadWrite, ReadOnly, WriteOneClear, WritePulse, ReadWriteHardware, Constant };

/// "rw", "ro", "w1c", "wp", "rwh", "const".
std::string_view to_string(Access access);
inline bool is_writable(Access access) { return access != Access::ReadOnly && access != Access::Constant; }

/// The clock domain that a block lives in; registers of Core answer only while the core is clocked and out of reset.
enum class Domain { Reference, Core };

/// Whether what a field reads as may differ between two runs of the same thing: not; within the spread of a physical
/// quantity; because it counts time or what time brings, so that at most zero is unlike many; or freely.
enum class Varies { No, Analog, Count, Free };

struct FieldInfo {
  std::string name;
  unsigned lsb;
  unsigned width;  // 1 to 32
  Access access;
  std::uint32_t reset;  // raw; meaningless for ro and wp
  std::string unit;     // empty: no physical unit
  double scale;         // units per LSB
  bool is_signed;
  std::vector<std::pair<std::string, std::uint32_t>> values;  // names of raw values, empty unless an enumeration
  std::string doc;
  Varies varies = Varies::No;

  std::uint32_t value_mask() const { return width >= 32 ? 0xffffffffU : (1U << width) - 1U; }
  std::uint32_t register_mask() const { return value_mask() << lsb; }
  /// The field's raw bits out of a register's value.
  std::uint32_t extract(std::uint32_t reg) const { return (reg >> lsb) & value_mask(); }
  /// A register's value with this field replaced. `raw` is masked to the field.
  std::uint32_t insert(std::uint32_t reg, std::uint32_t raw) const {
    return (reg & ~register_mask()) | ((raw & value_mask()) << lsb);
  }
  /// Raw bits as the whole number they stand for: sign-extended when the field is signed.
  std::int64_t number(std::uint32_t raw) const;
  /// The raw bits of a whole number; nothing when it does not fit the field.
  std::optional<std::uint32_t> raw(std::int64_t number) const;
  /// The name of a raw value, empty when it has none.
  std::string_view value_name(std::uint32_t raw) const;
  /// The raw value of a name.
  std::optional<std::uint32_t> value_of(std::string_view name) const;
};

struct RegisterInfo {
  std::string name;
  std::uint32_t offset;  // bytes from the block's base
  std::uint32_t count;   // elements, 1 unless an array
  std::uint32_t stride;  // bytes between elements
  bool is_array;
  std::string doc;
  std::vector<FieldInfo> fields;

  /// The register's value after reset, as far as it is stored or constant.
  std::uint32_t reset() const;
  bool is_writable() const;
};

/// A range of words: inside a block's window (`offset` counts from the block's base) or a window of the host port
/// (`offset` is absolute).
struct MemoryInfo {
  std::string name;
  std::uint32_t offset;
  std::uint32_t size;  // bytes
  Access access;       // ReadOnly or ReadWrite
  std::string doc;
  Varies varies = Varies::No;
};

/// What answers a range of the chip's data bus.
struct RegionInfo {
  std::string name;
  std::uint64_t base;
  std::uint64_t size;  // bytes
  std::string doc;
};

struct BlockInfo {
  std::string name;
  std::string doc;
  Domain domain;
  std::uint32_t base;  // absolute byte address on the host port
  std::uint32_t size;  // bytes
  std::vector<RegisterInfo> registers;
  std::vector<MemoryInfo> memories;
};

/// What a name stands for. Points into the map that answered, which must outlive it. Exactly one of `reg` and `memory`
/// is set; `field` is null when the name is that of a whole register; `block` is null for a window of the host port.
struct RegisterRef {
  const BlockInfo* block = nullptr;
  const RegisterInfo* reg = nullptr;
  const FieldInfo* field = nullptr;
  const MemoryInfo* memory = nullptr;
  std::uint32_t index = 0;    // element of an array, or byte offset in a memory
  std::uint32_t address = 0;  // absolute byte address on the host port
};

struct RegisterLookup {
  std::optional<RegisterRef> found;
  std::string error;  // one sentence with the nearest name, when nothing was found

  explicit operator bool() const { return found.has_value(); }
};

/// The registers of one chip, by name and by address.
class RegisterMap {
 public:
  RegisterMap(std::string chip, std::vector<BlockInfo> blocks, std::vector<MemoryInfo> windows,
              std::vector<RegionInfo> regions = {});

  const std::string& chip() const { return chip_; }
  const std::vector<BlockInfo>& blocks() const { return blocks_; }
  const std::vector<MemoryInfo>& windows() const { return windows_; }
  const std::vector<RegionInfo>& regions() const { return regions_; }
  /// Throws std::out_of_range for a region that the chip does not have: a bug of the caller.
  const RegionInfo& region(std::string_view name) const;

  /// "dma0.ctrl", "dma0.q_ctrl[0].enable", "link.lane_errors[2].count", "link.trace[0x10]" (a byte offset in a memory),
  /// "sram_data[0x40]".
  RegisterLookup find(std::string_view path) const;

  /// "dma0.ctrl", "link.trace[0x010]" for an absolute byte address; "0x012345" when nothing is there.
  std::string name_of(std::uint32_t address) const;

  /// Every register and field name, arrays as "lane_errors[0]" and so on, in the order of addresses within each block.
  std::vector<std::string> names() const;

 private:
  std::string chip_;
  std::vector<BlockInfo> blocks_;
  std::vector<MemoryInfo> windows_;
  std::vector<RegionInfo> regions_;
};

}  // namespace firstlight
