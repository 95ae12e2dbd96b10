#pragma once

#include <array>
#include <cstdint>

/// The formats of Tern's DMA rings (docs/dma.md), from the programmer's side.
namespace tb::golden::dma {

enum class Status : std::uint8_t {
  ok = 0,
  bad_descriptor = 1,
  bad_address = 2,
  read_error = 3,
  write_error = 4,
  phase_mismatch = 5,
  aborted = 6,
  fetch_error = 7,
};

constexpr std::uint64_t descriptor_bytes = 32;
constexpr std::uint64_t completion_bytes = 16;
constexpr std::uint64_t longest_row = 65536;
constexpr unsigned queues = 4;

/// Bits 1..0 of the pass number plus one, so that a ring of zeros is not valid in its first pass.
unsigned phase_of(std::uint16_t index, unsigned log2_size);

struct Descriptor {
  std::uint64_t src = 0;         ///< byte address, 40 bits
  std::uint64_t dst = 0;         ///< byte address, 40 bits
  std::uint32_t bytes = 1;       ///< of a row, 1 to 65536
  std::uint32_t rows = 1;        ///< 0 (the same as 1) to 65535
  std::uint32_t src_stride = 0;  ///< 24 bits
  std::uint32_t dst_stride = 0;  ///< 24 bits
  std::uint16_t tag = 0;
  bool irq = false;
  bool dmb = false;
  bool chain = false;
  std::uint8_t wait_sem = 0;    ///< 0 to 15
  std::uint8_t wait_count = 0;  ///< 0 to 15
  std::uint8_t signal_sem = 0;  ///< 0 to 15
  bool signal = false;
  unsigned phase = 0;  ///< 0 to 3

  std::uint32_t row_count() const { return rows == 0 ? 1 : rows; }
  std::uint64_t total() const { return std::uint64_t{bytes} * row_count(); }
  std::uint64_t src_of(std::uint32_t row) const { return src + std::uint64_t{row} * src_stride; }
  std::uint64_t dst_of(std::uint32_t row) const { return dst + std::uint64_t{row} * dst_stride; }
};
using DescriptorWords = std::array<std::uint64_t, 4>;
DescriptorWords encode(const Descriptor& descriptor);

/// False when a reserved bit, the magic or the opcode is wrong.
bool well_formed(const DescriptorWords& words);
Descriptor decode(const DescriptorWords& words);

struct Completion {
  std::uint16_t tag = 0;
  std::uint16_t index = 0;  ///< of the transfer's last descriptor
  std::uint32_t bytes = 0;  ///< written for sure, from the transfer's first on
  Status status = Status::ok;
  std::uint64_t addr = 0;  ///< what failed, 0 when nothing did
  unsigned phase = 0;
  bool operator==(const Completion& o) const {
    return tag == o.tag && index == o.index && bytes == o.bytes && status == o.status && addr == o.addr &&
           phase == o.phase;
  }
};
using CompletionWords = std::array<std::uint64_t, 2>;
Completion decode(const CompletionWords& words);
/// The bits that the format reserves are 0.
bool well_formed(const CompletionWords& words);

}  // namespace tb::golden::dma
