#pragma once

#include <optional>
#include <string>

#include "lab/capabilities/link.h"
#include "lab/capabilities/registers.h"
#include "lab/drivers/tern/tern_clock.h"

namespace firstlight::tern {

/// Tern's chip-to-chip link, through the registers of block `link` of both ends. Without a partner that can be reached,
/// what needs the far transmitter throws FailureError (bench).
class TernLink : public Link {
 public:
  TernLink(std::string name, Registers& near, Registers* far, TernClock clock);

  std::string part() const override { return name_ + " link"; }
  int lane_count() const override { return 4; }
  void enable() override;
  void disable() override;
  void retrain() override;
  LinkStatus status() override;
  std::vector<LinkTransition> trace() override;
  Duration training_limit() override;
  std::vector<std::pair<std::string, std::uint64_t>> counters() override;
  void clear_counters() override;
  void start_prbs(PrbsPattern pattern) override;
  void stop_prbs() override;
  void clear_prbs() override;
  void inject_prbs_errors(int lane, int count) override;
  std::vector<PrbsResult> prbs() override;
  EyeGrid eye_grid() const override;
  void start_eye(int lane, int phase, int offset, std::uint64_t bits) override;
  std::optional<EyeCount> eye() override;
  double lane_rate() const override;

 private:
  Registers& far();
  void quiet_far(const std::string& reg);
  LaneStatus lane(int index);
  std::string reason(const std::string& state, const std::string& failure) const;

  std::string name_;
  Registers& near_;
  Registers* far_;
  TernClock clock_;
};

}  // namespace firstlight::tern
