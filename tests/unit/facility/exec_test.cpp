#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "lab/core/failure.h"
#include "lab/drivers/exec/program.h"
#include "lab/drivers/points/capabilities.h"
#include "tests/unit/drivers/fake_stream.h"

namespace firstlight {
namespace {

using nlohmann::json;
using testing::HasSubstr;

const char* const kHello = R"({
  "ok": true, "name": "chamber", "serial_number": "17",
  "readings": {"air": "degC", "wall": {"unit": "degC", "min": -60, "max": 150}, "vacuum": {"unit": "kPa"}},
  "settings": {"air": {"unit": "degC", "min": -40, "max": 125}},
  "outputs": ["heater"]})";

/// A program that keeps the protocol, unless `special` answers in its place.
class ExecTest : public testing::Test {
 protected:
  ExecTest() {
    stream_->instrument = [this](const std::string& line) {
      const json request = json::parse(line);
      if (special_ && special_(request)) return;
      json answer = request["do"] == "hello" ? json::parse(hello_) : json{{"ok", true}};
      const std::string name = request.value("name", "");
      if (request["do"] == "read" || request["do"] == "get" || request["do"] == "state")
        answer["value"] = values_[name];
      if (request["do"] == "set") values_[name] = request["value"];
      if (request["do"] == "on" || request["do"] == "off") values_[name] = request["do"] == "on";
      answer["id"] = request["id"];
      say(answer.dump());
    };
  }
  void say(const std::string& line) { stream_->pending += line + "\n"; }
  std::shared_ptr<exec::Program> program(std::map<std::string, std::string> expected = {}) {
    return std::make_shared<exec::Program>("oven (oven0)", stream_, std::chrono::seconds(5), std::move(expected),
                                           time_);
  }
  static Failure failure_of(const std::function<void()>& work) {
    try {
      work();
    } catch (const FailureError& error) {
      return error.failure();
    }
    ADD_FAILURE() << "it did not fail";
    return {};
  }

  test::FakeTime time_;
  std::shared_ptr<test::FakeStream> stream_ = std::make_shared<test::FakeStream>(time_);
  std::string hello_ = kHello;
  json values_ = {{"air", 23.5}, {"wall", 20}, {"vacuum", 95}, {"heater", false}};
  std::function<bool(const json& request)> special_;
};

TEST_F(ExecTest, SaysHelloOnceAndReadsInItsUnits) {
  const auto chamber = program();
  EXPECT_TRUE(stream_->lines.empty()) << "making one starts nothing";
  EXPECT_EQ(chamber->read("air"), (Quantity{23.5, Dimension::temperature}));
  EXPECT_EQ(chamber->read("vacuum"), (Quantity{95e3, Dimension::pressure}));
  EXPECT_EQ(stream_->lines.size(), 3U);
  EXPECT_EQ(json::parse(stream_->lines[0]), (json{{"do", "hello"}, {"version", 1}, {"id", 1}}));
  EXPECT_EQ(json::parse(stream_->lines[1]), (json{{"do", "read"}, {"name", "air"}, {"id", 2}}));
}

TEST_F(ExecTest, SetsWithinItsRangeAndReadsBack) {
  PointSetpoints setpoints(program(), {});
  EXPECT_THAT(setpoints.setpoints(), testing::ElementsAre("air"));
  setpoints.set("air", {85, Dimension::temperature});
  EXPECT_DOUBLE_EQ(values_["air"].get<double>(), 85);
  EXPECT_EQ(failure_of([&] {
              setpoints.set("air", {126, Dimension::temperature});
            }).error_class,
            ErrorClass::interlock);
  EXPECT_EQ(failure_of([&] {
              setpoints.set("air", {-41, Dimension::temperature});
            }).error_class,
            ErrorClass::interlock);
  EXPECT_DOUBLE_EQ(values_["air"].get<double>(), 85);
  special_ = [&](const json& request) {
    if (request["do"] != "set") return false;
    say(json{{"id", request["id"]}, {"ok", true}}.dump());
    return true;
  };
  EXPECT_EQ(failure_of([&] { setpoints.set("air", {20, Dimension::temperature}); }).symptom, "instrument_readback");
}

TEST_F(ExecTest, SwitchesOutputsAndSeesOneThatSticks) {
  PointLimits limits;
  limits.settle = std::chrono::seconds(1);
  PointSwitch outlets(program(), limits, time_);
  outlets.turn_on("heater");
  EXPECT_TRUE(outlets.on("heater"));
  outlets.cycle("heater");
  EXPECT_TRUE(outlets.on("heater"));
  special_ = [&](const json& request) {
    if (request["do"] != "off") return false;
    say(json{{"id", request["id"]}, {"ok", true}}.dump());
    return true;
  };
  EXPECT_EQ(failure_of([&] { outlets.turn_off("heater"); }).symptom, "outlet_readback");
  EXPECT_EQ(failure_of([&] { outlets.turn_off("heatr"); }).symptom, "no_such_outlet");
}

struct Misbehaviour {
  const char* answer;  // "" for none
  const char* symptom;
  const char* said;
};

