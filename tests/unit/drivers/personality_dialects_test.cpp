// Each personality against an instrument that speaks as its programming manual says. The tables are written from the
// manuals, not from the personalities: what a personality says and the manual does not know fails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "lab/drivers/scpi/instrument.h"
#include "tests/unit/drivers/dialect.h"

namespace firstlight::scpi {
namespace {

using test::Dialect;
using test::FakeStream;
using test::FakeTime;
using test::Rule;

constexpr const char* kNumber = "([-+0-9.eE]+)";

/// The common commands of IEEE 488.2 that a SCPI instrument answers.
std::vector<Rule> scpi(const std::string& identity, std::vector<Rule> rules) {
  rules.push_back({"\\*IDN\\?", "", "", identity});
  rules.push_back({"\\*OPC\\?", "", "", "1"});
  rules.push_back({"SYST:ERR\\?", "", "", "+0,\"No error\""});
  return rules;
}

/// `{n}` stands for a number.
std::string with_numbers(std::string pattern) {
  for (std::size_t at = pattern.find("{n}"); at != std::string::npos; at = pattern.find("{n}"))
    pattern.replace(at, 3, kNumber);
  return pattern;
}

struct Model {
  std::string personality;
  std::vector<Rule> rules = {};
  std::size_t channel = 0;  // the one that is driven, from 0
  std::map<std::string, std::string> before = {};
  std::map<std::string, std::string> after = {};  // what it must have kept when it is set up and on
  std::string answer_end = "\n";
};

class Table {
 public:
  explicit Table(Model model)
      : model_(std::move(model)), stream(time), dialect(stream, numbered(model_.rules), model_.answer_end) {
    dialect.state = model_.before;
    line = std::make_shared<Line>("it (it0)", stream, load_personality(model_.personality), time);
  }
  template <class Kind>
  Kind make() {
    return Kind(line, "it (it0)", model_.channel);
  }
  void expect_after() {
    for (const auto& [key, value] : model_.after)
      EXPECT_EQ(dialect.state[key], value) << model_.personality << ": " << key;
  }

 private:
  static std::vector<Rule> numbered(std::vector<Rule> rules) {
    for (Rule& rule : rules) rule.pattern = with_numbers(rule.pattern);
    return rules;
  }
  Model model_;

