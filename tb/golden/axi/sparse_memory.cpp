#include "tb/golden/axi/sparse_memory.h"

#include <set>

namespace tb::golden::axi {

SparseMemory::Page& SparseMemory::page(std::uint64_t addr) {
  auto [it, fresh] = pages_.try_emplace(addr / page_bytes);
  if (fresh) it->second.fill(fill_);
  return it->second;
}

std::uint8_t SparseMemory::read(std::uint64_t addr) const {
  const auto it = pages_.find(addr / page_bytes);
  return it == pages_.end() ? fill_ : it->second[addr % page_bytes];
}

void SparseMemory::write(std::uint64_t addr, std::uint8_t value) { page(addr)[addr % page_bytes] = value; }

std::uint64_t SparseMemory::read64(std::uint64_t addr) const {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < 8; ++i) value |= static_cast<std::uint64_t>(read(addr + i)) << (8 * i);
  return value;
}

void SparseMemory::write64(std::uint64_t addr, std::uint64_t value, std::uint8_t strobes) {
  for (unsigned i = 0; i < 8; ++i) {
    if ((strobes >> i) & 1U) write(addr + i, static_cast<std::uint8_t>(value >> (8 * i)));
  }
}

std::vector<std::uint8_t> SparseMemory::read(std::uint64_t addr, std::uint64_t bytes) const {
  std::vector<std::uint8_t> out(bytes);
  for (std::uint64_t i = 0; i < bytes; ++i) out[i] = read(addr + i);
  return out;
}

void SparseMemory::write(std::uint64_t addr, const std::vector<std::uint8_t>& bytes) {
  for (std::uint64_t i = 0; i < bytes.size(); ++i) write(addr + i, bytes[i]);
}

std::optional<std::uint64_t> SparseMemory::first_difference(const SparseMemory& other) const {
  std::set<std::uint64_t> numbers;
  for (const auto& [number, unused] : pages_) numbers.insert(number);
  for (const auto& [number, unused] : other.pages_) numbers.insert(number);
  for (const std::uint64_t number : numbers) {
    for (std::uint64_t addr = number * page_bytes; addr < (number + 1) * page_bytes; ++addr) {
      if (read(addr) != other.read(addr)) return addr;
    }
  }
  return std::nullopt;
}

}  // namespace tb::golden::axi
