#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>

#include "lab/bench/parse.h"
#include "lab/capabilities/bench.h"
#include "lab/capabilities/identity.h"
#include "lab/capabilities/rail.h"
#include "lab/core/failure.h"
#include "lab/drivers/registry.h"
#include "lab/transports/i2c/mux_tree.h"
#include "lab/transports/i2c/resource_params.h"
#include "tests/peers/qemu_pmbus/imx_i2c.h"
#include "tests/peers/qemu_pmbus/qmp.h"
#include "tests/peers/support/wall_bench.h"

namespace firstlight::peers {
namespace {

using testing::Contains;
using testing::HasSubstr;

constexpr std::uint64_t kI2c1 = 0x43f80000;  // i.MX25 reference manual, memory map

constexpr const char* kBench = R"(
bench: qemu
dut: {name: board}
resources:
  i2c0: {type: i2c, address: qemu}
  behind2: {type: i2c, address: qemu, mux: {address: 0x70, channel: 2}}
  behind5: {type: i2c, address: qemu, mux: {address: 0x70, channel: 5}}
drivers:
  vr: {driver: pmbus, uses: i2c0, address: 0x60, part: isl69260, quirks: {pages_alike: true}}
  hotswap: {driver: pmbus_monitor, uses: i2c0, address: 0x10, part: adm1272, shunt: 300 uOhm}
  seq3: {driver: pmbus_monitor, uses: i2c0, address: 0x4e, part: max34451, page: 3}
  seq7: {driver: pmbus_monitor, uses: i2c0, address: 0x4e, part: max34451, page: 7}
  seqtemp: {driver: pmbus_monitor, uses: i2c0, address: 0x4e, part: max34451, page: 16}
  inlet: {driver: lm75, uses: i2c0, address: 0x48, coldest: -20 degC, hottest: 100 degC, sentinels: [85 degC]}
  left: {driver: lm75, uses: behind2, address: 0x4a}
  right: {driver: lm75, uses: behind5, address: 0x4a}
  absent: {driver: pmbus_monitor, uses: i2c0, address: 0x61}
  board: {driver: eeprom, uses: i2c0, address: 0x54, size: 32768}
  gone: {driver: lm75, uses: i2c0, address: 0x4f}
rails:
  vdd_core: {driver: vr, page: 0, nominal: 900 mV, max: 1.1 V, slew: 10 mV/us, pgood: {within: 5 ms}}
  vdd_sram: {driver: vr, page: 1, nominal: 900 mV, max: 1.1 V, slew: 10 mV/us, pgood: {within: 5 ms}}
)";

std::vector<std::string> machine_command(const std::string& qmp) {
  return {"qemu-system-arm",
          "-machine",
          "imx25-pdk",
          "-S",
          "-accel",
          "tcg",
          "-nodefaults",
          "-qmp",
          "unix:" + qmp + ",server=on,wait=off",
          "-device",
          "isl69260,id=vr,bus=i2c-bus.0,address=0x60",
          "-device",
          "adm1272,id=hotswap,bus=i2c-bus.0,address=0x10",
          "-device",
          "max34451,id=seq,bus=i2c-bus.0,address=0x4e",
          "-device",
          "tmp105,id=inlet,bus=i2c-bus.0,address=0x48",
          "-device",
          "at24c-eeprom,id=board,bus=i2c-bus.0,address=0x54,rom-size=32768",
          "-device",
          "pca9548,id=mux,bus=i2c-bus.0,address=0x70",
          "-device",
          "tmp105,id=left,bus=i2c.2,address=0x4a",
          "-device",
          "tmp105,id=right,bus=i2c.5,address=0x4a"};
}

/// A FRU image (IPMI Platform Management FRU Information Storage Definition 1.0) with a board area at 8.
std::vector<std::uint8_t> fru_image() {
  std::vector<std::uint8_t> image = {1, 0, 0, 1, 0, 0, 0, 0xfe, 1, 0, 25, 0, 0, 0};
  for (const std::string text : {"ACME", "Riser", "S/N-77", "R-1000"}) {
    image.push_back(static_cast<std::uint8_t>(0xc0U | text.size()));
    image.insert(image.end(), text.begin(), text.end());
  }
  image.push_back(0xc1);
  while (image.size() % 8 != 7) image.push_back(0);
  image[9] = static_cast<std::uint8_t>((image.size() + 1) / 8 - 1);
  unsigned sum = 0;
  for (std::size_t i = 8; i < image.size(); ++i) sum += image[i];
  image.push_back(static_cast<std::uint8_t>(0x100U - (sum & 0xffU)));
  return image;
}

/// The bus of the machine in the place of the lab's.
class QemuProvider final : public TransportProvider {
 public:
  QemuProvider(QtestMachine& machine, BenchTime& time)
      : bus_(std::make_shared<ImxI2cBus>(machine, kI2c1)), tree_(std::make_shared<i2c::MuxTree>(bus_, time)) {}
  std::unique_ptr<I2cBus> open_i2c(const ResourcePlan& resource) override {
    return std::make_unique<i2c::MuxedBus>(tree_, i2c::mux_way(resource), resource.name);
  }
  ImxI2cBus& bus() { return *bus_; }

