#pragma once

#include <cstdint>
#include <string>

#include "lab/capabilities/registers.h"

namespace firstlight::tern {

/// A register's value taken apart by the names of its fields: one read, many fields. An unknown name is a bug of the
/// driver and throws FailureError of that class.
class Fields {
 public:
  Fields(const Registers& registers, const std::string& reg, std::uint32_t value = 0);

  std::uint32_t raw() const { return value_; }
  std::uint32_t operator[](const std::string& field) const { return find(field).extract(value_); }
  std::int64_t number(const std::string& field) const;
  /// In the field's unit: the number times its scale.
  double scaled(const std::string& field) const;
  /// The name of an enumerated value, or "value 9" when it has none.
  std::string name(const std::string& field) const { return name(field, (*this)[field]); }
  std::string name(const std::string& field, std::uint32_t raw) const;
  std::uint32_t value_of(const std::string& field, const std::string& name) const;
  /// The field's share of a register's value.
  std::uint32_t place(const std::string& field, std::uint32_t raw) const { return find(field).insert(0, raw); }
  /// The raw bits for a value in the field's unit, rounded. Throws FailureError (sequence) when it does not fit.
  std::uint32_t raw_of(const std::string& field, double value) const;

 private:
  const FieldInfo& find(const std::string& field) const;

  std::string name_;
  const RegisterInfo* reg_;
  std::uint32_t value_;
};

}  // namespace firstlight::tern
