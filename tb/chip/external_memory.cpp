#include "tb/chip/external_memory.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace tb {
namespace {
constexpr std::uint64_t kLineBytes = 64;
constexpr std::size_t kDescriptorBytes = 32;
constexpr std::size_t kCompletionBytes = 16;
constexpr unsigned kBeatBytes = 8;
}  // namespace

ExternalMemory::ExternalMemory(const sc_core::sc_module_name& name, std::uint64_t size, MemoryTiming timing,
                               const sc_core::sc_time& cycle, std::uint64_t hidden)
    : sc_module(name), socket("socket"), size_(size), bytes_(size + hidden), timing_(timing), cycle_(cycle) {
  socket.register_b_transport(this, &ExternalMemory::b_transport);
}

void ExternalMemory::expect_inside(const char* what, std::uint64_t offset, std::size_t count) const {
  if (offset > bytes_.size() || count > bytes_.size() - offset)
    throw std::out_of_range(std::string(what) + " beyond the end of " + name());
}

void ExternalMemory::peek(std::uint64_t offset, std::uint8_t* data, std::size_t count) const {
  expect_inside("peek", offset, count);
  std::memcpy(data, bytes_.data() + offset, count);
}

void ExternalMemory::poke(std::uint64_t offset, const std::uint8_t* data, std::size_t count) {
  expect_inside("poke", offset, count);
  std::memcpy(bytes_.data() + offset, data, count);
}

void ExternalMemory::buffer_writes(const sc_core::sc_time& longest, std::uint64_t seed) {
  longest_delay_ = longest;
  random_.seed(seed);
}

/// When a write of now becomes visible: never before an earlier one of the same line.
sc_core::sc_time ExternalMemory::delay_of_write(std::uint64_t line) {
  constexpr double kSteps = 1U << 16U;
  const double share = static_cast<double>(random_() % static_cast<std::uint64_t>(kSteps)) / kSteps;
  sc_core::sc_time visible = sc_core::sc_time_stamp() + longest_delay_ * share;
  for (const PendingWrite& earlier : pending_)
    if (earlier.offset / kLineBytes == line) visible = std::max(visible, earlier.visible);
  return visible;
}

void ExternalMemory::write(std::uint64_t offset, const std::uint8_t* data, std::size_t count) {
  expect_inside("write", offset, count);
  settle(false);
  const bool late = late_writes_ != sc_core::SC_ZERO_TIME && count == kDescriptorBytes;
  if (!late && longest_delay_ == sc_core::SC_ZERO_TIME) return poke(offset, data, count);
  for (std::size_t done = 0; done < count;) {
    const std::uint64_t at = offset + done;
    const std::size_t part = std::min<std::size_t>(kLineBytes - at % kLineBytes, count - done);
    const sc_core::sc_time visible = late ? sc_core::sc_time_stamp() + late_writes_ : delay_of_write(at / kLineBytes);
    pending_.push_back({visible, late, at, {data + done, data + done + part}});
    done += part;
  }
}

void ExternalMemory::read(std::uint64_t offset, std::uint8_t* data, std::size_t count) {
  settle(false);
  peek(offset, data, count);
  for (const PendingWrite& write : pending_) {
    const std::uint64_t first = std::max(offset, write.offset);
    const std::uint64_t end = std::min(offset + count, write.offset + write.bytes.size());
    if (first < end) std::memcpy(data + (first - offset), write.bytes.data() + (first - write.offset), end - first);
  }
}

void ExternalMemory::barrier() { settle(!barrier_lost_); }

void ExternalMemory::settle(bool barrier) {
  const auto visible = [&](const PendingWrite& write) {
    return (barrier && !write.late) || write.visible <= sc_core::sc_time_stamp();
  };
  for (const PendingWrite& write : pending_)
    if (visible(write)) std::memcpy(bytes_.data() + write.offset, write.bytes.data(), write.bytes.size());
  pending_.erase(std::remove_if(pending_.begin(), pending_.end(), visible), pending_.end());
  const auto arrived = [&](const PendingWrite& write) { return write.visible <= sc_core::sc_time_stamp(); };
  for (const PendingWrite& write : arriving_)
    if (arrived(write)) std::memcpy(bytes_.data() + write.offset, write.bytes.data(), write.bytes.size());
  arriving_.erase(std::remove_if(arriving_.begin(), arriving_.end(), arrived), arriving_.end());
}

bool ExternalMemory::touches(std::optional<std::uint64_t> line, std::uint64_t offset, std::size_t count) {
  if (!line) return false;
  const std::uint64_t first = *line / kLineBytes * kLineBytes;
  return offset < first + kLineBytes && offset + count > first;
}

void ExternalMemory::read_cells(std::uint64_t offset, std::uint8_t* data, std::size_t count) const {
  std::memcpy(data, bytes_.data() + offset, count);
  for (const StuckBit& cell : stuck_) {
    if (cell.offset < offset || cell.offset - offset >= count) continue;
    const auto mask = static_cast<std::uint8_t>(1U << cell.bit);
    std::uint8_t& byte = data[cell.offset - offset];
    byte = static_cast<std::uint8_t>(cell.value ? byte | mask : byte & ~mask);
  }
  if (touches(data_error_, offset, count)) data[0] ^= 1U;
}

void ExternalMemory::write_cells(std::uint64_t offset, const tlm::tlm_generic_payload& payload) {
  const std::size_t count = payload.get_data_length();
  const std::uint8_t* data = payload.get_data_ptr();
  const std::uint8_t* enable = payload.get_byte_enable_ptr();
  if (late_completions_ != sc_core::SC_ZERO_TIME && count == kCompletionBytes) {
    arriving_.push_back({sc_core::sc_time_stamp() + late_completions_, true, offset, {data, data + count}});
    return;
  }
  const bool lost = lost_ && lost_->left > 0 && touches(lost_->offset, offset, count) && --lost_->left == 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (enable != nullptr && enable[i % payload.get_byte_enable_length()] != TLM_BYTE_ENABLED) continue;
    if (lost && (offset + i) / kLineBytes == lost_->offset / kLineBytes) continue;
    bytes_[offset + i] = data[i];
  }
}

void ExternalMemory::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  settle(false);
  const std::uint64_t offset = payload.get_address();
  const std::size_t count = payload.get_data_length();
  const std::size_t beats = (count + kBeatBytes - 1) / kBeatBytes;
  const sc_core::sc_time asked = sc_core::sc_time_stamp() + delay;
  const sc_core::sc_time start = std::max(asked, bus_free_);
  bus_free_ = start + cycle_ * static_cast<double>(beats * timing_.cycles_per_beat);
  delay = start - sc_core::sc_time_stamp() + cycle_ * static_cast<double>(timing_.latency);
  if (offset > bytes_.size() || count > bytes_.size() - offset) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  if (touches(bus_error_, offset, count)) {
    payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    return;
  }
  if (payload.is_read())
    read_cells(offset, payload.get_data_ptr(), count);
  else
    write_cells(offset, payload);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

}  // namespace tb
