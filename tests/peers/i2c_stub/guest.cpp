// Runs inside user-mode Linux. The registers of the chips are set by libi2c, which is not ours; then our transport and
// drivers meet them.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/i2c-dev.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "lab/bench/parse.h"
#include "lab/capabilities/bench.h"
#include "lab/capabilities/rail.h"
#include "lab/core/failure.h"
#include "lab/drivers/pmbus/device.h"
#include "lab/drivers/registry.h"
#include "lab/transports/lab_provider.h"
#include "tests/peers/support/wall_bench.h"

extern "C" {
#include <i2c/smbus.h>
}

namespace firstlight::peers {
namespace {

using testing::HasSubstr;

constexpr const char* kDevice = "/dev/i2c-0";

/// One chip of i2c-stub, by libi2c.
class Chip {
 public:
  explicit Chip(long address) : file_(::open(kDevice, O_RDWR | O_CLOEXEC)) {
    if (file_ < 0 || ::ioctl(file_, I2C_SLAVE, address) < 0) throw std::runtime_error("no i2c-stub");
  }
  Chip(const Chip&) = delete;
  Chip& operator=(const Chip&) = delete;
  ~Chip() { ::close(file_); }
  void byte(std::uint8_t command, std::uint8_t value) { check(i2c_smbus_write_byte_data(file_, command, value)); }
  void word(std::uint8_t command, std::uint16_t value) { check(i2c_smbus_write_word_data(file_, command, value)); }
  void text(std::uint8_t command, const std::string& value) {
    const std::vector<std::uint8_t> bytes(value.begin(), value.end());
    check(i2c_smbus_write_block_data(file_, command, static_cast<std::uint8_t>(bytes.size()), bytes.data()));
  }
  int word(std::uint8_t command) { return i2c_smbus_read_word_data(file_, command); }
  int lock(int operation) { return ::flock(file_, operation); }

 private:
  static void check(int result) {
    if (result < 0) throw std::runtime_error("libi2c refuses a write");
  }
  int file_;
};

std::string bench_text(const std::string& rails) {
  return R"(
bench: guest
dut: {name: board}
resources:
  i2c0: {type: i2c, address: "i2c:SMBus stub*"}
  byfile: {type: i2c, address: /dev/i2c-0}
drivers:
  vr: {driver: pmbus, uses: i2c0, address: 0x40, vout_mode: 0x14}
  other: {driver: pmbus_monitor, uses: byfile, address: 0x41, quirks: {no_page: true}}
  absent: {driver: pmbus_monitor, uses: i2c0, address: 0x42}
  inlet: {driver: lm75, uses: i2c0, address: 0x48}
)" + rails;
}

constexpr const char* kOneRail = R"(
rails:
  vdd_core: {driver: vr, page: 0, nominal: 850 mV, max: 950 mV}
)";
constexpr const char* kTwoRails = R"(
rails:
  vdd_core: {driver: vr, page: 0, nominal: 850 mV, max: 950 mV}
  vdd_sram: {driver: vr, page: 1, nominal: 850 mV, max: 950 mV}
)";

class Guest : public testing::Test {
 protected:
  Guest() : regulator(0x40), monitor(0x41), sensor(0x48) {
    for (Chip* chip : {&regulator, &monitor}) {
      chip->byte(0x19, 0x00);  // CAPABILITY: no PEC
      chip->byte(0x20, 0x14);  // VOUT_MODE: 2^-12
      chip->byte(0x7e, 0x00);  // STATUS_CML
      chip->word(0x79, 0x0000);
      chip->word(0x8b, 3482);    // 850 mV
      chip->word(0x8c, 0xeb20);  // 100 A
      chip->word(0x8d, 0xe290);  // 41 degC
      chip->word(0x88, 0xd300);  // 12 V
    }
    regulator.byte(0x01, 0x00);
    regulator.word(0x21, 3482);
    regulator.text(0x99, "ACME");
    sensor.byte(0x01, 0x00);
    sensor.word(0x00, 0x0019);  // the wire is big-endian: 0x1900, 25 degC
  }
  void on_bench(const char* rails, const std::function<void(Bench&, Scheduler&)>& body) {
    Vocabulary vocabulary;
    vocabulary.drivers = driver_type_specs();
    vocabulary.resources = resource_type_specs();
    vocabulary.rail_measures = rail_measure_specs();
    Diagnostics diagnostics;
    const auto plan = parse_bench_text("guest.yaml", bench_text(rails), vocabulary, diagnostics);
    ASSERT_TRUE(plan) << (diagnostics.empty() ? "" : diagnostics.list().front().message);
    on_wall_clock([&](Scheduler& time) {
      LabProvider provider(time, *plan);
      Bench bench(*plan, time);
      build_drivers(bench, provider);
      body(bench, time);
    });
  }
  static double read(Bench& bench, const std::string& name) { return bench.measurable(name).read().value; }
  template <class Call>
  static Failure failure_of(Call call) {
    try {
      call();
    } catch (const FailureError& error) {
      return error.failure();
    }
    ADD_FAILURE() << "nothing was thrown";
    return {};
  }

