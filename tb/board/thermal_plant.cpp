#include "tb/board/thermal_plant.h"

#include <algorithm>
#include <cmath>

namespace tb::board {

using firstlight::Temperature;

namespace {

constexpr double kNominalPressure = 20e3;     // Pa
constexpr double kLeakShare = 0.85;           // of the flow that a leak leaves
constexpr double kSettledFlow = 1e-3;         // L/min
constexpr std::size_t kKeptTransitions = 32;  // steps come in few sizes

template <class Matrix>
Matrix multiply(const Matrix& a, const Matrix& b) {
  Matrix product{};
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t k = 0; k < a.size(); ++k) {
      if (a[i][k] == 0) continue;
      for (std::size_t j = 0; j < a.size(); ++j) product[i][j] += a[i][k] * b[k][j];
    }
  return product;
}

template <class Matrix>
Matrix identity() {
  Matrix one{};
  for (std::size_t i = 0; i < one.size(); ++i) one[i][i] = 1;
  return one;
}

// Scaling and squaring with a Taylor series (Moler and Van Loan, method 3): below a norm of 1/4, ten terms leave less
// than 1e-13.
template <class Matrix>
Matrix exponential(Matrix a) {
  double norm = 0;
  for (const auto& row : a) {
    double sum = 0;
    for (const double x : row) sum += std::abs(x);
    norm = std::max(norm, sum);
  }
  const int halvings = norm > 0.25 ? static_cast<int>(std::ceil(std::log2(norm / 0.25))) : 0;
  const double scale = std::ldexp(1.0, -halvings);
  for (auto& row : a)
    for (double& x : row) x *= scale;
  constexpr int kTerms = 10;
  Matrix result = identity<Matrix>();
  for (int term = kTerms; term >= 1; --term) {
    result = multiply(a, result);
    for (std::size_t i = 0; i < result.size(); ++i) {
      for (double& x : result[i]) x /= term;
      result[i][i] += 1;
    }
  }
  for (int i = 0; i < halvings; ++i) result = multiply(result, result);
  return result;
}

}  // namespace

ThermalPlant::ThermalPlant(const ThermalParameters& parameters)
    : parameters_(parameters), set_inlet_(parameters.air.base()) {
  state_.fill(parameters_.air.base());
}

void ThermalPlant::set_supply(Temperature inlet, firstlight::Flow flow, bool pump) {
  set_inlet_ = inlet.base();
  set_flow_ = flow.base();
  pump_ = pump;
  transitions_.clear();
}

void ThermalPlant::set_faults(const ThermalFaults& faults) {
  faults_ = faults;
  transitions_.clear();
}

double ThermalPlant::target_flow() const {
  return pump_ ? set_flow_ * faults_.flow_scale * (faults_.leak ? kLeakShare : 1.0) : 0.0;
}

bool ThermalPlant::flow_moves() const { return flow_ != target_flow(); }

void ThermalPlant::follow_pump(double seconds) {
  const double target = target_flow();
  if (flow_ == target) return;
  flow_ = target + (flow_ - target) * std::exp(-seconds / parameters_.pump_seconds);
  if (std::abs(flow_ - target) < kSettledFlow) flow_ = target;
  transitions_.clear();
}

double ThermalPlant::die_conductance(std::size_t zone) const {
  return 1.0 / (parameters_.die_to_plate[zone].base() * faults_.resistance_scale[zone]);
}

// From the plate to the coolant's inlet: the film, and half of what the coolant warms up on its way.
double ThermalPlant::coolant_conductance() const {
  if (flow_ <= 0) return 0;
  const double film = parameters_.plate_to_coolant.base() * std::pow(parameters_.nominal_flow.base() / flow_, 0.8);
  const double per_kelvin = parameters_.coolant_joule_per_kelvin_litre * flow_ / 60.0;
  return 1.0 / (film + 0.5 / per_kelvin);
}

