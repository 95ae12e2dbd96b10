#include <iterator>
#include <utility>

#include "lab/steps/families.h"

namespace firstlight {

const std::vector<Step>& all_steps() {
  static const std::vector<Step> steps = [] {
    std::vector<Step> all;
    for (auto family : {power_steps(),        load_line_steps(), extremes_steps(), instrument_steps(),
                        identity_steps(),     measure_steps(),   flow_steps(),     register_steps(),
                        thermal_steps(),      chip_steps(),      memory_steps(),   external_memory_steps(),
                        link_steps(),         link_prbs_steps(), link_ber_steps(), link_eye_steps(),
                        link_recover_steps(), dma_steps(),       tensor_steps(),   sweep_steps(),
                        network_steps(),      facility_steps(),  burst_steps()})
      std::move(family.begin(), family.end(), std::back_inserter(all));
    return all;
  }();
  return steps;
}

const Step* find_step(std::string_view verb) {
  for (const Step& step : all_steps())
    if (step.spec.verb == verb) return &step;
  return nullptr;
}

}  // namespace firstlight
