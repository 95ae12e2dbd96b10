#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "lab/core/quantity.h"
#include "tb/board/load_response.h"
#include "tb/board/units.h"
#include "tb/instruments/agenda.h"
#include "tb/instruments/output_stage.h"

namespace tb::board {

struct RailParameters {
  std::string name;
  firstlight::Voltage nominal;
  Capacitance capacitance;                          // on the output
  Resistance load_line;                             // drop under load while driven
  Resistance bleeder;                               // discharges the output when nothing else does
  std::optional<ResponseParameters> response = {};  // to steps of the load; without it, none can be seen
  double time_scale = 1;                            // of the response
};

/// What can be wrong with a rail itself.
struct RailFaults {
  double output_scale = 1;       // the output is this share of what the controller asked for
  double load_line_scale = 1;    // times the load line
  double rise_scale = 1;         // times the asked rise time
  bool ignore_off = false;       // OFF has no effect while there is input power
  firstlight::Voltage backfeed;  // what another supply feeds in through a part, at least
  double decoupling = 1;         // the share of the capacitors that is there
};

/// The physics of one power rail in closed form: while driven, v = set point / (1 + R_loadline * G_load); while not,
/// v decays with tau = C / (G_load + G_bleeder), down to what is fed back. Nothing is stepped: the next crossing of a
/// watched level is worked out when something changes, and an entry in the agenda waits for it.
///
/// That is the voltage as averaged over what the chip does in a while. What it does from one cycle to the next is
/// followed beside it (tb/board/load_response.h), for comparators and for what catches extremes; while the set point
/// moves or nothing drives, both are one.
class Rail : public instruments::OutputStage {
 public:
  Rail(instruments::Agenda& agenda, RailParameters parameters);
  ~Rail() override;
  Rail(const Rail&) = delete;
  Rail& operator=(const Rail&) = delete;

  void turn_on(firstlight::Voltage target, sc_core::sc_time delay, sc_core::sc_time rise) override;
  void turn_off(sc_core::sc_time delay, sc_core::sc_time fall) override;
  void move_to(firstlight::Voltage target, firstlight::VoltageSlew slew) override;
  bool driving() const override { return driving_; }
  bool settled() const override;
  firstlight::Voltage voltage() const override;
  firstlight::Current current() const override;
  firstlight::Voltage instant_voltage() const override;
  firstlight::Voltage lowest_voltage() override { return Voltage(extremes().lowest); }
  firstlight::Voltage highest_voltage() override { return Voltage(extremes().highest); }
  void forget_extremes() override;
  void watch(std::vector<firstlight::Voltage> levels) override;
  void on_event(std::function<void()> action) override;

  /// The load that is on now, on average.
  void set_load(Conductance load);
  /// The part of the load that does not follow the chip's activity, and the steps of the part that does.
  void set_base_load(Conductance load);
  void follow(const std::vector<LoadStep>& steps);
  Conductance load() const { return {load_}; }
  /// Takes the input power away: stops driving whatever the controller or a fault says.
  void cut();
  /// Scales the output for a while (a brown-out); 1 ends it.
  void disturb(double scale);

  /// The highest averaged voltage that the output has had since the start, or since `forget_highest`. Exact: between
  /// the events that are looked at, the voltage only rises or only falls.
  firstlight::Voltage highest() const;
  void forget_highest();
  /// Has an event at every crossing of the level, so that `below_since` is exact.
  void witness(firstlight::Voltage level);
  /// Since when the voltage has been at or below the witnessed level; nothing while it is above.
  std::optional<sc_core::sc_time> below_since() const { return below_since_; }

  const RailParameters& parameters() const { return parameters_; }
  void set_faults(const RailFaults& faults);
  const RailFaults& faults() const { return faults_; }

 private:
  // The set point: `from` until t1, a straight line to `to` at t2, then `to`. Seconds and volts.
  struct Course {
    double t1 = 0;
    double t2 = 0;
    double from = 0;
    double to = 0;
    double at(double t) const;
  };

  using Voltage = firstlight::Voltage;

  double volts(double t) const;
  const Extremes& extremes();
  void follow_operation();
  void gather();
  void plan_crossing();
  double decay(double t) const;
  double tau() const;
  double divider() const;
  void note();
  void join_levels();
  void rebase();
  void stop_driving();
  void changed();
  void schedule();
  void consider(double& next, double now, double when) const;
  void consider_course(double& next, double now) const;

  instruments::Agenda& agenda_;
  RailParameters parameters_;
  RailFaults faults_;
  bool driving_ = false;
  Course course_;
  double load_ = 0;
  double disturbance_ = 1;
  double left_ = 0;     // volts on the output at left_at_, decaying
  double left_at_ = 0;  // seconds
  bool stops_ = false;  // stops driving when the course ends
  std::vector<double> levels_;
  std::vector<double> watched_;
  std::optional<double> witnessed_;
  std::optional<sc_core::sc_time> below_since_ = sc_core::SC_ZERO_TIME;
  double highest_ = 0;
  std::vector<std::function<void()>> actions_;
  instruments::Agenda::Entry entry_;
  std::optional<LoadResponse> response_;
  double base_load_ = 0;
  std::optional<Extremes> extremes_;
  instruments::Agenda::Entry crossing_;
};

}  // namespace tb::board
