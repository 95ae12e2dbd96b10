#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clocale>
#include <cmath>

#include "lab/drivers/scpi/instrument.h"
#include "tests/unit/drivers/fake_stream.h"

namespace firstlight::scpi {
namespace {

using test::FakeInstrument;
using test::FakeStream;
using test::FakeTime;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kIdentity = "Firstlight,FL-PS1230,SN0001,1.0";

template <class Call>
Failure failure_of(Call call) {
  try {
    call();
  } catch (const FailureError& error) {
    return error.failure();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

TEST(ScpiNumbers, AreReadWhateverTheLocale) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  for (const char* locale : {"de_DE.UTF-8", "de_DE", "C"}) {
    std::setlocale(LC_ALL, locale);  // where it is not installed this changes nothing
    EXPECT_EQ(parse_number("6.25"), 6.25) << locale;
    EXPECT_EQ(format_number(6.25), "6.25") << locale;
  }
  std::setlocale(LC_ALL, before.c_str());
  EXPECT_FALSE(parse_number("6,25"));
}

TEST(ScpiNumbers, AcceptWhatInstrumentsSend) {
  EXPECT_EQ(parse_number("+1.20000E+01\r\n"), 12.0);
  EXPECT_EQ(parse_number(" -3.5e-3 "), -3.5e-3);
  EXPECT_FALSE(parse_number(""));
  EXPECT_FALSE(parse_number("12.0 V"));
  EXPECT_FALSE(parse_number("+-1"));
  EXPECT_FALSE(parse_number("nan"));
  EXPECT_FALSE(parse_number("inf"));
  EXPECT_FALSE(parse_number("9.91E37"));  // not a number
  EXPECT_FALSE(parse_number("-9.9E37"));  // overload
  EXPECT_EQ(parse_boolean("ON"), true);
  EXPECT_FALSE(parse_boolean("2"));
}

TEST(ScpiNumbers, FormatReadsBackExactly) {
  for (const double value : {0.85, 12.0, 1e8, 3.3000000000000003, 1.0 / 3})
    EXPECT_EQ(parse_number(format_number(value)), value);
}

TEST(ScpiErrors, AreParsed) {
  EXPECT_EQ(parse_error("-222,\"Data out of range\"")->code, -222);
  EXPECT_EQ(parse_error("-222,\"Data out of range\"")->text, "Data out of range");
  EXPECT_EQ(parse_error("+0,\"No error\"")->code, 0);
  EXPECT_FALSE(parse_error("hello"));
}

class ScpiSession : public testing::Test {
 protected:
  ScpiSession() : stream(time), instrument(stream, kIdentity) { options.idn = "Firstlight,FL-PS1230,.*"; }
  Session& session() {
    if (!session_) session_ = std::make_unique<Session>("psu (psu0)", stream, options, time);
    return *session_;
  }

  FakeTime time;
  FakeStream stream;
  FakeInstrument instrument;
  SessionOptions options;
  std::unique_ptr<Session> session_;
};

TEST_F(ScpiSession, OpeningSendsNothing) {
  session();
  EXPECT_TRUE(stream.lines.empty());
}

TEST_F(ScpiSession, AsksForTheIdentityFirst) {
  instrument.query = [](const std::string&) { return "12.01"; };
  EXPECT_DOUBLE_EQ(session().query_number("MEAS:VOLT?"), 12.01);
  EXPECT_THAT(stream.lines, ElementsAre("*IDN?", "MEAS:VOLT?"));
}

TEST_F(ScpiSession, RefusesAWrongInstrument) {
  options.idn = "Firstlight,FL-PS1230,SN0002,.*";
  const Failure failure = failure_of([&] { session().set("OUTP ON"); });
  EXPECT_EQ(failure.symptom, "scpi_wrong_identity");
  EXPECT_EQ(failure.error_class, ErrorClass::bench);
  EXPECT_EQ(failure.received, kIdentity);
  EXPECT_EQ(failure.part, "psu (psu0)");
  failure_of([&] { session().set("OUTP OFF"); });
  EXPECT_THAT(stream.lines, ElementsAre("*IDN?")) << "nothing else may reach it";
  EXPECT_EQ(session().identify(), kIdentity);
}

TEST_F(ScpiSession, WaitsForEachCommandAndDrainsErrors) {
  session().set("VOLT 12");
  EXPECT_THAT(stream.lines, ElementsAre("*IDN?", "VOLT 12", "*OPC?", "SYST:ERR?"));
}

TEST_F(ScpiSession, ReportsEveryQueuedError) {
  instrument.command = [this](const std::string&) {
    instrument.errors = {"-222,\"Data out of range\"", "-221,\"Settings conflict\""};
  };
  const Failure failure = failure_of([&] { session().set("VOLT 99"); });
  EXPECT_EQ(failure.symptom, "scpi_error");
  EXPECT_THAT(failure.received, HasSubstr("-222"));
  EXPECT_THAT(failure.received, HasSubstr("-221"));
  EXPECT_EQ(failure.sent, "VOLT 99");
  instrument.command = [](const std::string&) {};
  session().set("VOLT 12");  // the queue is empty again
}

TEST_F(ScpiSession, ClearsAnOverflowedQueue) {
  instrument.command = [this](const std::string& line) {
    if (line == "VOLT 99") instrument.errors = {"-113,\"Undefined header\"", "-350,\"Queue overflow\""};
  };
  const Failure failure = failure_of([&] { session().set("VOLT 99"); });
  EXPECT_THAT(failure.likely_cause, HasSubstr("overflowed"));
  EXPECT_EQ(stream.lines.back(), "*CLS");
}

TEST_F(ScpiSession, StopsAtAQueueThatNeverEnds) {
  instrument.special = [this](const std::string& line) {
    if (line != "SYST:ERR?") return false;
    instrument.say("-100,\"Command error\"");
    return true;
  };
  EXPECT_EQ(failure_of([&] { session().set("VOLT 12"); }).symptom, "scpi_error");
  EXPECT_LT(stream.lines.size(), 100U);
}

TEST_F(ScpiSession, DropsStaleBytesBeforeAQuestion) {
  instrument.query = [](const std::string&) { return "12"; };
  session().query("VOLT?");
  stream.pending = "99\n";
  EXPECT_DOUBLE_EQ(session().query_number("VOLT?"), 12);
  EXPECT_EQ(session().counters().stale_bytes, 3U);
}

TEST_F(ScpiSession, NamesTheTimeoutAndFindsItsStepAgain) {
  bool mute = true;
  instrument.query = [&](const std::string& query) { return mute ? std::string() : query == "VOLT?" ? "12" : "5"; };
  const Failure failure = failure_of([&] { session().query("VOLT?"); });
  EXPECT_EQ(failure.symptom, "scpi_timeout");
  EXPECT_EQ(failure.error_class, ErrorClass::infrastructure);
  EXPECT_THAT(failure.received, HasSubstr("nothing"));
  mute = false;
  // The old answer arrives only after the next message, where a simple flush would not see it.
  bool late = true;
  instrument.special = [&](const std::string& line) {
    if (line == "*CLS" && late) {
      late = false;
      stream.pending += "11.5\n";
    }
    return false;
  };
  EXPECT_DOUBLE_EQ(session().query_number("CURR?"), 5);
  EXPECT_EQ(session().counters().resyncs, 1U);
}

TEST_F(ScpiSession, GivesTheFirstAnswerMoreTime) {
  instrument.special = [](const std::string&) { return true; };
  failure_of([&] { session().query("VOLT?"); });
  EXPECT_EQ(time.now(), Instant{} + options.first_timeout);
}

TEST_F(ScpiSession, TellsAClosedConnection) {
  stream.closed = true;
  const Failure failure = failure_of([&] { session().query("VOLT?"); });
  EXPECT_EQ(failure.symptom, "scpi_connection");
  EXPECT_THAT(failure.message, HasSubstr("closed"));
}

TEST_F(ScpiSession, ReadsBlocksByTheirCount) {
  const std::string data("a\nb\0c", 5);
  instrument.special = [&](const std::string& line) {
    if (line != "CURV?") return false;
    stream.pending += "#15" + data + "\n";
    return true;
  };
  EXPECT_EQ(session().query_block("CURV?"), data);
  EXPECT_TRUE(stream.pending.empty());
}

TEST_F(ScpiSession, RefusesAMalformedBlock) {
  instrument.special = [&](const std::string& line) {
    if (line != "CURV?") return false;
    stream.pending += "#0abc\n";
    return true;
  };
  EXPECT_EQ(failure_of([&] { session().query_block("CURV?"); }).symptom, "scpi_bad_answer");
}

TEST_F(ScpiSession, ShowsGarbage) {
  instrument.query = [](const std::string&) { return "1\x02\xff"; };
  const Failure failure = failure_of([&] { session().query_number("VOLT?"); });
  EXPECT_EQ(failure.symptom, "scpi_bad_answer");
  EXPECT_EQ(failure.received, "1\\x02\\xff");
}

TEST_F(ScpiSession, PacesMessages) {
  options.pacing = Duration{50'000'000'000};
  session().set("VOLT 12");
  session().set("VOLT 11");
  for (std::size_t i = 1; i < stream.sent_at.size(); ++i)
    EXPECT_GE(stream.sent_at[i] - stream.sent_at[i - 1], options.pacing);
}

class Supply : public ScpiSession {
 protected:
  Supply() {
    instrument.command = [this](const std::string& line) {
      const std::size_t space = line.find(' ');
      if (line == "OUTP ON")
        settings["OUTP"] = stuck ? "0" : "1";
      else if (line == "OUTP OFF")
        settings["OUTP"] = "0";
      else if (!deaf)
        settings[line.substr(0, space)] = line.substr(space + 1);
    };
    instrument.query = [this](const std::string& line) { return settings[line.substr(0, line.size() - 1)]; };
  }
  ScpiSupply supply() {
    Personality personality = load_personality("fl-ps1230");
    personality.session = options;
    return {std::make_shared<Line>("psu (psu0)", stream, std::move(personality), time), "psu (psu0)"};
  }
  std::map<std::string, std::string> settings;
  bool stuck = false;
  bool deaf = false;
};

TEST_F(Supply, SetsAndReadsBack) {
  ScpiSupply psu = supply();
  psu.set_voltage(Voltage(12));
  EXPECT_EQ(settings["VOLT"], "12");
  EXPECT_DOUBLE_EQ(psu.target_voltage().base(), 12);
  psu.enable();
  EXPECT_TRUE(psu.enabled());
}

TEST_F(Supply, RefusesMoreThanTheInstrumentCanDo) {
  ScpiSupply psu = supply();
  EXPECT_EQ(failure_of([&] { psu.set_voltage(Voltage(15.1)); }).error_class, ErrorClass::interlock);
  EXPECT_EQ(failure_of([&] { psu.set_current_limit(Current(31)); }).error_class, ErrorClass::interlock);
  EXPECT_TRUE(stream.lines.empty()) << "nothing may be sent";
}

TEST_F(Supply, FindsSettingsThatDidNotTake) {
  settings["VOLT"] = "5";
  deaf = true;
  EXPECT_EQ(failure_of([&] { supply().set_voltage(Voltage(12)); }).symptom, "instrument_readback");
  stuck = true;
  EXPECT_THAT(failure_of([&] { supply().enable(); }).message, HasSubstr("its output is off"));
}

}  // namespace
}  // namespace firstlight::scpi
