#include "tb/golden/axi/sparse_memory.h"

#include <algorithm>
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
  const auto it = pages_.find(addr / page_bytes);
  std::uint64_t value = 0;
  if (addr % page_bytes <= page_bytes - 8) {
    for (unsigned i = 0; i < 8; ++i) {
      const std::uint8_t byte = it == pages_.end() ? fill_ : it->second[addr % page_bytes + i];
      value |= static_cast<std::uint64_t>(byte) << (8 * i);
    }
    return value;
  }
  for (unsigned i = 0; i < 8; ++i) value |= static_cast<std::uint64_t>(read(addr + i)) << (8 * i);
  return value;
}

void SparseMemory::write64(std::uint64_t addr, std::uint64_t value, std::uint8_t strobes) {
  for (unsigned i = 0; i < 8; ++i) {
    if ((strobes >> i) & 1U) write(addr + i, static_cast<std::uint8_t>(value >> (8 * i)));
  }
}

std::vector<std::uint8_t> SparseMemory::read(std::uint64_t addr, std::uint64_t bytes) const {
  std::vector<std::uint8_t> out(bytes, fill_);
  for (std::uint64_t done = 0; done < bytes;) {
    const std::uint64_t place = (addr + done) % page_bytes;
    const std::uint64_t piece = std::min(bytes - done, page_bytes - place);
    const auto it = pages_.find((addr + done) / page_bytes);
    if (it != pages_.end()) std::copy_n(it->second.data() + place, piece, out.data() + done);
    done += piece;
  }
  return out;
}

void SparseMemory::write(std::uint64_t addr, const std::vector<std::uint8_t>& bytes) {
  for (std::uint64_t done = 0; done < bytes.size();) {
    const std::uint64_t place = (addr + done) % page_bytes;
    const std::uint64_t piece = std::min<std::uint64_t>(bytes.size() - done, page_bytes - place);
    std::copy_n(bytes.data() + done, piece, page(addr + done).data() + place);
    done += piece;
  }
}

std::optional<std::uint64_t> SparseMemory::first_difference(const SparseMemory& other) const {
  std::set<std::uint64_t> numbers;
  for (const auto& [number, unused] : pages_) numbers.insert(number);
  for (const auto& [number, unused] : other.pages_) numbers.insert(number);
  const auto same = [&](std::uint64_t number) {
    const auto a = pages_.find(number);
    const auto b = other.pages_.find(number);
    return a != pages_.end() && b != other.pages_.end() && a->second == b->second;
  };
  for (const std::uint64_t number : numbers) {
    if (same(number)) continue;
    for (std::uint64_t addr = number * page_bytes; addr < (number + 1) * page_bytes; ++addr) {
      if (read(addr) != other.read(addr)) return addr;
    }
  }
  return std::nullopt;
}

}  // namespace tb::golden::axi
