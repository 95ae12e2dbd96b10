#include "lab/steps/thermal_trip.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "lab/capabilities/chip_thermal.h"
#include "lab/capabilities/rail.h"
#include "lab/steps/rail_actions.h"
#include "lab/steps/support.h"
#include "lab/steps/undo.h"

namespace firstlight::steps {

namespace {

constexpr Duration kPeriod{200'000'000};
constexpr Duration kPinReserve{5'000'000'000};
constexpr int kClearFilters = 10;  // filter times until a clear must be accepted

/// Proves the last line of defence: the sensor, the filter, the latch, the pin, the wire and the regulators behind it.
class TripTest {
 public:
  explicit TripTest(StepContext& step)
      : step_(step),
        bench_(step.bench()),
        thermal_(bench_.get<ChipThermal>(text_of(step, "chip"))),
        zone_(step.with("zone").text()),
        pin_(step.with("pin").text()),
        active_(step.with("active").text() == "high"),
        threshold_(thermal_.trip_threshold(zone_)) {
    for (const Value& rail : step.with("rails").list()) rails_.push_back(&bench_.rail(rail.text()));
  }

  void run() {
    check_idle();
    lower_threshold();
    wait_for_pin();
    check_latch();
    check_rails_off();
    restore();
  }

 private:
  std::string part() const { return thermal_.part(zone_); }

  void check_idle() {
    if (line_level(bench_, pin_) == active_)
      step_.fail(dut_failure("trip_already_active", fmt::format("{} is active before the test", pin_),
                             line_part(bench_, pin_), level_text(active_),
                             "a zone is too hot, a trip is still latched, or the line lacks its pull-up"));
    if (thermal_.trip_latch().latched)
      step_.fail(dut_failure("trip_already_latched", "a trip is latched before the test", part(),
                             thermal_.trip_latch().text, "an earlier trip was not cleared"));
    for (Rail* rail : rails_) {
      const RailStatus status = rail->status();
      if (!status.on)
        step_.fail({ErrorClass::sequence,
                    "rail_is_off",
                    fmt::format("{} is off, so the test could not show that the trip turns it off", rail->plan().name),
                    rail->part(),
                    {},
                    status.text,
                    "turn the rails on before, or leave this one out"});
    }
  }

  void lower_threshold() {
    const Temperature now = thermal_.temperature(zone_);
    const Temperature lowered = now - Temperature(step_.with("below").quantity().value);
    step_.energise({fmt::format("trip threshold of zone {} lowered to {}", zone_, to_text(lowered)),
                    fmt::format("trip threshold of zone {} back to {}", zone_, to_text(threshold_)),
                    "trip threshold " + zone_, undo_trip_threshold(zone_, text_of(step_, "chip"), threshold_)});
    begin_ = step_.time().now();
    thermal_.set_trip_threshold(zone_, lowered);
    step_.log(Severity::info,
              fmt::format("zone {} is at {}, its trip threshold is now {}", zone_, to_text(now), to_text(lowered)));
  }

  void wait_for_pin() {
    const Duration limit = thermal_.filter_time() * 2 + kPinReserve;
    const bool acted = poll(step_, kPeriod, begin_ + limit, [this] { return line_level(bench_, pin_) == active_; });
    const Duration took = step_.time().now() - begin_;
    if (!acted) {
      const TripLatch latch = thermal_.trip_latch();
      restore_threshold();
      step_.fail(
          dut_failure("trip_pin_silent",
                      fmt::format("{} did not act within {} of the trip threshold falling below the temperature of "
                                  "zone {}; the latch is {}",
                                  pin_, to_text(to_quantity(limit), 3), zone_, latch.latched ? "set" : "not set"),
                      latch.latched ? line_part(bench_, pin_) : part(), latch.text,
                      latch.latched ? "the pin is not connected" : "the trip filter or the sensor does not work"));
    }
    step_.measure("pin_time", to_quantity(took), Limit::at_most(to_quantity(limit)), pin_ + " time",
                  line_part(bench_, pin_));
  }

  void check_latch() {
    const TripLatch latch = thermal_.trip_latch();
    step_.expect("trip latch", latch.latched && latch.zone == zone_, "latched by zone " + zone_,
                 latch.latched ? "latched by zone " + latch.zone : "not latched", part());
    if (latch.latched) step_.measure("", latch.temperature.quantity(), "trip temperature", part());
  }

  void check_rails_off() {
    std::vector<Rail*> alive;
    Duration slowest{};
    for (Rail* rail : rails_) slowest = std::max(slowest, off_limit(*rail));
    const bool off = poll(step_, kPeriod * 5, begin_ + thermal_.filter_time() * 2 + kPinReserve + slowest, [&] {
      alive.clear();
      for (Rail* rail : rails_)
        if (best_voltage(bench_, *rail) > rail->plan().residual) alive.push_back(rail);
      return alive.empty();
    });
    if (off) {
      for (Rail* rail : rails_)
        step_.measure("residual", best_voltage(bench_, *rail).quantity(),
                      Limit::at_most(rail->plan().residual.quantity()), rail->plan().name + ".residual", rail->part());
      step_.measure("off_time", to_quantity(step_.time().now() - begin_), "time to all rails off",
                    line_part(bench_, pin_));
      return;
    }
    if (alive.size() < rails_.size()) blame_rail(*alive.front());
    std::string names;
    for (const Rail* rail : alive) names += (names.empty() ? "" : ", ") + rail->plan().name;
    restore_threshold();
    step_.fail(dut_failure("trip_not_wired", fmt::format("{} is active but {} stayed on", pin_, names),
                           line_part(bench_, pin_), alive.front()->status().text,
                           "the trip pin does not reach the regulators' enable: overheating would not stop the power"));
  }

  /// The others obeyed, so the pin works and the rail does not.
  [[noreturn]] void blame_rail(Rail& rail) {
    restore_threshold();
    const OffResult result = turn_off(bench_, rail);
    if (!result.off) step_.fail(off_failure(rail, result));
    step_.fail(
        dut_failure("rail_ignores_trip",
                    fmt::format("{} is active and turned other rails off, but {} stayed on", pin_, rail.plan().name),
                    rail.part(), result.status, "the trip pin does not reach the enable of this output"));
  }

  void restore_threshold() {
    thermal_.set_trip_threshold(zone_, threshold_);
    step_.de_energised("trip threshold " + zone_);
  }

  /// What the trip turned off is commanded off as well, so that commanded and measured state agree.
  void restore() {
    restore_threshold();
    for (auto rail = rails_.rbegin(); rail != rails_.rend(); ++rail) {
      const OffResult result = turn_off(bench_, **rail);
      if (!result.off) step_.fail(off_failure(**rail, result));
      release_rail(step_, (*rail)->plan().name);
    }
    std::optional<Failure> refused;
    const bool cleared =
        poll(step_, thermal_.filter_time(), step_.time().now() + thermal_.filter_time() * kClearFilters, [&] {
          try {
            thermal_.clear_trip();
            refused.reset();
          } catch (const FailureError& error) {
            refused = error.failure();
          }
          return !refused && !thermal_.trip_latch().latched;
        });
    if (!cleared && refused) step_.fail(*refused);
    step_.expect("trip latch cleared", cleared, "cleared", cleared ? "cleared" : "latched", part());
    const bool released = line_level(bench_, pin_) != active_;
    step_.expect(pin_, released, level_text(!active_), level_text(released ? !active_ : active_),
                 line_part(bench_, pin_));
  }

  StepContext& step_;
  Bench& bench_;
  ChipThermal& thermal_;
  std::string zone_;
  std::string pin_;
  bool active_;
  Temperature threshold_;
  std::vector<Rail*> rails_;
  Instant begin_{};
};

}  // namespace

Step trip_test_step() {
  StepSpec spec;
  spec.verb = "thermal.trip_test";
  spec.doc =
      "Proves the thermal trip before any load: lowers a zone's trip threshold below its present temperature, and then "
      "the pin must act, the latch must "
      "name the zone, and the rails must be measured off. Afterwards the threshold is back, the trip is cleared and "
      "the rails are commanded off.";
  spec.needs = "thermal";
  ParamSpec rails = required(name_param(
      "rails", NameKind::rail, "Rails that the trip must turn off, in the order in which they were turned on."));
  rails.type = ParamType::list;
  rails.element = ParamType::name;
  spec.params = {
      required(name_param("zone", NameKind::zone, "The zone.")),
      required(name_param("pin", NameKind::line, "The trip pin, as driver.line.")),
      choice_param("active", {"low", "high"}, "The pin's active level.", "low"),
      rails,
      at_least(quantity_param("below", Dimension::temperature_change, "How far below the present temperature.", "3 K"),
               0.5),
      name_param("chip", NameKind::driver, "The driver of the chip; may be absent when there is one.")};
  spec.measures = {{"", Dimension::temperature, "Temperature that the latch recorded."},
                   {"pin_time", Dimension::time, "From the lowered threshold to the pin."},
                   {"off_time", Dimension::time, "From the lowered threshold to the last rail measured off."},
                   {"residual", Dimension::voltage, "What each rail has left."}};
  spec.example =
      "{id: trip, do: thermal.trip_test, with: {zone: core, pin: lines.thermtrip_n, rails: [vdd_core, vdd_sram, "
      "vdd_hbm, vdd_serdes]}}";
  return {spec, [](StepContext& step) { TripTest(step).run(); }};
}

}  // namespace firstlight::steps