TEST_F(ExecTest, WhateverTheProgramSaysWrongIsInfrastructureWithTheLastLines) {
  for (const Misbehaviour& one :
       {Misbehaviour{"", "exec_timeout", "no answer within 5 s"},
        Misbehaviour{"Traceback (most recent call last):", "exec_garbage", "no JSON object"},
        Misbehaviour{"[1, 2]", "exec_garbage", "no JSON object"},
        Misbehaviour{R"({"ok": true, "value": 1})", "exec_garbage", "does not carry the id"},
        Misbehaviour{R"({"id": 99, "ok": true, "value": 1})", "exec_garbage", "does not carry the id"},
        Misbehaviour{R"({"id": 2, "ok": false, "error": "door open"})", "exec_error", "door open"},
        Misbehaviour{R"({"id": 2, "ok": false})", "exec_error", "not why"},
        Misbehaviour{R"({"id": 2})", "exec_error", "not why"},
        Misbehaviour{R"({"id": 2, "ok": true})", "implausible_reading", "no number"},
        Misbehaviour{R"({"id": 2, "ok": true, "value": null})", "implausible_reading", "no number"},
        Misbehaviour{R"({"id": 2, "ok": true, "value": "23"})", "implausible_reading", "no number"},
        Misbehaviour{R"({"id": 2, "ok": true, "value": true})", "implausible_reading", "no number"},
        Misbehaviour{R"({"id": 2, "ok": true, "value": 1e999})", "exec_garbage", "no JSON object"},
        Misbehaviour{R"({"id": 2, "ok": true, "value": 151})", "implausible_reading", "cannot be"}}) {
    special_ = [&](const json& request) {
      if (request["do"] != "read") return false;
      if (*one.answer != '\0') say(one.answer);
      return true;
    };
    const auto chamber = program();
    const Failure failure = failure_of([&] { chamber->read("wall"); });
    EXPECT_EQ(failure.symptom, one.symptom) << one.answer;
    EXPECT_EQ(failure.error_class, ErrorClass::infrastructure) << one.answer;
    EXPECT_THAT(failure.message, HasSubstr(one.said)) << one.answer;
    EXPECT_THAT(failure.sent, HasSubstr("\"read\"")) << one.answer;
    EXPECT_EQ(failure.received, one.answer);
    EXPECT_FALSE(failure.likely_cause.empty()) << one.answer;
    stream_->pending.clear();
  }
}

TEST_F(ExecTest, ALateAnswerIsNotTakenForTheNext) {
  const auto chamber = program();
  chamber->read("air");
  bool late = true;
  special_ = [&](const json& request) {
    if (!std::exchange(late, false)) {
      say(R"({"id": 3, "ok": true, "value": 999})");  // the one before
      say(json{{"id", request["id"]}, {"ok", true}, {"value", 24}}.dump());
    }
    return true;
  };
  EXPECT_EQ(failure_of([&] { chamber->read("air"); }).symptom, "exec_timeout");
  EXPECT_DOUBLE_EQ(chamber->read("air").value, 24);
}

TEST_F(ExecTest, AProgramThatEndedIsGreetedAgain) {
  const auto chamber = program();
  chamber->read("air");
  stream_->closed = true;
  EXPECT_EQ(failure_of([&] { chamber->read("air"); }).symptom, "exec_no_answer");
  stream_->closed = false;
  stream_->lines.clear();
  chamber->read("air");
  EXPECT_THAT(stream_->lines.front(), HasSubstr("hello"));
}

TEST_F(ExecTest, ABadHelloIsRefusedWithWhatIsWrong) {
  for (const auto& [hello, wrong] :
       {std::pair{R"({"ok": true, "readings": ["air"]})", "\"readings\" must be an object"},
        std::pair{R"({"ok": true, "readings": {"air": "degX"}})", "degX"},
        std::pair{R"({"ok": true, "readings": {"air": 5}})", "must be a unit"},
        std::pair{R"({"ok": true, "settings": {"air": {"unit": "degC"}}})", "has no max"},
        std::pair{R"({"ok": true, "settings": {"air": {"unit": "degC", "max": "hot"}}})", "is no number"},
        std::pair{R"({"ok": true, "outputs": {"heater": 1}})", "list of names"}}) {
    hello_ = hello;
    const auto chamber = program();
    const Failure failure = failure_of([&] { chamber->read("air"); });
    EXPECT_EQ(failure.symptom, "exec_bad_hello") << hello;
    EXPECT_THAT(failure.message, HasSubstr(wrong)) << hello;
  }
}

TEST_F(ExecTest, AnotherDeviceIsNotSet) {
  const auto chamber = program({{"serial_number", "18"}});
  EXPECT_EQ(failure_of([&] { chamber->set("air", {20, Dimension::temperature}); }).symptom, "wrong_instrument");
  EXPECT_EQ(failure_of([&] { chamber->switch_output("heater", true); }).symptom, "wrong_instrument");
  EXPECT_DOUBLE_EQ(chamber->read("air").value, 23.5) << "reading harms nobody";
}

}  // namespace
}  // namespace firstlight
