#include "tb/instruments/scpi_instrument.h"

#include <gtest/gtest.h>

#include "tests/unit/instruments/desk.h"

namespace tb::instruments::testing {
namespace {

/// One setting, one slow operation, one slow query.
class Toy : public ScpiInstrument {
 public:
  Toy() : ScpiInstrument(agenda(), "Maker,Toy,1,0.1", {1, sc_core::SC_MS}, 1) {
    command("[SOURce:]VOLTage[:LEVel]", {1, 1}, [this](ScpiCall& call) {
      volts = call.number(0, firstlight::Dimension::voltage, {0, 15, 5});
    });
    command("[SOURce:]VOLTage[:LEVel]?", [this](ScpiCall& call) { call.reply(volts); });
    command("[SOURce:]VOLTage:PROTection?", [](ScpiCall& call) { call.reply("7"); });
    command("OUTPut", {1, 1}, [](ScpiCall& call) {
      if (call.boolean(0)) call.overlap({50, sc_core::SC_MS});
    });
    command("READ?", [](ScpiCall& call) {
      call.take({20, sc_core::SC_MS});
      call.reply("42");
    });
  }
  void reset_settings() override { volts = 5; }
  void condition(std::uint16_t bits) { set_questionable(bits); }
  double volts = 5;
};

struct ScpiTest : ::testing::Test {
  ScpiTest() { ask(toy, "*CLS"); }
  Toy toy;
};

TEST_F(ScpiTest, Identity) { EXPECT_EQ(ask(toy, "*IDN?"), "Maker,Toy,1,0.1\n"); }

TEST_F(ScpiTest, PowerOnIsToldOnce) {
  Toy fresh;
  EXPECT_EQ(ask(fresh, "*ESR?"), "128\n");
  EXPECT_EQ(ask(fresh, "*ESR?"), "0\n");
}

TEST_F(ScpiTest, AnswersOfOneMessageComeInOneLine) {
  EXPECT_EQ(ask(toy, "VOLT 12;VOLT?;:VOLT:PROT?;*IDN?"), "+1.200000E+01;7;Maker,Toy,1,0.1\n");
}

TEST_F(ScpiTest, PathsGoOnWhereTheyEnded) {
  EXPECT_EQ(ask(toy, "SOUR:VOLT 3;VOLT?"), "+3.000000E+00\n");
  EXPECT_EQ(ask(toy, "SOUR:VOLT:PROT?;LEV?"), "7;+3.000000E+00\n");
  EXPECT_EQ(ask(toy, "SOUR:VOLT:PROT?;OUTP ON"), "7\n");
  EXPECT_EQ(ask(toy, "SYST:ERR?"), "-113,\"Undefined header;OUTP\"\n");
  EXPECT_EQ(ask(toy, "SOUR:VOLT:PROT?;*CLS;LEV?"), "7;+3.000000E+00\n") << "common commands leave the path alone";
}

TEST_F(ScpiTest, BytesMayComeInPiecesAndLinesInOne) {
  std::string answer;
  toy.on_reply([&](const std::string& text) { answer += text; });
  for (const char c : std::string("*ID")) toy.receive(std::string(1, c));
  pass(0.1);
  EXPECT_EQ(answer, "");
  toy.receive("N?\nVOLT?\r\n\n");
  pass(0.1);
  EXPECT_EQ(answer, "Maker,Toy,1,0.1\n+5.000000E+00\n");
  toy.on_reply(nullptr);
}

TEST_F(ScpiTest, AnswersTakeTheirTime) {
  const sc_core::sc_time start = sc_core::sc_time_stamp();
  sc_core::sc_time at;
  toy.on_reply([&](const std::string&) { at = sc_core::sc_time_stamp(); });
  toy.receive("READ?\n");
  pass(0.1);
  EXPECT_EQ(at - start, sc_core::sc_time(21, sc_core::SC_MS));
  toy.on_reply(nullptr);
}

TEST_F(ScpiTest, ErrorsAreQueuedInOrder) {
  ask(toy, "NONSENSE 1");
  ask(toy, "VOLT 99");
  ask(toy, "VOLT");
  ask(toy, "VOLT 1,2");
  ask(toy, "VOLT 1 A");
  ask(toy, "VOLT x");
  EXPECT_EQ(ask(toy, "SYST:ERR:COUN?"), "6\n");
  EXPECT_EQ(ask(toy, "SYST:ERR?"), "-113,\"Undefined header;NONSENSE\"\n");
  EXPECT_EQ(ask(toy, "SYSTEM:ERROR:NEXT?"), "-222,\"Data out of range\"\n");
  EXPECT_EQ(ask(toy, "SYST:ERR?"), "-109,\"Missing parameter\"\n");
  EXPECT_EQ(ask(toy, "SYST:ERR?"), "-108,\"Parameter not allowed\"\n");
  EXPECT_EQ(ask(toy, "SYST:ERR?"), "-131,\"Invalid suffix;A\"\n");
  EXPECT_EQ(ask(toy, "syst:err?"), "-104,\"Data type error;x\"\n");
  EXPECT_EQ(ask(toy, "SYST:ERR?"), "0,\"No error\"\n");
  EXPECT_EQ(ask(toy, "*ESR?"), "48\n") << "command and execution error";
}

TEST_F(ScpiTest, AFullQueueEndsInOverflow) {
  for (int i = 0; i < 14; ++i) ask(toy, "NONSENSE", 0.01);
  std::string last;
  for (int i = 0; i < 10; ++i) last = ask(toy, "SYST:ERR?");
  EXPECT_EQ(last, "-350,\"Queue overflow\"\n");
  EXPECT_EQ(ask(toy, "SYST:ERR?"), "0,\"No error\"\n");
}

TEST_F(ScpiTest, ACommandThatFailsLeavesTheRestOfTheMessage) {
  EXPECT_EQ(ask(toy, "VOLT 4;BAD?;VOLT?"), "+4.000000E+00\n");
}

TEST_F(ScpiTest, StatusByteSummarises) {
  EXPECT_EQ(ask(toy, "*STB?"), "0\n");
  ask(toy, "*ESE 32;*SRE 32");
  ask(toy, "BAD");
  EXPECT_EQ(ask(toy, "*STB?"), std::to_string(0x04 | 0x20 | 0x40) + "\n");
  EXPECT_EQ(ask(toy, "*ESE?;*SRE?"), "32;32\n");
  ask(toy, "*CLS");
  EXPECT_EQ(ask(toy, "*STB?"), "0\n");
  ask(toy, "*ESE 256");
  EXPECT_EQ(ask(toy, "SYST:ERR?"), "-222,\"Data out of range\"\n");
}

TEST_F(ScpiTest, QuestionableEventsLatch) {
  ask(toy, "STAT:QUES:ENAB 3");
  toy.condition(2);
  toy.condition(0);
  EXPECT_EQ(ask(toy, "STAT:QUES:COND?"), "0\n");
  EXPECT_EQ(ask(toy, "*STB?"), "8\n");
  EXPECT_EQ(ask(toy, "STAT:QUES?"), "2\n");
  EXPECT_EQ(ask(toy, "*STB?"), "0\n");
}

TEST_F(ScpiTest, OperationCompleteWaitsForWhatGoesOn) {
  const sc_core::sc_time start = sc_core::sc_time_stamp();
  sc_core::sc_time at;
  toy.on_reply([&](const std::string&) { at = sc_core::sc_time_stamp(); });
  toy.receive("OUTP ON;*OPC?\n");
  pass(0.2);
  EXPECT_EQ(at - start, sc_core::sc_time(51, sc_core::SC_MS));
  toy.receive("OUTP ON;*WAI;VOLT?\n");
  const sc_core::sc_time again = sc_core::sc_time_stamp();
  pass(0.2);
  EXPECT_EQ(at - again, sc_core::sc_time(52, sc_core::SC_MS));
  toy.on_reply(nullptr);
  ask(toy, "*CLS;OUTP ON;*OPC", 0.01);
  EXPECT_EQ(ask(toy, "*ESR?", 0.01), "0\n");
  pass(0.1);
  EXPECT_EQ(ask(toy, "*ESR?"), "1\n");
}

TEST_F(ScpiTest, ResetRestoresSettingsOnly) {
  ask(toy, "VOLT 9;BAD");
  ask(toy, "*RST");
  EXPECT_EQ(ask(toy, "VOLT?"), "+5.000000E+00\n");
  EXPECT_EQ(ask(toy, "SYST:ERR:COUN?"), "1\n");
}

TEST_F(ScpiTest, LimitsByName) {
  EXPECT_EQ(ask(toy, "VOLT MAX;VOLT?;VOLT min;VOLT?;VOLT DEF;VOLT?"), "+1.500000E+01;+0.000000E+00;+5.000000E+00\n");
}

TEST_F(ScpiTest, AnEndlessLineIsDropped) {
  toy.receive(std::string(70000, 'A'));
  toy.receive("\n");
  EXPECT_EQ(ask(toy, "SYST:ERR?"), "-363,\"Input buffer overrun\"\n");
}

TEST_F(ScpiTest, ControllersGetTheirOwnAnswers) {
  std::string one;
  std::string two;
  const auto first = toy.open_session([&](const std::string& text) { one += text; });
  const auto second = toy.open_session([&](const std::string& text) { two += text; });
  first->receive("SOUR:VOLT 7;VO");
  second->receive("READ?;*IDN?\n");
  first->receive("LT?\n");
  second->receive("SOUR:VOLT:PROT?\n");
  pass(0.1);
  EXPECT_EQ(one, "+7.000000E+00\n");
  EXPECT_EQ(two, "42;Maker,Toy,1,0.1\n7\n");
  EXPECT_EQ(ask(toy, "VOLT?"), "+7.000000E+00\n") << "settings are the instrument's";
}

TEST_F(ScpiTest, ACommandOutlivesItsController) {
  std::string answer;
  {
    const auto gone = toy.open_session([&](const std::string& text) { answer += text; });
    gone->receive("READ?\nVOLT 3\nVOLT 4");
  }
  pass(0.1);
  EXPECT_EQ(answer, "");
  EXPECT_EQ(ask(toy, "VOLT?"), "+3.000000E+00\n") << "half a message is none";
  EXPECT_EQ(ask(toy, "SYST:ERR?"), "0,\"No error\"\n");
}

}  // namespace
}  // namespace tb::instruments::testing
