#include "tb/board/board_faults.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/unit/board/table.h"

namespace tb::board::testing {
namespace {

std::string refusal(const std::string& name, const std::string& value) {
  try {
    BoardFaults faults;
    faults.set(name, value);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return {};
}

TEST(Catalogue, IsWhole) {
  std::set<std::string> names;
  for (const auto& spec : board_fault_specs()) {
    EXPECT_TRUE(names.insert(spec.name).second) << spec.name;
    EXPECT_FALSE(spec.doc.empty());
    EXPECT_FALSE(spec.seen_as.empty());
    EXPECT_EQ(spec.value_doc.empty(), spec.fallback.empty());
    EXPECT_EQ(refusal(spec.name, ""), "") << spec.name;
    if (!spec.fallback.empty()) {
      EXPECT_EQ(refusal(spec.name, spec.fallback), "") << spec.name;
    }
  }
  EXPECT_EQ(names.size(), 31U);
}

TEST(Catalogue, RefusesBadValuesInWords) {
  EXPECT_EQ(refusal("rail_low", "vdd_cor"),
            "fault rail_low: \"vdd_cor\" is not a rail; the board has vdd_aon, vdd_core, vdd_sram, vdd_hbm, "
            "vdd_serdes; did you mean \"vdd_core\"?");
  EXPECT_NE(refusal("vr_nack", "vdd_core"), "");
  EXPECT_NE(refusal("sensor_stuck", "plate"), "");
  EXPECT_NE(refusal("refclk_off", "300"), "");
  EXPECT_NE(refusal("refclk_off", "50 %"), "");
  EXPECT_NE(refusal("pec_errors", "vr_core:2"), "");
  EXPECT_EQ(refusal("pec_errors", "vr_io:5 %"), "");
  EXPECT_NE(refusal("no_flow", "yes").find("takes no value"), std::string::npos);
  EXPECT_NE(refusal("no_flwo", "").find("no_flow"), std::string::npos);
}

// ---- power

TEST(PowerFaults, NoPowerGood) {
  Table table;
  table.set_fault("rail_no_pgood");
  table.power_up();
  EXPECT_FALSE(table->pins().power_good[3]);
  EXPECT_NEAR(table.volts(3), 1.2, 0.02);
  EXPECT_EQ(table.read_word(3, 0x79), 0);
  EXPECT_TRUE(table->pins().power_good[4]);
}

TEST(PowerFaults, SlowRamp) {
  const auto rise = [](bool faulty) {
    Table table;
    if (faulty) table.set_fault("rail_slow_ramp");
    table.input_on();
    table.rail_on(kAon);
    pass(10e-3);
    table.rail_on(kCore);
    double seconds = 0;
    while (!table->pins().power_good[kCore] && seconds < 0.1) {
      pass(0.1e-3);
      seconds += 0.1e-3;
    }
    return seconds - 0.5e-3;
  };
  const double healthy = rise(false);
  EXPECT_NEAR(healthy, 0.9 * 3e-3, 0.3e-3);
  EXPECT_NEAR(rise(true), 4 * 0.9 * 3e-3, 0.4e-3);
}

TEST(PowerFaults, DisableLost) {
  Table table;
  table.set_fault("rail_disable_lost");
  table.power_up();
  table.rail_off(4);
  pass(50e-3);
  EXPECT_NEAR(table.volts(4), 0.95, 0.02);
  EXPECT_NEAR(table.read_vout(4), 0.95, 0.02);
  table.ask(table->psu(), "OUTP OFF");
  pass(0.5);
  EXPECT_NEAR(table.volts(4), 0, 0.02);
}

TEST(PowerFaults, Droop) {
  const auto loaded = [](bool faulty) {
    Table table;
    if (faulty) table.set_fault("rail_droop");
    table.power_up();
    table.start_pll();
    table.chip.activity = {1, 1, 1, 1};
    table->drive(table.chip);
    pass(0.1);
    return table.volts(kCore);
  };
  const double healthy = loaded(false);
  const double faulty = loaded(true);
  EXPECT_GT(healthy, 0.85 * 0.985);
  EXPECT_LT(faulty, 0.85 * 0.96);
  EXPECT_GT(faulty, 0.85 * 0.90) << "not so low that the rail is lost";
}

TEST(PowerFaults, Low) {
  Table table;
  table.set_fault("rail_low");
  table.power_up();
  EXPECT_NEAR(table.volts(2), 0.9 * 0.94, 5e-3);
  EXPECT_NEAR(table.read_vout(2), table.volts(2), 2e-3);
  EXPECT_TRUE(table->pins().power_good[2]);
}

TEST(PowerFaults, ResidualVoltage) {
  Table table;
  table.set_fault("residual_voltage");
  EXPECT_NEAR(table.volts(2), 0.3, 1e-3);
  EXPECT_NEAR(table.volts(1), 0, 1e-3);
}

TEST(PowerFaults, Sag) {
  Table table;
  table.set_fault("psu_sag");
  table.input_on();
  EXPECT_NEAR(table.number(table->dmm(), "MEAS:VOLT? (@6)"), 12, 0.05);
  table.clock_on();
  table.rails_on();
  table.start_pll();
  EXPECT_NEAR(table.number(table->dmm(), "MEAS:VOLT? (@6)"), 10.6, 0.1);
  EXPECT_EQ(table.read_word(kCore, 0x79) & 0x2000, 0x2000) << "input warning";
}

TEST(PowerFaults, AnInputThatGivesWayBrakes) {
  Table table;
  table.power_up();
  table.start_pll();
  EXPECT_TRUE(table->pins().power_brake_n);
  EXPECT_EQ(table->line("power_brake_n"), true);
  table.set_fault("psu_sag");
  pass(50e-3);
  EXPECT_FALSE(table->pins().power_brake_n);
  table.set_fault("power_brake_stuck");
  pass(50e-3);
  EXPECT_NEAR(table.number(table->dmm(), "MEAS:VOLT? (@6)"), 12, 0.1);
  EXPECT_FALSE(table->pins().power_brake_n) << "though the input is good again";
  table->set_faults({});
  pass(50e-3);
  EXPECT_TRUE(table->pins().power_brake_n);
}

TEST(PowerFaults, AStuckPinSaysThatACoolRegulatorIsHot) {
  constexpr int kOutputCurrentOrTemperature = 0x4004;  // of STATUS_WORD
  Table table;
  table.power_up();
  EXPECT_TRUE(table->pins().vr_hot_n);
  table.set_fault("vr_hot_stuck");
  pass(50e-3);
  EXPECT_FALSE(table->pins().vr_hot_n);
  EXPECT_EQ(table->line("vr_hot_n"), false);
  EXPECT_EQ(table.read_word(kCore, 0x79) & kOutputCurrentOrTemperature, 0);
  EXPECT_TRUE(table->pins().power_brake_n) << "the other line is not concerned";
  table->set_faults({});
  pass(50e-3);
  EXPECT_TRUE(table->pins().vr_hot_n);
}

TEST(PowerFaults, Identities) {
  Table table;
  EXPECT_EQ(table.ask(table->psu(), "*IDN?"), "Firstlight,FL-PS1230,SN0001,1.0\n");
  table.set_fault("psu_wrong_identity");
  EXPECT_EQ(table.ask(table->psu(), "*IDN?"), "Firstlight,FL-PS0615,SN0417,1.0\n");
  table.set_fault("board_wrong_serial");
  const auto result =
      table.transfer(0x50, {firstlight::I2cMessage::writing({0}), firstlight::I2cMessage::reading(256)});
  const std::string text(result.data.begin(), result.data.end());
  EXPECT_EQ(text.find("FL-TERN-0001"), std::string::npos);
  EXPECT_NE(text.find("FL-TERN-0099"), std::string::npos);
}

TEST(PowerFaults, Brownout) {
  Table table;
  table.set_fault("brownout");
  table.power_up();
  double down = 0;
  double fell = 0;
  table->on_pins([&](const BoardPins& pins) {
    const double now = sc_core::sc_time_stamp().to_seconds();
    if (!pins.power_good[kCore] && fell == 0) fell = now;
    if (pins.power_good[kCore] && fell > 0 && down == 0) down = now - fell;
  });
  pass(1);
  EXPECT_EQ(fell, 0) << "not before the PLL runs";
  table.start_pll();
  pass(1);
  EXPECT_NEAR(down, 3e-3, 1e-4);
  table->on_pins(nullptr);
}

// ---- PMBus; the device's side of each is tested with the regulator

TEST(PmbusFaults, ExponentIsOffByTwoAgainstTheMeter) {
  Table table;
  table.set_fault("vout_mode_exponent");
  table.input_on();
  // A driver that believes in 2^-11.
  const auto word = static_cast<unsigned>(0.85 * 2048);
  table.write(kCore, 0x21, {static_cast<std::uint8_t>(word & 0xff), static_cast<std::uint8_t>(word >> 8)});
  table.rail_on(kCore);
  pass(10e-3);
  EXPECT_TRUE(table->pins().power_good[kCore]);
  EXPECT_NEAR(table.read_word(kCore, 0x8b) / 2048.0, 0.85, 0.01);
  EXPECT_NEAR(table.volts(kCore), 0.425, 0.01);
}

TEST(PmbusFaults, ReachTheirRegulator) {
  Table table;
  table.input_on();
  table.set_fault("vr_nack");
  EXPECT_EQ(table.read_word(kAon, 0x79), -1);
  EXPECT_NE(table.read_word(kCore, 0x79), -1);
  table.set_fault("page_no_effect");
  EXPECT_NEAR(table.read_word(4, 0x21) / 4096.0, 1.8, 1e-3) << "page 0 answers for page 2";
  EXPECT_NEAR(table.read_word(2, 0x21) / 4096.0, 0.9, 1e-3);
  table.set_fault("vr_telemetry_stuck");
  const int off = table.read_word(kCore, 0x8b);
  table.rail_on(kCore);
  pass(10e-3);
  EXPECT_EQ(table.read_word(kCore, 0x8b), off);
  EXPECT_NEAR(table.volts(kCore), 0.85, 0.01);
  table.set_fault("pec_errors");
  std::set<std::uint8_t> codes;
  using firstlight::I2cMessage;
  for (int i = 0; i < 50; ++i)
    codes.insert(table.transfer(0x40, {I2cMessage::writing({0x20}), I2cMessage::reading(2)}).data.at(1));
  EXPECT_EQ(codes.size(), 2U);
}

// ---- clocks

TEST(ClockFaultsOnBoard, MissingAndOff) {
  Table table;
  table.clock_on();
  table.set_fault("refclk_missing");
  EXPECT_DOUBLE_EQ(table.number(table->clock_generator(), "MEAS:FREQ?"), 0);
  EXPECT_DOUBLE_EQ(table->pins().reference_clock.base(), 0);
  table.set_fault("refclk_off");
  EXPECT_NEAR(table.number(table->clock_generator(), "MEAS:FREQ?"), 100.03e6, 200);
  table.set_fault("refclk_off", "-1000 ppm");
  EXPECT_NEAR(table.number(table->clock_generator(), "MEAS:FREQ?"), 99.9e6, 200);
}

TEST(ClockFaultsOnBoard, Pll) {
  Table table;
  table.power_up();
  table.set_fault("pll_no_lock");
  table.start_pll();
  EXPECT_FALSE(table->pins().pll_lock);
  table.set_fault("pll_wrong_frequency");
  pass(25e-3);
  EXPECT_TRUE(table->pins().pll_lock);
  EXPECT_NEAR(table.number(table->clock_generator(), "MEAS:FREQ? (@2)"), 0.75 * 125e6, 300);
  table.set_fault("pll_lock_glitch");
  int drops = 0;
  bool was = false;
  table->on_pins([&](const BoardPins& pins) {
    if (was && !pins.pll_lock) ++drops;
    was = pins.pll_lock;
  });
  pass(1);
  EXPECT_GE(drops, 3);
  table->on_pins(nullptr);
}

// ---- thermal

TEST(ThermalFaultsOnBoard, Sensors) {
  Table table;
  table.power_up();
  table.set_fault("sensor_stuck");
  pass(0.1);  // it sticks at what it samples next
  const double before = table.celsius(0);
  table.chip.heater[0] = 15;
  table->drive(table.chip);
  pass(2);
  EXPECT_DOUBLE_EQ(table.celsius(0), before);
  EXPECT_GT(table->plant().zone(0).base(), before + 4);
  table.set_fault("sensor_sentinel");
  pass(0.1);
  EXPECT_DOUBLE_EQ(table.celsius(2), -128);
}

TEST(ThermalFaultsOnBoard, ColdPlateAskew) {
  Table table;
  table.set_fault("cold_plate_askew");
  table.power_up();
  table.chip.heater[3] = 10;
  table->drive(table.chip);
  pass(3);
  const double rise = (table->plant().zone(3) - table->plant().plate()).base();
  EXPECT_NEAR(rise / table->rail_power(4).base(), 1.25, 0.02);
}

TEST(ThermalFaultsOnBoard, Coolant) {
  Table table;
  table.cooling_on();
  pass(3);
  EXPECT_NEAR(table.number(table->coolant_unit(), "MEAS:FLOW?"), 2, 0.05);
  EXPECT_NEAR(table.number(table->coolant_unit(), "MEAS:TEMP?"), 30, 0.1);
  table.set_fault("flow_low");
  pass(3);
  EXPECT_NEAR(table.number(table->coolant_unit(), "MEAS:FLOW?"), 0.8, 0.05);
  table.set_fault("no_flow");
  pass(3);
  EXPECT_DOUBLE_EQ(table.number(table->coolant_unit(), "MEAS:FLOW?"), 0);
  table.set_fault("inlet_hot");
  pass(3);
  EXPECT_NEAR(table.number(table->coolant_unit(), "MEAS:TEMP?"), 48, 0.2);
  table.set_fault("leak");
  EXPECT_EQ(table->line("leak_n"), false);
  EXPECT_EQ(table.ask(table->coolant_unit(), "LEAK?"), "1\n");
}

TEST(ThermalFaultsOnBoard, TripNotWired) {
  Table table;
  table.set_fault("trip_not_wired");
  table.power_up();
  table.chip.thermtrip_n = false;
  table->drive(table.chip);
  pass(10e-3);
  EXPECT_EQ(table->line("thermtrip_n"), false);
  for (std::size_t rail = 0; rail < kRails; ++rail) EXPECT_TRUE(table->pins().power_good[rail]);
}

}  // namespace
}  // namespace tb::board::testing
