#include "tb/board/power_tree.h"

#include <string>

#include "tb/board/seeds.h"

namespace tb::board {

using firstlight::Current;
using firstlight::Voltage;
using instruments::PmbusPageParameters;
using instruments::PmbusRegulator;
using instruments::PmbusRegulatorParameters;

namespace {

constexpr const char* kPsuIdentity = "Firstlight,FL-PS1230,SN0001,1.0";
constexpr const char* kOtherPsuIdentity = "Firstlight,FL-PS0615,SN0417,1.0";
constexpr Voltage kRailsNeed{8.0};  // below, no power stage can drive
// Of the comparator that slows the chip down when the input gives way. A supply at 11 V, the lowest that is allowed, is
// no reason yet.
constexpr Voltage kInputLow{10.75};
constexpr Voltage kInputGood{10.85};
constexpr double kSagTo = 10.6 / 12.0;
constexpr double kSagLoad = 5;  // W

struct OutputDescription {
  double nominal;    // V
  double max;        // V
  double oc;         // A
  double ton_rise;   // ms
  double toff_fall;  // ms
  double load_line;  // Ohm
  double farad;
  double bleeder;  // Ohm
  ResponseParameters response;
  std::size_t regulator;
  std::size_t page;
};
// In the order of kRailNames.
constexpr std::array<OutputDescription, kRails> kOutputs = {{
    {1.80, 1.98, 4, 2, 2, 2.0e-3, 200e-6, 50, {200e-12, 0.4e-6, 40e-3}, 1, 0},
    {0.85, 0.95, 70, 3, 2, 0.30e-3, 2000e-6, 10, {12e-12, 4.8e-6, 4e-3}, 0, 0},
    {0.90, 1.00, 35, 3, 2, 0.50e-3, 1000e-6, 10, {60e-12, 1.0e-6, 20e-3}, 0, 1},
    {1.20, 1.32, 35, 4, 3, 0.60e-3, 800e-6, 20, {70e-12, 0.8e-6, 25e-3}, 1, 1},
    {0.95, 1.05, 35, 5, 3, 0.60e-3, 600e-6, 20, {80e-12, 0.6e-6, 30e-3}, 1, 2},
}};

PmbusRegulatorParameters regulator_parameters(std::size_t index) {
  PmbusRegulatorParameters parameters;
  parameters.name = std::string(kRegulatorNames[index]);
  parameters.address = index == 0 ? 0x40 : 0x44;
  parameters.identity = {"FIRSTLIGHT", index == 0 ? "FL-VR2" : "FL-VR3", "B1", index == 0 ? "VR2-0001" : "VR3-0001"};
  return parameters;
}

PmbusPageParameters page_parameters(std::size_t rail) {
  const OutputDescription& output = kOutputs[rail];
  PmbusPageParameters parameters;
  parameters.rail = std::string(kRailNames[rail]);
  parameters.nominal = Voltage(output.nominal);
  parameters.max = Voltage(output.max);
  parameters.overcurrent = Current(output.oc);
  parameters.ton_delay = sc_core::sc_time(0.5, sc_core::SC_MS);
  parameters.ton_rise = sc_core::sc_time(output.ton_rise, sc_core::SC_MS);
  parameters.toff_delay = sc_core::SC_ZERO_TIME;
  parameters.toff_fall = sc_core::sc_time(output.toff_fall, sc_core::SC_MS);
  parameters.has_enable_pin = rail != kAon;
  return parameters;
}

RailParameters rail_parameters(std::size_t rail, double time_scale) {
  const OutputDescription& output = kOutputs[rail];
  return {std::string(kRailNames[rail]), Voltage(output.nominal), {output.farad}, Resistance(output.load_line),
          Resistance(output.bleeder),    output.response,         time_scale};
}

}  // namespace

PowerTree::PowerTree(instruments::Agenda& agenda, std::uint64_t seed, double time_scale)
    : input_(agenda, {"12v", Voltage(12), {2e-3}, Resistance(5e-3), Resistance(22)}) {
  for (std::size_t rail = 0; rail < kRails; ++rail)
    rails_[rail] = std::make_unique<Rail>(agenda, rail_parameters(rail, time_scale));
  for (std::size_t i = 0; i < kRegulators; ++i)
    regulators_.emplace_back(agenda, regulator_parameters(i), derive_seed(seed, i));
  // Pages are numbered in the order in which they are added, which the order of the rails keeps for each regulator.
  for (std::size_t rail = 0; rail < kRails; ++rail) {
    auto& page = regulators_[kOutputs[rail].regulator].add_page(*rails_[rail], page_parameters(rail));
    page.on_power_good([this](bool) { event(); });
    rails_[rail]->on_event([this] { event(); });
  }
  psu_ = std::make_unique<instruments::Psu>(agenda, kPsuIdentity, input_,
                                            instruments::Psu::Ratings{Voltage(15), Current(30)}, derive_seed(seed, 2));
  input_.watch({PmbusRegulator::kLogicOff, PmbusRegulator::kLogicOn, kRailsNeed, Voltage(8.5), Voltage(9.0), kInputLow,
                kInputGood, Voltage(11.0)});
  input_.on_event([this] { input_changed(); });
}

PowerTree::Outlet PowerTree::outlet(std::size_t rail) { return {kOutputs[rail].regulator, kOutputs[rail].page}; }

const instruments::PmbusPage& PowerTree::page(std::size_t rail) const {
  const Outlet where = outlet(rail);
  return regulators_[where.regulator].page(where.page);
}

bool PowerTree::power_good(std::size_t rail) const { return page(rail).power_good() && !no_power_good_[rail]; }
bool PowerTree::always_on_good() const { return page(kAon).power_good(); }

void PowerTree::set_shutdown(bool active) {
  for (std::size_t rail = 0; rail < kRails; ++rail) {
    const Outlet where = outlet(rail);
    regulators_[where.regulator].page(where.page).set_shutdown_pin(active);
  }
}

void PowerTree::set_faults(const BoardFaults& faults) {
  for (std::size_t rail = 0; rail < kRails; ++rail) rails_[rail]->set_faults(faults.rails[rail]);
  for (std::size_t i = 0; i < kRegulators; ++i) regulators_[i].set_faults(faults.regulators[i]);
  no_power_good_ = faults.no_power_good;
  sag_ = faults.psu_sag;
  psu_->set_identity(faults.psu_wrong_identity ? kOtherPsuIdentity : kPsuIdentity);
  update_input();
  event();
}

void PowerTree::input_changed() {
  const Voltage vin = input_.voltage();
  for (PmbusRegulator& regulator : regulators_) regulator.set_input(vin);
  input_low_ = vin < (input_low_ ? kInputGood : kInputLow);
  if (vin < kRailsNeed)
    for (auto& rail : rails_) rail->cut();
  event();
}

void PowerTree::update_input() {
  double watts = 0;
  for (PmbusRegulator& regulator : regulators_) {
    watts += regulator.input_power().base();
    regulator.update_temperature();
  }
  const bool sags = sag_ && watts > kSagLoad;
  const double scale = sags ? kSagTo : 1.0;
  if (scale != input_.faults().output_scale) {
    RailFaults faults = input_.faults();
    faults.output_scale = scale;
    input_.set_faults(faults);
  }
  const double vin = input_.voltage().base();
  // The regulators draw a power, not a current; they stop well before one volt.
  if (vin > 1) input_.set_load({watts / (vin * vin)});
}

bool PowerTree::moving() const {
  constexpr Voltage kEmpty{0.02};
  const auto moves = [&](const Rail& rail) {
    if (rail.driving()) return !rail.settled();
    return rail.voltage() > kEmpty + rail.faults().backfeed;
  };
  for (const auto& rail : rails_)
    if (moves(*rail)) return true;
  return moves(input_);
}

void PowerTree::event() {
  if (action_) action_();
}

}  // namespace tb::board
