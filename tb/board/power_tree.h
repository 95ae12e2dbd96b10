#pragma once

#include <array>
#include <deque>
#include <functional>
#include <memory>

#include "tb/board/board_faults.h"
#include "tb/board/board_names.h"
#include "tb/board/rail.h"
#include "tb/instruments/agenda.h"
#include "tb/instruments/pmbus_regulator.h"
#include "tb/instruments/psu.h"

namespace tb::board {

/// From the terminals of the bench supply to the chip's rails: 12 V, two regulators, five outputs, and the wire from
/// the chip's trip pin to the regulators' shutdown pins.
class PowerTree {
 public:
  PowerTree(instruments::Agenda& agenda, std::uint64_t seed, double time_scale);
  ~PowerTree() = default;
  PowerTree(const PowerTree&) = delete;
  PowerTree& operator=(const PowerTree&) = delete;

  Rail& input() { return input_; }
  const Rail& input() const { return input_; }
  Rail& rail(std::size_t index) { return *rails_[index]; }
  const Rail& rail(std::size_t index) const { return *rails_[index]; }
  instruments::Psu& psu() { return *psu_; }
  instruments::PmbusRegulator& regulator(std::size_t index) { return regulators_[index]; }

  /// The pin as it is on the board.
  bool power_good(std::size_t rail) const;
  /// VR_HOT# of vdd_core's regulator is active.
  bool core_hot() const { return page(kCore).hot(); }
  /// The comparator that watches the 12 V says that they give way.
  bool input_low() const { return input_low_; }
  /// What the reset supervisor on vdd_aon sees.
  bool always_on_good() const;
  void set_shutdown(bool active);
  void set_faults(const BoardFaults& faults);
  /// Hands what the regulators draw on to the 12 V input, and their losses to their temperatures.
  void update_input();
  /// A rail or the input still moves: a ramp, or a discharge.
  bool moving() const;
  /// Called after every change of a voltage's course or of a power-good.
  void on_event(std::function<void()> action) { action_ = std::move(action); }

 private:
  struct Outlet {
    std::size_t regulator = 0;
    std::size_t page = 0;
  };
  static Outlet outlet(std::size_t rail);
  const instruments::PmbusPage& page(std::size_t rail) const;
  void input_changed();
  void event();

  Rail input_;
  std::array<std::unique_ptr<Rail>, kRails> rails_;
  std::unique_ptr<instruments::Psu> psu_;
  std::deque<instruments::PmbusRegulator> regulators_;
  std::array<bool, kRails> no_power_good_{};
  bool sag_ = false;
  bool input_low_ = true;
  std::function<void()> action_;
};

}  // namespace tb::board
