#include "lab/steps/rail_actions.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "lab/core/failure.h"

namespace firstlight::steps {

namespace {

constexpr Duration kOffPeriod{1'000'000'000};
constexpr Duration kOffReserve{20'000'000'000};

}  // namespace

std::optional<Voltage> sensed(Bench& bench, const Rail& rail) {
  if (rail.plan().sense.empty()) return std::nullopt;
  return Voltage(bench.measurable(rail.plan().sense).read());
}

Voltage best_voltage(Bench& bench, Rail& rail) {
  const std::optional<Voltage> independent = sensed(bench, rail);
  return independent ? *independent : rail.voltage();
}

std::string sense_part(Bench& bench, const Rail& rail) {
  return rail.plan().sense.empty() ? rail.part() : bench.measurable(rail.plan().sense).part;
}

Duration off_limit(Rail& rail) { return rail.fall_time() * 2 + rail.plan().safe_ramp + kOffReserve; }

OffResult turn_off(Bench& bench, Rail& rail) {
  BenchTime& time = bench.time();
  const Instant begin = time.now();
  const Duration limit = off_limit(rail);
  rail.disable();
  const Instant disabled = time.now();
  Instant looked = disabled;
  OffResult result;
  while (true) {
    const Instant earlier = std::exchange(looked, time.now());
    // By the independent sense where there is one: a regulator whose telemetry is stuck must not keep the bench unsafe.
    result.left = best_voltage(bench, rail);
    result.points.emplace_back(time.now(), result.left);
    if (result.left <= rail.plan().residual) {
      const RailStatus status = rail.status();
      result.status = status.text;
      result.off = !status.on;
    }
    result.took = time.now() - begin;
    // Whoever looks may be held up: the last look begins after the limit, and where the time between two looks spans
    // the limit, only what the earlier one saw for certain counts against the rail.
    if (result.off && result.took > limit) result.took = std::max(Duration{}, earlier - disabled);
    if (result.off || looked - begin > limit) break;
    time.sleep(kOffPeriod);
  }
  if (result.status.empty()) result.status = rail.status().text;
  return result;
}

Failure off_failure(const Rail& rail, const OffResult& result) {
  return {ErrorClass::dut,
          "rail_will_not_turn_off",
          fmt::format("{} still has {} {} after it was turned off (allowed: {}); the regulator says {}",
                      rail.plan().name, to_text(result.left), to_text(to_quantity(result.took), 3),
                      to_text(rail.plan().residual), result.status),
          rail.part(),
          "OPERATION off, read back",
          fmt::format("{}, {}", to_text(result.left), result.status),
          "the OFF was acknowledged and had no effect (firmware, or an enable pin that holds the output on), or "
          "another rail feeds it back"};
}

std::string rail_key(const std::string& rail) { return "rail " + rail; }
std::string set_point_key(const std::string& rail) { return "set point " + rail; }
std::string margin_key(const std::string& rail) { return "margin " + rail; }

void release_rail(StepContext& step, const std::string& rail) {
  for (const std::string& key : {rail_key(rail), set_point_key(rail), margin_key(rail)}) step.de_energised(key);
}

std::string ramp_json(const std::string& rail, const char* direction, Voltage target, Duration rise,
                      const std::vector<std::pair<Instant, Voltage>>& points) {
  nlohmann::json json = {
      {"rail", rail}, {"direction", direction}, {"target", target.base()}, {"rise_s", seconds(rise)}, {"unit", "V"}};
  nlohmann::json& list = json["points"] = nlohmann::json::array();
  for (const auto& [at, volts] : points) list.push_back({seconds(at), volts.base()});
  return json.dump();
}

}  // namespace firstlight::steps
