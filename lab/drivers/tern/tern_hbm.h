#pragma once

#include <string>
#include <vector>

#include "lab/capabilities/external_memory.h"
#include "lab/capabilities/registers.h"
#include "lab/core/bench_time.h"
#include "lab/drivers/tern/tern_clock.h"

namespace firstlight::tern {

/// Tern's external memory: registers of block `hbm`.
class TernHbm : public ExternalMemory {
 public:
  TernHbm(std::string name, Registers& registers, BenchTime& time, TernClock clock, std::uint64_t size);

  std::string part() const override { return name_ + " hbm"; }
  std::uint64_t size() const override { return size_; }
  int lanes() const override;
  int taps() const override;
  void start_training(int min_window) override;
  MemoryTraining training() override;
  bool trained() override;
  bool ready() override;
  std::vector<std::vector<int>> shmoo(bool write, Instant deadline) override;
  int probed_bits() const override { return 256; }
  std::vector<std::string> patterns() const override;
  void start_test(const MemoryTestPlan& plan) override;
  MemoryTestResult test() override;
  RowRepair repair() override;

 private:
  struct Taps {
    std::vector<std::uint32_t> read;
    std::vector<std::uint32_t> write;
  };
  /// Throws FailureError (dut) when the controller refuses.
  void command(const std::string& name);
  void probe(bool write, bool read, Instant deadline);
  Taps all_taps();
  void set(const Taps& taps);
  void set_all(bool write, int tap);

  std::string name_;
  Registers& registers_;
  BenchTime& time_;
  TernClock clock_;
  std::uint64_t size_;
};

}  // namespace firstlight::tern
