#pragma once

#include <string>
#include <vector>

#include "lab/capabilities/chip_power.h"
#include "lab/capabilities/registers.h"
#include "lab/drivers/tern/tern_clock.h"

namespace firstlight::tern {

/// Tern's always-on sequencer, through the registers of block `power`.
class TernPower : public ChipPower {
 public:
  /// @param rails bench names in the order of the chip's rail bits
  TernPower(std::string name, Registers& registers, TernClock clock, std::vector<std::string> rails);

  std::string part() const override;
  void start() override;
  void stop() override;
  ChipPowerState state() override;
  std::optional<ChipFault> fault() override;
  void clear_fault() override;
  void inject_fault(const std::string& cause, const std::string& rail) override;
  CoreFrequency core_frequency() override;
  Duration start_limit() override;
  std::vector<RailEvents> rail_events() override;
  void clear_counts() override;

 private:
  Frequency counted(std::uint32_t cycles);
  Frequency expected();
  std::vector<std::string> rail_names(std::uint32_t bits) const;

  std::string name_;
  Registers& registers_;
  TernClock clock_;
  std::vector<std::string> rails_;
};

}  // namespace firstlight::tern
