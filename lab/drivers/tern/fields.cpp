#include "lab/drivers/tern/fields.h"

#include <fmt/format.h>

#include <cmath>

#include "lab/core/failure.h"

namespace firstlight::tern {
namespace {

[[noreturn]] void bug(const std::string& message) {
  Failure failure;
  failure.error_class = ErrorClass::bug;
  failure.symptom = "unknown_register";
  failure.message = message;
  failure.likely_cause = "the driver and the register description have gone apart";
  throw FailureError(failure);
}

}  // namespace

Fields::Fields(const Registers& registers, const std::string& reg, std::uint32_t value)
    : name_(reg), reg_(nullptr), value_(value) {
  const RegisterLookup lookup = registers.map().find(reg);
  if (!lookup) bug(lookup.error);
  reg_ = lookup.found->reg;
  if (reg_ == nullptr) bug(fmt::format("{} is not a register", reg));
}

const FieldInfo& Fields::find(const std::string& field) const {
  for (const FieldInfo& info : reg_->fields)
    if (info.name == field) return info;
  bug(fmt::format("{} has no field {}", name_, field));
}

std::int64_t Fields::number(const std::string& field) const {
  const FieldInfo& info = find(field);
  return info.number(info.extract(value_));
}

double Fields::scaled(const std::string& field) const { return static_cast<double>(number(field)) * find(field).scale; }

std::string Fields::name(const std::string& field, std::uint32_t raw) const {
  const std::string_view name = find(field).value_name(raw);
  return name.empty() ? fmt::format("value {}", raw) : std::string(name);
}

std::uint32_t Fields::value_of(const std::string& field, const std::string& name) const {
  const auto value = find(field).value_of(name);
  if (value) return *value;
  Failure failure;
  failure.error_class = ErrorClass::sequence;
  failure.symptom = "unknown_value";
  failure.message = fmt::format("{}.{} has no value named {}", name_, field, name);
  throw FailureError(failure);
}

std::uint32_t Fields::raw_of(const std::string& field, double value) const {
  const FieldInfo& info = find(field);
  const auto raw = info.raw(std::llround(value / info.scale));
  if (raw) return *raw;
  Failure failure;
  failure.error_class = ErrorClass::sequence;
  failure.symptom = "value_out_of_range";
  failure.message = fmt::format("{} {} does not fit {}.{}", value, info.unit, name_, field);
  throw FailureError(failure);
}

}  // namespace firstlight::tern
