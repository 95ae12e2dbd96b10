#pragma once

#include "lab/core/bench_time.h"

namespace tb {

/// Bench time of the model: SystemC time. The only place that calls sc_start.
class SystemcTime : public firstlight::TimeSource {
 public:
  firstlight::Instant now() const override;
  void advance(firstlight::Instant until) override;
  void interrupt() override;

 private:
  bool running_ = false;
};

}  // namespace tb