 private:
  std::shared_ptr<ImxI2cBus> bus_;
  std::shared_ptr<i2c::MuxTree> tree_;
};

class QemuPmbus : public testing::Test {
 protected:
  QemuPmbus() : machine(machine_command(folder / "qmp")), qmp(folder / "qmp") {}

  /// Runs the body in a fiber, with the bench built.
  void on_bench(const std::function<void(Bench&)>& body) {
    Vocabulary vocabulary;
    vocabulary.drivers = driver_type_specs();
    vocabulary.resources = resource_type_specs();
    vocabulary.rail_measures = rail_measure_specs();
    Diagnostics diagnostics;
    const auto plan = parse_bench_text("qemu.yaml", kBench, vocabulary, diagnostics);
    ASSERT_TRUE(plan) << (diagnostics.empty() ? "" : diagnostics.list().front().message);
    on_wall_clock([&](Scheduler& time) {
      QemuProvider provider(machine, time);
      Bench bench(*plan, time);
      build_drivers(bench, provider);
      body(bench);
    });
  }
  void set(const std::string& device, const std::string& property, std::int64_t value) {
    qmp.set("/machine/peripheral/" + device, property, value);
  }
  std::int64_t get(const std::string& device, const std::string& property) {
    return qmp.get("/machine/peripheral/" + device, property);
  }
  static double read(Bench& bench, const std::string& name) { return bench.measurable(name).read().value; }
  static Failure failure(Bench& bench, const std::string& name) {
    try {
      bench.measurable(name).read();
    } catch (const FailureError& error) {
      return error.failure();
    }
    ADD_FAILURE() << name << " could be read";
    return {};
  }

