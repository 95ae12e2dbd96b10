#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "lab/core/quantity.h"

namespace firstlight::redfish {

/// What a part of a resource says: a value, or why it is none.
struct Reading {
  std::optional<Quantity> value;
  std::string why;  // "its Status.State is Absent"; empty when there is a value
};

/// Reads a Sensor, an excerpt of one, an entry of the older Thermal and Power resources, or a plain number. The unit is
/// that of ReadingUnits, or of the property's name ("InputPowerWatts", "ReadingCelsius"). Values are none when State is
/// not Enabled, when the reading is null, and when it is out of the sensor's own range (ReadingRangeMin, -Max).
/// @param property the name of the member that holds `object`, for a number or an excerpt without units
Reading read_sensor(const nlohmann::json& object, const std::string& property);

/// A LeakDetector: 1 when DetectorState says that there is coolant, 0 when it is OK. Status.State, which says whether
/// the detector works at all, is another thing: one that is not Enabled detects nothing.
Reading read_leak_detector(const nlohmann::json& object);

}  // namespace firstlight::redfish
