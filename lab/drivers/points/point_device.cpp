#include "lab/drivers/points/point_device.h"

namespace firstlight {

std::optional<UnitScale> unit_scale(const std::string& unit) {
  if (unit.empty() || unit == "1") return UnitScale{};
  const auto zero = parse_any_quantity("0 " + unit);
  const auto one = parse_any_quantity("1 " + unit);
  if (!zero || !one || one->value == zero->value) return std::nullopt;
  return UnitScale{one->dimension, one->value - zero->value, zero->value};
}

}  // namespace firstlight
