#include "tb/board/board_faults.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

#include "lab/core/quantity.h"
#include "lab/core/suggest.h"

namespace tb::board {

using firstlight::Dimension;
using firstlight::FaultSpec;

namespace {

using Apply = std::function<void(BoardFaults&, std::string_view)>;
struct Entry {
  FaultSpec spec;
  Apply apply;
};

constexpr double kSlowRise = 4;
constexpr double kDroopScale = 6;
constexpr double kDecouplingLeft = 0.3;
constexpr double kLowOutput = 0.94;
constexpr double kAskew = 2.5;
constexpr double kLowFlow = 0.4;
constexpr double kHotInlet = 18;    // K
constexpr double kPecShare = 0.30;  // of the transactions

template <std::size_t N>
std::size_t pick(const std::array<std::string_view, N>& names, std::string_view value, std::string_view kind) {
  if (const auto found = index_of(names, value)) return *found;
  const std::vector<std::string> known(names.begin(), names.end());
  const std::string near = firstlight::nearest_name(value, known);
  throw std::invalid_argument(fmt::format("\"{}\" is not a {}; the board has {}{}", value, kind, fmt::join(names, ", "),
                                          near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near)));
}

double quantity(std::string_view value, Dimension dimension, double min, double max) {
  firstlight::QuantityError error;
  const auto parsed = firstlight::parse_quantity(value, dimension, &error);
  if (!parsed) throw std::invalid_argument(error.message);
  if (parsed->value < min || parsed->value > max)
    throw std::invalid_argument(fmt::format("{} is outside of {} .. {}", value,
                                            firstlight::to_text(firstlight::Quantity{min, dimension}),
                                            firstlight::to_text(firstlight::Quantity{max, dimension})));
  return parsed->value;
}

double parts_per_million(std::string_view value) { return quantity(value, Dimension::ratio, -0.1, 0.1) * 1e6; }

// "vr_core" or "vr_core:30 %"
void set_pec_errors(BoardFaults& faults, std::string_view value) {
  const auto colon = value.find(':');
  const std::size_t regulator = pick(kRegulatorNames, value.substr(0, colon), "regulator");
  faults.regulators[regulator].pec_error_share =
      colon == std::string_view::npos ? kPecShare : quantity(value.substr(colon + 1), Dimension::ratio, 0, 1);
}

Apply rail(std::function<void(BoardFaults&, std::size_t)> set) {
  return [set = std::move(set)](BoardFaults& faults, std::string_view value) {
    set(faults, pick(kRailNames, value, "rail"));
  };
}
Apply regulator(std::function<void(instruments::PmbusRegulatorFaults&)> set) {
  return [set = std::move(set)](BoardFaults& faults, std::string_view value) {
    set(faults.regulators[pick(kRegulatorNames, value, "regulator")]);
  };
}
Apply zone(std::function<void(BoardFaults&, std::size_t)> set) {
  return [set = std::move(set)](BoardFaults& faults, std::string_view value) {
    set(faults, pick(kZoneNames, value, "zone"));
  };
}
Apply plain(std::function<void(BoardFaults&)> set) {
  return [set = std::move(set)](BoardFaults& faults, std::string_view) { set(faults); };
}

std::vector<Entry> power_faults() {
  return {
      {{"rail_no_pgood", "power", "The rail's power-good pin never rises; the output itself is fine.", "the rail",
        "vdd_hbm", "power-good of the rail does not come in time; blames the rail"},
       rail([](BoardFaults& f, std::size_t r) { f.no_power_good[r] = true; })},
      {{"rail_slow_ramp", "power", "The output rises four times slower than TON_RISE says.", "the rail", "vdd_core",
        "the measured ramp is too long; blames the rail"},
       rail([](BoardFaults& f, std::size_t r) { f.rails[r].rise_scale = kSlowRise; })},
      {{"rail_disable_lost", "power", "OFF is acknowledged, but the output stays on as long as there is 12 V.",
        "the rail", "vdd_serdes", "the read-back at power-off finds the rail up; blames the rail"},
       rail([](BoardFaults& f, std::size_t r) { f.rails[r].ignore_off = true; })},
      {{"rail_droop", "power", "The load line is six times as steep.", "the rail", "vdd_core",
        "the voltage under load is low; blames the rail"},
       rail([](BoardFaults& f, std::size_t r) { f.rails[r].load_line_scale = kDroopScale; })},
      {{"droop", "power", "Most of the rail's decoupling capacitors are missing.", "the rail", "vdd_core",
        "a burst of the tensor engine takes the rail farther down than it may; blames the rail's decoupling"},
       rail([](BoardFaults& f, std::size_t r) { f.rails[r].decoupling = kDecouplingLeft; })},
      {{"rail_low", "power", "The output is 6 % low, and the telemetry says so.", "the rail", "vdd_sram",
        "the rail's voltage is below its limit; blames the rail"},
       rail([](BoardFaults& f, std::size_t r) { f.rails[r].output_scale = kLowOutput; })},
      {{"residual_voltage", "power", "300 mV are fed back into the rail by another supply.", "the rail", "vdd_sram",
        "the residual voltage before power-on is too high; blames the rail"},
       rail([](BoardFaults& f, std::size_t r) { f.rails[r].backfeed = firstlight::Voltage(0.3); })},
      {{"psu_sag", "power", "The 12 V fall to 10.6 V under load.", "", "", "the 12 V are low; blames psu0"},
       plain([](BoardFaults& f) { f.psu_sag = true; })},
      {{"power_brake_stuck", "power", "The pin that slows the chip down when the 12 V give way is held low.", "", "",
        "the tensor engine is throttled for no reason; blames the line"},
       plain([](BoardFaults& f) { f.power_brake_stuck = true; })},
      {{"vr_hot_stuck", "power", "VR_HOT# of vdd_core's regulator is held low, though it is cool.", "", "",
        "the tensor engine is throttled for no reason; blames the line"},
       plain([](BoardFaults& f) { f.vr_hot_stuck = true; })},
      {{"psu_wrong_identity", "power", "The bench supply is another model than the bench file says.", "", "",
        "the identity of psu0 is wrong; blames psu0"},
       plain([](BoardFaults& f) { f.psu_wrong_identity = true; })},
      {{"board_wrong_serial", "power", "The board's EEPROM carries another serial number.", "", "",
        "the serial number in the EEPROM is wrong; blames eeprom0"},
       plain([](BoardFaults& f) { f.board_wrong_serial = true; })},
      {{"brownout", "power", "The rail drops to 84 % for 3 ms, some time after the PLL has locked.", "the rail",
        "vdd_core", "the chip's fault snapshot names the rail; blames the rail"},
       rail([](BoardFaults& f, std::size_t r) { f.brownout = r; })},
  };
}

std::vector<Entry> pmbus_faults() {
  return {
      {{"vout_mode_exponent", "pmbus", "VOUT_MODE tells 2^-11 where the device means 2^-12.", "the regulator",
        "vr_core", "set points and telemetry are off by two against the DMM; blames the regulator"},
       regulator([](auto& f) { f.vout_mode_offset = 1; })},
      {{"pec_errors", "pmbus", "A share of the packet error codes is wrong.",
        "the regulator, and the share after a colon (vr_core:30 %)", "vr_core",
        "packet error codes do not match; blames the regulator"},
       set_pec_errors},
      {{"page_no_effect", "pmbus", "PAGE is acknowledged and stays 0.", "the regulator", "vr_io",
        "PAGE reads back as another value; blames the regulator"},
       regulator([](auto& f) { f.page_no_effect = true; })},
      {{"vr_nack", "pmbus", "The regulator does not answer to its address.", "the regulator", "vr_io",
        "the address is not acknowledged; blames the regulator"},
       regulator([](auto& f) { f.nack = true; })},
      {{"vr_telemetry_stuck", "pmbus", "READ_VOUT keeps its first value.", "the regulator", "vr_core",
        "telemetry and DMM disagree; blames the regulator"},
       regulator([](auto& f) { f.telemetry_stuck = true; })},
  };
}

std::vector<Entry> clock_faults() {
  return {
      {{"refclk_missing", "clock", "No reference clock arrives at the board.", "", "",
        "the reference clock measures 0 Hz; blames clk0"},
       plain([](BoardFaults& f) { f.clocks.reference_missing = true; })},
      {{"refclk_off", "clock", "The reference clock is off by a share.", "how far it is off, -10 % .. 10 %", "300 ppm",
        "the reference clock is outside of its limit; blames clk0"},
       [](BoardFaults& f, std::string_view value) { f.clocks.reference_ppm = parts_per_million(value); }},
      {{"pll_no_lock", "clock", "The PLL never locks.", "", "", "the PLL does not lock in time; blames the PLL"},
       plain([](BoardFaults& f) { f.clocks.no_lock = true; })},
      {{"pll_wrong_frequency", "clock", "The PLL locks at three quarters of its frequency.", "", "",
        "the measured core clock is wrong; blames the PLL"},
       plain([](BoardFaults& f) { f.clocks.wrong_frequency = true; })},
      {{"pll_lock_glitch", "clock", "The PLL's lock drops now and then.", "", "",
        "the chip's fault snapshot tells a lost lock; blames the PLL"},
       plain([](BoardFaults& f) { f.clocks.lock_glitch = true; })},
  };
}

std::vector<Entry> thermal_faults() {
  return {
      {{"sensor_stuck", "thermal", "The zone's sensor keeps its first reading.", "the zone", "core",
        "the zone does not warm up with its heater; blames the sensor"},
       zone([](BoardFaults& f, std::size_t z) { f.sensors.stuck = z; })},
      {{"sensor_sentinel", "thermal", "The zone's sensor reads -128 degC.", "the zone", "hbm",
        "the reading is a sentinel; blames the sensor"},
       zone([](BoardFaults& f, std::size_t z) { f.sensors.sentinel = z; })},
      {{"cold_plate_askew", "thermal", "The zone's thermal resistance to the cold plate is 2.5 times as high.",
        "the zone", "serdes", "the zone's thermal resistance is too high; blames the cold plate there"},
       zone([](BoardFaults& f, std::size_t z) { f.thermal.resistance_scale[z] = kAskew; })},
      {{"no_flow", "thermal", "The pump runs, but nothing flows.", "", "", "the flow measures 0; blames cdu0"},
       plain([](BoardFaults& f) { f.thermal.flow_scale = 0; })},
      {{"flow_low", "thermal", "The flow is 40 % of what is set.", "", "", "the flow is below its limit; blames cdu0"},
       plain([](BoardFaults& f) { f.thermal.flow_scale = kLowFlow; })},
      {{"leak", "thermal", "Coolant leaks: the detector trips, flow and pressure fall.", "", "",
        "the leak detector is active; blames the coolant loop"},
       plain([](BoardFaults& f) { f.thermal.leak = true; })},
      {{"inlet_hot", "thermal", "The coolant comes in 18 K warmer than set.", "", "",
        "the inlet temperature is above its limit; blames cdu0"},
       plain([](BoardFaults& f) { f.thermal.inlet_offset_kelvin = kHotInlet; })},
      {{"trip_not_wired", "thermal", "The chip's trip pin does not reach the regulators.", "", "",
        "the rails stay up in the trip test; blames the trip pin"},
       plain([](BoardFaults& f) { f.trip_not_wired = true; })},
  };
}

std::vector<Entry> make_catalogue() {
  std::vector<Entry> all;
  for (auto& domain : {power_faults(), pmbus_faults(), clock_faults(), thermal_faults()})
    all.insert(all.end(), domain.begin(), domain.end());
  return all;
}

const std::vector<Entry>& catalogue() {
  static const std::vector<Entry> entries = make_catalogue();
  return entries;
}

}  // namespace

void BoardFaults::set(std::string_view name, std::string_view value) {
  const auto& all = catalogue();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Entry& entry) { return entry.spec.name == name; });
  if (found == all.end()) {
    std::vector<std::string> known;
    known.reserve(all.size());
    for (const Entry& entry : all) known.push_back(entry.spec.name);
    const std::string near = firstlight::nearest_name(name, known);
    throw std::invalid_argument(fmt::format("the board has no fault \"{}\"{}", name,
                                            near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near)));
  }
  if (found->spec.value_doc.empty() && !value.empty())
    throw std::invalid_argument(fmt::format("fault {} takes no value, but was given \"{}\"", name, value));
  try {
    found->apply(*this, value.empty() ? std::string_view(found->spec.fallback) : value);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("fault {}: {}", name, error.what()));
  }
}

const std::vector<FaultSpec>& board_fault_specs() {
  static const std::vector<FaultSpec> specs = [] {
    std::vector<FaultSpec> list;
    list.reserve(catalogue().size());
    for (const Entry& entry : catalogue()) list.push_back(entry.spec);
    return list;
  }();
  return specs;
}

}  // namespace tb::board
