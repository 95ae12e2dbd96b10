#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace tb::board {

/// What lies between a regulator and the die, in nominal time.
struct ResponseParameters {
  double henry = 0;    // the way from the regulator
  double farad = 0;    // the capacitors at the die
  double damping = 0;  // Ohm: series resistance of the bulk capacitors, which takes the ringing out
};

/// From `at` (picoseconds of SystemC time) the load has this conductance on top of its base.
struct LoadStep {
  std::int64_t at = 0;
  double siemens = 0;
};

struct Extremes {
  double lowest = 0;   // V
  double highest = 0;  // V
};
/// Both together.
void join(std::optional<Extremes>& sum, const Extremes& more);

/// How a driven output follows steps of its load. At rest v = V / (1 + R G), with R the load line. A step of the load's
/// current by I leaves v where it is and turns its slope by -I / C; then v swings around its new point of rest,
///
///     x'' + 2 s x' + w0^2 x = 0,   w0^2 = (1 + R / Rd) / (L C),   2 s = R / L + 1 / (Rd C),
///
/// which has a closed form. Steps may be told ahead of time. Each is worked out once, together with the lowest and the
/// highest voltage up to the next one; time that passes costs nothing.
class LoadResponse {
 public:
  /// @param time_scale how much slower than nominal everything goes
  LoadResponse(const ResponseParameters& parameters, double time_scale);

  /// What changes for other reasons than the activity.
  struct Operation {
    double source = 0;  // V, without load
    double line = 0;    // Ohm, load line
    double base = 0;    // S, of the load
  };
  /// Driven, and not on the way to another set point. The output goes along with source and load line, and answers
  /// another base as it answers a step.
  void operate(std::int64_t now, const Operation& operation);
  /// Not so. The load is followed all the same.
  void suspend(std::int64_t now);
  bool active() const { return active_; }
  /// The share of the capacitors that is there.
  void set_decoupling(std::int64_t now, double share);
  /// The steps from now on, in order; they replace what was told for later than now.
  void follow(std::int64_t now, const std::vector<LoadStep>& steps);

  /// Volts; while active.
  double at(std::int64_t now) const;
  /// The next moment after `now` at which one of the levels has just been crossed, as far as the steps are known.
  std::optional<std::int64_t> next_crossing(std::int64_t now, const std::vector<double>& levels) const;
  /// What the voltage has been since the last call, while active.
  std::optional<Extremes> take_extremes(std::int64_t now);

 private:
  // A stretch of constant load. Volts and seconds; x is the distance from rest.
  struct Stretch {
    std::int64_t from = 0;
    double siemens = 0;
    double rest = 0;
    double x = 0;
    double slope = 0;
    Extremes reached;  // up to the next stretch, or for ever
  };
  struct State {
    double x = 0;
    double slope = 0;
  };

  void work_out();
  double rest(double siemens) const;
  State after(const Stretch& stretch, std::int64_t duration) const;
  double turn(const Stretch& stretch) const;
  void bound(Stretch& stretch, std::int64_t duration, const State& end) const;
  void bound_for_ever(Stretch& stretch) const;
  void append(const LoadStep& step);
  void pass(std::int64_t now);
  void split(std::int64_t now);
  void restart(std::int64_t now, const Stretch& front);
  std::size_t index_at(std::int64_t now) const;
  std::optional<std::int64_t> crossing_in(const Stretch& stretch, std::int64_t from, std::int64_t until,
                                          const std::vector<double>& levels) const;
  std::int64_t bisect(const Stretch& stretch, std::int64_t before, std::int64_t behind, double level) const;

  ResponseParameters parameters_;
  double time_scale_;
  double share_ = 1;
  Operation operation_;
  double decay_ = 0;  // 1/s, of bench time, as all that follows
  double omega_ = 0;  // rad/s
  double farad_ = 0;
  bool active_ = false;
  std::vector<Stretch> stretches_;  // the first one holds now
  std::optional<Extremes> extremes_;
  // The last step of time that was worked out: most are alike.
  struct Propagator {
    std::int64_t duration = -1;
    double xx = 0;
    double xs = 0;
    double sx = 0;
    double ss = 0;
  };
  mutable Propagator last_;
};

}  // namespace tb::board
