#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace tb::golden {

/// Debounce with hysteresis, as rtl/regs/thermal.yaml words it: the state changes when at least n of the last m samples
/// since the last change ask for it. Temperatures are in eighths of a degree.
class ThermalFilter {
 public:
  struct Setting {
    int limit = 0;
    int hysteresis = 0;
    unsigned n = 1;  // 0 counts as 1, more than m as m
    unsigned m = 1;  // 0 counts as 1, more than 8 as 8
  };

  /// True when this sample makes the filter active.
  bool sample(int temperature, const Setting& setting);
  void forget();
  bool active() const { return active_; }

 private:
  bool active_ = false;
  std::deque<bool> asked_;  // newest last, at most 8
};

/// One zone, a sample at a time.
class ThermalZone {
 public:
  struct Config {
    unsigned settle = 2;
    ThermalFilter::Setting alarm{95 * 8, 5 * 8, 2, 3};
    ThermalFilter::Setting trip{110 * 8, 10 * 8, 2, 3};
    int min = -40 * 8;
    int max = 150 * 8;
    std::vector<int> sentinels{-128 * 8};
    unsigned bad_samples = 3;
    unsigned stuck_samples = 0;
  };
  /// What the zone sees at a sample; constant since the one before.
  struct Input {
    bool rail_good = false;
    int temperature = 0;
    std::optional<int> injected;
  };
  struct Output {
    int raw = 0;
    int temperature = 0;
    bool powered = false;
    bool valid = false;
    bool fault = false;
    bool out_of_range = false;
    bool sentinel = false;
    bool stuck = false;
    bool alarm = false;
    bool trip = false;
    std::optional<int> peak;
    unsigned samples = 0;
    unsigned changes = 0;
    bool trip_begins = false;
  };

  Output sample(const Input& input, const Config& config);
  void clear_peak();

 private:
  void take(int value, const Config& config);
  void forget();

  Output out_;
  ThermalFilter alarm_;
  ThermalFilter trip_;
  bool injected_before_ = false;
  unsigned settled_ = 0;
  unsigned bad_ = 0;
  unsigned equal_ = 0;
  bool has_raw_ = false;
};

}  // namespace tb::golden
