#include "tb/golden/dma/dma_format.h"

namespace tb::golden::dma {
namespace {

constexpr std::uint64_t opcode_copy = 0x01;
constexpr std::uint64_t magic = 0x7E52;
constexpr std::uint64_t addr_mask = 0xFF'FFFF'FFFF;

std::uint64_t bits(std::uint64_t word, unsigned high, unsigned low) {
  return (word >> low) & (~std::uint64_t{0} >> (63 - (high - low)));
}

}  // namespace

unsigned phase_of(std::uint16_t index, unsigned log2_size) { return ((index >> log2_size) + 1U) & 3U; }

DescriptorWords encode(const Descriptor& d) {
  DescriptorWords words{};
  words[0] = (d.src & addr_mask) | std::uint64_t{d.src_stride} << 40;
  words[1] = (d.dst & addr_mask) | std::uint64_t{d.dst_stride} << 40;
  words[2] = (d.bytes & 0xFFFFU) | std::uint64_t{d.tag} << 16 | std::uint64_t{d.irq} << 32 |
             std::uint64_t{d.dmb} << 33 | std::uint64_t{d.chain} << 34 | std::uint64_t{d.rows & 0xFFFFU} << 35;
  words[3] = opcode_copy | magic << 8 | std::uint64_t{d.wait_sem & 15U} << 24 |
             std::uint64_t{d.wait_count & 15U} << 28 | std::uint64_t{d.signal_sem & 15U} << 32 |
             std::uint64_t{d.signal} << 36 | std::uint64_t{d.phase & 3U} << 62;
  return words;
}

bool well_formed(const DescriptorWords& words) {
  return bits(words[2], 63, 51) == 0 && bits(words[3], 7, 0) == opcode_copy && bits(words[3], 23, 8) == magic &&
         bits(words[3], 61, 37) == 0;
}

Descriptor decode(const DescriptorWords& words) {
  Descriptor d;
  d.src = bits(words[0], 39, 0);
  d.src_stride = static_cast<std::uint32_t>(bits(words[0], 63, 40));
  d.dst = bits(words[1], 39, 0);
  d.dst_stride = static_cast<std::uint32_t>(bits(words[1], 63, 40));
  const auto coded = static_cast<std::uint32_t>(bits(words[2], 15, 0));
  d.bytes = coded == 0 ? static_cast<std::uint32_t>(longest_row) : coded;
  d.tag = static_cast<std::uint16_t>(bits(words[2], 31, 16));
  d.irq = bits(words[2], 32, 32) != 0;
  d.dmb = bits(words[2], 33, 33) != 0;
  d.chain = bits(words[2], 34, 34) != 0;
  d.rows = static_cast<std::uint32_t>(bits(words[2], 50, 35));
  d.wait_sem = static_cast<std::uint8_t>(bits(words[3], 27, 24));
  d.wait_count = static_cast<std::uint8_t>(bits(words[3], 31, 28));
  d.signal_sem = static_cast<std::uint8_t>(bits(words[3], 35, 32));
  d.signal = bits(words[3], 36, 36) != 0;
  d.phase = static_cast<unsigned>(bits(words[3], 63, 62));
  return d;
}

Completion decode(const CompletionWords& words) {
  Completion c;
  c.tag = static_cast<std::uint16_t>(bits(words[0], 15, 0));
  c.index = static_cast<std::uint16_t>(bits(words[0], 31, 16));
  c.bytes = static_cast<std::uint32_t>(bits(words[0], 63, 32));
  c.status = static_cast<Status>(bits(words[1], 7, 0));
  c.addr = bits(words[1], 47, 8);
  c.phase = static_cast<unsigned>(bits(words[1], 63, 62));
  return c;
}

bool well_formed(const CompletionWords& words) { return bits(words[1], 7, 0) <= 7 && bits(words[1], 61, 48) == 0; }

}  // namespace tb::golden::dma
