#include "lab/cli/lab_station.h"

#include "lab/runner/wall_time_source.h"
#include "lab/transports/lab_provider.h"

namespace firstlight::cli {

namespace {

class LabStation final : public Station {
 public:
  explicit LabStation(const BenchPlan& plan) : plan_(plan) {}
  TimeSource& time_source() override { return time_; }
  TransportProvider& connect(BenchTime& time) override {
    transports_ = std::make_unique<LabProvider>(time, plan_);
    return *transports_;
  }
  bool simulated() const override { return false; }

 private:
  const BenchPlan plan_;
  WallTimeSource time_;
  std::unique_ptr<LabProvider> transports_;
};

}  // namespace

std::unique_ptr<Station> make_lab_station(const BenchPlan& plan, std::uint64_t) {
  return std::make_unique<LabStation>(plan);
}

}  // namespace firstlight::cli
