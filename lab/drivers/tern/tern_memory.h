#pragma once

#include <string>

#include "lab/capabilities/memory.h"
#include "lab/capabilities/registers.h"
#include "lab/core/bench_time.h"
#include "lab/drivers/tern/tern_arrays.h"
#include "lab/drivers/tern/tern_clock.h"

namespace firstlight::tern {

/// Tern's 64 KiB SRAM: registers of block `sram`, data through the host port's window. The built-in tests of the tensor
/// engine's arrays are found here too.
class TernMemory : public Memory {
 public:
  TernMemory(std::string name, Registers& registers, BenchTime& time, TernClock clock);

  std::string part() const override { return name_ + " sram"; }
  std::uint32_t size() const override { return 64 * 1024; }
  std::vector<ArrayTest*> arrays() override { return {&sram_, &scratchpad_, &accumulators_}; }
  void fill(std::uint32_t value, Instant deadline) override;
  std::vector<std::uint32_t> read(std::uint32_t offset, std::size_t words) override;
  void write(std::uint32_t offset, const std::vector<std::uint32_t>& words) override;
  EccCounters counters() override;
  void clear_counters() override;
  void inject_error(std::uint32_t offset, int bits) override;

 private:
  std::uint32_t window(std::uint32_t offset, std::size_t words) const;

  std::string name_;
  Registers& registers_;
  BenchTime& time_;
  TernClock clock_;
  TernSramTest sram_;
  TernScratchpadTest scratchpad_;
  TernAccumulatorTest accumulators_;
};

}  // namespace firstlight::tern