ThermalPlant::Matrix ThermalPlant::rates() const {
  constexpr std::size_t kOne = kStates;
  Matrix a{};
  const double plate = parameters_.plate_joule_per_kelvin;
  for (std::size_t zone = 0; zone < kZones; ++zone) {
    const double g = die_conductance(zone);
    const double c = parameters_.die_joule_per_kelvin[zone];
    a[zone][zone] = -g / c;
    a[zone][kPlate] = g / c;
    a[zone][kOne + 1 + zone] = 1 / c;
    a[kPlate][zone] = g / plate;
    a[kPlate][kPlate] -= g / plate;
  }
  const double coolant = coolant_conductance();
  const double air = 1.0 / parameters_.plate_to_air.base();
  a[kPlate][kPlate] -= (coolant + air) / plate;
  a[kPlate][kInlet] = coolant / plate;
  a[kPlate][kOne] = air * parameters_.air.base() / plate;
  // A loop that stands takes the air's temperature.
  const double goal = pump_ ? set_inlet_ + faults_.inlet_offset_kelvin : parameters_.air.base();
  const double lag = pump_ ? parameters_.supply_seconds : 30 * parameters_.supply_seconds;
  a[kInlet][kInlet] = -1.0 / lag;
  a[kInlet][kOne] = goal / lag;
  return a;
}

const ThermalPlant::Matrix& ThermalPlant::transition(double seconds) {
  const auto found = transitions_.find(seconds);
  if (found != transitions_.end()) return found->second;
  if (transitions_.size() >= kKeptTransitions) transitions_.clear();
  Matrix a = rates();
  for (auto& row : a)
    for (double& x : row) x *= seconds;
  return transitions_.emplace(seconds, exponential(a)).first->second;
}

void ThermalPlant::advance(double seconds, const ZonePowers& powers) {
  if (seconds <= 0) return;
  // The flow at the middle of the step stands for the whole of it.
  follow_pump(seconds / 2);
  Vector x{};
  std::copy(state_.begin(), state_.end(), x.begin());
  x[kStates] = 1;
  for (std::size_t zone = 0; zone < kZones; ++zone) x[kStates + 1 + zone] = powers[zone].base();
  const Matrix& phi = transition(seconds);
  for (std::size_t i = 0; i < kStates; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < kSize; ++j) sum += phi[i][j] * x[j];
    state_[i] = sum;
  }
  follow_pump(seconds / 2);
}

firstlight::Power ThermalPlant::heat_out() const {
  return firstlight::Power(coolant_conductance() * (state_[kPlate] - state_[kInlet]) +
                           (state_[kPlate] - parameters_.air.base()) / parameters_.plate_to_air.base());
}

Temperature ThermalPlant::outlet() const {
  if (flow_ <= 0) return inlet();
  const double heat = coolant_conductance() * (state_[kPlate] - state_[kInlet]);
  return Temperature(state_[kInlet] + heat / (parameters_.coolant_joule_per_kelvin_litre * flow_ / 60.0));
}

double ThermalPlant::pressure_pascal() const {
  const double share = flow_ / parameters_.nominal_flow.base();
  return kNominalPressure * share * share * (faults_.leak ? 0.8 : 1.0);
}

double ThermalPlant::stored_joule() const {
  const double air = parameters_.air.base();
  double sum = parameters_.plate_joule_per_kelvin * (state_[kPlate] - air);
  for (std::size_t zone = 0; zone < kZones; ++zone)
    sum += parameters_.die_joule_per_kelvin[zone] * (state_[zone] - air);
  return sum;
}

double ThermalPlant::fastest_change(const ZonePowers& powers) const {
  double fastest = 0;
  for (std::size_t zone = 0; zone < kZones; ++zone) {
    const double out = die_conductance(zone) * (state_[zone] - state_[kPlate]);
    fastest = std::max(fastest, std::abs(powers[zone].base() - out) / parameters_.die_joule_per_kelvin[zone]);
  }
  return fastest;
}

}  // namespace tb::board
