#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/drivers/pmbus/device.h"
#include "lab/drivers/pmbus/rail.h"
#include "tests/unit/drivers/fake_pmbus.h"

namespace firstlight::pmbus {
namespace {

using test::FakePmbus;
using test::FakeTime;
using testing::ElementsAre;
using testing::HasSubstr;

using Bytes = std::vector<std::uint8_t>;

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

class PmbusDevice : public testing::Test {
 protected:
  PmbusDevice() : part(time, 0x40) {
    options.address = 0x40;
    for (int page = 0; page < 2; ++page) {
      part.put_byte(page, 0x20, 0x14);
      part.put_byte(page, 0x01, 0x00);
      part.put_byte(page, 0x78, 0x40);
      part.put_byte(page, 0x7e, 0x00);
      part.put_word(page, 0x79, 0x0840);
      part.put_word(page, 0x60, 0x0000);
      part.put_word(page, 0x61, 0xf80a);  // 5 * 2^0 would be 0x0005; 10 * 2^-1 = 5 ms
      part.put_word(page, 0x64, 0x0001);
      part.put_word(page, 0x65, 0x0002);
    }
    part.put_word(0, 0x21, 3482);  // 850 mV
    part.put_word(1, 0x21, 3686);  // 900 mV
    part.put_word(0, 0x8b, 0x0cd0);
    part.put_word(1, 0x8b, 0x0ccd);
  }
  Device& device() {
    if (!device_) {
      device_ = std::make_shared<Device>("vr_core", part, options, time);
      device_->add_page(0, "vdd_core");
      device_->add_page(1, "vdd_sram");
    }
    return *device_;
  }
  PmbusRail rail(int page = 0) {
    device();
    RailPlan plan;
    plan.name = page == 0 ? "vdd_core" : "vdd_sram";
    plan.page = page;
    plan.nominal = Voltage(0.85);
    plan.max = Voltage(0.95);
    plan.min = Voltage(0.5);
    return {plan, device_, {}};
  }

