#include "tb/golden/dma/dma_model.h"

#include <algorithm>
#include <array>

namespace tb::golden::dma {
namespace {

struct Window {
  std::uint64_t base;
  std::uint64_t bytes;
};
constexpr std::array<Window, 4> windows{{
    {0x00'0010'0000, 0x1'0000},       // SRAM
    {0x01'0000'0000, 0x1'0000'0000},  // HBM
    {0x02'0000'0000, 0x1'0000'0000},  // host
    {0x03'0000'0000, 0x1'0000},       // neighbour's SRAM
}};
constexpr std::uint64_t word = 8;

std::uint64_t word_of(std::uint64_t addr) { return addr / word * word; }

}  // namespace

bool reachable(std::uint64_t addr, std::uint64_t bytes) {
  return std::any_of(windows.begin(), windows.end(),
                     [&](const Window& w) { return addr >= w.base && addr + bytes <= w.base + w.bytes; });
}

Outcome DmaModel::execute(std::uint16_t index, std::uint16_t completion, const DescriptorWords& words) {
  Outcome out;
  out.descriptor = decode(words);
  const Descriptor& d = out.descriptor;
  Completion& c = out.completion;
  c.index = index;
  c.phase = phase_of(completion, settings_.comp_log2);

  const std::uint64_t entries = std::uint64_t{1} << settings_.ring_log2;
  const std::uint64_t own = settings_.ring_base + index % entries * descriptor_bytes;
  for (std::uint64_t addr = own; addr < own + descriptor_bytes; addr += word) {
    if (faults_.read.count(addr) != 0) {
      c.status = Status::fetch_error;
      c.addr = own;
      return out;
    }
  }
  c.tag = d.tag;
  if (d.phase != phase_of(index, settings_.ring_log2)) {
    c.status = Status::phase_mismatch;
    c.addr = own;
  } else if (!well_formed(words)) {
    c.status = Status::bad_descriptor;
    c.addr = own;
  } else if (!reachable(d.src, d.bytes)) {
    c.status = Status::bad_address;
    c.addr = d.src;
  } else if (!reachable(d.dst, d.bytes)) {
    c.status = Status::bad_address;
    c.addr = d.dst;
  } else {
    out.runs = true;
    copy(d, c);
  }
  return out;
}

/// A destination word that needs a byte of a failed source word is not written, nor is anything behind it.
std::uint64_t DmaModel::bytes_before_read_fault(const Descriptor& d, Completion& c) const {
  const auto fault = faults_.read.lower_bound(word_of(d.src));
  if (fault == faults_.read.end() || *fault >= d.src + d.bytes) return d.bytes;
  c.status = Status::read_error;
  c.addr = *fault;
  const std::uint64_t first_failed = std::max(*fault, d.src) - d.src;
  const std::uint64_t stop = word_of(d.dst + first_failed);
  return stop <= d.dst ? 0 : stop - d.dst;
}

void DmaModel::copy(const Descriptor& d, Completion& c) {
  std::uint64_t good = bytes_before_read_fault(d, c);

  // The first write burst with a failed word fails as a whole; it comes before a failed read because its address does.
  const std::uint64_t span = (settings_.long_bursts ? 32 : 16) * word;
  const auto fault = faults_.write.lower_bound(word_of(d.dst));
  if (good != 0 && fault != faults_.write.end() && *fault < d.dst + good) {
    const std::uint64_t burst = std::max(*fault / span * span, word_of(d.dst));
    c.status = Status::write_error;
    c.addr = burst;
    good = burst <= d.dst ? 0 : burst - d.dst;
  }
  c.bytes = static_cast<std::uint32_t>(good);
  memory_.write(d.dst, memory_.read(d.src, good));
}

}  // namespace tb::golden::dma
