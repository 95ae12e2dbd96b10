#pragma once

#include <vector>

#include "lab/steps/step.h"

namespace firstlight {

// One table of verbs a family; lab/steps/all_steps.cpp puts them together.
std::vector<Step> power_steps();
std::vector<Step> instrument_steps();
std::vector<Step> identity_steps();
std::vector<Step> measure_steps();
std::vector<Step> flow_steps();
std::vector<Step> register_steps();
std::vector<Step> thermal_steps();
std::vector<Step> load_line_steps();
std::vector<Step> extremes_steps();
std::vector<Step> chip_steps();
std::vector<Step> memory_steps();
std::vector<Step> external_memory_steps();
std::vector<Step> link_steps();
std::vector<Step> link_prbs_steps();
std::vector<Step> link_ber_steps();
std::vector<Step> link_eye_steps();
std::vector<Step> link_recover_steps();
std::vector<Step> dma_steps();
std::vector<Step> tensor_steps();
std::vector<Step> sweep_steps();
std::vector<Step> network_steps();
std::vector<Step> facility_steps();
std::vector<Step> burst_steps();

}  // namespace firstlight
