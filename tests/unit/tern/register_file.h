#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "lab/core/register_map.h"
#include "lab/transports/register_bus.h"

namespace firstlight::test {

/// The words of a chip's registers as a bus that always answers. A write is kept (write-one-clear fields clear, write
/// pulses read 0), and then whoever asked for it is told what was written.
class RegisterFile final : public RegisterBus {
 public:
  using Hook = std::function<void(std::uint32_t written)>;

  explicit RegisterFile(const RegisterMap& map) : map_(map) {}

  std::uint32_t get(const std::string& name) const {
    const RegisterRef ref = find(name);
    const auto word = words_.find(ref.address);
    const std::uint32_t value = word != words_.end() ? word->second : ref.reg != nullptr ? ref.reg->reset() : 0;
    return ref.field != nullptr ? ref.field->extract(value) : value;
  }
  void set(const std::string& name, std::uint32_t value) {
    const RegisterRef ref = find(name);
    if (ref.field != nullptr) value = ref.field->insert(get(whole(name)), value);
    words_[ref.address] = value;
  }
  /// @param name of a whole register
  void on_write(const std::string& name, Hook hook) { hooks_[find(name).address] = std::move(hook); }

  BusResult read(std::uint64_t address, Instant) override {
    return {BusStatus::ok, get(map_.name_of(static_cast<std::uint32_t>(address))), {}};
  }
  BusResult write(std::uint64_t address, std::uint32_t value, Instant) override {
    const auto at = static_cast<std::uint32_t>(address);
    const std::string name = map_.name_of(at);
    const RegisterRef ref = find(name);
    std::uint32_t kept = get(name);
    for (const FieldInfo& field : ref.reg->fields) {
      const std::uint32_t written = field.extract(value);
      if (field.access == Access::WriteOneClear) kept = field.insert(kept, field.extract(kept) & ~written);
      if (field.access == Access::ReadWrite || field.access == Access::ReadWriteHardware)
        kept = field.insert(kept, written);
    }
    words_[at] = kept;
    const auto hook = hooks_.find(at);
    if (hook != hooks_.end()) hook->second(value);
    return {};
  }
  std::string name() const override { return "fake"; }

 private:
  RegisterRef find(const std::string& name) const {
    const RegisterLookup lookup = map_.find(name);
    if (!lookup) throw std::logic_error(lookup.error);
    return *lookup.found;
  }
  /// "dma0.q_ctrl[1]" of "dma0.q_ctrl[1].enable".
  static std::string whole(const std::string& name) { return name.substr(0, name.rfind('.')); }

  const RegisterMap& map_;
  std::map<std::uint32_t, std::uint32_t> words_;  // by address
  std::map<std::uint32_t, Hook> hooks_;
};

}  // namespace firstlight::test