  Chip regulator;
  Chip monitor;
  Chip sensor;
};

TEST_F(Guest, ReadsTelemetryBySmbusCalls) {
  on_bench(kOneRail, [&](Bench& bench, Scheduler&) {
    EXPECT_NEAR(read(bench, "vdd_core.voltage"), 0.85, 1e-3);
    EXPECT_NEAR(read(bench, "vdd_core.current"), 100, 1e-9);
    EXPECT_NEAR(read(bench, "vdd_core.temperature"), 41, 1e-9);
    EXPECT_NEAR(read(bench, "other.input_voltage"), 12, 1e-9) << "by the device file";
    EXPECT_NEAR(read(bench, "inlet.temperature"), 25, 1e-9);
    EXPECT_EQ(read(bench, "vr.retries"), 0);
  });
}

TEST_F(Guest, WritesAreSeenByLibi2c) {
  on_bench(kOneRail, [&](Bench& bench, Scheduler&) {
    Rail& core = bench.rail("vdd_core");
    core.set_voltage(Voltage(0.8));
    EXPECT_EQ(regulator.word(0x21), 3277);
    core.enable();
    EXPECT_EQ(regulator.word(0x01) & 0xff, 0x80);
    core.disable();
    EXPECT_EQ(regulator.word(0x01) & 0xff, 0x40);
  });
}

TEST_F(Guest, FindsThatPageHasNoEffect) {
  // i2c-stub keeps what is written to PAGE and has one set of registers for all pages.
  on_bench(kTwoRails, [&](Bench& bench, Scheduler&) {
    EXPECT_EQ(failure_of([&] { read(bench, "vdd_sram.voltage"); }).symptom, "pmbus_pages_identical");
  });
}

TEST_F(Guest, TellsAnAbsentPartAndAWrongPec) {
  on_bench(kOneRail, [&](Bench& bench, Scheduler&) {
    const Failure absent = failure_of([&] { read(bench, "absent.input_voltage"); });
    EXPECT_EQ(absent.symptom, "pmbus_no_answer");
    EXPECT_THAT(absent.received, HasSubstr("ENODEV"));
    // The stub makes no PEC: a part that claims to have it is found out.
    regulator.byte(0x19, 0x80);
    EXPECT_EQ(failure_of([&] { read(bench, "vdd_core.voltage"); }).symptom, "pmbus_pec_error");
  });
}

TEST_F(Guest, ReadsBlocks) {
  on_wall_clock([&](Scheduler& time) {
    BenchPlan plan;
    LabProvider provider(time, plan);
    ResourcePlan resource;
    resource.name = "i2c0";
    resource.type = "i2c";
    resource.address = kDevice;
    const std::unique_ptr<I2cBus> bus = provider.open_i2c(resource);
    pmbus::DeviceOptions options;
    options.address = 0x40;
    pmbus::Device device("vr", *bus, options, time);
    EXPECT_EQ(device.read_text(0, pmbus::Command::MFR_ID), "ACME");
    const auto both =
        bus->transfer(0x50, {I2cMessage::writing({0, 0}), I2cMessage::reading(4)}, time.now() + from_seconds(0.1));
    EXPECT_EQ(both.status, I2cStatus::io_error);
    EXPECT_THAT(both.detail, HasSubstr("no plain I2C"));
  });
}

TEST_F(Guest, WaitsForAnotherProgramOnTheBus) {
  on_bench(kOneRail, [&](Bench& bench, Scheduler& time) {
    read(bench, "vdd_core.voltage");
    ASSERT_EQ(monitor.lock(LOCK_EX), 0);
    const Instant begin = time.now();
    const Failure failure = failure_of([&] { read(bench, "vdd_core.voltage"); });
    EXPECT_THAT(failure.received, HasSubstr("another program kept"));
    EXPECT_LT(time.now() - begin, from_seconds(2));
    ASSERT_EQ(monitor.lock(LOCK_UN), 0);
    EXPECT_NEAR(read(bench, "vdd_core.voltage"), 0.85, 1e-3);
  });
}

TEST_F(Guest, SaysWhichAdaptersThereAre) {
  on_wall_clock([&](Scheduler& time) {
    BenchPlan plan;
    LabProvider provider(time, plan);
    ResourcePlan resource;
    resource.name = "i2c0";
    resource.type = "i2c";
    resource.address = "i2c:i801*";
    EXPECT_THAT(failure_of([&] { provider.open_i2c(resource); }).message, HasSubstr("SMBus stub driver"));
    resource.address = "/dev/i2c-17";
    EXPECT_THAT(failure_of([&] { provider.open_i2c(resource); }).likely_cause, HasSubstr("modprobe i2c-dev"));
    resource.address = "i2c:/sys/bus/i2c/devices/i2c-0";
    EXPECT_NE(provider.open_i2c(resource), nullptr);
  });
}

}  // namespace
}  // namespace firstlight::peers
