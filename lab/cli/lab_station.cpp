#include "lab/cli/lab_station.h"

#include "lab/runner/wall_time_source.h"
#include "lab/transports/lab_provider.h"
#include "lab/transports/time_base.h"

namespace firstlight::cli {

std::unique_ptr<TimeSource> make_time_source(const BenchPlan& plan, std::chrono::steady_clock::time_point epoch) {
  if (plan.time_base.empty()) return std::make_unique<WallTimeSource>(epoch);
  return std::make_unique<TimeBaseSource>(plan.time_base, epoch);
}

namespace {

class LabStation final : public Station {
 public:
  explicit LabStation(const BenchPlan& plan) : plan_(plan) {}
  TimeSource& time_source() override { return *time_; }
  TransportProvider& connect(BenchTime& time) override {
    transports_ = std::make_unique<LabProvider>(time, plan_);
    return *transports_;
  }
  bool simulated() const override { return false; }

 private:
  const BenchPlan plan_;
  const std::unique_ptr<TimeSource> time_ = make_time_source(plan_, std::chrono::steady_clock::now());
  std::unique_ptr<LabProvider> transports_;
};

}  // namespace

std::unique_ptr<Station> make_lab_station(const BenchPlan& plan, std::uint64_t) {
  return std::make_unique<LabStation>(plan);
}

}  // namespace firstlight::cli
