#include "lab/steps/link_lanes.h"

#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "lab/steps/support.h"

namespace firstlight::steps {

std::string lane_part(const Link& link, int lane) { return fmt::format("{} lane {}", link.part(), lane); }

std::vector<int> all_lanes(const Link& link) {
  std::vector<int> lanes(static_cast<std::size_t>(link.lane_count()));
  std::iota(lanes.begin(), lanes.end(), 0);
  return lanes;
}

ParamSpec lane_param() { return integer_param("lane", "Only this lane; -1: all.", "-1", -1, 63); }

std::vector<int> lanes_of(StepContext& step, const Link& link) {
  const std::int64_t only = step.with("lane").integer();
  if (only >= link.lane_count())
    step.fail({ErrorClass::sequence,
               "no_such_lane",
               fmt::format("{} has no lane {}", link.part(), only),
               link.part(),
               {},
               {},
               fmt::format("its lanes are 0 to {}", link.lane_count() - 1)});
  return only < 0 ? all_lanes(link) : std::vector<int>{static_cast<int>(only)};
}

ParamSpec confidence_param() {
  ParamSpec confidence = quantity_param("confidence", Dimension::ratio, "Of the bound.", "95 %");
  confidence.min = 0.5;
  confidence.max = 0.9999;
  return confidence;
}

ParamSpec target_param(std::string doc, std::string fallback, double min) {
  ParamSpec target = quantity_param("target", Dimension::bit_error_ratio, std::move(doc), std::move(fallback));
  target.min = min;
  target.max = 0.1;
  return target;
}

}  // namespace firstlight::steps
