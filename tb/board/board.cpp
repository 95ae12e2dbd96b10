#include "tb/board/board.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tb/board/seeds.h"

namespace tb::board {

using firstlight::Frequency;
using firstlight::Power;
using firstlight::Temperature;
using firstlight::Voltage;

namespace {

enum Stream : std::uint64_t { tree, sensors, clocks, dmm, clock_generator, coolant, brownout };

const sc_core::sc_time kSoon{1, sc_core::SC_US};
const sc_core::sc_time kShortestStep{1, sc_core::SC_MS};
constexpr int kLongestIdle = 200;     // ms, board off
constexpr int kLongestPowered = 16;   // ms
constexpr double kKelvinAStep = 0.1;  // a zone may move so far in a step
constexpr double kActivityStep = 0.02;
constexpr double kSameLoad = 1e-9;  // S
constexpr double kPllNeeds = 0.8;   // of vdd_core
constexpr double kTestDivider = 8;

constexpr double kBrownoutTo = 0.84;
constexpr double kBrownoutEarliest = 0.1;  // s after lock
constexpr double kBrownoutLatest = 0.4;
const sc_core::sc_time kBrownoutLasts{3, sc_core::SC_MS};

constexpr std::uint8_t kEepromAddress = 0x50;
constexpr std::size_t kEepromSize = 256;

instruments::FruBoardInfo board_identity(bool wrong_serial) {
  instruments::FruBoardInfo info;
  info.manufacturer = "Firstlight";
  info.product = "Tern bring-up board";
  info.serial = wrong_serial ? "FL-TERN-0099" : "FL-TERN-0001";
  info.part = "FL-BRD-A0";
  info.file_id = "FRU-1";
  info.minutes_since_1996 = 15778080;  // 2026-01-01
  return info;
}

}  // namespace

class Board::Loop : public instruments::CoolantLoop {
 public:
  explicit Loop(Board& board) : board_(board) {}

  void set_supply(Temperature temperature, firstlight::Flow flow, bool pump) override {
    board_.settle();
    board_.plant_.set_supply(temperature, flow, pump);
    board_.soon(kSoon);
  }
  Temperature inlet() override { return now().inlet(); }
  Temperature outlet() override { return now().outlet(); }
  firstlight::Flow flow() override { return now().flow(); }
  double pressure_pascal() override { return now().pressure_pascal(); }
  bool leaks() override { return board_.plant_.leak(); }

