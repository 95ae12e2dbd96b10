#pragma once

#include <memory>

#include "lab/core/bench_time.h"
#include "lab/drivers/points/point_device.h"
#include "lab/drivers/registry.h"

namespace firstlight {

/// How the bench bounds a device beyond the device's own range, and how long its outputs may take.
struct PointLimits {
  std::map<std::string, Quantity> maxima;  // by setting
  Duration settle = std::chrono::seconds(10);
};

/// From the parameters `max` (a map of setting to quantity), every `max_<setting>`, and `settle`.
PointLimits point_limits(const DriverPlan& plan);

/// Offers Setpoints where the device has settings, Switch where it has outputs, and the measurables that the bench
/// names under `measures`. Throws FailureError (bench) for a measurable that the device lacks or that measures
/// something else.
void offer_points(const DriverPlan& plan, DriverEnvironment& environment, const std::shared_ptr<PointDevice>& device);

/// Offers CoolantUnit and its measurables, of a device with the settings `temperature` and `flow`, the output `pump`
/// and the readings `inlet`, `outlet`, `flow`, `pressure` and `leak`.
void offer_coolant(const DriverPlan& plan, DriverEnvironment& environment, const std::shared_ptr<PointDevice>& device);

/// What the driver types over points have in common.
std::vector<ParamSpec> point_params();
std::vector<ParamSpec> coolant_params();
std::vector<MeasurableSpec> coolant_measures();

}  // namespace firstlight