 public:
  FakeTime time;
  FakeStream stream;
  Dialect dialect;
  std::shared_ptr<Line> line;
};

void PrintTo(const Model& model, std::ostream* out) { *out << model.personality; }
std::string name_of(const testing::TestParamInfo<Model>& info) {
  std::string name = info.param.personality;
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
}

// ---- supplies: 5 V, at most 1 A, protected at 5.5 V where that can be set; measured 4.998 V and 0.25 A

Model keysight_e36312a() {
  const std::string list = ",? ?\\(@([123])\\)";
  return {
      "keysight-e36312a",
      scpi("Keysight Technologies,E36312A,MY12345678,2.1.0-1.0.4", {{"VOLT {n}" + list, "V$2", "$1", ""},
                                                                    {"VOLT\\?" + list, "", "", "%V$1%"},
                                                                    {"CURR {n}" + list, "I$2", "$1", ""},
                                                                    {"CURR\\?" + list, "", "", "%I$1%"},
                                                                    {"VOLT:PROT {n}" + list, "P$2", "$1", ""},
                                                                    {"VOLT:PROT\\?" + list, "", "", "%P$1%"},
                                                                    {"OUTP ON" + list, "O$1", "1", ""},
                                                                    {"OUTP OFF" + list, "O$1", "0", ""},
                                                                    {"OUTP\\?" + list, "", "", "%O$1%"},
                                                                    {"MEAS:VOLT\\?" + list, "", "", "+4.99800000E+00"},
                                                                    {"MEAS:CURR\\?" + list, "", "", "+2.50000000E-01"},
                                                                    {"VOLT:PROT:TRIP\\?" + list, "", "", "0"},
                                                                    {"CURR:PROT:TRIP\\?" + list, "", "", "1"}}),
      1,
      {},
      {{"V2", "5"}, {"I2", "1"}, {"P2", "5.5"}, {"O2", "1"}}};
}

Model rigol_dp832() {
  return {"rigol-dp832",
          scpi("RIGOL TECHNOLOGIES,DP832,DP8C123456789,00.01.14", {{":SOUR([123]):VOLT {n}", "V$1", "$2", ""},
                                                                   {":SOUR([123]):VOLT\\?", "", "", "%V$1%"},
                                                                   {":SOUR([123]):CURR {n}", "I$1", "$2", ""},
                                                                   {":SOUR([123]):CURR\\?", "", "", "%I$1%"},
                                                                   {":OUTP:OVP:VAL CH([123]),{n}", "P$1", "$2", ""},
                                                                   {":OUTP:OVP CH([123]),ON", "PON$1", "ON", ""},
                                                                   {":OUTP:OVP:VAL\\? CH([123])", "", "", "%P$1%"},
                                                                   {":OUTP CH([123]),(ON|OFF)", "O$1", "$2", ""},
                                                                   {":OUTP\\? CH([123])", "", "", "%O$1%"},
                                                                   {":MEAS:VOLT\\? CH[123]", "", "", "4.9980"},
                                                                   {":MEAS:CURR\\? CH[123]", "", "", "0.2500"},
                                                                   {":MEAS:POWE\\? CH[123]", "", "", "1.250"},
                                                                   {":OUTP:OVP:QUES\\? CH[123]", "", "", "NO"},
                                                                   {":OUTP:OCP:QUES\\? CH[123]", "", "", "YES"}}),
          2,
          {},
          {{"V3", "5"}, {"I3", "1"}, {"P3", "5.5"}, {"PON3", "ON"}, {"O3", "ON"}}};
}

Model hmp4040() {
  // What is not selected must not be touched: settings go to the selected output only.
  return {"rohde-schwarz-hmp4040",
          scpi("ROHDE&SCHWARZ,HMP4040,101234,2.60", {{"INST:NSEL ([1-4])", "S", "$1", ""},
                                                     {"VOLT {n}", "V%S%", "$1", ""},
                                                     {"VOLT\\?", "", "", "%V3%"},
                                                     {"CURR {n}", "I%S%", "$1", ""},
                                                     {"CURR\\?", "", "", "%I3%"},
                                                     {"VOLT:PROT {n}", "P%S%", "$1", ""},
                                                     {"VOLT:PROT\\?", "", "", "%P3%"},
                                                     {"OUTP:SEL ON", "A%S%", "1", ""},
                                                     {"OUTP:SEL OFF", "A%S%", "0", ""},
                                                     {"OUTP:SEL\\?", "", "", "%A3%"},
                                                     {"OUTP:GEN ON", "G", "1", ""},
                                                     {"MEAS:VOLT\\?", "", "", "4.998"},
                                                     {"MEAS:CURR\\?", "", "", "0.2500"},
                                                     {"VOLT:PROT:TRIP\\?", "", "", "0"}}),
          2,
          {{"S", "1"}},
          {{"S", "3"}, {"V3", "5"}, {"I3", "1"}, {"P3", "5.5"}, {"A3", "1"}, {"G", "1"}, {"V1", ""}}};
}

Model spd3303x() {
  std::vector<Rule> rules = {{"\\*IDN\\?", "", "", "Siglent Technologies,SPD3303X-E,SPD3XIDD4R1234,1.01.01.02.05,V3.0"},
                             {"SYST:ERR\\?", "", "", "0  No Error"},
                             {"CH([12]):VOLT {n}", "V$1", "$2", ""},
                             {"CH([12]):VOLT\\?", "", "", "%V$1%"},
                             {"CH([12]):CURR {n}", "I$1", "$2", ""},
                             {"CH([12]):CURR\\?", "", "", "%I$1%"},
                             {"OUTP CH1,(ON|OFF)", "O1", "$1", ""},
                             {"OUTP CH2,ON", "W", "0x34", ""},  // bit 5 with bit 4: both are on
                             {"OUTP CH2,OFF", "W", "0x14", ""},
                             {"SYST:STAT\\?", "", "", "%W%"},
                             {"MEAS:VOLT\\? CH[12]", "", "", "4.998"},
                             {"MEAS:CURR\\? CH[12]", "", "", "0.250"},
                             {"MEAS:POWE\\? CH[12]", "", "", "1.250"}};
  return {"siglent-spd3303x", rules, 1, {{"W", "0x14"}}, {{"V2", "5.000"}, {"I2", "1.000"}, {"W", "0x34"}}};
}

Model cpx200dp() {
  std::vector<Rule> rules = {{"\\*IDN\\?", "", "", "THURLBY THANDAR, CPX200DP, 123456, 1.02-4.10"},
                             {"\\*OPC\\?", "", "", "1"},
                             {"EER\\?", "", "", "0"},
                             {"V([12]) {n}", "V$1", "$2", ""},
                             {"V([12])\\?", "", "", "V$1 %V$1%"},
                             {"I([12]) {n}", "I$1", "$2", ""},
                             {"I([12])\\?", "", "", "I$1 %I$1%"},
                             {"OVP([12]) {n}", "P$1", "$2", ""},
                             {"OVP([12])\\?", "", "", "VP$1 %P$1%"},
                             {"OP([12]) ([01])", "O$1", "$2", ""},
                             {"OP([12])\\?", "", "", "%O$1%"},
                             {"V[12]O\\?", "", "", "4.998V"},
                             {"I[12]O\\?", "", "", "0.250A"}};
  return {"aim-tti-cpx200dp", rules, 0, {}, {{"V1", "5.00"}, {"I1", "1.00"}, {"P1", "5.5"}, {"O1", "1"}}, "\r\n"};
}

Model keithley_2450() {
  return {"keithley-2450",
          scpi("KEITHLEY INSTRUMENTS,MODEL 2450,04123456,1.7.0b", {{":SOUR:FUNC (VOLT|CURR)", "F", "$1", ""},
                                                                   {":SOUR:VOLT {n}", "V", "$1", ""},
                                                                   {":SOUR:VOLT\\?", "", "", "%V%"},
                                                                   {":SOUR:VOLT:ILIM {n}", "I", "$1", ""},
                                                                   {":SOUR:VOLT:ILIM\\?", "", "", "%I%"},
                                                                   {":SOUR:VOLT:ILIM:TRIP\\?", "", "", "0"},
                                                                   {":OUTP ON", "O", "1", ""},
                                                                   {":OUTP OFF", "O", "0", ""},
                                                                   {":OUTP\\?", "", "", "%O%"},
                                                                   {":MEAS:VOLT\\?", "", "", "4.998000E+00"},
                                                                   {":MEAS:CURR\\?", "", "", "2.500000E-01"}}),
          0,
          {},
          {{"F", "VOLT"}, {"V", "5"}, {"I", "1"}, {"O", "1"}}};
}

class SupplyDialect : public testing::TestWithParam<Model> {};

TEST_P(SupplyDialect, IsSpokenAsItsManualSays) {
  Table table(GetParam());
  auto supply = table.make<ScpiSupply>();
  if (supply.has_over_voltage()) supply.set_over_voltage(Voltage(5.5));
  supply.set_current_limit(Current(1));
  supply.set_voltage(Voltage(5));
  supply.enable();
  table.expect_after();
  EXPECT_TRUE(supply.enabled());
  EXPECT_DOUBLE_EQ(supply.target_voltage().base(), 5);
  EXPECT_DOUBLE_EQ(supply.voltage().base(), 4.998);
  EXPECT_DOUBLE_EQ(supply.current().base(), 0.25);
  EXPECT_NEAR(supply.power().base(), 1.25, 0.01);
  supply.trips();
  supply.disable();
  EXPECT_FALSE(supply.enabled());
}

TEST_P(SupplyDialect, RefusesWhatTheModelCannotDoBeforeAWordIsSaid) {
  Table table(GetParam());
  auto supply = table.make<ScpiSupply>();
  EXPECT_THROW(supply.set_voltage(Voltage(301)), FailureError);
  EXPECT_THROW(supply.set_voltage(Voltage(-1)), FailureError);
  EXPECT_THROW(supply.set_current_limit(Current(50)), FailureError);
  EXPECT_TRUE(table.stream.lines.empty());
}

TEST_P(SupplyDialect, RefusesAnotherModel) {
  Model model = GetParam();
  for (Rule& rule : model.rules)
    if (rule.pattern == "\\*IDN\\?") rule.answer = "Somebody,Else,1,2";
  Table table(model);
  auto supply = table.make<ScpiSupply>();
  EXPECT_THROW(supply.enable(), FailureError);
  EXPECT_EQ(table.stream.lines.size(), 1U) << "nothing after the identity";
}

INSTANTIATE_TEST_SUITE_P(Models, SupplyDialect,
                         testing::Values(keysight_e36312a(), rigol_dp832(), hmp4040(), spd3303x(), cpx200dp(),
                                         keithley_2450()),
                         name_of);

TEST(SupplyDialects, TellWhichProtectionTripped) {
  Table keysight(keysight_e36312a());
  EXPECT_THAT(keysight.make<ScpiSupply>().trips(), testing::ElementsAre("over-current"));
  Table rigol(rigol_dp832());
  EXPECT_THAT(rigol.make<ScpiSupply>().trips(), testing::ElementsAre("over-current"));
}

TEST(SupplyDialects, TellAnErrorOfAnotherDialect) {
  Model model = spd3303x();
  for (Rule& rule : model.rules)
    if (rule.pattern == "SYST:ERR\\?") rule.answer = "%E%";
  Table table(model);
  table.dialect.state["E"] = "10  Execution error";
  auto supply = table.make<ScpiSupply>();
  try {
    supply.set_voltage(Voltage(5));
    FAIL() << "nothing was thrown";
  } catch (const FailureError& error) {
    EXPECT_EQ(error.failure().symptom, "scpi_error");
    EXPECT_THAT(error.failure().received, testing::HasSubstr("Execution error"));
  }
}

TEST(SupplyDialects, PaceMessages) {
  Table table(spd3303x());
  table.make<ScpiSupply>().set_voltage(Voltage(5));
  for (std::size_t i = 1; i < table.stream.sent_at.size(); ++i)
    EXPECT_GE(table.stream.sent_at[i] - table.stream.sent_at[i - 1], std::chrono::milliseconds(50));
}

// ---- meters and counters: channel 3 reads 0.85 V, input 2 counts 100 MHz

TEST(MeterDialects, Keysight34465A) {
  Table table({"keysight-34465a", scpi("Keysight Technologies,34465A,MY12345678,A.03.02-03.15-03.02-00.52-03-02",
                                       {{"MEAS:VOLT:DC\\?", "", "", "+8.50012340E-01"}})});
  auto meter = table.make<ScpiMeter>();
  EXPECT_EQ(meter.channels(), 1);
  EXPECT_NEAR(meter.voltage(1).base(), 0.85, 1e-4);
  EXPECT_THROW(meter.voltage(2), FailureError);
}

TEST(MeterDialects, ScannersCloseTheChannelFirst) {
  const std::vector<std::pair<Model, std::string>> models = {
      {{"keithley-dmm6500",
        scpi("KEITHLEY INSTRUMENTS,MODEL DMM6500,04412345,1.7.12b",
             {{"ROUT:CLOS \\(@([1-9]|10)\\)", "C", "$1", ""}, {"MEAS:VOLT:DC\\?", "", "", "8.500000E-01"}})},
       "3"},
      {{"keithley-daq6510",
        scpi("KEITHLEY INSTRUMENTS,MODEL DAQ6510,04412345,1.7.12b",
             {{"ROUT:CLOS \\(@(1[012][0-9])\\)", "C", "$1", ""}, {"MEAS:VOLT:DC\\?", "", "", "8.500000E-01"}})},
       "103"}};
  for (const auto& [model, closed] : models) {
    Table table(model);
    EXPECT_DOUBLE_EQ(table.make<ScpiMeter>().voltage(3).base(), 0.85);
    EXPECT_EQ(table.dialect.state["C"], closed);
  }
}

TEST(MeterDialects, AnOverloadIsNoReading) {
  Table table({"keysight-34465a", scpi("Agilent Technologies,34461A,MY1,1", {{"MEAS:VOLT:DC\\?", "", "", "9.9E37"}})});
  EXPECT_THROW(table.make<ScpiMeter>().voltage(1), FailureError);
}

TEST(CounterDialects, Keysight53220A) {
  Table table({"keysight-53220a", scpi("Agilent Technologies,53220A,MY50001234,02.01-1519.666-1.19-4.15-127-155-35",
                                       {{"MEAS:FREQ\\? \\(@([12])\\)", "", "", "+1.00000000000000E+008"}})});
  auto counter = table.make<ScpiCounter>();
  EXPECT_DOUBLE_EQ(counter.frequency(2).base(), 1e8);
  EXPECT_THROW(counter.frequency(3), FailureError);
}

TEST(ClockDialects, SrsCg635CountedByAnotherInstrument) {
  Table table({"srs-cg635",
               {{"\\*IDN\\?", "", "", "Stanford Research Systems,CG635,s/n004025,ver0.01"},
                {"\\*OPC\\?", "", "", "1"},
                {"LERR\\?", "", "", "0"},
                {"FREQ {n}", "F", "$1", ""},
                {"FREQ\\?", "", "", "%F%"},
                {"RUNS ([01])", "R", "$1", ""},
                {"RUNS\\?", "", "", "%R%"}}});
  auto clock = table.make<ScpiClock>();
  clock.set_frequency(Frequency(1e8));
  clock.enable();
  EXPECT_EQ(table.dialect.state["R"], "1");
  EXPECT_DOUBLE_EQ(clock.target_frequency().base(), 1e8);
  EXPECT_THROW(clock.measured_frequency(1), FailureError) << "it has no counter";
  clock.count_by([](int) { return Frequency(99'999'990); }, 1);
  EXPECT_DOUBLE_EQ(clock.measured_frequency(1).base(), 99'999'990);
  EXPECT_THROW(clock.set_frequency(Frequency(3e9)), FailureError);
}

// ---- loads and chambers

TEST(LoadDialects, RigolDl3021) {
  Table table({"rigol-dl3021", scpi("RIGOL TECHNOLOGIES,DL3021,DL3A123456789,00.01.05.00.01",
                                    {{":SOUR:FUNC CURR", "F", "CC", ""},
                                     {":SOUR:CURR:LEV:IMM {n}", "I", "$1", ""},
                                     {":SOUR:CURR:LEV:IMM\\?", "", "", "%I%"},
                                     {":SOUR:INP:STAT ([01])", "O", "$1", ""},
                                     {":SOUR:INP:STAT\\?", "", "", "%O%"},
                                     {":MEAS:VOLT\\?", "", "", "0.849"},
                                     {":MEAS:CURR\\?", "", "", "9.998"},
                                     {":MEAS:POW\\?", "", "", "8.488"}})});
  auto load = table.make<ScpiLoad>();
  load.set_current(Current(10));
  load.enable();
  EXPECT_EQ(table.dialect.state["F"], "CC");
  EXPECT_EQ(table.dialect.state["I"], "10");
  EXPECT_DOUBLE_EQ(load.current().base(), 9.998);
  EXPECT_DOUBLE_EQ(load.power().base(), 8.488);
  load.disable();
  EXPECT_FALSE(load.enabled());
  EXPECT_THROW(load.set_current(Current(41)), FailureError);
}

Model lauda() {
  // The thermostat takes CR, CRLF or LFCR; CRLF is what the personality chose. Answers end with CRLF.
  return {"lauda-loop",
          {{"TYPE\r", "", "", "BC_LOOP"},
           {"OUT_SP_00_(-?[0-9]{0,3}\\.?[0-9]{0,2})\r", "T", "$1", "%REPLY%"},
           {"IN_SP_00\r", "", "", "0%T%"},
           {"START\r", "S", "0", "OK"},
           {"STOP\r", "S", "1", "OK"},
           {"IN_MODE_02\r", "", "", "%S%"},
           {"IN_PV_00\r", "", "", "024.97"}},
          0,
          {{"S", "1"}, {"REPLY", "OK"}},
          {},
          "\r\n"};
}

TEST(ChamberDialects, LaudaLoop) {
  Table table(lauda());
  auto chamber = table.make<ScpiChamber>();
  chamber.set("temperature", {25, Dimension::temperature});
  EXPECT_EQ(table.dialect.state["T"], "25.00");
  chamber.turn_on("control");
  EXPECT_EQ(table.dialect.state["S"], "0") << "standby is over";
  EXPECT_TRUE(chamber.on("control"));
  EXPECT_DOUBLE_EQ(chamber.temperature().base(), 24.97);
  chamber.turn_off("control");
  EXPECT_FALSE(chamber.on("control"));
  EXPECT_THROW(chamber.set("temperature", {90, Dimension::temperature}), FailureError);
  EXPECT_THROW(chamber.set("humidity", {50, Dimension::ratio}), FailureError);
  EXPECT_THROW(chamber.turn_on("light"), FailureError);
}

TEST(ChamberDialects, AnErrorInsteadOfTheAcknowledgementIsTold) {
  Table table(lauda());
  table.dialect.state["REPLY"] = "ERR_6";
  auto chamber = table.make<ScpiChamber>();
  try {
    chamber.set("temperature", {25, Dimension::temperature});
    FAIL() << "nothing was thrown";
  } catch (const FailureError& error) {
    EXPECT_EQ(error.failure().symptom, "instrument_refused");
    EXPECT_EQ(error.failure().received, "ERR_6");
  }
}

TEST(ChamberDialects, JulaboSaysNothingToSettings) {
  Table table({"julabo-fl",
               {{"version\r", "", "", "JULABO FL601 VERSION 1.2"},
                {"out_sp_00 (-?[0-9.]+)\r", "T", "$1", ""},
                {"in_sp_00\r", "", "", "%T%"},
                {"out_mode_05 ([01])\r", "R", "$1", ""},
                {"in_mode_05\r", "", "", "%R%"},
                {"in_pv_00\r", "", "", "14.98"}},
               0,
               {},
               {}});
  auto chamber = table.make<ScpiChamber>();
  chamber.set("temperature", {15, Dimension::temperature});
  EXPECT_EQ(table.dialect.state["T"], "15.0");
  chamber.turn_on("control");
  EXPECT_DOUBLE_EQ(chamber.temperature().base(), 14.98);
  for (std::size_t i = 1; i < table.stream.sent_at.size(); ++i)
    EXPECT_GE(table.stream.sent_at[i] - table.stream.sent_at[i - 1], std::chrono::milliseconds(250));
}

}  // namespace
}  // namespace firstlight::scpi