 private:
  const ThermalPlant& now() {
    board_.settle();
    return board_.plant_;
  }
  Board& board_;
};

Board::Board(const sc_core::sc_module_name& name, const BoardParameters& parameters, const BoardFaults& faults)
    : sc_module(name),
      parameters_(parameters),
      agenda_("agenda"),
      tree_(agenda_, derive_seed(parameters.seed, Stream::tree), parameters.time_scale),
      plant_(ThermalParameters{}),
      sensors_(derive_seed(parameters.seed, Stream::sensors)),
      clocks_(agenda_, PllParameters{}, parameters.time_scale, derive_seed(parameters.seed, Stream::clocks)),
      i2c_(agenda_, Frequency(400e3)),
      eeprom_(instruments::make_fru(board_identity(false), kEepromSize)),
      loop_(std::make_unique<Loop>(*this)),
      dmm_(
          agenda_, "Firstlight,FL-DM61,SN0001,1.0",
          [this] {
            std::vector<instruments::Dmm::Probe> probes;
            for (std::size_t rail = 0; rail < kRails; ++rail)
              probes.emplace_back([this, rail] { return tree_.rail(rail).voltage(); });
            probes.emplace_back([this] { return tree_.input().voltage(); });
            return probes;
          }(),
          derive_seed(parameters.seed, Stream::dmm)),
      clock_generator_(
          agenda_, "Firstlight,FL-CG400,SN0001,1.0", [this](Frequency f) { clocks_.set_generator(f); },
          {[this] { return clocks_.reference(); }, [this] { return clocks_.core() / kTestDivider; }},
          derive_seed(parameters.seed, Stream::clock_generator)),
      coolant_unit_(agenda_, "Firstlight,FL-CD2,SN0001,1.0", *loop_, derive_seed(parameters.seed, Stream::coolant)),
      random_(derive_seed(parameters.seed, Stream::brownout)) {
  attach_targets();
  tree_.on_event([this] {
    soon(kSoon);
    publish();
  });
  clocks_.on_change([this] {
    follow_lock();
    soon(kSoon);
    publish();
  });
  ready_ = true;
  set_faults(faults);
  convert_temperatures();
  publish();
}

Board::~Board() {
  agenda_.cancel(step_);
  agenda_.cancel(brownout_);
}

void Board::attach_targets() {
  for (std::size_t i = 0; i < kRegulators; ++i)
    i2c_.attach(tree_.regulator(i).parameters().address, tree_.regulator(i));
  i2c_.attach(kEepromAddress, eeprom_);
}

void Board::set_faults(const BoardFaults& faults) {
  settle();
  faults_ = faults;
  brownout_done_ = false;
  tree_.set_faults(faults);
  plant_.set_faults(faults.thermal);
  sensors_.set_faults(faults.sensors);
  clocks_.set_faults(faults.clocks);
  eeprom_.set_content(instruments::make_fru(board_identity(faults.board_wrong_serial), kEepromSize));
  apply_chip();
  soon(kSoon);
}

// ---- the chip's pins

ChipPins Board::effective() const {
  // Without vdd_aon the chip drives nothing, and the pull resistors decide.
  return tree_.always_on_good() ? chip_ : ChipPins{};
}

void Board::drive(const ChipPins& chip) {
  const ChipPins old = std::exchange(chip_, chip);
  bool busier = chip.heater != old.heater;
  for (std::size_t zone = 0; zone < kZones; ++zone) {
    // Small wanderings of the activity wait for the next step.
    busier = busier || std::abs(chip.activity[zone] - old.activity[zone]) > kActivityStep;
  }
  apply_chip();
  if (!followed_ && chip_.activity != old.activity) {
    tell({{sc_core::SC_ZERO_TIME, chip_.activity}});
  }
  if (busier) soon(kShortestStep);
}

void Board::follow(const std::vector<ActivityStep>& steps) {
  if (steps.empty()) return;
  followed_ = true;
  tell(steps);
}

void Board::tell(const std::vector<ActivityStep>& steps) {
  activity_ = steps.back().activity;
  for (std::size_t rail = 0; rail < kRails; ++rail) follow_activity(rail, steps);
}

void Board::follow_activity(std::size_t rail, const std::vector<ActivityStep>& steps) {
  if (rail == kAon) return;
  const auto now = static_cast<std::int64_t>(sc_core::sc_time_stamp().value());
  load_steps_.clear();
  for (const ActivityStep& step : steps) {
    const double siemens = full_activity_[rail] * step.activity[rail - 1];
    if (!load_steps_.empty() && load_steps_.back().siemens == siemens) continue;
    load_steps_.push_back({now + static_cast<std::int64_t>(step.after.value()), siemens});
  }
  tree_.rail(rail).follow(load_steps_);
}

void Board::apply_chip() {
  const ChipPins pins = effective();
  tree_.set_shutdown(!pins.thermtrip_n && !faults_.trip_not_wired);
  clocks_.set_throttle(pins.throttle);
  clocks_.set_enable(pins.pll_enable, pins.pll_multiplier);
}

void Board::publish() {
  if (!ready_) return;
  BoardPins next;
  for (std::size_t rail = 0; rail < kRails; ++rail) next.power_good[rail] = tree_.power_good(rail);
  next.por_n = tree_.always_on_good();
  next.pll_lock = clocks_.locked();
  next.reference_clock = clocks_.reference();
  next.core_clock = clocks_.core();
  next.zone_temperature = codes_;
  next.vr_hot_n = !tree_.core_hot() && !faults_.vr_hot_stuck;
  next.power_brake_n = !tree_.input_low() && !faults_.power_brake_stuck;
  if (next == pins_) return;
  const bool woke = next.por_n != pins_.por_n;
  pins_ = next;
  if (woke) apply_chip();
  if (on_pins_) on_pins_(pins_);
}

const std::vector<std::string>& Board::lines() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    list.reserve(kRails + 9);
    for (const std::string_view rail : kRailNames) list.push_back("pg_" + std::string(rail));
    for (const char* name :
         {"por_n", "thermtrip_n", "alert_n", "fault_n", "throttle", "vr_hot_n", "power_brake_n", "leak_n", "irq"})
      list.emplace_back(name);
    return list;
  }();
  return names;
}

