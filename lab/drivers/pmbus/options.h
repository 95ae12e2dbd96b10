#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lab/bench/plan.h"
#include "lab/core/vocabulary.h"
#include "lab/drivers/pmbus/device.h"
#include "lab/drivers/registry.h"

namespace firstlight::pmbus {

/// Parameters that every driver of a PMBus part has: address, part, quirks, shunt, and how VOUT is coded.
std::vector<ParamSpec> part_params();

/// What they say. Throws FailureError (bench) with the place.
DeviceOptions options_of(const DriverPlan& plan);

/// The device of a driver: one for all drivers that name the same address of the same bus, since a part has one PAGE.
/// Throws FailureError (bench) when they describe it differently.
std::shared_ptr<Device> device_of(const DriverPlan& plan, DriverEnvironment& environment);

/// Offers what the driver counts: "<driver>.pec_errors" and so on; and their table.
void add_counters(Bench& bench, const std::string& driver, const std::shared_ptr<Device>& device);
std::vector<MeasurableSpec> counter_specs();

}  // namespace firstlight::pmbus
