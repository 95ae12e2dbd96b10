#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lab/capabilities/bench.h"
#include "lab/capabilities/rail.h"
#include "lab/core/bench_time.h"
#include "lab/core/failure.h"
#include "lab/steps/step.h"

namespace firstlight::steps {

/// What several verbs, and the undo of the ledger, do with a rail.

/// The independent reading of the rail, when the bench has one.
std::optional<Voltage> sensed(Bench& bench, const Rail& rail);
/// The same, or the regulator's telemetry when there is none.
Voltage best_voltage(Bench& bench, Rail& rail);
std::string sense_part(Bench& bench, const Rail& rail);

/// How long turning off may take: what the part says of itself, and the bench's ramp, with reserve.
Duration off_limit(Rail& rail);

struct OffResult {
  bool off = false;
  Voltage left;  // what was still there
  Duration took{};
  std::string status;  // the regulator's status bits at the end
  std::vector<std::pair<Instant, Voltage>> points;
};
/// Turns the rail off and reads back until the regulator says OFF and the voltage is at or below `residual`.
OffResult turn_off(Bench& bench, Rail& rail);
Failure off_failure(const Rail& rail, const OffResult& result);

/// The ledger's keys: one live entry each a rail.
std::string rail_key(const std::string& rail);
std::string set_point_key(const std::string& rail);
std::string margin_key(const std::string& rail);
/// The rail is off, and with it whatever was done to its voltage: none of it is left to undo, which its regulator may
/// soon lack the power for.
void release_rail(StepContext& step, const std::string& rail);

/// "rail_ramp" data for the report.
std::string ramp_json(const std::string& rail, const char* direction, Voltage target, Duration rise,
                      const std::vector<std::pair<Instant, Voltage>>& points);

}  // namespace firstlight::steps