std::optional<bool> Board::line(std::string_view name) const {
  if (name.substr(0, 3) == "pg_") {
    const auto rail = index_of(kRailNames, name.substr(3));
    if (!rail) return std::nullopt;
    return pins_.power_good[*rail];
  }
  const ChipPins chip = effective();
  if (name == "por_n") return pins_.por_n;
  if (name == "thermtrip_n") return chip.thermtrip_n;
  if (name == "alert_n") return chip.alert_n;
  if (name == "fault_n") return chip.fault_n;
  if (name == "throttle") return chip.throttle;
  if (name == "vr_hot_n") return pins_.vr_hot_n;
  if (name == "power_brake_n") return pins_.power_brake_n;
  if (name == "leak_n") return !plant_.leak();
  if (name == "irq") return chip.irq;
  return std::nullopt;
}

// ---- physics

Power Board::rail_power(std::size_t rail) const { return tree_.rail(rail).voltage() * tree_.rail(rail).current(); }

void Board::settle() {
  const sc_core::sc_time& now = sc_core::sc_time_stamp();
  plant_.advance((now - settled_at_).to_seconds(), zone_powers_);
  settled_at_ = now;
}

void Board::update_loads() {
  const ChipPins chip = effective();
  for (std::size_t rail = 0; rail < kRails; ++rail) {
    Operation operation;
    operation.voltage = tree_.rail(rail).voltage();
    operation.temperature = plant_.plate();
    if (rail != kAon) {
      const std::size_t zone = rail - 1;
      operation.temperature = plant_.zone(zone);
      operation.core_clock = clocks_.core();
      operation.activity = chip.activity[zone];
      operation.heater = chip.heater[zone];
    }
    tree_.rail(rail).set_load(power_model_.load(rail, operation));
    operation.activity = 0;
    const Conductance base = power_model_.load(rail, operation);
    operation.activity = 1;
    const double full = power_model_.load(rail, operation).siemens - base.siemens;
    tree_.rail(rail).set_base_load(base);
    if (std::abs(full - full_activity_[rail]) <= kSameLoad) continue;
    full_activity_[rail] = full;
    follow_activity(rail, {{sc_core::SC_ZERO_TIME, activity_}});
  }
  tree_.update_input();
  for (std::size_t zone = 0; zone < kZones; ++zone) zone_powers_[zone] = rail_power(rail_of_zone(zone));
  const Voltage core = tree_.rail(kCore).voltage();
  clocks_.set_supplied(core >= tree_.rail(kCore).parameters().nominal * kPllNeeds);
}

void Board::convert_temperatures() {
  for (std::size_t zone = 0; zone < kZones; ++zone) codes_[zone] = sensors_.convert(zone, plant_.zone(zone));
}

void Board::step() {
  settle();
  update_loads();
  convert_temperatures();
  publish();
  plan_step();
}

void Board::plan_step() {
  const bool powered = tree_.input().driving();
  int step = 1;
  if (!tree_.moving()) {
    const double rate = plant_.fastest_change(zone_powers_);
    const int longest = plant_.flow_moves() || powered ? kLongestPowered : kLongestIdle;
    while (step * 2 <= longest && rate * step * 2e-3 <= kKelvinAStep) step *= 2;
  }
  soon(kShortestStep * step);
}

void Board::soon(const sc_core::sc_time& delay) {
  const sc_core::sc_time when = sc_core::sc_time_stamp() + delay;
  if (step_.valid() && step_at_ <= when) return;
  agenda_.cancel(step_);
  step_at_ = when;
  step_ = agenda_.at(when, [this] {
    step_ = {};
    step();
  });
}

void Board::follow_lock() {
  const bool locked = clocks_.locked();
  const bool rose = locked && !was_locked_;
  was_locked_ = locked;
  if (!rose || !faults_.brownout || brownout_done_) return;
  std::uniform_real_distribution<double> wait(kBrownoutEarliest, kBrownoutLatest);
  agenda_.cancel(brownout_);
  brownout_ = agenda_.after({wait(random_), sc_core::SC_SEC}, [this, rail = *faults_.brownout] {
    brownout_done_ = true;
    tree_.rail(rail).disturb(kBrownoutTo);
    brownout_ = agenda_.after(kBrownoutLasts, [this, rail] {
      brownout_ = {};
      tree_.rail(rail).disturb(1);
    });
  });
}

}  // namespace tb::board
