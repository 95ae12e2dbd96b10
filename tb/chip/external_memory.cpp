#include "tb/chip/external_memory.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace tb {
namespace {
constexpr std::uint64_t kLineBytes = 64;
constexpr std::size_t kDescriptorBytes = 32;
constexpr unsigned kBeatBytes = 8;
}  // namespace

ExternalMemory::ExternalMemory(const sc_core::sc_module_name& name, std::uint64_t size, MemoryTiming timing,
                               const sc_core::sc_time& cycle)
    : sc_module(name), socket("socket"), bytes_(size), timing_(timing), cycle_(cycle) {
  socket.register_b_transport(this, &ExternalMemory::b_transport);
}

void ExternalMemory::peek(std::uint64_t offset, std::uint8_t* data, std::size_t count) const {
  if (offset > bytes_.size() || count > bytes_.size() - offset)
    throw std::out_of_range("peek beyond the end of " + std::string(name()));
  std::memcpy(data, bytes_.data() + offset, count);
}

void ExternalMemory::poke(std::uint64_t offset, const std::uint8_t* data, std::size_t count) {
  if (offset > bytes_.size() || count > bytes_.size() - offset)
    throw std::out_of_range("poke beyond the end of " + std::string(name()));
  settle_late_writes();
  if (late_writes_ != sc_core::SC_ZERO_TIME && count == kDescriptorBytes) {
    late_.push_back({sc_core::sc_time_stamp() + late_writes_, offset, {data, data + count}});
    return;
  }
  std::memcpy(bytes_.data() + offset, data, count);
}

void ExternalMemory::settle_late_writes() {
  const auto visible = [](const LateWrite& write) { return write.visible <= sc_core::sc_time_stamp(); };
  for (const LateWrite& write : late_)
    if (visible(write))
      std::copy(write.bytes.begin(), write.bytes.end(), bytes_.begin() + static_cast<std::ptrdiff_t>(write.offset));
  late_.erase(std::remove_if(late_.begin(), late_.end(), visible), late_.end());
}

bool ExternalMemory::touches(std::optional<std::uint64_t> line, std::uint64_t offset, std::size_t count) {
  if (!line) return false;
  const std::uint64_t first = *line / kLineBytes * kLineBytes;
  return offset < first + kLineBytes && offset + count > first;
}

void ExternalMemory::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  settle_late_writes();
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
  std::uint8_t* bytes = bytes_.data() + offset;
  if (payload.is_read()) {
    std::memcpy(payload.get_data_ptr(), bytes, count);
    if (touches(data_error_, offset, count)) payload.get_data_ptr()[0] ^= 1U;
  } else if (const std::uint8_t* enable = payload.get_byte_enable_ptr()) {
    for (std::size_t i = 0; i < count; ++i)
      if (enable[i % payload.get_byte_enable_length()] == TLM_BYTE_ENABLED) bytes[i] = payload.get_data_ptr()[i];
  } else {
    std::memcpy(bytes, payload.get_data_ptr(), count);
  }
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

}  // namespace tb
