#include <gtest/gtest.h>

#include <chrono>
#include <memory>

#include "lab/core/failure.h"
#include "lab/drivers/register_access.h"
#include "lab/drivers/tern/tern_thermal.h"
#include "rtl/regs/tern_registers.h"
#include "tests/unit/drivers/fake_time.h"
#include "tests/unit/tern/register_file.h"

namespace firstlight::test {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

/// A chip whose zone 3 has a valid temperature from a moment on.
class SettlingChip final : public RegisterBus {
 public:
  SettlingChip(const FakeTime& time, Instant valid_from) : time_(time), valid_from_(valid_from) {
    file.set("thermal.zone[3].powered", 1);
  }

  BusResult read(std::uint64_t address, Instant deadline) override {
    if (time_.now() >= valid_from_) {
      file.set("thermal.zone[3].valid", 1);
      file.set("thermal.zone[3].temperature", 0x140);
    }
    return file.read(address, deadline);
  }
  BusResult write(std::uint64_t address, std::uint32_t value, Instant deadline) override {
    return file.write(address, value, deadline);
  }
  std::string name() const override { return "fake"; }

  RegisterFile file{tern_registers()};

 private:
  const FakeTime& time_;
  Instant valid_from_;
};

struct ThermalBench {
  explicit ThermalBench(Duration settling) : chip(std::make_shared<SettlingChip>(time, time.now() + settling)) {}

  FakeTime time;
  std::shared_ptr<SettlingChip> chip;
  RegisterAccess registers{"host", chip, tern_registers(), "", milliseconds(1), time};
  tern::TernThermal thermal{"tern",
                            registers,
                            time,
                            {},
                            {{"core", "vdd_core"}, {"sram", "vdd_sram"}, {"hbm", "vdd_hbm"}, {"serdes", "vdd_serdes"}}};
};

Failure failure_of(ThermalBench& bench) {
  try {
    bench.thermal.temperature("serdes");
  } catch (const FailureError& error) {
    return error.failure();
  }
  return {};
}

TEST(TernThermalTest, WaitsForASensorThatIsSettling) {
  // Three samples of 64 cycles of 100 MHz.
  ThermalBench bench(std::chrono::nanoseconds(1920));
  EXPECT_DOUBLE_EQ(bench.thermal.temperature("serdes").base(), 40);
  EXPECT_LE(seconds(bench.time.now()), 2 * 1.92e-6);
}

TEST(TernThermalTest, NeverReadsAnUnsettledSensorAsATemperature) {
  ThermalBench bench(milliseconds(1));
  const Failure failure = failure_of(bench);
  EXPECT_EQ(failure.symptom, "sensor_not_valid");
  EXPECT_EQ(failure.error_class, ErrorClass::dut);
  EXPECT_NE(failure.likely_cause.find("takes no samples"), std::string::npos) << failure.likely_cause;
  EXPECT_LT(bench.time.now().time_since_epoch(), microseconds(20));
}

TEST(TernThermalTest, DoesNotWaitForASensorWithoutARail) {
  ThermalBench bench(milliseconds(1));
  bench.chip->file.set("thermal.zone[3].powered", 0);
  EXPECT_NE(failure_of(bench).message.find("rail vdd_serdes is not good"), std::string::npos);
  EXPECT_EQ(bench.time.now(), Instant{});
}

TEST(TernThermalTest, DoesNotWaitForAFaultySensor) {
  ThermalBench bench(milliseconds(1));
  bench.chip->file.set("thermal.zone[3].fault", 1);
  bench.chip->file.set("thermal.zone[3].fault_stuck", 1);
  EXPECT_EQ(failure_of(bench).symptom, "sensor_faulty");
  EXPECT_EQ(bench.time.now(), Instant{});
}

}  // namespace
}  // namespace firstlight::test