  TemporaryFolder folder;
  QtestMachine machine;
  Qmp qmp;
};

TEST_F(QemuPmbus, RegulatorsTelemetry) {
  on_bench([&](Bench& bench) {
    EXPECT_NEAR(read(bench, "vdd_core.voltage"), 1.0, 1e-9);
    EXPECT_NEAR(read(bench, "vdd_core.current"), 4.0, 1e-9);
    EXPECT_NEAR(read(bench, "vdd_core.temperature"), 25, 1e-9);
    set("vr", "vout[0]", 873);
    set("vr", "iout[0]", 412);
    set("vr", "temp1[0]", 61);
    set("vr", "vout[1]", 744);
    EXPECT_NEAR(read(bench, "vdd_core.voltage"), 0.873, 1e-9);
    EXPECT_NEAR(read(bench, "vdd_core.current"), 41.2, 1e-9);
    EXPECT_NEAR(read(bench, "vdd_core.temperature"), 61, 1e-9);
    EXPECT_NEAR(read(bench, "vdd_sram.voltage"), 0.744, 1e-9) << "page 1";
    EXPECT_NEAR(read(bench, "vdd_core.voltage"), 0.873, 1e-9) << "and back on page 0";
    EXPECT_EQ(read(bench, "vr.retries"), 0);
  });
}

TEST_F(QemuPmbus, RegulatorTakesSetPointsAndShowsThem) {
  on_bench([&](Bench& bench) {
    Rail& core = bench.rail("vdd_core");
    Rail& sram = bench.rail("vdd_sram");
    EXPECT_NEAR(core.target_voltage().base(), 0.9, 1e-9);
    core.set_voltage(Voltage(0.85));
    sram.set_voltage(Voltage(0.95));
    EXPECT_NEAR(core.target_voltage().base(), 0.85, 1e-9);
    EXPECT_NEAR(sram.target_voltage().base(), 0.95, 1e-9);
    core.disable();
    core.enable();
    EXPECT_TRUE(core.status().on);
  });
}

TEST_F(QemuPmbus, RegulatorIsNeverWrittenBeyondTheEnvelope) {
  on_bench([&](Bench& bench) {
    Rail& core = bench.rail("vdd_core");
    try {
      core.set_voltage(Voltage(1.2));
      ADD_FAILURE() << "1.2 V was taken";
    } catch (const FailureError& error) {
      EXPECT_EQ(error.failure().error_class, ErrorClass::interlock);
    }
    EXPECT_NEAR(core.target_voltage().base(), 0.9, 1e-9);
  });
}

TEST_F(QemuPmbus, RegulatorsLimitsComeAsFaultsByName) {
  on_bench([&](Bench& bench) {
    Rail& core = bench.rail("vdd_core");
    core.clear_faults();
    EXPECT_THAT(core.status().faults, testing::IsEmpty());
    set("vr", "vout[0]", 1950);  // its VOUT_OV_FAULT_LIMIT is 1.9 V
    const RailStatus status = core.status();
    EXPECT_THAT(status.faults, Contains("VOUT_OV_FAULT"));
    EXPECT_THAT(status.text, HasSubstr("STATUS_VOUT"));
    set("vr", "vout[0]", 900);
    EXPECT_THAT(core.status().faults, Contains("VOUT_OV_FAULT")) << "it stays until it is cleared";
  });
}

TEST_F(QemuPmbus, HotSwapControllersTelemetry) {
  on_bench([&](Bench& bench) {
    // Its model cuts the shunt's product to a whole number, so that current reads half a percent low.
    EXPECT_NEAR(read(bench, "hotswap.input_voltage"), 12, 0.03);
    EXPECT_NEAR(read(bench, "hotswap.output_voltage"), 12, 0.03);
    EXPECT_NEAR(read(bench, "hotswap.output_current"), 25, 0.15);
    EXPECT_NEAR(read(bench, "hotswap.input_power"), 300, 1);
    for (const int millivolts : {0, 5000, 48000}) {
      set("hotswap", "vin", millivolts);
      EXPECT_NEAR(read(bench, "hotswap.input_voltage"), millivolts * 1e-3, 0.03);
    }
    set("hotswap", "iout", 3000);
    EXPECT_NEAR(read(bench, "hotswap.output_current"), 3, 0.06);
  });
}

TEST_F(QemuPmbus, WhatAPartCannotDoIsNoReading) {
  on_bench([&](Bench& bench) {
    EXPECT_EQ(failure(bench, "hotswap.output_power").symptom, "pmbus_unsupported");
    // Its sensor is off and gives code 0, which is -759 degC.
    EXPECT_EQ(failure(bench, "hotswap.temperature").symptom, "implausible_temperature");
  });
}

TEST_F(QemuPmbus, SequencersChannelsShareOnePart) {
  set("seq", "vout[3]", 1234);
  set("seq", "vout[7]", 3301);
  on_bench([&](Bench& bench) {
    for (int round = 0; round < 3; ++round) {
      EXPECT_NEAR(read(bench, "seq3.output_voltage"), 1.234, 1e-9);
      EXPECT_NEAR(read(bench, "seq7.output_voltage"), 3.301, 1e-9);
      EXPECT_NEAR(read(bench, "seqtemp.temperature"), 25, 1e-9);
    }
    EXPECT_EQ(read(bench, "seq3.transfers"), read(bench, "seq7.transfers")) << "one part, one count";
    set("seq", "temperature[0]", 7150);
    EXPECT_NEAR(read(bench, "seqtemp.temperature"), 71.5, 1e-9);
  });
}

TEST_F(QemuPmbus, AbsentPartsAreInfrastructure) {
  on_bench([&](Bench& bench) {
    const Failure part = failure(bench, "absent.input_voltage");
    EXPECT_EQ(part.symptom, "pmbus_no_answer");
    EXPECT_EQ(part.error_class, ErrorClass::infrastructure);
    EXPECT_THAT(part.message, HasSubstr("does not acknowledge its address 0x61"));
    EXPECT_EQ(read(bench, "absent.nacks"), 4);
    EXPECT_EQ(failure(bench, "gone.temperature").symptom, "sensor_no_answer");
    EXPECT_NEAR(read(bench, "vdd_core.voltage"), 1.0, 1e-9) << "the bus works on";
  });
}

TEST_F(QemuPmbus, TemperatureSensor) {
  on_bench([&](Bench& bench) {
    for (const int millidegrees : {0, 25500, -10000, 99500}) {
      set("inlet", "temperature", millidegrees);
      EXPECT_NEAR(read(bench, "inlet.temperature"), millidegrees * 1e-3, 1e-9) << "steps of 0.5 K";
    }
    set("inlet", "temperature", 112000);
    EXPECT_EQ(failure(bench, "inlet.temperature").symptom, "implausible_temperature");
    set("inlet", "temperature", 85000);
    EXPECT_EQ(failure(bench, "inlet.temperature").symptom, "sensor_sentinel");
  });
}

TEST_F(QemuPmbus, TwoSensorsOfOneAddressBehindAMux) {
  set("left", "temperature", 30000);
  set("right", "temperature", 40000);
  on_bench([&](Bench& bench) {
    for (int round = 0; round < 3; ++round) {
      EXPECT_NEAR(read(bench, "left.temperature"), 30, 1e-9);
      EXPECT_NEAR(read(bench, "right.temperature"), 40, 1e-9);
    }
    EXPECT_NEAR(read(bench, "inlet.temperature"), 0, 1e-9) << "beside the mux";
  });
}

TEST_F(QemuPmbus, IdentityFromAnEepromWithTwoAddressBytes) {
  {
    ImxI2cBus bus(machine, kI2c1);
    const std::vector<std::uint8_t> image = fru_image();
    for (std::size_t at = 0; at < image.size(); ++at) {
      const auto written =
          bus.transfer(0x54, {I2cMessage::writing({0, static_cast<std::uint8_t>(at), image[at]})}, kNever);
      ASSERT_EQ(written.status, I2cStatus::ok) << at;
    }
  }
  on_bench([&](Bench& bench) {
    const auto identity = bench.get<Identity>("board").identity();
    EXPECT_EQ(identity.at("manufacturer"), "ACME");
    EXPECT_EQ(identity.at("serial_number"), "S/N-77");
    EXPECT_EQ(identity.at("part_number"), "R-1000");
  });
}

TEST_F(QemuPmbus, AThousandReadsAreStable) {
  on_bench([&](Bench& bench) {
    read(bench, "vdd_core.voltage");
    for (int i = 0; i < 1000; ++i) {
      const int millivolts = 500 + i;
      if (i % 100 == 0) set("vr", "vout[0]", millivolts);
      ASSERT_NEAR(read(bench, "vdd_core.voltage"), (500 + i / 100 * 100) * 1e-3, 1e-9) << i;
    }
    EXPECT_EQ(read(bench, "vr.retries"), 0);
  });
}

}  // namespace
}  // namespace firstlight::peers
