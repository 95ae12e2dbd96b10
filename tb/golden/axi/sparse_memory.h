#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace tb::golden::axi {

/// Bytes of a large address space; what was never written reads as `fill`.
class SparseMemory {
 public:
  explicit SparseMemory(std::uint8_t fill = 0) : fill_(fill) {}

  std::uint8_t read(std::uint64_t addr) const;
  void write(std::uint64_t addr, std::uint8_t value);

  /// Little endian; `addr` need not be aligned.
  std::uint64_t read64(std::uint64_t addr) const;
  /// Writes the bytes that `strobes` selects (bit 0: the byte at `addr`).
  void write64(std::uint64_t addr, std::uint64_t value, std::uint8_t strobes = 0xFF);

  std::vector<std::uint8_t> read(std::uint64_t addr, std::uint64_t bytes) const;
  void write(std::uint64_t addr, const std::vector<std::uint8_t>& bytes);

  /// The lowest address at which the two hold different bytes.
  std::optional<std::uint64_t> first_difference(const SparseMemory& other) const;

 private:
  static constexpr std::uint64_t page_bytes = 4096;
  using Page = std::array<std::uint8_t, page_bytes>;
  Page& page(std::uint64_t addr);

  std::uint8_t fill_;
  std::unordered_map<std::uint64_t, Page> pages_;
};

}  // namespace tb::golden::axi
