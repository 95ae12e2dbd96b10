#include "lab/drivers/tern/dma_ring.h"

#include <fmt/format.h>

namespace firstlight::tern {
namespace {

constexpr std::uint64_t kOpCopy = 0x01;
constexpr std::uint64_t kMagic = 0x7E52;
constexpr std::uint64_t kAddressMask = (std::uint64_t{1} << 40U) - 1;

void put(std::uint8_t* bytes, std::uint64_t word) {
  for (unsigned i = 0; i < 8; ++i) bytes[i] = static_cast<std::uint8_t>(word >> (8 * i));
}

std::uint64_t get(const std::uint8_t* bytes) {
  std::uint64_t word = 0;
  for (unsigned i = 0; i < 8; ++i) word |= static_cast<std::uint64_t>(bytes[i]) << (8 * i);
  return word;
}

}  // namespace

std::string name_of(unsigned status) {
  static const char* const kNames[] = {"ok",          "bad_descriptor", "bad_address", "read_error",
                                       "write_error", "phase_mismatch", "aborted",     "fetch_error"};
  return status < std::size(kNames) ? kNames[status] : fmt::format("status {}", status);
}

std::array<std::uint8_t, kDescriptorBytes> encode(const DmaCopy& copy, std::uint16_t tag, unsigned phase) {
  std::array<std::uint8_t, kDescriptorBytes> out{};
  put(out.data(), (copy.source & kAddressMask) | (std::uint64_t{copy.source_stride} << 40U));
  put(out.data() + 8, (copy.destination & kAddressMask) | (std::uint64_t{copy.destination_stride} << 40U));
  const std::uint64_t rows = copy.rows == 1 ? 0 : copy.rows;
  put(out.data() + 16, (copy.length & 0xFFFFU) | (std::uint64_t{tag} << 16U) | (std::uint64_t{copy.barrier} << 33U) |
                           (std::uint64_t{copy.chain} << 34U) | (rows << 35U));
  std::uint64_t last = kOpCopy | (kMagic << 8U) | (std::uint64_t{phase & 3U} << 62U);
  if (copy.wait)
    last |= (std::uint64_t{copy.wait->semaphore & 0xFU} << 24U) | (std::uint64_t{copy.wait->count & 0xFU} << 28U);
  if (copy.signal) last |= (std::uint64_t{*copy.signal & 0xFU} << 32U) | (std::uint64_t{1} << 36U);
  put(out.data() + 24, last);
  return out;
}

Completion decode(const std::array<std::uint8_t, kCompletionBytes>& bytes) {
  const std::uint64_t low = get(bytes.data());
  const std::uint64_t high = get(bytes.data() + 8);
  Completion out;
  out.tag = static_cast<std::uint16_t>(low);
  out.index = static_cast<std::uint16_t>(low >> 16U);
  out.bytes = static_cast<std::uint32_t>(low >> 32U);
  out.status = static_cast<unsigned>(high & 0xFU);
  out.address = (high >> 8U) & kAddressMask;
  out.phase = static_cast<unsigned>(high >> 62U);
  return out;
}

}  // namespace firstlight::tern
