#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "lab/core/register_map.h"

namespace tb::regs {

/// What rtl/regs/README.md says a register block does, without a notion of cycles.
class RegisterModel {
 public:
  /// Answers the value that hardware drives on an `ro` field.
  using Hardware =
      std::function<std::uint32_t(const firstlight::RegisterInfo&, const firstlight::FieldInfo&, std::uint32_t index)>;

  RegisterModel(const firstlight::BlockInfo& block, Hardware hardware);

  /// Nothing: the block answers with an error.
  std::optional<std::uint32_t> read(std::uint32_t offset) const;
  bool write(std::uint32_t offset, std::uint32_t data, std::uint8_t strb);

  void reset();
  /// Hardware sets w1c bits of "register.field", or loads an rwh field.
  void hardware_set(const std::string& reg, const std::string& field, std::uint32_t bits);
  void hardware_load(const std::string& reg, const std::string& field, std::uint32_t value);

  /// Pulses of a wp field so far whose value was not 0, and the last value.
  std::uint32_t pulses(const std::string& reg, const std::string& field) const;
  std::uint32_t last_pulse(const std::string& reg, const std::string& field) const;

 private:
  struct Place {
    const firstlight::RegisterInfo* reg;
    std::uint32_t index;
  };
  struct Pulse {
    std::uint32_t count = 0;
    std::uint32_t value = 0;
  };
  std::optional<Place> place(std::uint32_t offset) const;
  const firstlight::FieldInfo& field(const std::string& reg, const std::string& field, std::uint32_t& offset) const;

  const firstlight::BlockInfo& block_;
  Hardware hardware_;
  std::map<std::uint32_t, std::uint32_t> stored_;  // by offset
  std::map<std::string, Pulse> pulses_;
};

}  // namespace tb::regs
