#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/drivers/points/point_device.h"

namespace firstlight::ipmi {

/// y = L[(M x + B 10^K1) 10^K2] (IPMI 2.0, 36.3).
struct Factors {
  int m = 0;                       // 10 bits, signed
  int b = 0;                       // 10 bits, signed
  int k1 = 0;                      // the B exponent, 4 bits, signed
  int k2 = 0;                      // the result exponent, 4 bits, signed
  std::uint8_t linearisation = 0;  // L: 0 linear, 1 to 0x0a a function, 0x70 and above: ask the BMC for each reading
  std::uint8_t format = 0;         // of x: 0 unsigned, 1 ones' complement, 2 twos' complement, 3 no number
};

/// Linearisations from 0x70 on have no formula: the factors differ by reading, and are used without L.
inline constexpr std::uint8_t kNonLinear = 0x70;

/// Nothing for a format without numbers, a linearisation without a sure meaning, and a value out of its function's
/// domain.
std::optional<double> convert(const Factors& factors, std::uint8_t raw);

/// M, tolerance, B, accuracy and exponents as six bytes: bytes 25 to 30 of a full sensor record, and the same bytes of
/// Get Sensor Reading Factors.
/// @param bytes six of them
void unpack_factors(const std::uint8_t* bytes, Factors& factors);

/// A full or compact sensor record (IPMI 2.0, 43.1 and 43.2).
struct Sensor {
  std::string name;
  std::uint8_t owner = 0;
  std::uint8_t lun = 0;
  std::uint8_t number = 0;
  bool full = false;       // has factors
  bool threshold = false;  // event/reading type 1; others have states
  Factors factors;
  std::uint8_t base_unit = 0;      // IPMI 2.0, table 43-15
  std::uint8_t modifier_unit = 0;  // used when `modified`
  bool modified = false;           // base unit / or * modifier, or per time: no plain unit
  bool percentage = false;
};

/// Nothing for a record of another type. Throws std::invalid_argument for a sensor record that is too short.
std::optional<Sensor> parse_sensor(const std::vector<std::uint8_t>& record);

/// What the sensor's numbers are; nothing for a unit that has no dimension here, which is then a plain number.
std::optional<UnitScale> unit_of(const Sensor& sensor);

}  // namespace firstlight::ipmi
