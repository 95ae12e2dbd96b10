#include "tb/board/board.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <iostream>

#include "tests/unit/board/table.h"

namespace tb::board::testing {
namespace {

using firstlight::Power;

constexpr std::array<double, kRails> kNominal = {1.80, 0.85, 0.90, 1.20, 0.95};

TEST(Board, IsColdAndDarkAtFirst) {
  Table table;
  pass(0.01);
  for (std::size_t rail = 0; rail < kRails; ++rail) {
    EXPECT_FALSE(table->pins().power_good[rail]);
    EXPECT_NEAR(table.volts(rail), 0, 1e-3);
  }
  EXPECT_FALSE(table->pins().por_n);
  EXPECT_DOUBLE_EQ(table->pins().reference_clock.base(), 0);
  EXPECT_EQ(table->line("leak_n"), true);
  EXPECT_EQ(table->line("thermtrip_n"), true);
  EXPECT_EQ(table->line("por_n"), false);
  EXPECT_EQ(table->line("nonsense"), std::nullopt);
  EXPECT_EQ(table->line("pg_nonsense"), std::nullopt);
  for (const std::string& name : Board::lines()) EXPECT_TRUE(table->line(name).has_value()) << name;
  EXPECT_EQ(table.read_word(0, 0x79), -1) << "the regulators have no supply";
}

TEST(Board, EepromAnswersWithoutTwelveVolts) {
  Table table;
  const auto result =
      table.transfer(0x50, {firstlight::I2cMessage::writing({0}), firstlight::I2cMessage::reading(256)});
  const std::string text(result.data.begin(), result.data.end());
  EXPECT_NE(text.find("FL-TERN-0001"), std::string::npos);
  EXPECT_NE(text.find("FL-BRD-A0"), std::string::npos);
}

TEST(Board, RailsComeUpInOrderAndTellTheirPowerGood) {
  Table table;
  table.input_on();
  EXPECT_NEAR(table.number(table->dmm(), "MEAS:VOLT? (@6)"), 12, 0.05);
  for (std::size_t rail = 0; rail < kRails; ++rail) {
    EXPECT_FALSE(table->pins().power_good[rail]);
    table.rail_on(rail);
    pass(10e-3);
    EXPECT_TRUE(table->pins().power_good[rail]) << kRailNames[rail];
    EXPECT_EQ(table->line("pg_" + std::string(kRailNames[rail])), true);
    EXPECT_NEAR(table.volts(rail), kNominal[rail], kNominal[rail] * 0.01);
    EXPECT_NEAR(table.read_vout(rail), table.volts(rail), 2e-3);
    EXPECT_EQ(table.read_word(rail, 0x79), 0);
  }
  EXPECT_TRUE(table->pins().por_n);
  for (std::size_t rail = kRails; rail-- > 0;) {
    table.rail_off(rail);
    pass(20e-3);
    EXPECT_FALSE(table->pins().power_good[rail]);
    EXPECT_NEAR(table.volts(rail), 0, 0.02);
  }
  EXPECT_FALSE(table->pins().por_n);
}

TEST(Board, LosingTwelveVoltsTakesEverythingDown) {
  Table table;
  table.power_up();
  EXPECT_TRUE(table->pins().power_good[4]);
  table.ask(table->psu(), "OUTP OFF");
  pass(0.5);
  for (std::size_t rail = 0; rail < kRails; ++rail) {
    EXPECT_FALSE(table->pins().power_good[rail]);
    EXPECT_NEAR(table.volts(rail), 0, 0.02);
  }
  EXPECT_EQ(table.read_word(0, 0x79), -1);
  table.input_on();
  pass(0.05);
  EXPECT_NEAR(table.volts(1), 0, 0.02) << "after a power loss OPERATION is off";
}

TEST(Board, PllFollowsTheChip) {
  Table table;
  table.power_up();
  EXPECT_DOUBLE_EQ(table->pins().reference_clock.base(), 100e6);
  EXPECT_DOUBLE_EQ(table->pins().core_clock.base(), 0);
  int changes = 0;
  table->on_pins([&](const BoardPins&) { ++changes; });
  table.start_pll();
  EXPECT_TRUE(table->pins().pll_lock);
  EXPECT_DOUBLE_EQ(table->pins().core_clock.base(), 1e9);
  EXPECT_GE(changes, 2);
  EXPECT_NEAR(table.number(table->clock_generator(), "MEAS:FREQ? (@2)"), 125e6, 300);
  EXPECT_NEAR(table.number(table->clock_generator(), "MEAS:FREQ?"), 100e6, 300);
  table.chip.throttle = true;
  table->drive(table.chip);
  EXPECT_DOUBLE_EQ(table->pins().core_clock.base(), 0.5e9);
  table.rail_off(kCore);
  pass(10e-3);
  EXPECT_FALSE(table->pins().pll_lock);
  EXPECT_DOUBLE_EQ(table->pins().core_clock.base(), 0);
  table->on_pins(nullptr);
}

TEST(Board, TripCutsAllButAlwaysOnAndLatches) {
  Table table;
  table.power_up();
  table.chip.thermtrip_n = false;
  table->drive(table.chip);
  EXPECT_EQ(table->line("thermtrip_n"), false);
  EXPECT_TRUE(table->pins().power_good[kAon]);
  for (std::size_t rail = 1; rail < kRails; ++rail) EXPECT_FALSE(table->pins().power_good[rail]) << rail;
  pass(50e-3);
  for (std::size_t rail = 1; rail < kRails; ++rail) EXPECT_NEAR(table.volts(rail), 0, 0.02);
  table.chip.thermtrip_n = true;
  table->drive(table.chip);
  pass(20e-3);
  EXPECT_FALSE(table->pins().power_good[kCore]);
  EXPECT_EQ(table.read_word(kCore, 0x79) & 0x1040, 0x1040) << "MFR and OFF";
  EXPECT_EQ(table.read_word(kAon, 0x79), 0);
  table.rail_off(kCore);
  table.rail_on(kCore);
  pass(10e-3);
  EXPECT_TRUE(table->pins().power_good[kCore]);
}

TEST(Board, AChipWithoutPowerDrivesNothing) {
  Table table;
  table.input_on();
  table.chip.thermtrip_n = false;
  table.chip.irq = true;
  table->drive(table.chip);
  EXPECT_EQ(table->line("thermtrip_n"), true);
  EXPECT_EQ(table->line("irq"), false);
  table.rail_on(kAon);
  pass(10e-3);
  EXPECT_EQ(table->line("thermtrip_n"), false);
  EXPECT_EQ(table->line("irq"), true);
}

TEST(Board, TheCoreRegulatorSaysWhenItIsAboveItsWarningLimits) {
  Table table;
  table.power_up();
  table.start_pll();
  pass(50e-3);
  EXPECT_TRUE(table->pins().vr_hot_n);
  constexpr std::uint8_t kOcWarnLimit = 0x4a;
  constexpr std::uint8_t kOtWarnLimit = 0x51;
  for (const std::uint8_t command : {kOcWarnLimit, kOtWarnLimit}) {
    const int limit = table.read_word(kCore, command);
    table.write(kCore, command, {0x01, 0xf8});  // 0.5 A, or 0.5 degC
    pass(50e-3);
    EXPECT_FALSE(table->pins().vr_hot_n) << int{command};
    EXPECT_EQ(table->line("vr_hot_n"), false);
    table.write(kCore, command, {static_cast<std::uint8_t>(limit & 0xff), static_cast<std::uint8_t>(limit >> 8)});
    pass(50e-3);
    EXPECT_TRUE(table->pins().vr_hot_n) << int{command};
  }
}

TEST(Board, PowerHeatsTheZonesAndTheSupplyPaysForIt) {
  Table table;
  table.power_up();
  table.start_pll();
  pass(6);
  double idle = 0;
  for (std::size_t rail = 0; rail < kRails; ++rail) idle += table->rail_power(rail).base();
  EXPECT_NEAR(idle, 24, 3);
  table.chip.activity = {1, 1, 1, 1};
  table->drive(table.chip);
  pass(6);
  double busy = 0;
  for (std::size_t rail = 0; rail < kRails; ++rail) busy += table->rail_power(rail).base();
  EXPECT_NEAR(busy, 49, 4);
  EXPECT_NEAR(table.number(table->psu(), "MEAS:POW?"), busy / 0.9 + 0.6, 1);
  for (std::size_t zone = 0; zone < kZones; ++zone) {
    const double rise = (table->plant().zone(zone) - table->plant().plate()).base();
    EXPECT_NEAR(rise, table->rail_power(zone + 1).base() * ThermalParameters{}.die_to_plate[zone].base(), 0.05);
    EXPECT_NEAR(table.celsius(zone), table->plant().zone(zone).base(), 1);
  }
  EXPECT_GT(table.number(table->coolant_unit(), "MEAS:TEMP? (@2)"), 30.2);
}

TEST(Board, HeatersWarmTheirZone) {
  Table table;
  table.power_up();
  pass(3);
  const double before = table.celsius(2);
  const double other = table.celsius(0);
  table.chip.heater[2] = 15;
  table->drive(table.chip);
  pass(3);
  EXPECT_NEAR(table.celsius(2) - before, 15 * 0.35 + 15 * 0.034, 0.8);
  EXPECT_NEAR(table.celsius(0) - other, 0.5, 0.5);
}

TEST(Board, CurrentLimitOfTheSupplyBringsTheBoardDown) {
  Table table;
  table.power_up();
  table.start_pll();
  table.chip.activity = {1, 1, 1, 1};
  table->drive(table.chip);
  pass(1);
  table.ask(table->psu(), "CURR 1");
  pass(0.1);
  EXPECT_LT(table.number(table->dmm(), "MEAS:VOLT? (@6)"), 12);
  EXPECT_FALSE(table->pins().power_good[kCore] && table->pins().power_good[kAon] && table->pins().pll_lock &&
               table.number(table->psu(), "MEAS:CURR?") > 1.5);
}

TEST(Board, SupplyTripsOnOvercurrent) {
  Table table;
  table.power_up();
  table.start_pll();
  pass(0.2);
  table.ask(table->psu(), "CURR 1;CURR:PROT:STAT ON");
  EXPECT_EQ(table.ask(table->psu(), "CURR:PROT:TRIP?"), "1\n");
  pass(0.5);
  EXPECT_NEAR(table.number(table->dmm(), "MEAS:VOLT? (@6)"), 0, 0.1);
}

/// Two boards through the same short life at the same time; what each showed, noise included.
std::pair<std::string, std::string> twin_stories(Board& a, Board& b) {
  std::pair<std::string, std::string> text;
  const auto watch = [](Board& board, std::string& out) {
    board.on_pins([&out](const BoardPins& pins) {
      out += sc_core::sc_time_stamp().to_string();
      for (const auto code : pins.zone_temperature) out += ' ' + std::to_string(code);
      out += pins.pll_lock ? " locked\n" : "\n";
    });
    board.dmm().on_reply([&out](const std::string& answer) { out += answer; });
  };
  watch(a, text.first);
  watch(b, text.second);
  const auto both = [&](const std::function<void(Board&)>& action) {
    action(a);
    action(b);
    pass(20e-3);
  };
  both([](Board& board) { board.psu().receive("VOLT 12;:OUTP ON\n"); });
  both([](Board& board) { board.clock_generator().receive("OUTP ON\n"); });
  for (const std::uint8_t address : {std::uint8_t{0x44}, std::uint8_t{0x40}})
    for (const std::uint8_t page : {std::uint8_t{0}, std::uint8_t{1}})
      both([&](Board& board) {
        board.i2c().post({address, {firstlight::I2cMessage::writing({0, page})}}, nullptr);
        board.i2c().post({address, {firstlight::I2cMessage::writing({1, 0x80})}}, nullptr);
      });
  ChipPins chip;
  chip.pll_enable = true;
  chip.pll_multiplier = 10;
  both([&](Board& board) { board.drive(chip); });
  both([](Board& board) { board.dmm().receive("MEAS:VOLT? (@1:6)\n"); });
  a.on_pins(nullptr);
  b.on_pins(nullptr);
  a.dmm().on_reply(nullptr);
  b.dmm().on_reply(nullptr);
  return text;
}

TEST(Board, OneSeedOneStory) {
  const auto a = take_board();
  const auto b = take_board();
  const auto [first, second] = twin_stories(*a, *b);
  EXPECT_GT(first.size(), 500U);
  EXPECT_NE(first.find("locked"), std::string::npos);
  EXPECT_EQ(first, second);
}

TEST(Board, AnotherSeedAnotherStory) {
  const auto a = take_board();
  const auto b = take_board(2);
  const auto [first, second] = twin_stories(*a, *b);
  EXPECT_NE(first, second);
}

double wall_seconds(const std::function<void()>& action) {
  const auto start = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

TEST(Board, ASettledBoardCostsAlmostNothing) {
  Table table;
  table.power_up();
  table.start_pll();
  table.chip.activity = {0.3, 0.3, 0.3, 0.3};
  table->drive(table.chip);
  pass(5);
  const std::uint64_t before = table->agenda().calls();
  const double wall = wall_seconds([] { pass(10); });
  const std::uint64_t calls = table->agenda().calls() - before;
  RecordProperty("wall_ms", std::to_string(wall * 1e3));
  RecordProperty("calls", std::to_string(calls));
  std::cout << "10 s of a settled board: " << wall * 1e3 << " ms of wall time, " << calls << " calls\n";
  EXPECT_LT(calls, 1500U);
}

}  // namespace
}  // namespace tb::board::testing
