#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/drivers/pmbus/device.h"
#include "lab/drivers/pmbus/part.h"
#include "lab/drivers/pmbus/telemetry.h"
#include "tests/unit/drivers/fake_pmbus.h"

namespace firstlight::pmbus {
namespace {

using test::FakePmbus;
using test::FakeTime;
using testing::HasSubstr;

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

std::string complaint(const std::string& yaml) {
  return failure_of([&] { parse_part("mine.yaml", yaml); }).message;
}

TEST(PmbusPart, ThoseThatComeAlongAreSound) {
  EXPECT_GE(known_parts().size(), 6U);
  for (const std::string& name : known_parts()) {
    const Part part = load_part(name);
    EXPECT_EQ(part.name, name);
    EXPECT_FALSE(part.doc.empty()) << name;
    Quirks quirks;
    if (part.quirks.is_set()) apply_quirks(quirks, part.quirks);
  }
}

TEST(PmbusPart, ReadsFormatsAndQuirks) {
  const Part part = parse_part("mine.yaml", R"(
part: mine
doc: A part of ours
formats: {voltage_out: {vid: vr13}, power: half, current_out: {direct: [19.89, -5, -1], per_milliohm: true}}
commands: {READ_PIN: coefficients, "0xd0": linear11}
identity: {MFR_ID: "ACME.*"}
quirks: {min_gap: 500 us, unsupported: [READ_IIN, 0xd1], page_identity: VOUT_MAX, block_length: 64}
revisions: [{matches: "1[.].*", quirks: {retries: 7}}]
)");
  EXPECT_EQ(part.formats.at(NumberClass::voltage_out).vid, find_vid_table("vr13"));
  EXPECT_EQ(part.formats.at(NumberClass::power).kind, NumberFormat::Kind::half);
  EXPECT_DOUBLE_EQ(part.formats.at(NumberClass::current_out).direct.m, 19.89);
  EXPECT_TRUE(part.commands.at(Command::READ_PIN).ask_part);
  EXPECT_EQ(part.commands.count(static_cast<Command>(0xd0)), 1U);
  EXPECT_EQ(part.revisions.at(0).command, Command::MFR_REVISION);
  Quirks quirks;
  apply_quirks(quirks, part.quirks);
  EXPECT_EQ(quirks.min_gap, Duration{500'000'000});
  EXPECT_EQ(quirks.unsupported.count(static_cast<Command>(0xd1)), 1U);
  EXPECT_EQ(quirks.page_identity, Command::VOUT_MAX);
  EXPECT_EQ(quirks.block_length, 64U);
}

TEST(PmbusPart, HowExtremesAreCaughtComesWithThePart) {
  Quirks quirks;
  apply_quirks(quirks, load_part("ltc2977").quirks);
  ASSERT_TRUE(quirks.peaks);
  EXPECT_EQ(code_of(*quirks.peaks->lowest), 0xfb);
  EXPECT_EQ(code_of(*quirks.peaks->highest), 0xdd);
  EXPECT_EQ(quirks.peaks->clear, Command::CLEAR_FAULTS);
  apply_quirks(quirks, load_part("ltc3880").quirks);
  EXPECT_FALSE(quirks.peaks->lowest);
  apply_quirks(quirks, load_part("max34451").quirks);
  EXPECT_FALSE(quirks.peaks->clear) << "written, not sent";
  EXPECT_EQ(code_of(*quirks.peaks->lowest), 0xd7);
}

TEST(PmbusPart, SaysWhatIsWrongAndWhere) {
  EXPECT_THAT(complaint("doc: no name\n"), HasSubstr("part: NAME"));
  EXPECT_THAT(complaint("part: x\nformats: {voltage: linear11}\n"), HasSubstr("mine.yaml:2:"));
  EXPECT_THAT(complaint("part: x\nformats: {voltage: linear11}\n"), HasSubstr("no class of numbers"));
  EXPECT_THAT(complaint("part: x\nformats: {power: linear1}\n"), HasSubstr("did you mean \"linear11\""));
  EXPECT_THAT(complaint("part: x\nformats: {power: {direct: [0, 1, 2]}}\n"), HasSubstr("m must not be 0"));
  EXPECT_THAT(complaint("part: x\nformats: {power: {direct: [1, 1]}}\n"), HasSubstr("[m, b, R]"));
  EXPECT_THAT(complaint("part: x\nformats: {power: {vid: vr99}}\n"), HasSubstr("vr12"));
  EXPECT_THAT(complaint("part: x\ncommands: {READ_VUOT: half}\n"), HasSubstr("did you mean \"READ_VOUT\""));
  EXPECT_THAT(complaint("part: x\nquirks: {min_gpa: 1 ms}\n"), HasSubstr("did you mean \"min_gap\""));
  EXPECT_THAT(complaint("part: x\nquirks: {retries: 11}\n"), HasSubstr("0 to 10"));
  EXPECT_THAT(complaint("part: x\nquirks: {peaks: {lowest: 0xfb}}\n"), HasSubstr("how they are cleared"));
  EXPECT_THAT(complaint("part: x\nquirks: {peaks: {clear: 0xe3}}\n"), HasSubstr("lowest or highest"));
  EXPECT_THAT(complaint("part: x\nquirks: {peaks: {lowset: 0xfb, clear: 3}}\n"), HasSubstr("did you mean \"lowest\""));
  EXPECT_THAT(complaint("part: x\nquirks: {peaks: 0xfb}\n"), HasSubstr("must be a map"));
  EXPECT_THAT(complaint("part: x\nidentity: {MFR_ID: \"(\"}\n"), HasSubstr("no regular expression"));
  EXPECT_THAT(complaint("part: x\nrevisions: [{matches: a}]\n"), HasSubstr("needs `matches` and `quirks`"));
  EXPECT_THAT(complaint("part: x\nrevisions: [{matches: a, quirks: {nope: 1}}]\n"), HasSubstr("no quirk \"nope\""));
  EXPECT_THAT(complaint("part: [unclosed"), HasSubstr("mine.yaml"));
  EXPECT_THAT(complaint("- a list\n"), HasSubstr("must be a map"));
  EXPECT_THAT(failure_of([] { load_part("isl69620"); }).message, HasSubstr("did you mean isl69260?"));
  EXPECT_THAT(failure_of([] { load_part("/nowhere/x.yaml"); }).likely_cause, HasSubstr("cannot be read"));
}

class PmbusPartDevice : public testing::Test {
 protected:
  PmbusPartDevice() : part(time, 0x40) {
    options.address = 0x40;
    part.put_byte(0, 0x20, 0x40);
    part.put_byte(0, 0x7e, 0x00);
    part.put_byte(0, 0x78, 0x00);
    part.put_word(0, 0x21, 900);
  }
  void put_text(int command, const std::string& text) {
    part.registers[{0, command}] = std::vector<std::uint8_t>(text.begin(), text.end());
  }
  Device& device() {
    if (!device_) {
      if (options.part.quirks.is_set()) apply_quirks(options.quirks, options.part.quirks);
      device_ = std::make_unique<Device>("mon", part, options, time);
      device_->add_page(0, "v12");
    }
    return *device_;
  }
  Quantity read(const std::string& name) {
    for (const Reading& reading : readings())
      if (reading.name == name) return read_now(device(), 0, reading);
    throw std::out_of_range(name);
  }
  FakeTime time;
  FakePmbus part;
  DeviceOptions options;
  std::unique_ptr<Device> device_;
};

TEST_F(PmbusPartDevice, ConvertsByTheDataSheetsCoefficientsAndTheBoardsShunt) {
  options.part = load_part("adm1272");
  options.shunt = 300e-6;
  put_text(0x9a, "ADM1272-A1");
  part.put_word(0, 0x88, 487);
  part.put_word(0, 0x8c, 2543);
  part.put_word(0, 0x97, 948);
  part.put_word(0, 0x8d, 3294);
  EXPECT_NEAR(read("input_voltage").value, 11.99, 0.01);
  EXPECT_NEAR(read("output_current").value, 24.89, 0.01);
  EXPECT_NEAR(read("input_power").value, 299.9, 0.2);
  EXPECT_NEAR(read("temperature").value, 25.45, 0.01);
  for (const auto& record : part.log) EXPECT_NE(record.written.at(0), 0x00) << "a part without PAGE was asked for it";
}

TEST_F(PmbusPartDevice, RefusesToGuessTheShunt) {
  options.part = load_part("adm1272");
  put_text(0x9a, "ADM1272-A1");
  part.put_word(0, 0x8c, 2543);
  EXPECT_EQ(failure_of([&] { read("output_current"); }).symptom, "pmbus_no_shunt");
}

TEST_F(PmbusPartDevice, FindsAnotherPartAtTheAddress) {
  options.part = load_part("adm1272");
  put_text(0x9a, std::string("ADM1275\0\0", 9));
  const Failure failure = failure_of([&] { read("input_voltage"); });
  EXPECT_EQ(failure.symptom, "pmbus_wrong_part");
  EXPECT_THAT(failure.message, HasSubstr("says MFR_MODEL \"ADM1275\""));
}

TEST_F(PmbusPartDevice, NeverSendsWhatThePartDoesNotHave) {
  options.part = load_part("adm1272");
  put_text(0x9a, "ADM1272-A1");
  const Failure failure = failure_of([&] { read("output_power"); });
  EXPECT_EQ(failure.symptom, "pmbus_unsupported");
  EXPECT_THAT(failure.message, HasSubstr("the description of adm1272 says so"));
  for (const auto& record : part.log) EXPECT_NE(record.written.at(0), 0x96);
}

TEST_F(PmbusPartDevice, TakesASentinelForNoTemperature) {
  options.part = load_part("adm1272");
  put_text(0x9a, "ADM1272-A1");
  part.put_word(0, 0x8d, 0);  // -758 degC
  EXPECT_EQ(failure_of([&] { read("temperature"); }).symptom, "implausible_temperature");
}

TEST_F(PmbusPartDevice, AsksThePartForItsCoefficientsOnce) {
  options.part =
      parse_part("mine.yaml", "part: mine\nformats: {voltage_out: {direct: [1, 0, 3]}, power: coefficients}\n");
  put_text(0x30, std::string("\x02\x00\x9c\xff\xff", 5));  // m 2, b -100, R -1
  part.put_word(0, 0x97, 30);
  EXPECT_NEAR(read("input_power").value, 200.0, 1e-9);  // (30 * 10 + 100) / 2
  EXPECT_NEAR(read("input_power").value, 200.0, 1e-9);
  int asked = 0;
  for (const auto& record : part.log)
    if (record.written.at(0) == 0x30) {
      ++asked;
      EXPECT_THAT(record.written, testing::ElementsAre(0x30, 2, 0x97, 1)) << "a block process call";
    }
  EXPECT_EQ(asked, 1);
}

TEST_F(PmbusPartDevice, CodesVidByTheTable) {
  part.put_byte(0, 0x20, 0x21);
  options.part = load_part("tps53679");
  part.put_word(0, 0x8b, 0x33);
  EXPECT_NEAR(read("output_voltage").value, 1.0, 1e-9);
  device().write_number(0, Command::VOUT_COMMAND, 0.85);
  EXPECT_EQ(part.word(0, 0x21), 0x24U);
  part.put_word(0, 0x8b, 0x1234);
  EXPECT_EQ(failure_of([&] { read("output_voltage"); }).symptom, "pmbus_no_number");
}

TEST_F(PmbusPartDevice, FollowsCapabilityToHalfFloats) {
  part.put_byte(0, 0x20, 0x60);
  part.capability_bits = 0x08;
  part.put_word(0, 0x88, 0x4a00);  // 12
  part.put_word(0, 0x8b, 0x3acd);  // 0.85
  EXPECT_DOUBLE_EQ(read("input_voltage").value, 12.0);
  EXPECT_NEAR(read("output_voltage").value, 0.85, 1e-3);
}

TEST_F(PmbusPartDevice, TakesAQuirkFromTheRevisionThatHasIt) {
  options.part = parse_part("mine.yaml",
                            "part: mine\nformats: {voltage_out: {direct: [1, 0, 3]}}\n"
                            "revisions: [{matches: \"A.*\", quirks: {unsupported: READ_VIN}}]\n");
  part.put_word(0, 0x88, 0xd280);
  put_text(0x9b, "B2");
  EXPECT_DOUBLE_EQ(read("input_voltage").value, 10.0);
  put_text(0x9b, "A7");
  device_.reset();
  EXPECT_EQ(failure_of([&] { read("input_voltage"); }).symptom, "pmbus_unsupported");
}

TEST_F(PmbusPartDevice, DoesNotBelieveAnAnswerThatRaisesCml) {
  options.part = parse_part("mine.yaml", "part: mine\nformats: {voltage_out: {direct: [1, 0, 3]}}\n");
  part.put_word(0, 0x89, 0xffff);
  part.read = [this](int command) {
    if (command == 0x89) part.put_byte(0, 0x7e, 0x80);
  };
  const Failure failure = failure_of([&] { read("input_current"); });
  EXPECT_EQ(failure.symptom, "pmbus_unknown_command");
  EXPECT_THAT(failure.message, HasSubstr("ff ff"));
  EXPECT_THAT(failure.message, HasSubstr("INVALID_COMMAND"));

  part.put_byte(0, 0x7e, 0x00);
  options.quirks.cml_tolerated.insert(Command::READ_IIN);
  device_.reset();
  EXPECT_NO_THROW(read("input_current"));
}

TEST_F(PmbusPartDevice, WritesNothingToAPartThatIsOnlyRead) {
  options.quirks.read_only = true;
  EXPECT_EQ(failure_of([&] { device().write_byte(0, Command::OPERATION, 0x80); }).symptom, "pmbus_read_only");
  EXPECT_EQ(failure_of([&] { device().write_number(0, Command::VOUT_COMMAND, 0.8); }).symptom, "pmbus_read_only");
  EXPECT_EQ(failure_of([&] { device().send(0, Command::CLEAR_FAULTS); }).symptom, "pmbus_read_only");
  EXPECT_TRUE(part.log.empty());
}

TEST_F(PmbusPartDevice, SaysThatThePartIsWriteProtected) {
  options.part = parse_part("mine.yaml", "part: mine\nformats: {voltage_out: {direct: [1, 0, 3]}}\n");
  part.put_byte(0, 0x10, 0x80);
  part.ignores[0x21] = true;
  EXPECT_THAT(failure_of([&] { device().write_number(0, Command::VOUT_COMMAND, 0.8); }).likely_cause,
              HasSubstr("WRITE_PROTECT is 0x80"));
  part.put_byte(0, 0x10, 0x37);  // rubbish
  device_.reset();
  EXPECT_THAT(failure_of([&] { device().write_number(0, Command::VOUT_COMMAND, 0.8); }).likely_cause,
              testing::Not(HasSubstr("WRITE_PROTECT")));
}

TEST_F(PmbusPartDevice, RefusesLimitsThatAreRelative) {
  part.put_byte(0, 0x20, 0x94);
  part.put_word(0, 0x26, 1000);
  EXPECT_EQ(failure_of([&] { device().read_number(0, Command::VOUT_MARGIN_LOW); }).symptom, "pmbus_relative_limits");
  EXPECT_NEAR(device().read_number(0, Command::VOUT_COMMAND), 900.0 / 4096, 1e-9);
}

TEST_F(PmbusPartDevice, LeavesTheGapAfterWritesOnly) {
  options.part = parse_part("mine.yaml", "part: mine\nformats: {voltage_out: {direct: [1, 0, 3]}}\n");
  options.quirks.write_gap = from_seconds(0.001);
  device().write_number(0, Command::VOUT_COMMAND, 0.8);
  bool waited = false;
  for (std::size_t i = 1; i < part.log.size(); ++i) {
    const bool after_write = part.log[i - 1].read.empty();
    const Duration gap = part.log[i].begin - part.log[i - 1].end;
    if (after_write) {
      EXPECT_GE(gap, from_seconds(0.001)) << i;
      waited = true;
    } else {
      EXPECT_LT(gap, from_seconds(0.001)) << i;
    }
  }
  EXPECT_TRUE(waited);
}

}  // namespace
}  // namespace firstlight::pmbus
