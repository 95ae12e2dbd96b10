#include "tests/envelope/generator.h"

#include <fmt/format.h>

#include <regex>
#include <stdexcept>

namespace envelope {

namespace {

struct ModelRail {
  const char* name;
  double nominal;   // V
  double part_max;  // V, VOUT_MAX of the regulator: what would happen without us
};
constexpr std::array<ModelRail, 5> kRails = {{{"vdd_aon", 1.8, 1.98},
                                              {"vdd_core", 0.85, 0.95},
                                              {"vdd_sram", 0.9, 1.0},
                                              {"vdd_hbm", 1.2, 1.32},
                                              {"vdd_serdes", 0.95, 1.05}}};

constexpr std::array<const char*, 14> kFaults = {"rail_slow_ramp=vdd_core",
                                                 "rail_disable_lost=vdd_serdes",
                                                 "rail_disable_lost=vdd_core",
                                                 "rail_droop=vdd_core",
                                                 "rail_low=vdd_sram",
                                                 "residual_voltage=vdd_sram",
                                                 "psu_sag",
                                                 "brownout=vdd_core",
                                                 "pec_errors=vr_core",
                                                 "vr_telemetry_stuck=vr_core",
                                                 "rail_no_pgood=vdd_hbm",
                                                 "page_no_effect=vr_io",
                                                 "vout_mode_exponent=vr_core",
                                                 "pll_lock_glitch"};

/// The first group of the pattern, in the line of the bench that begins the rail.
std::string replaced(const std::string& text, const std::string& pattern, const std::string& by) {
  std::smatch match;
  if (!std::regex_search(text, match, std::regex(pattern)))
    throw std::runtime_error("the model's bench file has no " + pattern);
  std::string out = text;
  return out.replace(static_cast<std::size_t>(match.position(1)), static_cast<std::size_t>(match.length(1)), by);
}

}  // namespace

Attack Generator::attack(const std::string& model) {
  Attack attack;
  attack.bench = bench(model);
  attack.fault = fault();
  attack.sequence = sequence();
  return attack;
}

/// The envelope is drawn tighter than what the regulators hold by themselves, or they would hide a hole in it.
std::string Generator::bench(const std::string& model) {
  std::string text = model;
  for (std::size_t i = 0; i < kRails.size(); ++i) {
    const ModelRail& rail = kRails[i];
    max_[i] = rail.nominal * between(1.031, 1.08);
    text = replaced(text, fmt::format(R"({}:\s*\{{[^}}]*?max: ([0-9.]+ m?V))", rail.name),
                    fmt::format("{:.4f} V", max_[i]));
  }
  // The exponent is then believed whatever it says.
  if (chance(0.2))
    for (int part = 0; part < 2; ++part) text = replaced(text, R"((, vout_mode: 0x14))", "");
  if (chance(0.3))
    text = replaced(text, R"(vdd_serdes:[^}]*?(after: \[vdd_hbm\]))", "after: [vdd_sram], excludes: [vdd_hbm]");
  return text;
}

std::string Generator::fault() { return chance(0.5) ? one_of(kFaults) : ""; }

std::string Generator::volts(std::size_t rail) {
  const double nominal = kRails[rail].nominal;
  const double max = max_[rail];
  switch (pick(8)) {
    case 0:
      return fmt::format("{:.6f} V", max + between(0, 0.001));  // by a hair
    case 1:
      return fmt::format("{:.6f} V", max);
    case 2:
      return fmt::format("{:.6f} V", between(max, kRails[rail].part_max));
    case 3:
      return fmt::format("{:.3f} V", between(1.5, 15));
    case 4:
      return fmt::format("{:.6f} V", max - between(0, 0.0005));
    case 5:
      return "0 V";
    default:
      return fmt::format("{:.4f} V", nominal * between(0.93, max / nominal));
  }
}

std::string Generator::line(const std::string& verb, const std::string& with, const char* timeout) {
  return fmt::format("{{id: s{}, do: {}, with: {{{}}}, on_fail: continue, timeout: {}}}", ids_++, verb, with, timeout);
}

std::string Generator::rail_step() {
  const std::size_t i = pick(kRails.size());
  const std::string rail = std::string("rail: ") + kRails[i].name;
  switch (pick(6)) {
    case 0:
      return line("rail.on", chance(0.5) ? rail : rail + ", voltage: " + volts(i));
    case 1:
      return line("rail.off", rail);
    case 2:
      return line("rail.margin", rail + ", margin: " + one_of(std::array{"low", "high", "none"}) + ", settle: 1 ms");
    default: {
      const std::string slew =
          chance(0.5) ? std::string(", slew: ") + one_of(std::array{"1 mV/ms", "10 mV/ms", "5 mV/us", "100 mV/us"})
                      : "";
      return line("rail.ramp", rail + ", to: " + volts(i) + slew, "5 s");
    }
  }
}

/// Straight at the capabilities, as a step could that nobody has reviewed.
std::string Generator::raw_step() {
  const std::size_t i = pick(kRails.size());
  const std::string rail = std::string("rail: ") + kRails[i].name;
  switch (pick(7)) {
    case 0:
      return line("raw.enable", rail);
    case 1:
      return line("raw.disable", rail);
    case 2:
      return line("raw.margin", rail + ", margin: " + one_of(std::array{"low", "high", "none"}));
    case 3:
      return line("raw.nan", rail);
    default:
      return line("raw.set", rail + ", to: " + volts(i));
  }
}

std::string Generator::other_step() {
  switch (pick(6)) {
    case 0:
      return line("supply.on", fmt::format("supply: psu, voltage: {:.2f} V, current_limit: {:.1f} A, within: 100 ms",
                                           between(5, 16), between(0.5, 40)));
    case 1:
      return line("raw.supply", fmt::format("voltage: {:.2f} V", between(5, 16)));
    case 2:
      return chance(0.3) ? line("supply.off", "supply: psu, within: 200 ms") : line("wait", "time: 5 ms");
    case 3:
      return line("reg.write", fmt::format("reg: {}, value: \"{:#x}\", chip: host",
                                           one_of(std::array{"thermal.heater.zone0", "thermal.heater.zone1",
                                                             "thermal.heater.zone2", "chip.scratch"}),
                                           pick(16)));
    case 4:
      return line("clock.on", fmt::format("clock: refclk, frequency: {:.1f} MHz", between(50, 300)));
    default:
      return line("wait", fmt::format("time: {} ms", 1 + pick(30)));
  }
}

std::string Generator::sweep() {
  const std::size_t i = pick(kRails.size());
  const double from = kRails[i].nominal * between(0.95, 1);
  const double to = max_[i] * between(0.99, 1.1);
  std::string values;
  for (int n = 0; n <= 4; ++n) values += fmt::format("{}{:.4f} V", n > 0 ? ", " : "", from + (to - from) * n / 4);
  const int id = ids_++;
  return fmt::format(
      "{{id: w{0}, for_each: {{v: [{1}]}}, steps: [{{id: p{0}, do: {2}, with: {{rail: {3}, to: \"${{v}}\"}}, on_fail: "
      "continue, timeout: 5 s}}]}}",
      id, values, chance(0.5) ? "rail.ramp" : "raw.set", kRails[i].name);
}

std::string Generator::group() {
  ++depth_;
  std::string steps;
  const std::size_t count = 2 + pick(3);
  for (std::size_t i = 0; i < count; ++i) steps += (i > 0 ? ", " : "") + step();
  --depth_;
  return fmt::format("{{id: g{}, {}: [{}]}}", ids_++, chance(0.7) ? "parallel" : "steps", steps);
}

std::string Generator::step() {
  const double what = between(0, 1);
  if (what < 0.3) return rail_step();
  if (what < 0.65) return raw_step();
  if (what < 0.75) return sweep();
  if (what < 0.9 && depth_ < 2) return group();
  return other_step();
}

std::string Generator::power_up() {
  std::string steps;
  const auto add = [&](const std::string& one) { steps += "      - " + one + "\n"; };
  add(line("coolant.on", "temperature: 30 degC, flow: 2 L/min", "20 s"));
  add(line("supply.on", "supply: psu, voltage: 12 V, current_limit: 10 A"));
  add(line("clock.on", "clock: refclk, frequency: 100 MHz"));
  const std::size_t rails = chance(0.7) ? kRails.size() : pick(kRails.size());
  for (std::size_t i = 0; i < rails; ++i) add(line("rail.on", std::string("rail: ") + kRails[i].name));
  return steps;
}

std::string Generator::sequence() {
  std::string text =
      "sequence: {name: attack, timeout: 60 s}\nphases:\n  - name: up\n    on_fail: continue\n    steps:\n" +
      power_up();
  text += "  - name: attack\n    on_fail: continue\n    steps:\n";
  const std::size_t count = 8 + pick(25);
  for (std::size_t i = 0; i < count; ++i) text += "      - " + step() + "\n";
  return text;
}

}  // namespace envelope
