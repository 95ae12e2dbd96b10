#include "tb/blocks/thermal/thermal_bench.h"

#include <stdexcept>

namespace tb::blocks::thermal {
namespace {

// From the tick until this many cycles later registers settle; accesses happen after it and before the next tick.
constexpr std::uint64_t kAfterTick = 4;

}  // namespace

ThermalBench::ThermalBench() : clock("thermal"), registers(clock) {}

ThermalBench& bench() {
  static ThermalBench the_bench;
  return the_bench;
}

void ThermalBench::temperature(unsigned zone, int eighths) {
  auto& word = clock.dut().zone_temp_i;
  const unsigned shift = 12 * zone;
  word = (word & ~(std::uint64_t{0xfff} << shift)) | ((static_cast<std::uint64_t>(eighths) & 0xfffU) << shift);
}

void ThermalBench::rail(unsigned zone, bool good) {
  auto& rails = clock.dut().rail_good_i;
  const unsigned bit = 1U << (zone + 1);
  rails = static_cast<std::uint8_t>(good ? rails | bit : rails & ~bit);
}

void ThermalBench::start() {
  auto& dut = clock.dut();
  dut.rail_good_i = 0x03;  // the first zone's sensor shows when a tick is
  dut.zone_temp_i = 0;
  clock.reset();
  registers.write("thermal.sample.settle", 0);
  const auto before = registers.read("thermal.changes[0].samples");
  for (unsigned i = 0; registers.read("thermal.changes[0].samples") == before; ++i)
    if (i > kPeriod) throw std::runtime_error("no sample tick");
  anchor_ = clock.cycles();
  registers.write("thermal.sample.settle", 2);
  registers.write("thermal.peak_clear", 0xf);
  dut.rail_good_i = 0x01;
  clock.cycle(2);
  registers.write("thermal.peak_clear", 0xf);
}

void ThermalBench::next_sample() {
  const auto since = (clock.cycles() - anchor_) % kPeriod;
  // The anchor is a few cycles after a tick; so is the place where this ends.
  clock.cycle(kPeriod - since + kAfterTick);
  if (since < kAfterTick) clock.cycle(kAfterTick - since);
}

}  // namespace tb::blocks::thermal
