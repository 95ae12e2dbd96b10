#include "tb/blocks/regs/register_model.h"

#include <stdexcept>
#include <utility>

namespace tb::regs {

using firstlight::Access;
using firstlight::FieldInfo;
using firstlight::RegisterInfo;

RegisterModel::RegisterModel(const firstlight::BlockInfo& block, Hardware hardware)
    : block_(block), hardware_(std::move(hardware)) {
  reset();
}

void RegisterModel::reset() {
  stored_.clear();
  pulses_.clear();
  for (const RegisterInfo& reg : block_.registers)
    for (std::uint32_t i = 0; i < reg.count; ++i) stored_[reg.offset + i * reg.stride] = reg.reset();
}

std::optional<RegisterModel::Place> RegisterModel::place(std::uint32_t offset) const {
  for (const RegisterInfo& reg : block_.registers)
    for (std::uint32_t i = 0; i < reg.count; ++i)
      if (reg.offset + i * reg.stride == offset) return Place{&reg, i};
  return std::nullopt;
}

std::optional<std::uint32_t> RegisterModel::read(std::uint32_t offset) const {
  const auto at = place(offset);
  if (!at) return std::nullopt;
  std::uint32_t value = stored_.at(offset);
  for (const FieldInfo& field : at->reg->fields) {
    if (field.access == Access::ReadOnly) value = field.insert(value, hardware_(*at->reg, field, at->index));
    if (field.access == Access::WritePulse) value = field.insert(value, 0);
  }
  return value;
}

bool RegisterModel::write(std::uint32_t offset, std::uint32_t data, std::uint8_t strb) {
  const auto at = place(offset);
  if (!at || !at->reg->is_writable()) return false;
  std::uint32_t bytes = 0;
  for (unsigned b = 0; b < 4; ++b)
    if ((strb >> b) & 1U) bytes |= 0xffU << (8 * b);
  std::uint32_t& value = stored_[offset];
  for (const FieldInfo& field : at->reg->fields) {
    const std::uint32_t mask = field.register_mask() & bytes;
    if (field.access == Access::ReadWrite || field.access == Access::ReadWriteHardware)
      value = (value & ~mask) | (data & mask);
    if (field.access == Access::WriteOneClear) value &= ~(data & mask);
    if (field.access == Access::WritePulse && mask != 0) {
      Pulse& pulse = pulses_[at->reg->name + "." + field.name];
      pulse.value = field.extract(data & mask);
      if (pulse.value != 0) ++pulse.count;
    }
  }
  return true;
}

const FieldInfo& RegisterModel::field(const std::string& reg, const std::string& field, std::uint32_t& offset) const {
  for (const RegisterInfo& known : block_.registers)
    if (known.name == reg)
      for (const FieldInfo& one : known.fields)
        if (one.name == field) {
          offset = known.offset;
          return one;
        }
  throw std::invalid_argument("no field " + reg + "." + field);
}

void RegisterModel::hardware_set(const std::string& reg, const std::string& name, std::uint32_t bits) {
  std::uint32_t offset = 0;
  const FieldInfo& info = field(reg, name, offset);
  stored_[offset] |= info.insert(0, bits);
}

void RegisterModel::hardware_load(const std::string& reg, const std::string& name, std::uint32_t value) {
  std::uint32_t offset = 0;
  const FieldInfo& info = field(reg, name, offset);
  stored_[offset] = info.insert(stored_[offset], value);
}

std::uint32_t RegisterModel::pulses(const std::string& reg, const std::string& name) const {
  const auto at = pulses_.find(reg + "." + name);
  return at == pulses_.end() ? 0 : at->second.count;
}

std::uint32_t RegisterModel::last_pulse(const std::string& reg, const std::string& name) const {
  const auto at = pulses_.find(reg + "." + name);
  return at == pulses_.end() ? 0 : at->second.value;
}

}  // namespace tb::regs
