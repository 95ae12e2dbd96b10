#include "tb/golden/dma/dma_model.h"

#include <algorithm>
#include <array>

namespace tb::golden::dma {
namespace {

struct Region {
  std::uint64_t base;
  std::uint64_t bytes;
};
constexpr std::array<Region, 5> regions{{
    {0x00'0010'0000, 0x1'0000},       // SRAM
    {0x00'0020'0000, 0x2'0000},       // scratchpad
    {0x01'0000'0000, 0x1'0000'0000},  // HBM
    {0x02'0000'0000, 0x1'0000'0000},  // host
    {0x03'0000'0000, 0x1'0000},       // neighbour's SRAM
}};
constexpr std::uint64_t mesh = 0x80'0000'0000;       // other chips', up to the end
constexpr std::uint64_t of_a_chip = 0x02'0000'0000;  // bytes
constexpr std::uint64_t word = 8;

std::uint64_t word_of(std::uint64_t addr) { return addr / word * word; }

/// From the first byte of the first row to the last byte of the last row.
std::uint64_t extent(const Descriptor& d, std::uint32_t stride) {
  return std::uint64_t{stride} * (d.row_count() - 1) + d.bytes;
}

}  // namespace

bool reachable(std::uint64_t addr, std::uint64_t bytes) {
  if (addr >= mesh) return addr % of_a_chip + bytes <= of_a_chip;
  return std::any_of(regions.begin(), regions.end(),
                     [&](const Region& r) { return addr >= r.base && addr + bytes <= r.base + r.bytes; });
}

DmaModel::Error DmaModel::check(std::uint16_t index, const DescriptorWords& words) const {
  const std::uint64_t entries = std::uint64_t{1} << settings_.ring_log2;
  const std::uint64_t own = settings_.ring_base + index % entries * descriptor_bytes;
  const auto fault = faults_->read.lower_bound(own);
  if (fault != faults_->read.end() && *fault < own + descriptor_bytes) return {Status::fetch_error, own};
  const Descriptor d = decode(words);
  if (d.phase != phase_of(index, settings_.ring_log2)) return {Status::phase_mismatch, own};
  if (!well_formed(words)) return {Status::bad_descriptor, own};
  if (!reachable(d.src, extent(d, d.src_stride))) return {Status::bad_address, d.src};
  if (!reachable(d.dst, extent(d, d.dst_stride))) return {Status::bad_address, d.dst};
  return {};
}

Outcome DmaModel::execute(std::uint16_t index, const DescriptorWords& words) {
  Outcome out;
  out.descriptor = decode(words);
  const bool failed_before = error_.status != Status::ok;
  Error error = check(index, words);
  const bool trusted = error.status != Status::fetch_error && error.status != Status::phase_mismatch;
  out.runs = error.status == Status::ok;
  out.passed_over = failed_before;
  if (!failed_before) {
    if (out.runs) error = copy(out.descriptor, out.good);
    out.gives = out.descriptor.signal && error.status == Status::ok;
    bytes_ += out.good;
    error_ = error;
  }
  if (out.descriptor.chain && trusted) return out;

  Completion c;
  c.tag = error.status == Status::fetch_error ? std::uint16_t{0} : out.descriptor.tag;
  c.index = index;
  c.bytes = static_cast<std::uint32_t>(bytes_);
  c.status = error_.status;
  c.addr = error_.addr;
  c.phase = phase_of(completions_++, settings_.comp_log2);
  out.completion = c;
  error_ = {};
  bytes_ = 0;
  return out;
}

DmaModel::Error DmaModel::copy(const Descriptor& d, std::uint64_t& good) {
  for (std::uint32_t row = 0; row < d.row_count(); ++row) {
    std::uint64_t row_good = 0;
    const Error error = copy_row(d.src_of(row), d.dst_of(row), d.bytes, row_good);
    good += row_good;
    if (error.status != Status::ok) return error;
  }
  return {};
}

DmaModel::Error DmaModel::copy_row(std::uint64_t src, std::uint64_t dst, std::uint64_t bytes, std::uint64_t& good) {
  Error error;
  good = bytes;
  // A destination word that needs a byte of a failed source word is not written, nor is anything behind it.
  const auto failed_read = faults_->read.lower_bound(word_of(src));
  if (failed_read != faults_->read.end() && *failed_read < src + bytes) {
    error = {Status::read_error, *failed_read};
    const std::uint64_t stop = word_of(dst + std::max(*failed_read, src) - src);
    good = stop <= dst ? 0 : stop - dst;
  }
  // The first write burst with a failed word fails as a whole; it comes before a failed read because its bytes do.
  const std::uint64_t span = (settings_.long_bursts ? 32 : 16) * word;
  const auto failed_write = faults_->write.lower_bound(word_of(dst));
  if (good != 0 && failed_write != faults_->write.end() && *failed_write < dst + good) {
    const std::uint64_t burst = std::max(*failed_write / span * span, word_of(dst));
    error = {Status::write_error, burst};
    good = burst <= dst ? 0 : burst - dst;
  }
  memory_->write(dst, memory_->read(src, good));
  return error;
}

}  // namespace tb::golden::dma
