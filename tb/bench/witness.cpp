#include "tb/bench/witness.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tb {
namespace {

using json = nlohmann::ordered_json;

constexpr double kResidual = 0.1;       // V, of a rail that the bench file does not name
constexpr double kInputResidual = 1.0;  // V

double now() { return sc_core::sc_time_stamp().to_seconds(); }

json off_times(const board::Rail& rail) {
  const auto since = rail.below_since();
  if (!since) return {{"off_since", nullptr}, {"off_for", nullptr}};
  return {{"off_since", since->to_seconds()}, {"off_for", now() - since->to_seconds()}};
}

}  // namespace

Witness::Witness(board::Board& board, const firstlight::BenchPlan& plan) : board_(board) {
  for (std::size_t rail = 0; rail < board::kRails; ++rail) {
    const auto named = std::find_if(plan.rails.begin(), plan.rails.end(), [&](const firstlight::RailPlan& one) {
      return one.name == board::kRailNames[rail];
    });
    const bool found = named != plan.rails.end();
    limits_[rail] = {found ? named->max.base() : 0, found ? named->residual.base() : kResidual};
    board_.tree().rail(rail).witness(firstlight::Voltage(limits_[rail].residual));
  }
  board_.tree().input().witness(firstlight::Voltage(kInputResidual));
}

void Witness::forget() {
  for (std::size_t rail = 0; rail < board::kRails; ++rail) board_.tree().rail(rail).forget_highest();
}

std::string Witness::report(firstlight::Duration slipped) const {
  json rails = json::array();
  bool exceeded = false;
  bool all_off = true;
  double off_since = 0;
  for (std::size_t i = 0; i < board::kRails; ++i) {
    const board::Rail& rail = board_.tree().rail(i);
    const double highest = rail.highest().base();
    const bool over = limits_[i].max > 0 && highest > limits_[i].max;
    json one = {{"rail", board::kRailNames[i]},
                {"max_volts", highest},
                {"envelope_max", limits_[i].max > 0 ? json(limits_[i].max) : json()},
                {"exceeded", over},
                {"volts", rail.voltage().base()},
                {"driven", rail.driving()}};
    one.update(off_times(rail));
    rails.push_back(std::move(one));
    exceeded = exceeded || over;
    all_off = all_off && rail.below_since().has_value();
    if (rail.below_since()) off_since = std::max(off_since, rail.below_since()->to_seconds());
  }
  const board::Rail& input = board_.tree().input();
  json supply = {{"volts", input.voltage().base()}, {"max_volts", input.highest().base()}, {"driven", input.driving()}};
  supply.update(off_times(input));
  const json report = {{"bench_time", now()},
                       {"slipped", firstlight::seconds(slipped)},
                       {"exceeded", exceeded},
                       {"all_off", all_off},
                       {"all_off_for", all_off ? json(now() - off_since) : json()},
                       {"rails", std::move(rails)},
                       {"input", std::move(supply)}};
  return report.dump();
}

}  // namespace tb