  FakeTime time;
  FakePmbus part;
  DeviceOptions options;
  std::shared_ptr<Device> device_;
};

TEST_F(PmbusDevice, SaysNothingBeforeItIsAsked) {
  device();
  EXPECT_TRUE(part.log.empty());
}

TEST_F(PmbusDevice, WritesEveryByteOfTheFirstContactAsSpecified) {
  EXPECT_EQ(device().read_word(0, Command::READ_VOUT), 0x0cd0);
  ASSERT_GE(part.log.size(), 4U);
  EXPECT_THAT(part.log[0].written, ElementsAre(0x19));  // CAPABILITY, before anything knows about PEC
  EXPECT_THAT(part.log[0].read, ElementsAre(0x80));
  EXPECT_THAT(part.log[1].written, ElementsAre(0x00, 0x00, testing::_));  // PAGE 0 with PEC
  EXPECT_EQ(part.log[1].written[2], FakePmbus::crc8({0x80, 0x00, 0x00}));
  const auto& read = part.log[part.log.size() - 2];  // STATUS_CML follows what is read for the first time
  EXPECT_THAT(read.written, ElementsAre(0x8b));
  EXPECT_EQ(read.read.size(), 3U);
}

TEST_F(PmbusDevice, UsesNoPecWhenThePartHasNone) {
  part.pec = false;
  EXPECT_EQ(device().read_word(1, Command::READ_VOUT), 0x0ccd);
  EXPECT_EQ(part.log[part.log.size() - 2].read.size(), 2U);
}

TEST_F(PmbusDevice, KeepsThePageAndSelectsAgainWhenNeeded) {
  device().read_word(0, Command::READ_VOUT);
  device().read_word(1, Command::READ_VOUT);
  const std::size_t before = part.log.size();
  device().read_word(1, Command::READ_VOUT);
  EXPECT_EQ(part.log.size(), before + 1) << "the page was selected again";
  time.pass(from_seconds(1));  // the part may have lost power meanwhile
  part.page = 0;
  EXPECT_EQ(device().read_word(1, Command::READ_VOUT), 0x0ccd);
}

TEST_F(PmbusDevice, SelectsThePageAgainAfterANack) {
  device().read_word(1, Command::READ_VOUT);
  const int at = static_cast<int>(part.log.size());
  part.nack_address = [this, at](int transfer) {
    if (transfer != at) return false;
    part.page = 0;  // it was reset
    return true;
  };
  EXPECT_EQ(device().read_word(1, Command::READ_VOUT), 0x0ccd);
  EXPECT_EQ(device().counters().nacks, 1U);
  EXPECT_EQ(device().counters().retries, 1U);
}

TEST_F(PmbusDevice, FindsAPageWithoutEffect) {
  part.page_stuck = true;
  const Failure failure = failure_of([&] { device().read_word(1, Command::READ_VOUT); });
  EXPECT_EQ(failure.symptom, "pmbus_page_no_effect");
  EXPECT_EQ(failure.error_class, ErrorClass::bench);
  EXPECT_THAT(failure.part, HasSubstr("vr_core page 1 (vdd_sram)"));
  EXPECT_THAT(failure.message, HasSubstr("stays on PAGE 0"));
}

TEST_F(PmbusDevice, FindsPagesThatCannotBeToldApart) {
  part.put_word(1, 0x21, 3482);
  EXPECT_EQ(failure_of([&] { device().read_word(0, Command::READ_VOUT); }).symptom, "pmbus_pages_identical");
}

TEST_F(PmbusDevice, BelievesDeclaredEqualPages) {
  part.put_word(1, 0x21, 3482);
  options.quirks.pages_alike = true;
  EXPECT_EQ(device().read_word(0, Command::READ_VOUT), 0x0cd0);
}

TEST_F(PmbusDevice, RetriesPecErrorsAndCountsThem) {
  device().read_word(0, Command::READ_VOUT);
  const int at = static_cast<int>(part.log.size());
  part.corrupt_pec = [at](int transfer) { return transfer == at; };
  EXPECT_EQ(device().read_word(0, Command::READ_VOUT), 0x0cd0);
  EXPECT_EQ(device().counters().pec_errors, 1U);
}

TEST_F(PmbusDevice, GivesBothCrcsWhenPecStaysWrong) {
  device().read_word(0, Command::READ_VOUT);
  part.corrupt_pec = [](int) { return true; };
  const Failure failure = failure_of([&] { device().read_word(0, Command::READ_VOUT); });
  EXPECT_EQ(failure.symptom, "pmbus_pec_error");
  EXPECT_EQ(failure.error_class, ErrorClass::infrastructure);
  EXPECT_THAT(failure.message, HasSubstr("received 0x"));
  EXPECT_THAT(failure.message, HasSubstr("computed 0x"));
  EXPECT_THAT(failure.message, HasSubstr("4 attempts"));
  EXPECT_EQ(device().counters().pec_errors, 4U);
}

TEST_F(PmbusDevice, TellsARefusedPecFromOtherRefusals) {
  device().read_word(0, Command::READ_VOUT);
  part.refuse_pec = true;
  const Failure failure = failure_of([&] { device().write_word(0, Command::VOUT_COMMAND, 3277); });
  EXPECT_EQ(failure.symptom, "pmbus_pec_error");
  EXPECT_THAT(failure.message, HasSubstr("refused the PEC of"));
  EXPECT_EQ(device().counters().pec_errors, 4U);
  EXPECT_EQ(device().counters().nacks, 0U);
}

TEST_F(PmbusDevice, TellsWhyAnAbsentPartMayBeAbsent) {
  part.nack_address = [](int) { return true; };
  const Failure failure = failure_of([&] { device().read_word(0, Command::READ_VOUT); });
  EXPECT_EQ(failure.symptom, "pmbus_no_answer");
  EXPECT_EQ(failure.error_class, ErrorClass::infrastructure);
  EXPECT_THAT(failure.part, HasSubstr("vr_core"));
  EXPECT_THAT(failure.sent, HasSubstr("W 0x40: 19"));
  EXPECT_THAT(failure.likely_cause, HasSubstr("no power"));
}

TEST_F(PmbusDevice, RecoversAStuckBus) {
  part.stuck = true;
  EXPECT_EQ(device().read_word(0, Command::READ_VOUT), 0x0cd0);
  EXPECT_EQ(part.recoveries, 1);
}

TEST_F(PmbusDevice, LeavesTheGapThatThePartNeeds) {
  options.quirks.min_gap = Duration{500'000'000};
  device().read_word(0, Command::READ_VOUT);
  device().read_word(1, Command::READ_VOUT);
  for (std::size_t i = 1; i < part.log.size(); ++i)
    EXPECT_GE(part.log[i].begin - part.log[i - 1].end, Duration{500'000'000}) << i;
}

TEST_F(PmbusDevice, ReadsBackWhatItWrites) {
  device().write_word(0, Command::VOUT_COMMAND, 3277);
  EXPECT_EQ(part.word(0, 0x21), 3277U);
  EXPECT_EQ(part.word(1, 0x21), 3686U);
  EXPECT_THAT(part.log.back().written, ElementsAre(0x21));
}

TEST_F(PmbusDevice, ExplainsAWriteThatDidNotTake) {
  device().read_word(0, Command::READ_VOUT);
  part.ignores[0x21] = true;
  part.put_byte(0, 0x7e, 0x40);
  const Failure failure = failure_of([&] { device().write_word(0, Command::VOUT_COMMAND, 3277); });
  EXPECT_EQ(failure.symptom, "pmbus_readback");
  EXPECT_THAT(failure.message, HasSubstr("cd 0c"));
  EXPECT_THAT(failure.likely_cause, HasSubstr("INVALID_DATA"));
}

TEST_F(PmbusDevice, WaitsWhileThePartIsBusyAndWritesAgain) {
  device().read_word(0, Command::READ_VOUT);
  part.ignores[0x21] = true;
  part.put_byte(0, 0x78, 0xc0);
  part.written = [this](int command) {
    if (command != 0x21) return;
    part.ignores[0x21] = false;
    part.put_byte(0, 0x78, 0x40 | (part.log.size() % 2 == 0 ? 0x80U : 0x80U));
  };
  int polls = 0;
  part.nack_data = [&](int) {
    if (++polls == 4) part.put_byte(0, 0x78, 0x40);
    return false;
  };
  device().write_word(0, Command::VOUT_COMMAND, 3277);
  EXPECT_EQ(part.word(0, 0x21), 3277U);
  EXPECT_GE(device().counters().busy, 1U);
}

TEST_F(PmbusDevice, GivesUpOnAPartThatStaysBusy) {
  device().read_word(0, Command::READ_VOUT);
  part.ignores[0x21] = true;
  part.put_byte(0, 0x78, 0xc0);
  const Instant begin = time.now();
  EXPECT_EQ(failure_of([&] { device().write_word(0, Command::VOUT_COMMAND, 3277); }).symptom, "pmbus_busy");
  EXPECT_LT(time.now() - begin, from_seconds(0.1));
}

TEST_F(PmbusDevice, ChecksTheExponentAgainstTheBench) {
  options.vout_mode = 0x14;
  part.put_byte(0, 0x20, 0x15);
  const Failure failure = failure_of([&] { device().read_word(0, Command::READ_VOUT); });
  EXPECT_EQ(failure.symptom, "pmbus_vout_mode");
  EXPECT_THAT(failure.message, HasSubstr("0x15 (linear, 2^-11 V)"));
  EXPECT_THAT(failure.message, HasSubstr("0x14 (linear, 2^-12 V)"));
  EXPECT_THAT(failure.part, HasSubstr("vr_core"));
}

TEST_F(PmbusDevice, RefusesFormatsThatItCannotConvert) {
  part.put_byte(0, 0x20, 0x21);
  EXPECT_EQ(failure_of([&] { device().read_word(0, Command::READ_VOUT); }).symptom, "pmbus_vout_format");
}

TEST_F(PmbusDevice, RailSetsAndReadsVolts) {
  PmbusRail core = rail();
  core.set_voltage(Voltage(0.8));
  EXPECT_EQ(part.word(0, 0x21), 3277U);
  EXPECT_NEAR(core.target_voltage().base(), 0.8, 1e-3);
  core.enable();
  EXPECT_EQ(part.word(0, 0x01), 0x80U);
  core.disable();
  EXPECT_EQ(part.word(0, 0x01), 0x40U);
}

TEST_F(PmbusDevice, RailMarginsAndTellsWhatItCanSet) {
  PmbusRail core = rail();
  part.put_word(0, 0x25, 3686);
  core.set_margin(Margin::high);
  EXPECT_EQ(part.word(0, 0x01), 0xa8U);
  EXPECT_EQ(core.margin(), Margin::high);
  EXPECT_NEAR(core.margin_voltage(Margin::high).base(), 0.9, 1e-3);
  EXPECT_NEAR(core.settable(Voltage(0.8001)).base(), 3277.0 / 4096, 1e-12);
  EXPECT_FALSE(core.transition_rate()) << "the part does not have the command";
}

TEST_F(PmbusDevice, RailDerivesTimesFromThePart) {
  EXPECT_EQ(rail().rise_time(), Duration{5'000'000'000});
  EXPECT_EQ(rail().fall_time(), Duration{3'000'000'000});
}

TEST_F(PmbusDevice, RailNamesItsFaults) {
  part.put_word(0, 0x79, 0x8842);
  part.put_byte(0, 0x7a, 0x04);
  part.put_byte(0, 0x7e, 0x20);
  const RailStatus status = rail().status();
  EXPECT_FALSE(status.on);
  EXPECT_FALSE(status.power_good);
  EXPECT_THAT(status.faults, ElementsAre("TON_MAX_FAULT"));
  EXPECT_EQ(status.text, "STATUS_WORD 0x8842 STATUS_VOUT 0x04 STATUS_CML 0x20");
}

// ---- extremes between reads

TEST_F(PmbusDevice, ExtremesAreReadByThePartsOwnCommands) {
  options.quirks.peaks = PeakCapture{Command(0xfb), Command(0xdd), Command::CLEAR_FAULTS};
  part.put_word(0, 0xfb, 3318);  // 2^-12: 0.81 V
  part.put_word(0, 0xdd, 3523);
  PmbusRail core = rail();
  EXPECT_NEAR(core.lowest_voltage().base(), 0.810, 1e-3);
  EXPECT_NEAR(core.highest_voltage().base(), 0.860, 1e-3);
  core.clear_extremes();
  EXPECT_EQ(part.log.back().written.at(0), 0x03);
}

TEST_F(PmbusDevice, ExtremesAreClearedByWritingWhereThePartWantsThat) {
  options.quirks.peaks = PeakCapture{Command(0xd7), Command(0xd4), std::nullopt};
  part.put_word(0, 0xd7, 800);
  part.put_word(0, 0xd4, 900);
  // The part follows its output again at once.
  part.written = [&](int command) {
    if (command == 0xd7) {
      EXPECT_EQ(part.word(0, 0xd7), 0x7fffU);
      part.put_word(0, 0xd7, 850);
    }
  };
  PmbusRail core = rail();
  core.clear_extremes();
  EXPECT_EQ(part.word(0, 0xd4), 0U);
}

TEST_F(PmbusDevice, WhatThePartDoesNotCatchIsSaidInTermsOfTheBench) {
  const Failure none = failure_of([&] { rail().lowest_voltage(); });
  EXPECT_EQ(none.error_class, ErrorClass::bench);
  EXPECT_THAT(none.message, HasSubstr("vdd_core"));
  EXPECT_THAT(none.likely_cause, HasSubstr("peaks"));
  EXPECT_TRUE(part.log.empty()) << "nothing unknown was sent";
  options.quirks.peaks = PeakCapture{std::nullopt, Command(0xdd), Command(0xe3)};
  device_.reset();
  EXPECT_EQ(failure_of([&] { rail().lowest_voltage(); }).symptom, "no_peak_capture");
}

}  // namespace
}  // namespace firstlight::pmbus
